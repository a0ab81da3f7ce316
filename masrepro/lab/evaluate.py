"""The evaluation loop: a system designs an orchestration, the runtime runs it, a scorer judges the answer.

An orchestration that is rejected, a reply that was cut off, a budget that ran out and a back-end that failed
have outcomes of their own and never reach the scorer. A scorer that fails itself leaves an ``error`` with the run.
At the run's cost limit no further sample is begun; what it stopped is ``limit`` until a run with a higher one goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

from masrepro.agents.agent import SubAgent
from masrepro.bench import Item
from masrepro.bench.scoring.code import check_canaries
from masrepro.bench.scoring.outcome import Outcome
from masrepro.lab.accuracy import Accuracy
from masrepro.lab.cost import CostLimit
from masrepro.lab.executor import IN_PROCESS, Executor, Work
from masrepro.lab.grade import STRICT, Scorer, graded, name_of
from masrepro.lab.job import Attempt, Attempts, Designer, Job, persistent, sample_seed, stopped, within
from masrepro.lab.sample import OUTCOMES, Key, Sample
from masrepro.lab.sample_store import SampleStore
from masrepro.lab.workers import work_through
from masrepro.models.model import Model, Pool, Sampling, Usage
from masrepro.runtime.blocking import wait_for
from masrepro.runtime.budget import UNLIMITED, Budget
from masrepro.runtime.run import GREEDY
from masrepro.tools.tool import Tool

__all__ = ["Designer", "Evaluation", "Options", "Progress", "evaluate", "evaluate_sync", "sample_seed"]

Progress = Callable[[int, int], None]


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
    executor: Executor


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
    executor: Executor = IN_PROCESS,
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
        Of the whole run, shared with its other evaluations. With an executor that is ``apart`` it admits whole samples,
        each with the most that it can cost; otherwise it admits calls.
    executor : Executor
        Where systems design and their orchestrations run. Answers are scored, and samples kept, in this process.

    Raises
    ------
    ValueError
        Two items share an id, a count is not positive, the store holds samples of another scorer, or there is a cost
        limit and a model without a price (`masrepro.lab.cost.UnknownPrice`), or one on an executor that is ``apart``
        and a system whose designs are a model's.
    ExecutorUnavailable, NotPortable
        The executor has no machine to run on, or this cannot be sent there.
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
    pool = Pool.of(models)
    attempts = Attempts(system, pool, sampling, budget, sub_agents, tools, rationale_chars)
    jobs = [Job(item, Key(system.name, benchmark, item.id, repeat)) for item in items for repeat in range(repeats)]
    samples = {job.key: sample for job in jobs if store is not None and (sample := store.finished(job.key))}
    _refuse_another_scorer(samples.values(), scorer)

    def report() -> None:
        if progress is not None:
            progress(len(samples), len(jobs))

    report()
    missing = [job for job in jobs if job.key not in samples]
    if any(job.item.scorer == "code" for job in missing):
        await check_canaries()
    async with _attempting(attempts, executor if missing else IN_PROCESS, cost_limit) as attempt:

        async def work(job: Job) -> None:
            try:
                kept = store.unscored(job.key) if store is not None else None
                done = Attempt(replace(kept, rescored=True), to_score=True) if kept else await attempt(job)
                sample = await graded(done.sample, job.item, scorer) if done.to_score else done.sample
            except Exception as error:
                where = f"item {job.item.id}, repeat {job.key.repeat}"
                error.add_note(f"while evaluating {system.name} on {benchmark}, {where}")
                raise
            if store is not None:
                store.append(sample)
            samples[job.key] = sample
            report()

        await work_through(missing, work, concurrency)
    return Evaluation(system.name, benchmark, tuple(samples[job.key] for job in jobs))


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


@asynccontextmanager
async def _attempting(
    attempts: Attempts, executor: Executor, cost_limit: CostLimit | None
) -> AsyncIterator[Work[Job, Attempt]]:
    """How a job is done under a cost limit: call by call in this process, sample by sample in another."""
    limited = attempts if cost_limit is None else replace(attempts, models=cost_limit.pool(attempts.models))
    async with executor.spread(attempts if executor.apart else limited) as attempt:
        if executor.apart and cost_limit is not None:
            attempt = within(cost_limit, attempts, attempt)
        attempt = persistent(attempt)

        async def unless_reached(job: Job) -> Attempt:
            if cost_limit is not None and cost_limit.reached:
                return Attempt(stopped(job, f"{cost_limit} is reached"))
            return await attempt(job)

        yield unless_reached


def _refuse_another_scorer(samples: Iterable[Sample], scorer: Scorer) -> None:
    name = name_of(scorer)
    for sample in samples:
        if sample.scorer not in ("", name):
            raise ValueError(
                f"the store holds samples scored by {sample.scorer!r}, not {name!r}, such as {sample.key}; "
                "use masrepro.lab.rescore on them, or a run of its own"
            )
