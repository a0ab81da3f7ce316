"""The models on which the tables of MAS² are measured, and the measuring: what notebooks 12 to 14 have in common.

Equal requests are computed once and charged each time (`remembered`), so that many systems on the same items take
minutes. Not here: which systems (`mas2_systems`) and what they are worth (`masrepro.report.mas2_points`).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from masrepro.baselines.recount import recount
from masrepro.bench import Item, benchmark
from masrepro.bench.public import DataError, cards, load
from masrepro.bench.scoring.code import check_canaries
from masrepro.lab.backbone import load_backbone
from masrepro.lab.growth import Trio
from masrepro.lab.mas2 import Mas2Run, Variant, run_mas2
from masrepro.lab.mas2_record import Unit, by_unit, keep, kept
from masrepro.lab.mas2_table_params import Adapters, Mas2TableParams
from masrepro.lab.notebook import Progress, Run
from masrepro.lab.orchestrator import Orchestrator, catalogue_with, load_writer
from masrepro.lab.problem import BadInput, Problem
from masrepro.lab.remembered import Remembered, computed
from masrepro.lab.staffed_run import Terms
from masrepro.meta.generator import Generator
from masrepro.meta.implementer import Implementer
from masrepro.meta.rectifier import ModelRectifier
from masrepro.models.model import Model, Pool, Price, Sampling
from masrepro.orchestration.dom import DoM
from masrepro.runtime import Budget

RECORD = "mas2_runs.jsonl"
"""The runs, in the run's folder."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The models of a table, at known prices, and the terms on which systems run.

    Parameters
    ----------
    run : Run
        The notebook's.
    params : Mas2TableParams
        Its params.
    pool : Pool
        Every model that sub-agents may run on.
    missing : mapping of str to str
        Members that are not here, and why.
    writers : mapping of Orchestrator to Model
        Every model of a meta-agent, by its description.
    """

    run: Run
    params: Mas2TableParams
    pool: Pool
    missing: Mapping[str, str]
    writers: Mapping[Orchestrator, Model]

    def part_of_pool(self, names: Sequence[str]) -> Pool:
        """Some of its models; the first is the default."""
        return Pool({name: self.pool[name] for name in names})

    def trio(self, adapters: Adapters, pool: Pool) -> Trio:
        """Meta-agents with these adapters, whose implementer assigns from that pool."""
        params, catalogue = self.params, catalogue_with(self.params.workflows)
        generator, implementer, rectifier = (
            self.writers[params.adapted(name)]
            for name in (adapters.generator, adapters.implementer, adapters.rectifier)
        )
        return Trio(
            Generator(generator, dom=DoM.parse(params.doms[0]), catalogue=catalogue),
            Implementer(implementer, pool, params.abilities),
            ModelRectifier(rectifier, catalogue, params.plan_temperature, params.plan_tokens),
        )

    def terms(self, theta_c: int | None = None) -> Terms:
        """On which systems run; ``theta_c`` in tokens over that of the params."""
        params, bound = self.params, theta_c or self.params.theta_c
        return Terms(
            sampling=Sampling(params.temperature, params.max_tokens, seed=params.seed),
            budget=Budget(calls=params.system_calls),
            repair_at=Budget(tokens=bound),
            max_repairs=params.max_repairs,
            check=recount if params.check == "recount" else None,
            failing=params.failing,
            rationale_chars=params.rationale_chars,
            seed=params.seed,
        )

    async def measure(
        self,
        items: Mapping[str, Sequence[Item]],
        variants: Sequence[Variant],
        pool: Pool,
        terms: Terms | None = None,
    ) -> list[Mas2Run]:
        """Every item by every variant under the params' faults; what the run's folder has of it is taken from there.

        Raises
        ------
        CostReached
            The run's limit on cost is reached. What was finished is kept; the same command with a higher one goes on.
        """
        params, file = self.params, self.run.path / RECORD
        units = kept(file)
        if any(item.scorer == "code" for own in items.values() for item in own):
            await check_canaries()
        for some, own in self._portions(variants, items, units):
            runs = await run_mas2(
                own,
                some,
                models=pool,
                faults=params.faults,
                n_repeats=params.n_draws,
                seed=params.seed,
                terms=terms or self.terms(),
                meta_sampling=Sampling(params.plan_temperature, params.plan_tokens),
                concurrency=params.concurrency,
                progress=Progress(_title(some, own)),
            )
            units |= by_unit(runs)
            keep(file, units.values())
        return [run for variant in variants for name in items for run in units[variant.name, name]]

    def _portions(
        self, variants: Sequence[Variant], items: Mapping[str, Sequence[Item]], units: Container[Unit]
    ) -> list[tuple[Sequence[Variant], Mapping[str, Sequence[Item]]]]:
        """What is run at once of what is missing.

        Models that run here are fastest with all of it together; of served ones little that was paid for may be lost.
        """
        missing = [(variant, name) for variant in variants for name in items if (variant.name, name) not in units]
        if self.params.server is not None:
            return [([variant], {name: items[name]}) for variant, name in missing]
        unfinished = {variant.name: variant for variant, _ in missing}
        return [(list(unfinished.values()), items)] if unfinished else []

    def put_on_record(self) -> None:
        """What was really computed, and with which models; once, before the run is finished."""
        writers = {model.name: model for model in self.writers.values()}
        self.run.spend(computed(self.pool) + computed(writers), models={**self.pool, **writers})


def set_up(run: Run, *trainings: Adapters) -> Stage:
    """Load what a table's params name, and the adapters of other trainings.

    New members of a pool that do not come with the package are left out; all else, and what is served, has to be there.

    Raises
    ------
    BadInput
        A server or adapter is not there, or a price is unknown.
    FileNotFoundError
        A desk model of the pool does not come with the package.
    """
    params = run.params
    assert isinstance(params, Mas2TableParams)
    pool, missing = _pool(params)
    writers = _writers(params, [Adapters(), params.adapters, *trainings])
    prices = {name: params.price_at(name, params) for name in pool}
    meta_prices = {one: _meta_price(params, one) for one in writers}
    _require_prices(prices | {one.model: price for one, price in meta_prices.items()})
    if params.server is not None:
        pool = dict(run.models(pool))
    return Stage(
        run,
        params,
        Pool({name: Remembered(model, prices[name]) for name, model in pool.items()}),
        missing,
        {
            one: Remembered(model if one.server is None else run.models(model)[model.name], meta_prices[one])
            for one, model in writers.items()
        },
    )


def _pool(params: Mas2TableParams) -> tuple[dict[str, Model], dict[str, str]]:
    """The models of the pool, and why new members are not here that are not."""
    models: dict[str, Model] = {}
    missing: dict[str, str] = {}
    for name in params.pool:
        try:
            models[name] = load_backbone(params, name)
        except (FileNotFoundError, BadInput) as error:
            if name in params.solvers:
                raise
            missing[name] = str(error)
    return models, missing


def _writers(params: Mas2TableParams, trainings: Sequence[Adapters]) -> dict[Orchestrator, Model]:
    """Every model of a meta-agent, loaded once however many are it."""
    adapters = dict.fromkeys(
        adapter for own in trainings for adapter in (own.generator, own.implementer, own.rectifier)
    )
    return {
        (one := params.adapted(adapter)): load_writer(
            one, name=adapter or f"untrained {params.meta.model}", price=_meta_price(params, one)
        )
        for adapter in adapters
    }


def _meta_price(params: Mas2TableParams, one: Orchestrator) -> Price | None:
    """Of an adapter, which may have a name of its own at a server, as of what it lies over."""
    return params.price_at(one.model, one) or params.price_at(params.meta.model, one)


def items_of(params: Mas2TableParams) -> tuple[dict[str, list[Item]], dict[str, str]]:
    """Items by benchmark, and why those are not here that are not.

    Raises
    ------
    BadInput
        None is.
    """
    items: dict[str, list[Item]] = {}
    missing: dict[str, str] = {}
    for name in params.benchmarks:
        try:
            items[name] = (
                load(name, n=params.n_samples, data_dir=params.data_dir, hub=params.hub)
                if name in cards()
                else benchmark(name, split="test", n=params.n_samples)
            )
        except DataError as error:
            missing[name] = str(error)
    if not items:
        raise BadInput([Problem(why) for why in missing.values()])
    return items, missing


def _title(variants: Sequence[Variant], items: Mapping[str, Sequence[Item]]) -> str:
    """What is being run, for its progress lines."""
    benchmarks, systems = list(items), [variant.name for variant in variants]
    where = benchmarks[0] if len(benchmarks) == 1 else f"{len(benchmarks)} benchmarks"
    return f"{where} {systems[0] if len(systems) == 1 else f'{len(systems)} systems'}"


def _require_prices(prices: Mapping[str, Price | None]) -> None:
    """Raise BadInput that names every model without a price."""
    unpriced = [name for name, price in prices.items() if price is None]
    if unpriced:
        raise BadInput(
            [Problem(f"the price of {name} is unknown, and costs are compared: give it in prices") for name in unpriced]
        )
