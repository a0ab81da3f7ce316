"""What went wrong in a run, with its typed cause, and when that is reason enough to pause for a repair.

MAS² (arXiv 2509.24323, section 3.1) calls its rectifier when the spend passes a bound or an operation has failed
explicitly. An answer that is merely wrong raises nothing; a `Check` can find it, which the paper leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from masrepro.agents.agent import AgentFailed, Output
from masrepro.models.model import ContextOverflow, ModelError
from masrepro.orchestration.plan import Agent
from masrepro.runtime.budget import UNLIMITED, Budget
from masrepro.tools.tool import FailureKind, ToolFailure, ToolResult

Check = Callable[[Agent, Output], str | None]
"""What is wrong with an agent's output, in words; None where nothing is seen to be."""

DOWN_KINDS: tuple[FailureKind, ...] = ("unavailable", "timeout")
"""Failures of a tool that speak against the tool, and not against how it was used."""


@dataclass(frozen=True, slots=True)
class CheckFailed:
    """An output that a check has found wrong."""

    message: str

    def __str__(self) -> str:
        return self.message


class Fault(NamedTuple):
    """Something that went wrong without ending an agent's work; ``tool`` where one did."""

    cause: ToolFailure | CheckFailed
    tool: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong with one agent.

    Parameters
    ----------
    agent : str
        Its id.
    backbone : str
        The pool's name of the model that it ran on.
    cause : ModelError, ToolFailure or CheckFailed
        A back-end that gave no usable reply, a tool that did not work, or an output that was found wrong.
    tool : str or None
        The tool that did not work.
    is_final : bool
        Whether the agent gave no output.
    """

    agent: str
    backbone: str
    cause: ModelError | ToolFailure | CheckFailed
    tool: str | None = None
    is_final: bool = False

    @classmethod
    def of(cls, raised: ModelError | AgentFailed, agent: str, backbone: str, uses: Sequence[ToolResult]) -> Failure:
        """A failure that ended the work of an agent, which had used tools so."""
        if isinstance(raised, ModelError):
            return cls(agent, backbone, raised, is_final=True)
        tool = next((use.tool for use in reversed(uses) if use.failure == raised.failure), None)
        return cls(agent, backbone, raised.failure, tool, is_final=True)

    @property
    def takes_down(self) -> bool:
        """Whether it speaks against the back-end or tool as such, and not against one request to it."""
        if isinstance(self.cause, ToolFailure):
            return self.cause.kind in DOWN_KINDS
        return isinstance(self.cause, ModelError) and not isinstance(self.cause, ContextOverflow)

    @property
    def kind(self) -> str:
        """``Unavailable``, ``MalformedReply`` and the like; ``tool unavailable`` and the like; or ``check``."""
        if isinstance(self.cause, ToolFailure):
            return f"tool {self.cause.kind}"
        return "check" if isinstance(self.cause, CheckFailed) else type(self.cause).__name__

    def __str__(self) -> str:
        where = f"tool {self.tool}" if self.tool else self.backbone
        message = self.cause.message if isinstance(self.cause, ToolFailure) else str(self.cause)
        return f"{self.agent} ({where}): {self.kind}: {message}"


@dataclass(frozen=True, slots=True)
class Guard:
    """When a run is to pause for a repair.

    Parameters
    ----------
    repair_at : Budget
        theta_C: once more than this is spent, no further agent starts. A bound on the run itself is its own `Budget`.
    check : callable or None
        Looks at every output as it comes.
    """

    repair_at: Budget = UNLIMITED
    check: Check | None = None

    def fault(self, agent: Agent, output: Output, uses: Sequence[ToolResult]) -> Fault | None:
        """What is wrong with an output, and with the tools that were used for it.

        A tool that failed and then worked is not; a model may ask wrongly before it asks rightly.
        """
        worked = {use.tool for use in uses if use.failure is None}
        for use in reversed(uses):
            if use.failure is not None and use.tool not in worked:
                return Fault(use.failure, use.tool)
        said = None if self.check is None else self.check(agent, output)
        return None if said is None else Fault(CheckFailed(said))
