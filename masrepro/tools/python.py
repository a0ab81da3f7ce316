"""The tool ``python``: a program in the sandbox, and what it prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from masrepro.tools.isolation import Isolation, SandboxError
from masrepro.tools.sandbox import Limits, Result, run_code
from masrepro.tools.tool import Arguments, ToolResult, UseFailed, attempt, schema


@dataclass(frozen=True, slots=True)
class Python:
    """Run a program with the standard library, in an empty folder, without a network.

    Parameters
    ----------
    limits : Limits
        What it may use.
    output_chars : int
        Characters shown of what it prints: the beginning, and of its errors the end.
    isolation : str or None
        See `masrepro.tools.sandbox.run_code`.
    """

    name: ClassVar[str] = "python"
    description: ClassVar[str] = "Runs a Python program on its own, standard library only, and shows what it prints."
    parameters: ClassVar[Mapping[str, Any]] = schema(
        {"code": {"type": "string", "description": "the whole program; print what you want to see"}}
    )
    limits: Limits = field(default_factory=Limits)
    output_chars: int = 4_000
    isolation: Isolation | None = None

    async def use(self, arguments: Arguments) -> ToolResult:
        """What it printed. A program that fails is no failure of the tool: its traceback is the result."""
        return await attempt(self, arguments, self._run)

    async def _run(self, arguments: Arguments) -> str:
        try:
            result = await run_code(arguments["code"], limits=self.limits, isolation=self.isolation)
        except SandboxError as error:
            raise UseFailed("unavailable", f"the sandbox does not work: {error}") from error
        if result.status == "limit":
            raise UseFailed("limit", f"the program was ended: {result.reason}{self._printed(result)}")
        return self._shown(result)

    def _shown(self, result: Result) -> str:
        printed = result.stdout[: self.output_chars]
        if result.status == "ok":
            return printed or "The program printed nothing."
        errors = result.stderr.rstrip()[-self.output_chars :]
        return f"{printed}\nThe program failed ({result.reason}):\n{errors}".strip()

    def _printed(self, result: Result) -> str:
        printed = result.stdout[: self.output_chars].strip()
        return f"; it had printed:\n{printed}" if printed else ""
