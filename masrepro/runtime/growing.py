"""A run whose system is built while it runs: each agent acts when it is created, and the builder hears its answer.

The same agents, trace, budget and result as in a run of a whole system (`run`); the language is that of
`masrepro.orchestration.turns`. Who builds is not decided here: a model in an evaluation (`masrepro.baselines`), a
policy in training (`masrepro.train`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from masrepro.agents.agent import Input, Output, SubAgent
from masrepro.agents.cot import entry
from masrepro.models.model import Completion, ContextOverflow, Message, Model, ModelError, Pool, Sampling
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Orchestration
from masrepro.orchestration.turns import Partial, take_turn
from masrepro.runtime.budget import UNLIMITED, Budget, BudgetReached, Meter
from masrepro.runtime.call import Log, RecordedCall, describe
from masrepro.runtime.dataflow import Dataflow
from masrepro.runtime.run import GREEDY, RunResult, Status, result_of
from masrepro.runtime.staff import staff
from masrepro.runtime.trace import Trace
from masrepro.tools.tool import Tool

BUILDER = "orchestrator"
"""Under which name a builder's own calls stand in the trace."""
TURNS = 12
"""Turns of a conversation, at most, the last one included."""
CUT_OFF = "cut-off"
UNFINISHED = "unfinished"
"""Rules that a builder breaks who writes more than it may, or whose last turn is no end."""

_SHORTER = "Write less, or allow more."


@dataclass(frozen=True, slots=True)
class Conditions:
    """Who does the work and within which bounds; each field as for `masrepro.runtime.run`."""

    models: Pool
    budget: Budget = UNLIMITED
    sampling: Sampling = GREEDY
    sub_agents: Mapping[str, SubAgent] | None = None
    tools: Mapping[str, Tool] | None = None
    rationale_chars: int = 400


@dataclass(frozen=True, slots=True)
class Unfolded:
    """What came of a run whose system was built while it ran.

    Parameters
    ----------
    plan : Orchestration or None
        The whole system; where the run was stopped, the agent that stopped it and those that it heard. None where the
        builder broke a rule.
    result : RunResult
        With everything that was spent, whatever became of it.
    invalid : OrchestrationError or None
        The rule that was broken.
    """

    plan: Orchestration | None
    result: RunResult
    invalid: OrchestrationError | None = None


@dataclass(slots=True)
class GrowingRun:
    """A run that goes on turn by turn, until ``unfolded`` is there.

    Parameters
    ----------
    question : str
        Every agent sees it.
    conditions : Conditions
    dom, catalogue
        What may be built.
    turns : int
        The builder's, at most.
    clock : callable
        Seconds, for the times in the trace.
    """

    question: str
    conditions: Conditions
    dom: DoM = DoM.HIGH
    catalogue: Catalogue = STANDARD
    turns: int = TURNS
    clock: Callable[[], float] = time.monotonic
    unfolded: Unfolded | None = None
    _n_taken: int = 0
    _built: Partial = field(default_factory=Partial)
    _outputs: dict[str, Output] = field(default_factory=dict)
    _meter: Meter = field(init=False)
    _log: Log = field(init=False)

    def __post_init__(self) -> None:
        self._meter = Meter(self.conditions.budget)
        self._log = Log(Trace(), self.clock, self.clock())

    async def take(self, text: str, *, cut_off: bool = False, is_last: bool = False) -> str:
        """Take the builder's turn.

        Parameters
        ----------
        text : str
        cut_off : bool
            Whether the text met its token limit, and is no turn, however it begins.
        is_last : bool
            Whether the builder has no tokens left for another.

        Returns
        -------
        str
            What the builder is told: the new agent's answer, in the words in which other agents hear it. Empty when
            the run has come to its end.
        """
        self._n_taken += 1
        try:
            if cut_off:
                raise OrchestrationError(CUT_OFF, "the turn met its token limit", "its end", _SHORTER)
            taken = take_turn(text, self._built, self.dom, catalogue=self.catalogue)
            if isinstance(taken, Orchestration):
                self.unfolded = Unfolded(taken, result_of(self._dataflow(taken)))
                return ""
            if is_last:
                raise OrchestrationError(CUT_OFF, "no tokens are left for another turn", "this turn", _SHORTER)
            if self._n_taken >= self.turns:
                what = f"turn {self._n_taken} of at most {self.turns} does not end"
                raise OrchestrationError(UNFINISHED, what, "this turn", "End earlier, or allow more turns.")
            dataflow = self._dataflow(taken.newest)
        except OrchestrationError as error:
            self._end(str(error), error)
            return ""
        await dataflow.flow()
        self._built = taken
        result = result_of(dataflow)
        if result.status in ("error", "limit"):
            self.unfolded = Unfolded(dataflow.plan, result)
            return ""
        agent = taken.agents[-1].id
        self._outputs[agent] = output = dataflow.outputs[agent]
        return entry(Input(agent, "", output.answer, output.rationale[: self.conditions.rationale_chars]))

    async def ask(self, builder: Model, messages: Sequence[Message], sampling: Sampling) -> Completion | None:
        """Ask a builder for its turn, on the run's record and outside its budget; None if it could not be asked."""
        call = RecordedCall(BUILDER, None, builder, sampling, Meter(UNLIMITED), self._log)
        try:
            return await call(messages)
        except ContextOverflow:
            self.fill_context()
        except (BudgetReached, ModelError) as error:  # a limit on the cost of many runs is both
            why = f"{BUILDER} on model {builder.name}: {describe(error)}"
            self._end(why, status="limit" if isinstance(error, BudgetReached) else "error")
        return None

    def fill_context(self) -> None:
        """End, since the builder's next turn does not fit the context of its model."""
        error = OrchestrationError(CUT_OFF, "the conversation fills the builder's context", "its last turn", _SHORTER)
        self._end(str(error), error)

    def _end(self, why: str, invalid: OrchestrationError | None = None, status: Status = "error") -> None:
        """End without an answer."""
        trace = self._log.trace
        result = RunResult(None, status, trace.usage, trace, dict(self._outputs), why, self._log.now_s())
        self.unfolded = Unfolded(None, result, invalid)

    def _dataflow(self, plan: Orchestration) -> Dataflow:
        """A system of which only those agents are left to act that have no output yet."""
        own = self.conditions
        posts = staff(plan, own.models, own.budget, own.sub_agents, own.tools)
        known = {agent.id: self._outputs[agent.id] for agent in plan.agents if agent.id in self._outputs}
        return Dataflow(
            plan, self.question, posts, own.sampling, own.rationale_chars, self._meter, self._log, outputs=known
        )
