"""One orchestration in motion: an agent starts the moment all its inputs are there.

Not here: what the outcome is called (`run`), and who acts for an agent (`staff`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from masrepro.agents.agent import AgentFailed, Input, Output, Task
from masrepro.models.model import ModelError, Sampling
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.budget import BudgetReached, Meter
from masrepro.runtime.call import Log, RecordedCall, RecordedTool, describe
from masrepro.runtime.staff import Post
from masrepro.runtime.trace import Span

TOOL_TIMEOUT_S = 120.0


@dataclass(slots=True)
class Dataflow:
    """The state of one run.

    Parameters
    ----------
    plan, question, posts, sampling, rationale_chars, meter, log, tool_timeout_s
        What is run, by whom and within which bounds.
    outputs : dict
        Output by id of every agent that has finished.
    failure : str or None
        The first agent that a model or a tool let down, with its error.
    limit : str or None
        The bound of the budget that was reached.
    """

    plan: Orchestration
    question: str
    posts: dict[str, Post]
    sampling: Sampling
    rationale_chars: int
    meter: Meter
    log: Log
    tool_timeout_s: float = TOOL_TIMEOUT_S
    outputs: dict[str, Output] = field(default_factory=dict)
    failure: str | None = None
    limit: str | None = None
    _faults: list[Exception] = field(default_factory=list)
    _stopped: bool = False
    _deadline: asyncio.Timeout = field(init=False)
    _missing: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self._deadline = asyncio.timeout(self.meter.budget.seconds)
        self._missing = {agent.id: len(self.plan.inputs(agent.id)) for agent in self.plan.agents}

    async def flow(self) -> None:
        """Let every agent act as soon as its inputs are there, until all have or the run is stopped.

        A `ModelError` or `AgentFailed` cancels the siblings and is noted in ``failure``. At the budget no further
        call starts, but calls in flight end and their outputs count; past its seconds they are cancelled. Any
        other exception propagates, once the siblings have been cancelled.
        """
        try:
            async with self._deadline, asyncio.TaskGroup() as group:
                group.create_task(self._follow(list(self.plan.sources), group))
        except TimeoutError:  # only ever the deadline's: an agent's own is among the faults
            if not self._stopped:
                self.limit = f"the budget of {self.meter.budget.seconds} seconds is spent"
        if len(self._faults) > 1:
            raise ExceptionGroup("several agents failed", self._faults)
        for fault in self._faults:
            raise fault

    async def _follow(self, ready: list[str], group: asyncio.TaskGroup) -> None:
        """Let the first of these agents act here and the others beside it; then so on downstream."""
        while ready:
            for other in ready[1:]:
                group.create_task(self._follow([other], group))
            output = await self._act(self.posts[ready[0]])
            if output is None:
                return
            self.outputs[ready[0]] = output
            ready = [] if self._stopped else self._made_ready(ready[0])

    def _made_ready(self, finished: str) -> list[str]:
        """The agents whose last missing input was that of the agent that has just finished."""
        downstream = [flow.target for flow in self.plan.outputs(finished)]
        for target in downstream:
            self._missing[target] -= 1
        return [target for target in downstream if not self._missing[target]]

    async def _act(self, post: Post) -> Output | None:
        """The agent's output; None when the budget did not suffice for one, or the run has been stopped."""
        agent, inputs = post.agent, self._inputs(post.agent.id)
        span, start_s = self.log.next_id(), self.log.now_s()
        call = RecordedCall(agent.id, span, post.model, self.sampling, self.meter, self.log)
        tools = {
            name: RecordedTool(name, agent.id, span, tool, self.tool_timeout_s, self.log)
            for name, tool in post.tools.items()
        }
        output, error = None, None
        try:
            output = await post.sub_agent.act(Task(self.question, agent, inputs, tools), call)
        except asyncio.CancelledError as raised:
            error = describe(raised)
            if _is_being_cancelled():
                raise
            self._stop_at(post, RuntimeError(f"agent {agent.id}: its call was cancelled, its run was not"))
        except Exception as raised:
            cause = _cause(raised)
            error = describe(cause)
            self._stop_at(post, cause)
        finally:
            self.log.trace.append(
                Span(
                    id=span,
                    parent=None,
                    agent=agent.id,
                    kind="agent",
                    model=None,
                    start_s=start_s,
                    end_s=self.log.now_s(),
                    inputs=tuple(given.source for given in inputs),
                    text=output.answer if output else None,
                    reasoning=output.rationale if output else "",
                    finish=output.finish if output else None,
                    error=error,
                )
            )
        return output

    def _stop_at(self, post: Post, cause: Exception) -> None:
        """Note why an agent gave no output; unless it was the budget, have its siblings cancelled.

        They are cancelled by moving the deadline to now. An error raised into the group would do it too, but
        would swallow a cancellation from outside that comes meanwhile, and leave Python 3.11's count of the
        caller's cancellations one too high.
        """
        if isinstance(cause, BudgetReached):
            self.limit = self.limit or f"{cause}, before agent {post.agent.id} had finished"
            return
        if isinstance(cause, ModelError):
            where = f"agent {post.agent.id} on model {post.model.name}"
            self.failure = self.failure or f"{where}: {describe(cause)}"
        elif isinstance(cause, AgentFailed):
            self.failure = self.failure or f"agent {post.agent.id}: {describe(cause)}"
        else:
            self._faults.append(cause)
        self._stopped = True
        if not self._deadline.expired():
            self._deadline.reschedule(asyncio.get_running_loop().time())

    def _inputs(self, id: str) -> tuple[Input, ...]:
        return tuple(
            Input(flow.source, flow.payload, given.answer, given.rationale[: self.rationale_chars])
            for flow in self.plan.inputs(id)
            for given in (self.outputs[flow.source],)
        )


def _cause(raised: Exception) -> Exception:
    """The exception that decides: of a group, a fault before a failure of model or tool before a `BudgetReached`."""
    if not isinstance(raised, ExceptionGroup):
        return raised
    leaves = [_cause(inner) for inner in raised.exceptions]
    return min(
        leaves, key=lambda leaf: 2 * isinstance(leaf, BudgetReached) + isinstance(leaf, ModelError | AgentFailed)
    )


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
