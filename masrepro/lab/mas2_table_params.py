"""What the notebooks with the tables of MAS² (arXiv 2509.24323) may be told: 12, 13 and 14."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from masrepro.bench.masbench.cell import parse_cell
from masrepro.bench.public import cards
from masrepro.lab.fault_setting import FaultKind
from masrepro.lab.orchestrator import Orchestrator, known_adapter, trained_role
from masrepro.lab.schema import Bound, ModelNames, ModelPrice, Served, no_repeats
from masrepro.lab.writing_params import Alone, Doms, Shapes, WritingParams

ROLES = ("generator", "implementer", "rectifier")
_OF_TOOLS = ("tool down", "tool fails once", "tool fails 3 times", "wrong tool")
_MOST_CALLS = {"cot_sc": 5, "debate": 11, "reflexion": 11}
"""Of one agent, as the papers set them."""


def known_benchmarks(names: tuple[str, ...]) -> tuple[str, ...]:
    """The same names. Raises ValueError for one that is neither a MASBench cell nor a public benchmark."""
    for name in names:
        if name not in cards():
            parse_cell(name)
    return names


Benchmarks = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...],
    Field(min_length=1),
    AfterValidator(no_repeats),
    AfterValidator(known_benchmarks),
]
Faults = Annotated[tuple[FaultKind, ...], Field(min_length=1), AfterValidator(no_repeats)]


class Adapters(BaseModel):
    """The three trained adapters; at a server, the names under which it serves them."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    generator: str = Field(default="", description="the model/ of a training, or a shipped adapter; empty: untrained")
    implementer: str = Field(default="", description="as generator")
    rectifier: str = Field(default="", description="as generator")

    @model_validator(mode="after")
    def _each_of_its_role(self) -> Self:
        for role in ROLES:
            adapter = getattr(self, role)
            if (trained := trained_role(adapter)) not in ("", role):
                raise ValueError(f"{role} is {adapter}, which was trained as the {trained}")
        return self


class Mas2TableParams(WritingParams):
    """How systems are made, run and repaired in all tables."""

    solvers: ModelNames = Field(
        ("desk-solver-s", "desk-solver-m", "desk-solver-l"),
        description="the pool, its default first; `model` is not used",
    )
    prices: Mapping[str, ModelPrice] = Field(
        {
            "desk-solver-s": (0.1, 0.4),
            "desk-solver-m": (0.2, 0.8),
            "desk-solver-l": (0.4, 1.6),
            "desk-solver-xl": (0.8, 3.2),
            "desk-orchestrator": (0.2, 0.8),
        },
        description="notional: US dollars per million tokens, [prompt, completion], so that costs can be compared",
    )
    meta: Orchestrator = Field(
        Orchestrator(model="desk-orchestrator"), description="the untrained model of all three meta-agents"
    )
    adapters: Adapters = Field(Adapters(), description="what training made of it; empty: untrained")
    system_calls: int = Field(64, ge=1, description="calls of one run, at most, its repairs included")
    doms: Doms = Field(("HIGH",), min_length=1, max_length=1, description="the generator's degree of MAS")
    benchmarks: Benchmarks = Field(
        ("masbench/depth/4", "masbench/depth/6", "masbench/parallel/2", "masbench/parallel/3"),
        description="MASBench cells or public benchmarks to take items from, test split",
    )
    faults: Faults = Field(("none",), description="kinds of fault; each item meets each, in a run of its own")
    check: Literal["", "recount"] = Field(
        "recount", description="looks at every output, so that silent errors are repaired too; empty: nothing does"
    )
    abilities: Mapping[str, str] = Field({}, description="what models are good at, in words, for the implementer")
    failing: str = Field("", description="the model that fails where a fault makes one fail; empty: drawn by item")
    max_repairs: int = Field(3, ge=1, description="times that a rectifier is asked in one run (paper: not stated)")
    theta_c: int | None = Field(
        None, ge=1, description="tokens of a run after which it pauses for a repair, once (paper: not stated)"
    )
    data_dir: str | None = Field(None, description="folder with your own data files; null: what MASREPRO_DATA names")
    hub: bool = Field(False, description="download from the hub what is not in the data folder")
    concurrency: int = Field(128, ge=1, description="runs at once")

    @model_validator(mode="after")
    def _costs_can_be_compared(self) -> Self:
        if self.cache:
            raise ValueError("cache is true, but a reply from there costs nothing, so costs could not be compared")
        if self.executor != "local":
            raise ValueError("runs of these tables share what was computed in this process: set executor to local")
        unpriced = [name for name in self.here if name not in self.prices]
        if unpriced:
            raise ValueError(f"costs are compared: give {', '.join(unpriced)} a price in prices, [prompt, completion]")
        return self

    @model_validator(mode="after")
    def _tools_for_plain_thinkers(self) -> Self:
        broken = [fault for fault in self.faults if fault in _OF_TOOLS]
        if broken and self.workflows != ("cot",):
            raise ValueError(f"faults has {', '.join(broken)}, for which workflows must be [cot]")
        return self

    @property
    def pool(self) -> tuple[str, ...]:
        """Every model that sub-agents may run on."""
        return self.solvers

    @property
    def here(self) -> tuple[str, ...]:
        """Models that run in this process, where only these params can say what they cost."""
        pool = self.pool if self.server is None else ()
        return (*pool, *([self.meta.model] if self.meta.server is None else []))

    @model_validator(mode="after")
    def _adapters_are_there(self) -> Self:
        if self.meta.server is None:
            for role in ROLES:
                known_adapter(getattr(self.adapters, role))
        return self

    @property
    def trained(self) -> bool:
        """Whether all three meta-agents were trained."""
        return all(getattr(self.adapters, role) for role in ROLES)

    def writer(self, role: str) -> Orchestrator:
        """The trained model of a meta-agent; the untrained one where there is no adapter."""
        return self.adapted(getattr(self.adapters, role))

    def adapted(self, adapter: str) -> Orchestrator:
        """The meta-agents' model with an adapter; as it is without one."""
        if not adapter:
            return self.meta
        field = "adapter" if self.meta.server is None else "model"
        return self.meta.model_copy(update={field: adapter})

    @property
    def orchestrators_by_field(self) -> Mapping[str, Orchestrator]:
        """See `WritingParams`."""
        trained = {f"adapters.{role}": self.writer(role) for role in ROLES if getattr(self.adapters, role)}
        return {"meta": self.meta, **trained}

    @property
    def n_runs(self) -> int:
        """Of one system."""
        return len(self.benchmarks) * self.n_samples * len(self.faults) * self.n_draws

    def _of_systems(self, n_made: int, others: Sequence[int] = ()) -> Bound:
        """Systems that meta-agents make and repair, and the calls of one run of each of the others."""
        calls = n_made * self.system_calls + sum(min(self.system_calls, own) for own in others)
        written = n_made * (2 + self.max_repairs)
        tokens = self.n_runs * (calls * self.max_tokens + written * self.plan_tokens)
        return self._spent(self.n_runs * (n_made + len(others)), self.n_runs * (calls + written), tokens)


