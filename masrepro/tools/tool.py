"""What a tool is to an agent: a name, a description, a schema of arguments, and a use that never raises.

Whatever goes wrong with a tool is part of its result and has a kind, so that an agent can go on without it and a
rectifier can read what happened. Only a fault in a program raises. Not here: any particular tool, and how a model asks
for one (`masrepro.agents.tool_use`).
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal, Protocol

FailureKind = Literal["bad_arguments", "not_found", "timeout", "limit", "refused", "unavailable"]
"""``bad_arguments``: not what the schema asks for. ``not_found``: there is no such page or tool. ``timeout``: no result
in time. ``limit``: more than it may use. ``refused``: not allowed, by the tool's rules or by the other side.
``unavailable``: down, or broken."""

Arguments = Mapping[str, Any]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
}


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """Why a use gave nothing; the message is for the agent and for people."""

    kind: FailureKind
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of one use.

    Parameters
    ----------
    tool : str
        The tool's name.
    text : str
        For the agent to read; with a failure, what there was by then, mostly nothing.
    failure : ToolFailure or None
        None if it went well.
    seconds : float
        Wall-clock time of the use.
    """

    tool: str
    text: str
    failure: ToolFailure | None = None
    seconds: float = 0.0


class Tool(Protocol):
    """Something that an agent can use. Several agents may use it at once."""

    @property
    def name(self) -> str:
        """The name by which an orchestration lists it."""
        ...

    @property
    def description(self) -> str:
        """One sentence for the model that uses it."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """JSON schema of the arguments: an object with ``properties`` and ``required``."""
        ...

    async def use(self, arguments: Arguments) -> ToolResult:
        """Use it once. A failure is in the result."""
        ...


class UseFailed(Exception):
    """Raised inside a tool, and turned into the result's failure by `attempt`."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.failure = ToolFailure(kind, message)


class MissingExtra(ImportError):
    """A tool's library is not installed; the message says how to install it."""


async def attempt(tool: Tool, arguments: Arguments, act: Callable[[Arguments], Awaitable[str]]) -> ToolResult:
    """One use of a tool: check the arguments, act, take the time, and make of `UseFailed` a typed failure."""
    began = time.monotonic()
    text, failure = "", None
    fault = arguments_fault(tool.parameters, arguments)
    if fault:
        failure = ToolFailure("bad_arguments", fault)
    else:
        try:
            text = await act(arguments)
        except UseFailed as failed:
            failure = failed.failure
    return ToolResult(tool.name, text, failure, time.monotonic() - began)


def schema(required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """JSON schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def arguments_fault(parameters: Mapping[str, Any], arguments: Arguments) -> str | None:
    """What is wrong with arguments, held against the required names, the known names and the types of a schema."""
    properties = parameters["properties"]
    for name in parameters.get("required", ()):
        if name not in arguments:
            return f"the argument {name!r} is missing"
    for name, value in arguments.items():
        if name not in properties:
            return f"there is no argument {name!r}; there are: {', '.join(properties)}"
        kind = properties[name].get("type")
        fits = isinstance(value, _TYPES[kind]) and not (isinstance(value, bool) and kind in ("integer", "number"))
        if not fits:
            return f"the argument {name!r} must be of type {kind}, not {type(value).__name__}"
    return None


def require_extra(library: str, extra: str, tool: str) -> None:
    """Check that an optional library is there, when a tool is made and not when it is first used.

    Raises
    ------
    MissingExtra
        It is not installed.
    """
    if find_spec(library) is None:
        raise MissingExtra(f'the tool {tool} needs {library}, which is not installed: pip install "masrepro[{extra}]"')
