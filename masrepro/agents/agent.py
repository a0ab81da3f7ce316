"""What a sub-agent is to the runtime: a goal-oriented black box that takes a task and gives an output.

A sub-agent never sees a model. It is handed a `Call`, through which the runtime admits every request against
the budget and records it; so a new workflow is one class with the attributes of `SubAgent`. The black box
with a signature is that of MAS-Orchestra (arXiv 2601.14652). Not here: how agents are wired together
(`masrepro.runtime`) or written down (`masrepro.orchestration`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypedDict, Unpack, runtime_checkable

from masrepro.models.model import Completion, Finish, Message, Sampling, ToolSignature
from masrepro.orchestration.catalogue import STANDARD, Workflow
from masrepro.orchestration.plan import Agent
from masrepro.tools.tool import Tool, ToolFailure


@dataclass(frozen=True, slots=True)
class Input:
    """What one flow delivered: an upstream agent's answer and bounded rationale, never its prompt or history.

    Parameters
    ----------
    source : str
        Id of the upstream agent.
    payload : str
        What the orchestration says that this flow carries; may be empty.
    answer : str or None
        The upstream answer; None when its reply held none.
    rationale : str
        The upstream rationale, already cut to the run's bound; may be empty.
    """

    source: str
    payload: str
    answer: str | None
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """Everything that a sub-agent may know: the original question, its own definition, and what flowed in.

    ``tools`` are those that it may use, by name; the runtime writes every use into the trace.
    """

    question: str
    agent: Agent
    inputs: tuple[Input, ...] = ()
    tools: Mapping[str, Tool] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Output:
    """What a sub-agent hands on.

    Parameters
    ----------
    answer : str or None
        None when the reply held none.
    rationale : str
        The text that led to the answer.
    finish : {"stop", "length"}
        How the reply that holds the answer ended.
    """

    answer: str | None
    rationale: str
    finish: Finish


class SamplingChange(TypedDict, total=False):
    """Fields of `Sampling` that one call may set for itself."""

    temperature: float
    max_tokens: int
    top_p: float
    stop: tuple[str, ...]
    seed: int | None
    tools: tuple[ToolSignature, ...]
    repeat: int


class Call(Protocol):
    """One request to the agent's backbone, admitted against the budget and recorded in the trace."""

    @property
    def sampling(self) -> Sampling:
        """The run's own sampling, from which a call departs where it says so."""
        ...

    async def __call__(self, messages: Sequence[Message], **change: Unpack[SamplingChange]) -> Completion:
        """Draw a completion with the run's sampling and these changes.

        Raises
        ------
        ModelError
            The back-end gave no usable reply.
        BudgetReached
            The run's budget (`masrepro.runtime.budget`) has no room for another call.
        """
        ...


class SubAgent(Protocol):
    """A workflow that can be run: its signature in the catalogue, and the act itself."""

    @property
    def workflow(self) -> Workflow:
        """The signature under which orchestrations name it."""
        ...

    def n_calls(self, agent: Agent) -> int:
        """Upper bound on the calls that one act of this agent makes, for the estimate before a run."""
        ...

    async def act(self, task: Task, call: Call) -> Output:
        """Work on the task. Exceptions of `call` are left to the runtime.

        Raises
        ------
        AgentFailed
            The agent cannot do its work, for example because its tool is down.
        """
        ...


@runtime_checkable
class NeedsTools(Protocol):
    """A sub-agent that cannot do without some tools, whether its orchestration lists them or not."""

    def needs_tools(self, agent: Agent) -> tuple[str, ...]:
        """Names of all tools that this agent uses, the listed ones included."""
        ...


class AgentFailed(Exception):
    """A sub-agent could not do its work, through no fault of a model.

    Parameters
    ----------
    message : str
        For people.
    failure : ToolFailure
        The last failure of the tool that let it down.
    """

    def __init__(self, message: str, failure: ToolFailure) -> None:
        super().__init__(message)
        self.failure = failure


def standard_workflow(name: str) -> Workflow:
    """The signature of a workflow of the standard catalogue. Raises KeyError if it has none of that name."""
    workflow = STANDARD.workflow(name)
    if workflow is None:
        raise KeyError(f"the standard catalogue has no workflow {name!r}")
    return workflow
