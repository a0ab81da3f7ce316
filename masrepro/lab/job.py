"""One job of an evaluation: a system designs an orchestration for an item, and the runtime runs it.

It depends on nothing but itself, so that it may run on any machine. Not here: the verdict on its answer (`grade`),
which item is due, and the record (`evaluate`).
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from hashlib import sha256
from inspect import isawaitable, iscoroutinefunction
from typing import Protocol

from masrepro.agents.agent import SubAgent
from masrepro.baselines.system import Unfolding
from masrepro.bench import Item
from masrepro.lab.cost import CostLimit, CostReached
from masrepro.lab.estimate import estimate
from masrepro.lab.executor import JobLost, Work
from masrepro.lab.sample import Key, Sample
from masrepro.models.model import ModelError, Pool, Sampling
from masrepro.orchestration import Orchestration, OrchestrationError
from masrepro.runtime.budget import Budget
from masrepro.runtime.growing import Conditions, Unfolded
from masrepro.runtime.run import RunResult, run
from masrepro.tools.tool import Tool

MOST_LOSSES = 3
"""Times that a job may take its process with it, or fall with its machine, before its sample is an error."""


class Designer(Protocol):
    """A system under evaluation. `masrepro.baselines.System` is one; ``design`` may also be a coroutine."""

    @property
    def name(self) -> str:
        """Under which its samples are kept."""
        ...

    def design(self, item: Item) -> Orchestration | Awaitable[Orchestration | Unfolding]:
        """The orchestration for an item, or one that unfolds. Raises OrchestrationError where none is valid."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """An item, and the key of the sample that is to come of it."""

    item: Item
    key: Key

    @property
    def blank(self) -> Sample:
        """A sample of which nothing is known yet."""
        return Sample(*self.key, outcome="error", answer=None, extracted=None, gold=self.item.answer)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of a job: a sample, and whether its outcome is still the scorer's to say."""

    sample: Sample
    to_score: bool = False


@dataclass(frozen=True, slots=True)
class Attempts:
    """How jobs are done: which system, and under which conditions its orchestrations run (`masrepro.runtime.run`)."""

    system: Designer
    models: Pool
    sampling: Sampling
    budget: Budget
    sub_agents: Mapping[str, SubAgent] | None
    tools: Mapping[str, Tool] | None
    rationale_chars: int

    async def __call__(self, job: Job) -> Attempt:
        """Do one job."""
        began = time.monotonic()
        blank = job.blank
        try:
            designed = self.system.design(job.item)
            plan = await designed if isawaitable(designed) else designed
        except OrchestrationError as error:
            return Attempt(replace(blank, outcome="invalid", error=str(error), seconds=_since(began)))
        except ModelError as error:
            why = f"{type(error).__name__}: {error}"
            blank = replace(blank, usage=error.usage, error=why, seconds=_since(began))
            return Attempt(replace(blank, outcome="limit", stopped=True) if isinstance(error, CostReached) else blank)
        if isinstance(plan, Unfolding):
            return _attempt(blank, await plan.unfold(self._conditions(job)), began)
        try:
            result = await self._run(plan, job)
        except OrchestrationError as error:
            described = _described(blank, plan)
            return Attempt(replace(described, outcome="invalid", error=str(error), seconds=_since(began)))
        return _attempt(blank, Unfolded(plan, result), began)

    def most_usd(self, job: Job) -> Decimal | None:
        """The most that a job can cost, in US dollars; None if the design is a model's or a price unknown."""
        if iscoroutinefunction(self.system.design):
            return None
        return estimate(
            self.system,
            [(job.item, 1)],
            models=self.models,
            sampling=self.sampling,
            max_calls=self.budget.calls,
            rationale_chars=self.rationale_chars,
            sub_agents=self.sub_agents,
        ).most.cost_usd

    async def _run(self, plan: Orchestration, job: Job) -> RunResult:
        own = self._conditions(job)
        return await run(
            plan,
            job.item.question,
            models=own.models,
            budget=own.budget,
            sampling=own.sampling,
            sub_agents=own.sub_agents,
            tools=own.tools,
            rationale_chars=own.rationale_chars,
        )

    def _conditions(self, job: Job) -> Conditions:
        sampling = replace(self.sampling, repeat=job.key.repeat)
        if sampling.seed is not None:
            sampling = replace(sampling, seed=sample_seed(sampling.seed, job.item.id, job.key.repeat))
        return Conditions(self.models, self.budget, sampling, self.sub_agents, self.tools, self.rationale_chars)


