"""The evaluation loop: a system designs an orchestration, the runtime runs it, a scorer judges the answer.

An orchestration that is rejected, a reply that was cut off, a budget that ran out and a back-end that failed
have outcomes of their own and never reach the scorer.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from inspect import isawaitable
from typing import Protocol, TypedDict, Unpack

from masrepro.agents.agent import SubAgent
from masrepro.bench import Item, Score, score
from masrepro.bench.scoring.outcome import Outcome
from masrepro.lab.accuracy import Accuracy
from masrepro.lab.sample import OUTCOMES, Key, Sample
from masrepro.lab.sample_store import SampleStore
from masrepro.models.model import Model, ModelError, Pool, Sampling, Usage
from masrepro.orchestration import Orchestration, OrchestrationError
from masrepro.runtime.blocking import wait_for
from masrepro.runtime.budget import UNLIMITED, Budget
from masrepro.runtime.run import GREEDY, RunResult, run

Scorer = Callable[[str, str, str | tuple[str, ...]], Score]
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
        """Right answers, with errors kept apart."""
        counts = self.outcomes
        return Accuracy(counts["correct"], len(self.samples), counts["error"])

    @property
    def outcomes(self) -> dict[Outcome, int]:
        """Number of samples by outcome; every outcome is a key."""
        counts = Counter(sample.outcome for sample in self.samples)
        return {outcome: counts[outcome] for outcome in OUTCOMES}

    @property
    def usage(self) -> Usage:
        """What these samples cost together, exact; unknown if the cost of one is."""
        return sum((sample.usage for sample in self.samples), Usage())


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which conditions orchestrations run: see `masrepro.runtime.run`."""

    models: Pool
    sampling: Sampling
    budget: Budget
    sub_agents: Mapping[str, SubAgent] | None
    rationale_chars: int


class Options(TypedDict, total=False):
    """What `evaluate` may be told besides what is evaluated, on what and by which models."""

    repeats: int
    sampling: Sampling
    budget: Budget
    concurrency: int
    sub_agents: Mapping[str, SubAgent] | None
    rationale_chars: int
    scorer: Scorer


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
    rationale_chars: int = 400,
    scorer: Scorer = score,
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
        Finished samples are taken from it and new ones appended, each the moment it is finished.
    progress : callable or None
        Called as ``progress(finished, total)`` at the beginning and after every sample.
    repeats : int
        Answers per item.
    sampling : Sampling
        Its seed, where given, is mixed with item id and repeat, so that repeats differ and systems are
        paired.
    budget : Budget
        Of one sample.
    concurrency : int
        Samples in flight at once.
    sub_agents, rationale_chars
        As for `masrepro.runtime.run`.
    scorer : callable
        ``(scorer name, answer, gold) -> Score``.

    Raises
    ------
    ValueError
        Two items share an id, or a count is not positive.
    Exception
        A fault in the system's or the scorer's program ends the evaluation; a note says at which item.
    """
    if repeats < 1 or concurrency < 1:
        raise ValueError(f"repeats and concurrency must be 1 or more, got {repeats} and {concurrency}")
    repeated = [item_id for item_id, count in Counter(item.id for item in items).items() if count > 1]
    if repeated:
        raise ValueError(f"items must have unique ids; more than one has {', '.join(repeated[:5])}")
    conditions = Conditions(Pool.of(models), sampling, budget, sub_agents, rationale_chars)
    jobs = [(item, Key(system.name, benchmark, item.id, repeat)) for item in items for repeat in range(repeats)]
    samples = {key: sample for _, key in jobs if store is not None and (sample := store.finished(key))}
    missing = iter([(item, key) for item, key in jobs if key not in samples])

    async def work() -> None:
        for item, key in missing:
            try:
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
    fault: Exception | None = None
    try:
        async with asyncio.TaskGroup() as workers:
            for _ in range(min(concurrency, len(jobs) - len(samples))):
                workers.create_task(work())
    except ExceptionGroup as faults:
        fault = faults.exceptions[0]
    if fault is not None:
        # Outside the handler, so that the group is not its context: IPython shows no group as an error.
        raise fault
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
    try:
        designed = system.design(item)
        plan = await designed if isawaitable(designed) else designed
    except OrchestrationError as error:
        return replace(blank, outcome="invalid", error=str(error), seconds=_since(began))
    except ModelError as error:
        why = f"{type(error).__name__}: {error}"
        return replace(blank, usage=error.usage, error=why, seconds=_since(began))
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
    judged = _judge(sample, result, item, scorer)
    return replace(judged, seconds=_since(began))


async def _run(plan: Orchestration, item: Item, key: Key, conditions: Conditions) -> RunResult:
    sampling = conditions.sampling
    if sampling.seed is not None:
        sampling = replace(sampling, seed=sample_seed(sampling.seed, item.id, key.repeat))
    return await run(
        plan,
        item.question,
        models=conditions.models,
        budget=conditions.budget,
        sampling=sampling,
        sub_agents=conditions.sub_agents,
        rationale_chars=conditions.rationale_chars,
    )


def _judge(sample: Sample, result: RunResult, item: Item, scorer: Scorer) -> Sample:
    if result.status != "done":
        return replace(sample, outcome=result.status)
    if result.answer is None:
        return replace(sample, outcome="unparsed")
    verdict = scorer(item.scorer, result.answer, item.answer)
    return replace(sample, outcome=verdict.outcome, extracted=verdict.extracted, credit=verdict.credit)


def _since(began: float) -> float:
    return round(time.monotonic() - began, 6)
