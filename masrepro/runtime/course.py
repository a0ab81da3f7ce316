"""The course of a run that is repaired: attempt, state, repair, and so on, until nothing is to be repaired or can be.

Not here: the entrance (`rectify`), and who repairs (`rectifier`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from masrepro.agents.agent import Output, SubAgent
from masrepro.models.model import ModelError, Pool, Sampling
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.budget import UNLIMITED, BudgetReached, Meter
from masrepro.runtime.call import Log, RecordedCall
from masrepro.runtime.change import Again, Change, changed, kept, without
from masrepro.runtime.dataflow import Dataflow
from masrepro.runtime.failure import DOWN_KINDS, Failure, Guard
from masrepro.runtime.rectifier import RECTIFIER, Rectifier
from masrepro.runtime.staff import Post, staff
from masrepro.runtime.state import Health, Repair, State
from masrepro.runtime.trace import NOTHING, Span
from masrepro.tools.tool import Tool

Ending = Literal[
    "done", "nothing to change", "repeated", "most repairs", "invalid", "down", "rectifier failed", "budget"
]
"""Why there was no further repair. ``done``: none was wanted. ``nothing to change``: the rectifier saw no repair.
``repeated``: it came back to a system that this run has tried. ``most repairs``: it was asked as often as allowed.
``invalid``: what it wrote is no system that can run. ``down``: the system still needs what is known to be down.
``rectifier failed``: its model gave no usable reply. ``budget``: the run's own bound is reached."""


class NoRepair(Exception):
    """There is no repair."""

    def __init__(self, ending: Ending, why: str) -> None:
        super().__init__(why)
        self.ending: Ending = ending