def sample_seed(seed: int, item_id: str, repeat: int) -> int:
    """Seed of one sample in 0..2**31-1, the same in every process and for every system."""
    return int.from_bytes(sha256(f"{seed}/{item_id}/{repeat}".encode()).digest()[:4], "big") >> 1


def persistent(attempt: Work[Job, Attempt]) -> Work[Job, Attempt]:
    """Does a job again whose process was lost; after `MOST_LOSSES` its sample is an ``error``."""

    async def persist(job: Job) -> Attempt:
        for _ in range(MOST_LOSSES):
            try:
                return await attempt(job)
            except JobLost as loss:
                why = str(loss)
        return Attempt(replace(job.blank, error=f"lost {MOST_LOSSES} times, last: {why}"))

    return persist


def within(limit: CostLimit, attempts: Attempts, attempt: Work[Job, Attempt]) -> Work[Job, Attempt]:
    """Hands out a job only while the most that it can cost is left: a limit for calls that are made elsewhere.

    A job that was lost counts with that most. Where a limit is set, every job must have one.

    Raises
    ------
    ValueError
        There is a limit, and the system's designs are a model's, so that what a job can cost is not known beforehand.
    """
    if limit.limit_usd is not None and iscoroutinefunction(attempts.system.design):
        raise ValueError(
            f"what a sample of {attempts.system.name} can cost is not known beforehand, since a model designs it; on "
            "other machines a cost limit needs that: leave max_cost_usd out, or use executor: local"
        )

    async def held(job: Job) -> Attempt:
        bound_usd = attempts.most_usd(job) or Decimal(0)
        try:
            number = await limit.hold(bound_usd)
        except CostReached as error:
            return Attempt(stopped(job, str(error)))
        cost_usd: Decimal | None = None
        try:
            done = await attempt(job)
            cost_usd = done.sample.usage.cost_usd
            return done
        finally:
            limit.settle(number, bound_usd, cost_usd)

    return held


def stopped(job: Job, why: str) -> Sample:
    """The sample of a job that a cost limit kept from starting."""
    return replace(job.blank, outcome="limit", stopped=True, error=f"not begun: {why}")


def _attempt(blank: Sample, done: Unfolded, began: float) -> Attempt:
    """What came of a job whose run has ended."""
    result = done.result
    sample = replace(
        blank,
        answer=result.answer,
        usage=result.usage,
        error=result.error,
        trace=result.trace,
        seconds=_since(began),
    )
    if done.plan is not None:
        sample = _described(sample, done.plan)
    if done.invalid is not None:
        return Attempt(replace(sample, outcome="invalid"))
    if result.status == "done":
        return Attempt(sample, to_score=True)
    stopped = result.status == "limit" and was_refused(result)
    return Attempt(replace(sample, outcome=result.status, stopped=stopped))


def _described(sample: Sample, plan: Orchestration) -> Sample:
    return replace(
        sample,
        n_agents=len(plan.agents),
        longest_chain=plan.longest_chain,
        orchestration_hash=plan.content_hash,
        orchestration=plan.to("calls"),
    )


def was_refused(result: RunResult) -> bool:
    """Whether it was the run's cost limit that a call met, not the sample's own budget."""
    return any(span.error is not None and span.error.startswith(CostReached.__name__) for span in result.trace)


def _since(began: float) -> float:
    return round(time.monotonic() - began, 6)
