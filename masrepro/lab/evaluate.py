"""The evaluation loop: a system designs an orchestration, the runtime runs it, a scorer judges the answer.

An orchestration that is rejected, a reply that was cut off, a budget that ran out and a back-end that failed
have outcomes of their own and never reach the scorer. A scorer that fails itself leaves an ``error`` with the run.
At the run's cost limit no further sample is begun; what it stopped is ``limit`` until a run with a higher one goes on.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from inspect import isawaitable
from typing import Protocol, TypedDict, Unpack

from masrepro.agents.agent import SubAgent
from masrepro.bench import Item
from masrepro.bench.scoring.code import check_canaries
from masrepro.bench.scoring.outcome import Outcome
from masrepro.lab.accuracy import Accuracy
from masrepro.lab.cost import CostLimit, CostReached
from masrepro.lab.grade import STRICT, Scorer, graded, name_of
from masrepro.lab.sample import OUTCOMES, Key, Sample
from masrepro.lab.sample_store import SampleStore
from masrepro.lab.workers import work_through
from masrepro.models.model import Model, ModelError, Pool, Sampling, Usage
from masrepro.orchestration import Orchestration, OrchestrationError
from masrepro.runtime.blocking import wait_for
from masrepro.runtime.budget import UNLIMITED, Budget
from masrepro.runtime.run import GREEDY, RunResult, run
from masrepro.tools.tool import Tool

Progress = Callable[[int, int], None]


class Designer(Protocol):
    """A system under evaluation. `masrepro.baselines.System` is one; ``design`` may also be a coroutine."""

    name: str

    def design(self, item: Item) -> Orchestration | Awaitable[Orchestration]:
        """The orchestration for an item. Raises OrchestrationError where the system wrote no valid one."""
        ...


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a system made of a benchmark.

    Parameters
    ----------
    system, benchmark : str
        Who and on what.
    samples : tuple of Sample
        Each item and repeat once, by item order and then repeat, whatever finished first.
    """

    system: str
    benchmark: str
    samples: tuple[Sample, ...]

    @property
    def accuracy(self) -> Accuracy:
        """Right answers, with what could not be measured kept apart."""
        n_unmeasured = sum(not sample.measured for sample in self.samples)
        n_stopped = sum(sample.stopped for sample in self.samples)
        return Accuracy(self.outcomes["correct"], len(self.samples), n_unmeasured, n_stopped)

    @property
    def outcomes(self) -> dict[Outcome, int]:
        """Number of samples by outcome; every outcome is a key."""
        counts = Counter(sample.outcome for sample in self.samples)
        return {outcome: counts[outcome] for outcome in OUTCOMES}

    @property
    def usage(self) -> Usage:
        """What the system cost on these samples together, exact; unknown if the cost of one is."""
        return sum((sample.usage for sample in self.samples), Usage())

    @property
    def scoring_usage(self) -> Usage:
        """What it cost to score them, by a judge for example; no part of ``usage``."""
        return sum((sample.scoring_usage for sample in self.samples), Usage())


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which conditions orchestrations run: see `masrepro.runtime.run`."""

    models: Pool
    sampling: Sampling
    budget: Budget
    sub_agents: Mapping[str, SubAgent] | None
    tools: Mapping[str, Tool] | None
    rationale_chars: int
    cost_limit: CostLimit | None


class Options(TypedDict, total=False):
    """What `evaluate` may be told besides what is evaluated, on what and by which models."""

    repeats: int
    sampling: Sampling
    budget: Budget
    concurrency: int
    sub_agents: Mapping[str, SubAgent] | None
    tools: Mapping[str, Tool] | None
    rationale_chars: int
    scorer: Scorer
    cost_limit: CostLimit | None


async def evaluate(
    system: Designer,
    items: Sequence[Item],
    *,
    models: Pool | Model | Mapping[str, Model],
    benchmark: str,
    store: SampleStore | None = None,
    progress: Progress | None = None,
    repeats: int = 1,
    sampling: Sampling = GREEDY,
    budget: Budget = UNLIMITED,
    concurrency: int = 64,
    sub_agents: Mapping[str, SubAgent] | None = None,
    tools: Mapping[str, Tool] | None = None,
    rationale_chars: int = 400,
    scorer: Scorer = STRICT,
    cost_limit: CostLimit | None = None,
) -> Evaluation:
    """Evaluate a system on items.

    Parameters
    ----------
    system : Designer
        Has a ``name`` and a ``design(item)``.
    items : sequence of Item
        Ids must be unique.
    models : Pool, Model or mapping of str to Model
        The backbones.
    benchmark : str
        Name under which samples are kept, such as ``masbench/depth/4``.
    store : SampleStore or None
        Finished samples are taken from it and new ones appended, each the moment it is finished. Where only
        scoring had failed, only scoring is repeated.
    progress : callable or None
        Called as ``progress(finished, total)`` at the beginning and after every sample.
    repeats : int
        Answers per item.
    sampling : Sampling
        Its seed, where given, is mixed with item id and repeat, so that repeats differ and systems are
        paired. Its ``repeat`` becomes the sample's.
    budget : Budget
        Of one sample.
    concurrency : int
        Samples in flight at once.
    sub_agents, tools, rationale_chars
        As for `masrepro.runtime.run`.
    scorer : Scorer
        ``(item, answer) -> Score``, at once or awaited; see `masrepro.lab.grade`, `masrepro.lab.judge`.
    cost_limit : CostLimit or None
        Of the whole run, shared with its other evaluations.

    Raises
    ------
    ValueError
        Two items share an id, a count is not positive, the store holds samples of another scorer, or there is a cost
        limit and a model without a price (`masrepro.lab.cost.UnknownPrice`).
    SandboxError
        Code is to be scored, and code known to be right or wrong came out otherwise: no verdict could be trusted.
    Exception
        A fault in the system's or the scorer's program ends the evaluation; a note says at which item.
    """
    if repeats < 1 or concurrency < 1:
        raise ValueError(f"repeats and concurrency must be 1 or more, got {repeats} and {concurrency}")
    repeated = [item_id for item_id, count in Counter(item.id for item in items).items() if count > 1]
    if repeated:
        raise ValueError(f"items must have unique ids; more than one has {', '.join(repeated[:5])}")
    pool = Pool.of(models) if cost_limit is None else cost_limit.pool(Pool.of(models))
    conditions = Conditions(pool, sampling, budget, sub_agents, tools, rationale_chars, cost_limit)
    jobs = [(item, Key(system.name, benchmark, item.id, repeat)) for item in items for repeat in range(repeats)]
    samples = {key: sample for _, key in jobs if store is not None and (sample := store.finished(key))}
    _refuse_another_scorer(samples.values(), scorer)

    async def work(job: tuple[Item, Key]) -> None:
        item, key = job
        try:
            kept = store.unscored(key) if store is not None else None
            if kept is not None:
                sample = await graded(replace(kept, rescored=True), item, scorer)
            else:
                sample = await _evaluate_one(system, item, key, conditions, scorer)
        except Exception as error:
            error.add_note(f"while evaluating {system.name} on {benchmark}, item {item.id}, repeat {key.repeat}")
            raise
        if store is not None:
            store.append(sample)
        samples[key] = sample
        report()

    def report() -> None:
        if progress is not None:
            progress(len(samples), len(jobs))

    report()
    missing = [(item, key) for item, key in jobs if key not in samples]
    if any(item.scorer == "code" for item, _ in missing):
        await check_canaries()
    await work_through(missing, work, concurrency)
    return Evaluation(system.name, benchmark, tuple(samples[key] for _, key in jobs))


def evaluate_sync(
    system: Designer,
    items: Sequence[Item],
    *,
    models: Pool | Model | Mapping[str, Model],
    benchmark: str,
    store: SampleStore | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Evaluation:
    """`evaluate` for code that cannot await; works in a notebook cell as well."""
    return wait_for(
        evaluate(system, items, models=models, benchmark=benchmark, store=store, progress=progress, **options)
    )


def sample_seed(seed: int, item_id: str, repeat: int) -> int:
    """Seed of one sample in 0..2**31-1, the same in every process and for every system."""
    return int.from_bytes(sha256(f"{seed}/{item_id}/{repeat}".encode()).digest()[:4], "big") >> 1


async def _evaluate_one(system: Designer, item: Item, key: Key, conditions: Conditions, scorer: Scorer) -> Sample:
    began = time.monotonic()
    blank = Sample(*key, outcome="error", answer=None, extracted=None, gold=item.answer)
    if conditions.cost_limit is not None and conditions.cost_limit.reached:
        return replace(blank, outcome="limit", stopped=True, error=f"not begun: {conditions.cost_limit} is reached")
    try:
        designed = system.design(item)
        plan = await designed if isawaitable(designed) else designed
    except OrchestrationError as error:
        return replace(blank, outcome="invalid", error=str(error), seconds=_since(began))
    except ModelError as error:
        why = f"{type(error).__name__}: {error}"
        blank = replace(blank, usage=error.usage, error=why, seconds=_since(began))
        return replace(blank, outcome="limit", stopped=True) if isinstance(error, CostReached) else blank
    blank = replace(
        blank,
        n_agents=len(plan.agents),
        longest_chain=plan.longest_chain,
        orchestration_hash=plan.content_hash,
        orchestration=plan.to("calls"),
    )
    try:
        result = await _run(plan, item, key, conditions)
    except OrchestrationError as error:
        return replace(blank, outcome="invalid", error=str(error), seconds=_since(began))
    sample = replace(blank, answer=result.answer, usage=result.usage, error=result.error, trace=result.trace)
    sample = replace(sample, seconds=_since(began))
    if result.status == "done":
        return await graded(sample, item, scorer)
    return replace(sample, outcome=result.status, stopped=result.status == "limit" and _was_refused(result))


def _was_refused(result: RunResult) -> bool:
    """Whether it was the run's cost limit that a call met, not the sample's own budget."""
    return any(span.error is not None and span.error.startswith(CostReached.__name__) for span in result.trace)


async def _run(plan: Orchestration, item: Item, key: Key, conditions: Conditions) -> RunResult:
    sampling = replace(conditions.sampling, repeat=key.repeat)
    if sampling.seed is not None:
        sampling = replace(sampling, seed=sample_seed(sampling.seed, item.id, key.repeat))
    return await run(
        plan,
        item.question,
        models=conditions.models,
        budget=conditions.budget,
        sampling=sampling,
        sub_agents=conditions.sub_agents,
        tools=conditions.tools,
        rationale_chars=conditions.rationale_chars,
    )


def _refuse_another_scorer(samples: Iterable[Sample], scorer: Scorer) -> None:
    name = name_of(scorer)
    for sample in samples:
        if sample.scorer not in ("", name):
            raise ValueError(
                f"the store holds samples scored by {sample.scorer!r}, not {name!r}, such as {sample.key}; "
                "use masrepro.lab.rescore on them, or a run of its own"
            )


def _since(began: float) -> float:
    return round(time.monotonic() - began, 6)