@dataclass(slots=True)
class Course:
    """A run between its first attempt and its last."""

    question: str
    pool: Pool
    rectifier: Rectifier
    meter: Meter
    log: Log
    max_repairs: int
    resume: bool
    sampling: Sampling
    rationale_chars: int
    sub_agents: Mapping[str, SubAgent] | None
    tools: Mapping[str, Tool]
    tool_timeout_s: float
    plan: Orchestration
    posts: dict[str, Post]
    guard: Guard
    health: Health
    outputs: dict[str, Output] = field(default_factory=dict)
    repairs: list[Repair] = field(default_factory=list)
    unrepaired: list[Failure] = field(default_factory=list)
    n_asked: int = 0
    ending: Ending = "done"
    why: str = ""

    async def run(self) -> Dataflow:
        """Attempt and repair in turn. Returns the last attempt."""
        while True:
            attempt = await self._attempt()
            if attempt.limit is not None:
                self.ending, self.why = "budget", attempt.limit
                return attempt
            if not attempt.failures and attempt.overspent is None:
                break
            try:
                await self._repair(self._state(attempt))
            except NoRepair as none:
                self.ending, self.why = none.ending, str(none)
                if attempt.failure is not None:
                    return attempt
                self.unrepaired += attempt.failures
            if attempt.overspent is not None:
                self.guard = replace(self.guard, repair_at=UNLIMITED)
            needy = self._needs_what_is_down(self.posts, self.outputs)
            if needy is not None:
                self.ending, self.why, attempt.failure = "down", needy, needy
                return attempt
            self.log.attempt += 1
        if not self.unrepaired:
            self.ending, self.why = "done", ""
        return attempt

    async def _attempt(self) -> Dataflow:
        """Let the system run until it ends or pauses."""
        flowing = Dataflow(
            self.plan,
            self.question,
            self.posts,
            self.sampling,
            self.rationale_chars,
            self.meter,
            self.log,
            self.tool_timeout_s,
            outputs=dict(self.outputs),
            guard=self.guard,
        )
        if self.plan.agents:
            await flowing.flow()
        self.health.note(self._uses_of_models(flowing), self._uses_of_tools())
        self.outputs = flowing.outputs
        return flowing

    def _uses_of_models(self, attempt: Dataflow) -> Iterator[tuple[str, bool]]:
        """The backbone of every agent that has acted in this attempt, and whether it worked.

        A request that was at fault itself says neither.
        """
        down = {failure.agent for failure in attempt.failures if failure.takes_down and failure.tool is None}
        for span in self.log.trace:
            if (span.kind, span.attempt) != ("agent", self.log.attempt):
                continue
            if span.agent in down or span.error is None:
                yield self.posts[span.agent].backbone, span.error is None

    def _uses_of_tools(self) -> Iterator[tuple[str, bool]]:
        for span in self.log.trace:
            if span.kind != "tool" or span.tool is None or span.attempt != self.log.attempt:
                continue
            if span.error is None or span.error.startswith(DOWN_KINDS):
                yield span.tool, span.error is None

    def _state(self, attempt: Dataflow) -> State:
        return State(
            question=self.question,
            plan=self.plan,
            outputs=dict(self.outputs),
            failures=tuple(attempt.failures),
            spent=self.meter.spent,
            models={name: model.price for name, model in self.pool.items()},
            default=self.pool.default,
            overspent=attempt.overspent,
            budget=self.meter.budget,
            tools=tuple(self.tools),
            down_models=self.health.down_models,
            down_tools=self.health.down_tools,
            repairs=tuple(self.repairs),
        )

    async def _repair(self, state: State) -> None:
        """Ask the rectifier, and take over the system that it wants and the outputs that are good in it."""
        if self.n_asked == self.max_repairs:
            raise NoRepair(
                "most repairs", f"the rectifier was asked {self.n_asked} times, which is the most: {state.why}"
            )
        self.n_asked += 1
        span, start_s = self.log.next_id(), self.log.now_s()
        after, error = None, None
        try:
            change = await self._asked(state, span)
            after, posts = self._system(state, change)
            outputs = self._good(state, change, after)
            needy = self._needs_what_is_down(posts, outputs)
            if needy is not None:
                raise NoRepair("down", needy)
        except NoRepair as none:
            error = f"{none.ending}: {none}"
            raise
        finally:
            self.log.trace.append(
                Span(
                    id=span,
                    parent=None,
                    agent=RECTIFIER,
                    kind="repair",
                    model=None,
                    start_s=start_s,
                    end_s=self.log.now_s(),
                    arguments=state.plan.to("calls"),
                    text=after.to("calls") if after else None,
                    reasoning=state.why,
                    error=error,
                    attempt=self.log.attempt,
                )
            )
        usage = sum((own.usage for own in self.log.trace if own.parent == span), NOTHING)
        self.repairs.append(Repair(self.plan, after, change, state.why, usage, len(outputs)))
        self.unrepaired = [failure for failure in self.unrepaired if failure.agent in outputs]
        self.plan, self.posts, self.outputs = after, posts, outputs

    async def _asked(self, state: State, span: int) -> Change:
        model = self.rectifier.model or self.pool.backbone(None)
        call = RecordedCall(RECTIFIER, span, model, self.sampling, self.meter, self.log)
        seconds = self.meter.budget.seconds
        try:
            async with asyncio.timeout(None if seconds is None else max(seconds - self.log.now_s(), 0)) as deadline:
                change = await self.rectifier.repair(state, call)
        except TimeoutError:
            if not deadline.expired():
                raise
            raise NoRepair("budget", f"the budget of {seconds} seconds is spent") from None
        except BudgetReached as reached:
            raise NoRepair("budget", f"{reached}, before the rectifier had answered") from None
        except ModelError as failure:
            raise NoRepair("rectifier failed", f"{type(failure).__name__}: {failure}") from None
        except OrchestrationError as refused:
            raise NoRepair("invalid", str(refused)) from None
        if change is None:
            raise NoRepair("nothing to change", f"the rectifier sees nothing to change: {state.why}")
        return change

    def _system(self, state: State, change: Change) -> tuple[Orchestration, dict[str, Post]]:
        """The system after a change, and who does the work in it."""
        try:
            after = changed(state.plan, change)
            posts = staff(after, self.pool, self.meter.budget, self.sub_agents, self.tools)
        except OrchestrationError as refused:
            raise NoRepair("invalid", str(refused)) from None
        tried = {self.plan.content_hash, *(repair.before.content_hash for repair in self.repairs)}
        if after.content_hash in tried and not isinstance(change, Again):
            raise NoRepair("repeated", f"this run has tried the system {after.content_hash} before: {state.why}")
        return after, posts

    def _good(self, state: State, change: Change, after: Orchestration) -> dict[str, Output]:
        if not self.resume or (isinstance(change, Again) and change.from_scratch):
            return {}
        if isinstance(change, Again):
            return without(state.plan, state.outputs, frozenset(failure.agent for failure in state.failures))
        return kept(state.plan, after, state.outputs, self.pool.default)

    def _needs_what_is_down(self, posts: Mapping[str, Post], outputs: Mapping[str, Output]) -> str | None:
        """The first agent still to run that needs what is known to be down, in words."""
        for id, post in posts.items():
            if id in outputs:
                continue
            if post.backbone in self.health.down_models:
                return f"agent {id} would run on {post.backbone}, which is down"
            for tool in post.tools:
                if tool in self.health.down_tools:
                    return f"agent {id} would use the tool {tool}, which is down"
        return None
