"""A rectifier in one of several runs that part where they pause: the state there is the same, its decision another.

For decision trees (`growth`): each decision is a draw with a seed of its own and becomes a node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Unpack

from masrepro.agents.agent import Call, Output, SamplingChange
from masrepro.meta.rectifier import ModelRectifier, rectifier_messages
from masrepro.models.model import Completion, ContextOverflow, Message, Model, ModelError, Sampling, Usage
from masrepro.orchestration.errors import OrchestrationError
from masrepro.runtime.change import Change
from masrepro.runtime.state import State
from masrepro.train.tree import Node


class Paused(NamedTuple):
    """What must be the same for all repairs of one state: what is told of it, what is finished, and what was spent."""

    told: tuple[Message, ...]
    outputs: tuple[tuple[str, Output], ...]
    spent: Usage

    @classmethod
    def of(cls, state: State, rectifier: ModelRectifier) -> Paused:
        """The state as a rectifier comes upon it."""
        return cls(rectifier_messages(state, rectifier.catalogue), tuple(state.outputs.items()), state.spent)


class Pause(Exception):
    """A run has paused, and goes no further."""

    def __init__(self, paused: Paused) -> None:
        super().__init__("the run has paused")
        self.paused = paused


@dataclass(frozen=True, slots=True)
class Probe:
    """Ends a run where it pauses first; ``rectifier`` is the one that would be asked there."""

    rectifier: ModelRectifier
    model: ClassVar[None] = None

    async def repair(self, state: State, call: Call) -> Change | None:
        """Raise `Pause`."""
        raise Pause(Paused.of(state, self.rectifier))


@dataclass(slots=True)
class Branch:
    """A rectifier in one run, whose decisions become nodes, one below the other.

    Parameters
    ----------
    rectifier : ModelRectifier
    id : str
        Of its first decision; ``g0.i1.r0`` stands below ``g0.i1``. Each that follows is ``r0`` below the last.
    seed : callable
        That of a decision, by its id.
    paused : Paused
        Where the first is made.
    nodes : list of Node
        The decisions so far. One that could not be read is a decision too.
    failure : ModelError or None
        Why there is none where its back-end gave none.
    """

    rectifier: ModelRectifier
    id: str
    seed: Callable[[str], int]
    paused: Paused
    nodes: list[Node] = field(default_factory=list)
    failure: ModelError | None = None

    @property
    def model(self) -> Model | None:
        """The rectifier's."""
        return self.rectifier.model

    async def repair(self, state: State, call: Call) -> Change | None:
        """The rectifier's change; see `masrepro.runtime.rectifier.Rectifier`."""
        paused = Paused.of(state, self.rectifier)
        assert self.nodes or paused == self.paused, f"the state at {self.id} is not the one that was seen there before"
        parent = self.nodes[-1].id if self.nodes else self.id.rpartition(".")[0]
        id = f"{parent}.r0" if self.nodes else self.id
        heard, flaw = _Heard(call, self.seed(id)), ""
        try:
            return await self.rectifier.repair(state, heard)
        except OrchestrationError as error:
            flaw = error.rule
            raise
        except ModelError as error:
            self.failure = None if isinstance(error, ContextOverflow) else error
            raise
        finally:
            if heard.reply is not None:
                self.nodes.append(Node(id, parent, "rectifier", paused.told, heard.reply.text, heard.reply.usage, flaw))


@dataclass(slots=True)
class _Heard:
    """A rectifier's call, drawn with a seed, and overheard."""

    call: Call
    seed: int
    reply: Completion | None = None

    @property
    def sampling(self) -> Sampling:
        """The run's."""
        return self.call.sampling

    async def __call__(self, messages: Sequence[Message], **change: Unpack[SamplingChange]) -> Completion:
        change["seed"] = self.seed
        self.reply = await self.call(messages, **change)
        return self.reply