class MainTableParams(Mas2TableParams):
    """12_mas2_main_table: success, cost and reward of MAS² and of what it has to beat (MAS², table 1, figure 3)."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "main.csv", "faults.csv", "front.svg")

    faults: Faults = Field(
        ("none", "back-end down", "silent corruption"),
        description="kinds of fault; the main table is the first, the others are a table of their own",
    )
    alone: Alone = Field(
        ("cot_sc", "debate", "reflexion"), description="workflows that get the question alone, on the dearest model"
    )
    debaters: tuple[str, ...] = Field(("proponent", "critic"), min_length=2, description="debate: roles")
    shapes: Shapes = Field(("star", "oracle"), description="designs of one who knows the item; no methods")

    @model_validator(mode="after")
    def _comparable_faults(self) -> Self:
        if self.faults[0] != "none":
            raise ValueError("faults must begin with none: the main table is without faults")
        if self.alone and set(self.faults) & set(_OF_TOOLS):
            raise ValueError("workflows that get the question alone use no tools: leave faults of tools to notebook 10")
        return self

    def bound(self) -> Bound:
        """Of every system; in fact equal requests are computed once."""
        models, alone = [1] * len(self.solvers), [_MOST_CALLS[name] for name in self.alone]
        rules, shapes = [1 + self.max_repairs] * 2, [self.system_calls] * len(self.shapes)
        return self._of_systems(2, [*models, *alone, *rules, *shapes])


class AblationParams(Mas2TableParams):
    """13_mas2_ablations: what each meta-agent is worth, and what the settings change (MAS², ablation table)."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "ablation.csv", "ablation.svg")

    faults: Faults = Field(("none", "back-end down"), description="kinds of fault, pooled: a rectifier needs some")
    theta_cs: Annotated[tuple[Annotated[int, Field(ge=1)], ...], AfterValidator(no_repeats)] = Field(
        (), description="values of theta_c to sweep, tokens; empty: none"
    )
    trainings: Mapping[Literal["K", "N", "beta", "cap"], Mapping[str, Adapters]] = Field(
        {}, description="adapters of other trainings: by the setting that differed, and its value; empty: none"
    )

    @model_validator(mode="after")
    def _values_are_numbers(self) -> Self:
        for setting, own in self.trainings.items():
            for value in own:
                try:
                    float(value)
                except ValueError:
                    raise ValueError(f"trainings.{setting} has the value {value!r}, which is no number") from None
        return self

    @property
    def other_trainings(self) -> dict[tuple[str, float], Adapters]:
        """Adapters by setting and value."""
        return {(setting, float(value)): one for setting, own in self.trainings.items() for value, one in own.items()}

    def bound(self) -> Bound:
        """Of the full system, its changed forms, and every value that is swept."""
        n_forms = 1 + 3 + 1 + 5 + len(self.solvers)
        return self._of_systems(n_forms + len(self.theta_cs) + len(self.other_trainings))


class CrossBackboneParams(Mas2TableParams):
    """14_cross_backbone: new members of the pool, without retraining (MAS², cross-backbone table)."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "front.svg", "front.csv")

    added: Annotated[tuple[ModelNames, ...], Field(min_length=1)] = Field(
        (("desk-solver-xl",),), description="new members, unseen in training: a larger pool for each list"
    )

    @model_validator(mode="after")
    def _new_indeed(self) -> Self:
        old = [name for name in self.new_members if name in self.solvers]
        if old:
            raise ValueError(f"added has {', '.join(old)}, which the pool has already")
        return self

    @property
    def new_members(self) -> tuple[str, ...]:
        """All that are added, each once."""
        return tuple(dict.fromkeys(name for members in self.added for name in members))

    @property
    def pool(self) -> tuple[str, ...]:
        """See `Mas2TableParams`."""
        return (*self.solvers, *self.new_members)

    @property
    def served(self) -> tuple[Served, ...]:
        """Every model that is asked for at a server, the new members included."""
        new = [] if self.server is None else [Served("server", self.server, name) for name in self.new_members]
        return (*super().served, *new)

    def bound(self) -> Bound:
        """Each model alone, and on the old pool and each larger one three systems: of both trios, and at random."""
        return self._of_systems(3 * (1 + len(self.added)), [1] * len(self.pool))
