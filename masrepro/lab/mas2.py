"""MAS² as a whole: for each question a system is generated, staffed, run and repaired, under a fault or without one.

Each part is a meta-agent, which is a model, or a rule: so ablations, controls and trained against untrained are
variants of one bench, which all meet the same items, faults and seeds (arXiv 2509.24323, sections 3.1 and 4). Not here:
one run (`staffed_run`), rewards and intervals (`masrepro.report`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from masrepro.baselines.implementers import on_cheapest, on_one
from masrepro.baselines.system import System
from masrepro.bench import Item
from masrepro.bench.scoring.outcome import Outcome
from masrepro.lab.fault_setting import FaultKind
from masrepro.lab.job import sample_seed
from masrepro.lab.meta_action import Action, act, by_rule
from masrepro.lab.remembered import require_prices
from masrepro.lab.staffed_run import StaffedRun, Terms, run_staffed
from masrepro.lab.workers import work_through
from masrepro.meta.generator import Generator
from masrepro.meta.implementer import Implementer
from masrepro.models.model import Model, ModelError, Pool, Sampling, Usage
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.call import describe
from masrepro.runtime.rectifier import Rectifier
from masrepro.runtime.trace import NOTHING

Staffing = Callable[[Orchestration, Mapping[str, Model], Random], Orchestration]
"""A rule that assigns a backbone of a pool to every agent of a template."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to come by a system.

    Parameters
    ----------
    name : str
        Unique in a bench.
    generator : Generator or System
        Who designs: a model, or a rule such as `masrepro.baselines.Oracle`.
    implementer : Implementer or Staffing
        Who assigns backbones: a model, or a rule: `On`, `cheapest`, `masrepro.baselines.implementers.at_random`.
    rectifier : Rectifier or None
        Who repairs: a model, a rule of `masrepro.baselines.rectifiers`, or nobody.
    """

    name: str
    generator: Generator | System
    implementer: Implementer | Staffing
    rectifier: Rectifier | None = None


@dataclass(frozen=True, slots=True)
class Mas2Run:
    """What came of one item, once, under one fault and by one variant.

    Parameters
    ----------
    variant, benchmark, item_id : str
        Who answered what.
    repeat : int
        From 0; the how-manieth draw of the meta-agents.
    fault : FaultKind
        What was made to go wrong.
    outcome : Outcome
        As of scoring. ``invalid``: what a meta-agent wrote cannot be read or run; ``error``: a back-end failed and was
        not repaired.
    usage, meta_usage : Usage
        Of the system's own calls in all its attempts; and of generator, implementer and rectifier together.
    seconds : float
        Wall-clock time of the system's run. Replies that are remembered take none.
    n_agents : int
        Of the system as it was staffed, before repairs; 0 where there was none.
    n_repairs : int
    backbones : mapping of str to int
        Number of these agents by the pool's model name.
    error : str
        Why it is ``invalid``, ``limit`` or ``error``, with the rule that was broken; else empty.
    """

    variant: str
    benchmark: str
    item_id: str
    repeat: int
    fault: FaultKind
    outcome: Outcome
    usage: Usage
    meta_usage: Usage
    seconds: float
    n_agents: int
    n_repairs: int
    backbones: Mapping[str, int]
    error: str = ""


@dataclass(frozen=True, slots=True)
class On:
    """The staffing that puts every agent on one model."""

    name: str

    def __call__(self, template: Orchestration, pool: Mapping[str, Model], rng: Random) -> Orchestration:
        """See `masrepro.baselines.implementers.on_one`."""
        return on_one(template, self.name)


def cheapest(template: Orchestration, pool: Mapping[str, Model], rng: Random) -> Orchestration:
    """The staffing that puts every agent on the model whose tokens cost least."""
    return on_cheapest(template, pool)


async def run_mas2(
    items: Mapping[str, Sequence[Item]],
    variants: Sequence[Variant],
    *,
    models: Pool,
    faults: Sequence[FaultKind] = ("none",),
    n_repeats: int = 1,
    seed: int = 1,
    terms: Terms = Terms(),
    meta_sampling: Sampling = Sampling(),
    concurrency: int = 64,
    progress: Callable[[int, int], None] | None = None,
) -> list[Mas2Run]:
    """Every item by every variant under every fault.

    Parameters
    ----------
    items : mapping of str to sequence of Item
        By benchmark.
    variants : sequence of Variant
        What is compared. Their meta-agents' models have prices too.
    models : Pool
        What is assigned, every model at a price. Pass it through `masrepro.lab.remembered`, and the meta-agents' models
        as well, so that equal requests of several variants are computed once; each is charged all the same.
    faults : sequence of FaultKind
        What each item meets, in a run of its own.
    n_repeats : int
        Draws of the meta-agents per item, variant and fault.
    seed : int
        Of the meta-agents' draws and of random staffing; variants and faults have equal seeds for equal items and
        repeats. That of the faults' schedules is in ``terms``.
    terms : Terms
        Under which systems run.
    meta_sampling : Sampling
        Of generator and implementer; a rectifier has its own temperature and bound.
    concurrency : int
        Runs at once.
    progress : callable or None
        Called as ``progress(finished, total)`` after every run.

    Returns
    -------
    list of Mas2Run
        By variant, benchmark, item, fault and repeat, in the order given.

    Raises
    ------
    ValueError
        Two variants share a name, a count is not positive, or a model has no price.
    CostReached
        The whole run's limit on cost is reached.
    """
    names = [variant.name for variant in variants]
    if len(set(names)) < len(names):
        raise ValueError(f"variants need names of their own, got {', '.join(names)}")
    if n_repeats < 1 or concurrency < 1:
        raise ValueError(f"n_repeats and concurrency must be 1 or more, got {n_repeats} and {concurrency}")
    require_prices({**models, **{model.name: model for variant in variants for model in _models(variant)}})
    jobs = [
        _Job(variant, benchmark, item, fault, repeat)
        for variant in variants
        for benchmark, own in items.items()
        for item in own
        for fault in faults
        for repeat in range(n_repeats)
    ]
    done: dict[int, Mas2Run] = {}

    async def work(place: int) -> None:
        job = jobs[place]
        sampling = replace(meta_sampling, seed=sample_seed(seed, job.item.id, job.repeat), repeat=job.repeat)
        try:
            done[place] = await _run(job, models, terms, sampling)
        except Exception as error:
            error.add_note(f"{job.variant.name} on item {job.item.id}, {job.fault}, repeat {job.repeat}")
            raise
        if progress is not None:
            progress(len(done), len(jobs))

    await work_through(range(len(jobs)), work, concurrency)
    return [done[place] for place in range(len(jobs))]


@dataclass(frozen=True, slots=True)
class _Job:
    variant: Variant
    benchmark: str
    item: Item
    fault: FaultKind
    repeat: int


async def _run(job: _Job, models: Pool, terms: Terms, sampling: Sampling) -> Mas2Run:
    staffed = await _staffed(job, models, sampling)
    if staffed.made is None:
        ran = _not_begun(staffed.flaw)
    else:
        # A rectifier draws with the run's seed; to greedy sub-agents it makes no difference.
        own = replace(terms, sampling=replace(terms.sampling, seed=sampling.seed, repeat=sampling.repeat))
        ran = await run_staffed(staffed.made, job.item, job.fault, job.variant.rectifier, models=models, terms=own)
    agents = staffed.made.agents if staffed.made is not None else ()
    return Mas2Run(
        variant=job.variant.name,
        benchmark=job.benchmark,
        item_id=job.item.id,
        repeat=job.repeat,
        fault=job.fault,
        outcome=ran.outcome,
        usage=ran.usage,
        meta_usage=staffed.usage + ran.repair_usage,
        seconds=ran.seconds,
        n_agents=len(agents),
        n_repairs=ran.n_repairs,
        backbones=dict(Counter(agent.backbone or models.default for agent in agents)),
        error=ran.error,
    )


def _not_begun(flaw: OrchestrationError | ModelError | None) -> StaffedRun:
    """The run of a system that was not made."""
    if isinstance(flaw, ModelError):
        return StaffedRun("error", describe(flaw))
    return StaffedRun("invalid", str(flaw))


async def _staffed(job: _Job, models: Pool, sampling: Sampling) -> Action[Orchestration]:
    """The system that generator and implementer make, with what both cost."""
    designed = await _designed(job, sampling)
    if designed.made is None:
        return designed
    assigned = await _assigned(job, designed.made, models, sampling)
    return replace(assigned, usage=designed.usage + assigned.usage)


async def _designed(job: _Job, sampling: Sampling) -> Action[Orchestration]:
    generator = job.variant.generator
    if isinstance(generator, Generator):
        return await act(generator.ask(job.item.question, sampling), generator.read)
    return by_rule(lambda: generator.design(job.item))


async def _assigned(job: _Job, template: Orchestration, models: Pool, sampling: Sampling) -> Action[Orchestration]:
    implementer = job.variant.implementer
    if not isinstance(implementer, Implementer):
        return by_rule(lambda: implementer(template, models, Random(f"{sampling.seed}/staffing")))
    if not template.agents:  # a direct answer: there is nobody to assign a model to
        return Action("", NOTHING, template)
    asking = implementer.ask(job.item.question, template, sampling)
    return await act(asking, partial(implementer.read, template=template))


def _models(variant: Variant) -> Iterator[Model]:
    """The models of a variant's meta-agents; a rectifier without one asks the pool's default."""
    for part in (variant.generator, variant.implementer, variant.rectifier):
        model = getattr(part, "model", None)
        if model is not None:
            yield model
