"""One orchestration in motion: an agent starts the moment all its inputs are there.

Not here: what the outcome is called (`run`), who acts for an agent (`staff`), and what is done about failures
(`rectify`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from masrepro.agents.agent import AgentFailed, Input, Output, Task
from masrepro.models.model import ModelError, Sampling
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.budget import BudgetReached, Meter
from masrepro.runtime.call import Log, RecordedCall, RecordedTool, describe
from masrepro.runtime.failure import Failure, Guard
from masrepro.runtime.staff import Post
from masrepro.runtime.trace import Span
from masrepro.tools.tool import ToolResult

TOOL_TIMEOUT_S = 120.0


@dataclass(slots=True)
class Dataflow:
    """The state of one run.

    Parameters
    ----------
    plan, question, posts, sampling, rationale_chars, meter, log, tool_timeout_s
        What is run, by whom and within which bounds.
    outputs : dict
        Output by id of every agent that has finished. Those given at the start are not run; none of them may have an
        input from an agent that is.
    guard : Guard or None
        When to pause, so that the system can be repaired: no further agent then starts, and those at work come to
        their end, so that nothing is paid for in vain. Without one the first failure cancels the siblings.
    failures : list of Failure
        What went wrong, in the order in which it did, with its typed cause.
    overspent : str or None
        The guard's bound that was passed.
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
    guard: Guard | None = None
    failures: list[Failure] = field(default_factory=list)
    overspent: str | None = None
    failure: str | None = None
    limit: str | None = None
    _faults: list[Exception] = field(default_factory=list)
    _stopped: bool = False
    _deadline: asyncio.Timeout = field(init=False)
    _missing: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        seconds = self.meter.budget.seconds
        self._deadline = asyncio.timeout(None if seconds is None else max(seconds - self.log.now_s(), 0))
        self._missing = {
            agent.id: sum(flow.source not in self.outputs for flow in self.plan.inputs(agent.id))
            for agent in self.plan.agents
            if agent.id not in self.outputs
        }

    async def flow(self) -> None:
        """Let every agent act as soon as its inputs are there, until all have or the run is stopped.

        A `ModelError` or `AgentFailed` stops the siblings and is noted in ``failure``. At the budget no further
        call starts, but calls in flight end and their outputs count; past its seconds they are cancelled. Any
        other exception propagates, once the siblings have been cancelled.
        """
        try:
            async with self._deadline, asyncio.TaskGroup() as group:
                group.create_task(self._follow(self._startable(), group))
        except TimeoutError:  # only ever the deadline's: an agent's own is among the faults
            if not self._stopped:
                self.limit = f"the budget of {self.meter.budget.seconds} seconds is spent"
        if len(self._faults) > 1:
            raise ExceptionGroup("several agents failed", self._faults)
        for fault in self._faults:
            raise fault

    async def _follow(self, ready: list[str], group: asyncio.TaskGroup) -> None:
        """Let the first of these agents act here and the others beside it; then so on downstream."""
        while ready and not self._is_paused():
            for other in ready[1:]:
                group.create_task(self._follow([other], group))
            output = await self._act(self.posts[ready[0]])
            if output is None:
                return
            self.outputs[ready[0]] = output
            ready = [] if self._stopped else self._made_ready(ready[0])

    def _startable(self) -> list[str]:
        """The agents that miss no input and are still to be run."""
        return [agent for agent, n_missing in self._missing.items() if not n_missing]

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
        uses: list[ToolResult] = []
        tools = {
            name: RecordedTool(name, agent.id, span, tool, self.tool_timeout_s, self.log, uses)
            for name, tool in post.tools.items()
        }
        output, error = None, None
        try:
            output = await post.sub_agent.act(Task(self.question, agent, inputs, tools), call)
        except asyncio.CancelledError as raised:
            error = describe(raised)
            if _is_being_cancelled():
                raise
            self._stop_at(post, RuntimeError(f"agent {agent.id}: its call was cancelled, its run was not"), uses)
        except Exception as raised:
            cause = _cause(raised)
            error = describe(cause)
            self._stop_at(post, cause, uses)
        else:
            self._examine(post, output, uses)
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
                    attempt=self.log.attempt,
                )
            )
        return output

    def _is_paused(self) -> bool:
        """Whether no further agent is to start; notes the guard's bound where that is why."""
        if self.guard is not None and not self._stopped:
            self.overspent = self.guard.repair_at.exceeded(self.meter.spent, self.log.now_s())
            self._stopped = self.overspent is not None
        return self._stopped

    def _examine(self, post: Post, output: Output, uses: Sequence[ToolResult]) -> None:
        """Note what the guard has against an output that is there."""
        fault = self.guard.fault(post.agent, output, uses) if self.guard is not None else None
        if fault is not None:
            self.failures.append(Failure(post.agent.id, post.backbone, *fault))
            self._stopped = True

    def _stop_at(self, post: Post, cause: Exception, uses: Sequence[ToolResult]) -> None:
        """Note why an agent gave no output; unless it was the budget, have its siblings stopped.

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
        if isinstance(cause, ModelError | AgentFailed):
            self.failures.append(Failure.of(cause, post.agent.id, post.backbone, uses))
            if self.guard is not None:
                return
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
