"""What notebooks may be told in which an orchestrator writes systems that are measured beside others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from masrepro.bench.masbench.cell import parse_cell
from masrepro.lab.orchestrator import Orchestrator
from masrepro.lab.schema import (
    Axis,
    AxisValues,
    Bound,
    EvaluationParams,
    ModelNames,
    PublicName,
    Served,
    WorkflowNames,
    no_repeats,
)
from masrepro.models.model import Price
from masrepro.orchestration.dom import DoM

ORACLE_CALLS = 40
"""More than the oracle needs for a question of any axis up to value 12."""


def known_cells(cells: tuple[str, ...]) -> tuple[str, ...]:
    """The same names. Raises ValueError for one that MASBench does not know."""
    for cell in cells:
        parse_cell(cell)
    return cells


Doms = Annotated[tuple[Literal["LOW", "HIGH"], ...], AfterValidator(no_repeats)]
Caps = Annotated[tuple[Annotated[int, Field(ge=0, le=64)], ...], AfterValidator(no_repeats)]
Cells = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...],
    Field(min_length=1),
    AfterValidator(no_repeats),
    AfterValidator(known_cells),
]
Alone = Annotated[tuple[Literal["cot_sc", "debate", "reflexion"], ...], AfterValidator(no_repeats)]
Shapes = Annotated[tuple[Literal["star", "oracle"], ...], AfterValidator(no_repeats)]


class WritingParams(EvaluationParams):
    """How systems are written and run, in every notebook that compares them."""

    solvers: ModelNames = Field(("desk-solver-s",), description="the sub-agents' models; `model` is not used")
    doms: Doms = Field(("LOW", "HIGH"), description="degrees of MAS")
    workflows: WorkflowNames = Field(("cot",), description="what a system may use (paper on MASBench: cot only)")
    n_samples: int = Field(20, ge=1, description="items per benchmark")
    n_draws: int = Field(1, ge=1, description="systems written per item and degree (paper: 8)")
    plan_temperature: float = Field(0.5, ge=0.0, le=2.0, description="of the orchestrator (paper: 0.5)")
    plan_tokens: int = Field(256, ge=1, description="tokens; upper bound on a written system (paper: 8,192)")
    system_calls: int = Field(24, ge=1, description="calls of one system, at most")
    temperature: float = Field(0.0, ge=0.0, le=2.0, description="of the sub-agents; 0 is greedy (paper: 0.5)")
    rationale_chars: int = Field(0, ge=0, description="characters of its rationale that go on with an answer")
    concurrency: int = Field(128, ge=1, description="samples evaluated at once")

    @property
    def orchestrators_by_field(self) -> Mapping[str, Orchestrator]:
        """Every orchestrator, by the field that describes it."""
        raise NotImplementedError

    @property
    def served(self) -> tuple[Served, ...]:
        """Every model that is asked for at a server."""
        solvers = [] if self.server is None else [Served("server", self.server, name) for name in self.solvers]
        writers = [
            Served(f"{field}.server", one.server, one.model)
            for field, one in self.orchestrators_by_field.items()
            if one.server is not None
        ]
        return (*solvers, *writers)

    def price_at(self, model: str, place: EvaluationParams | Orchestrator) -> Price | None:
        """The price of a model where it runs; None if unknown. In this process none is known but what params say."""
        if place.server is not None:
            return self.price_of(model, place.server.base_url)
        return self.price_of(model) if model in self.prices else None

    def _spent(self, samples: int, calls: int, tokens: int) -> Bound:
        """Of both orchestrator and sub-agents; free where all models run in this process."""
        here = self.server is None and all(one.server is None for one in self.orchestrators_by_field.values())
        return Bound(samples, calls, tokens, Decimal(0) if here else None)


class DomSweepParams(WritingParams):
    """07_dom_sweep: accuracy and cost by the number of agents that an orchestrator may create."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "sweep.csv", "sweep.svg", "least.csv")

    orchestrator: Orchestrator = Field(
        Orchestrator(model="desk-orchestrator"), description="the model that writes systems, and where it runs"
    )
    solvers: ModelNames = Field(
        ("desk-solver-s", "desk-solver-m"), description="the sub-agents' models, a sweep each; `model` is not used"
    )
    caps: Caps = Field(tuple(range(9)), description="agents that a system may have, at most; 0: a direct answer")
    axes: Mapping[Axis, AxisValues] = Field(
        {"depth": (4,), "breadth": (4,), "horizon": (2,), "parallel": (2,), "robustness": (2,)},
        min_length=1,
        description="MASBench axis values to measure, 2 to 12",
    )
    benchmarks: Annotated[tuple[PublicName, ...], AfterValidator(no_repeats)] = Field(
        (), description="public benchmarks to measure on besides"
    )
    n_public: int = Field(4, ge=1, description="items per public benchmark")
    public_caps: Caps = Field((0, 1, 4), description="of `caps`, there")
    public_workflows: WorkflowNames = Field(
        ("cot", "cot_sc", "debate", "reflexion"), description="of `workflows`, there"
    )
    public_tokens: int = Field(256, ge=1, description="tokens; upper bound on one completion or written system there")
    model_dir: str | None = Field(None, description="SmolLM2's folder; null: outputs/models/smollm2-135m-instruct")
    data_dir: str | None = Field(None, description="folder with your own data files; null: what MASREPRO_DATA names")
    hub: bool = Field(False, description="download from the hub what is not in the data folder")

    @model_validator(mode="after")
    def _something_to_sweep(self) -> Self:
        if len(self.caps) < 2:
            raise ValueError("caps needs at least two numbers of agents, else there is nothing to compare")
        return self

    @property
    def orchestrators_by_field(self) -> Mapping[str, Orchestrator]:
        """See `WritingParams`."""
        return {"orchestrator": self.orchestrator}

    def degrees(self, caps: Sequence[int]) -> tuple[DoM, ...]:
        """What is swept: the caps, from the smallest on, and the named degrees."""
        return (*map(DoM.at_most, sorted(caps)), *map(DoM.parse, self.doms))

    def bound(self) -> Bound:
        """A single agent's call, and those of every written system, per item and sub-agents' model."""
        n_items = self.n_samples * sum(map(len, self.axes.values()))
        n_public, n_solvers = self.n_public * len(self.benchmarks), len(self.solvers)
        n_public_solvers = 1 if self.server is None else n_solvers
        own, public = self.degrees(self.caps), self.degrees(self.public_caps)
        samples = n_items * n_solvers * (1 + self.n_draws * len(own))
        samples += n_public * n_public_solvers * (1 + self.n_draws * len(public))
        own_calls = n_items * n_solvers * (1 + self.n_draws * sum(self._calls(dom, self.workflows) for dom in own))
        per_public = 1 + self.n_draws * sum(self._calls(dom, self.public_workflows) for dom in public)
        public_calls = n_public * n_public_solvers * per_public
        own_written, public_written = self.n_draws * n_items * len(own), self.n_draws * n_public * len(public)
        tokens = own_calls * self.max_tokens + own_written * self.plan_tokens
        tokens += (public_calls + public_written) * self.public_tokens
        return self._spent(samples, own_calls + own_written + public_calls + public_written, tokens)

    def _calls(self, dom: DoM, workflows: Sequence[str]) -> int:
        """Of one system: one an agent where agents only think step by step."""
        if tuple(workflows) != ("cot",) or dom.max_agents is None:
            return self.system_calls
        return min(dom.max_agents, self.system_calls)


class CostParetoParams(WritingParams):
    """09_cost_pareto: accuracy against calls, tokens, money and time (MAS-Orchestra, figure 1, table D.2)."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "costs.csv", "pareto.svg", "times.csv")

    orchestrators: Mapping[str, Orchestrator] = Field(
        {"untrained": Orchestrator(model="desk-orchestrator")},
        min_length=1,
        description="models that write systems, and where they run, by the name under which they are shown",
    )
    solvers: ModelNames = Field(
        ("desk-solver-s", "desk-solver-m", "desk-solver-l"),
        description="the sub-agents' models: each is measured alone, and the first serves all else",
    )
    cells: Cells = Field(
        (
            "masbench/depth/4",
            "masbench/breadth/4",
            "masbench/horizon/2",
            "masbench/parallel/2",
            "masbench/robustness/2",
        ),
        description="MASBench cells; a system's accuracy and cost are means over all items",
    )
    alone: Alone = Field(("cot_sc", "debate", "reflexion"), description="workflows that get the question alone")
    shapes: Shapes = Field(("star", "oracle"), description="systems built from what the item is; no methods")
    n_votes: int = Field(5, ge=1, description="cot_sc: samples (paper: 5)")
    debaters: tuple[str, ...] = Field(("proponent", "critic"), min_length=2, description="debate: roles")
    debate_rounds: int = Field(5, ge=1, description="debate: rounds (paper: 5)")
    reflexion_rounds: int = Field(5, ge=1, description="reflexion: critic and revision, at most (paper: 5)")

    @model_validator(mode="after")
    def _costs_are_paid(self) -> Self:
        if self.cache:
            raise ValueError("cache is true, but a reply from there costs nothing, so costs could not be compared")
        return self

    @property
    def orchestrators_by_field(self) -> Mapping[str, Orchestrator]:
        """See `WritingParams`."""
        return {f"orchestrators.{name}": one for name, one in self.orchestrators.items()}

    def bound(self) -> Bound:
        """One call a single agent, the workflows' rounds, the shapes' agents, and a cap on written systems."""
        n_items = self.n_samples * len(self.cells)
        n_written = len(self.orchestrators) * len(self.doms) * self.n_draws
        alone = {
            "cot_sc": self.n_votes,
            "debate": len(self.debaters) * self.debate_rounds + 1,
            "reflexion": 1 + 2 * self.reflexion_rounds,
        }
        calls = len(self.solvers) + sum(alone[name] for name in self.alone)
        calls += len(self.shapes) * ORACLE_CALLS + n_written * self.system_calls
        samples = len(self.solvers) + len(self.alone) + len(self.shapes) + n_written
        tokens = calls * self.max_tokens + n_written * self.plan_tokens
        return self._spent(n_items * samples, n_items * (calls + n_written), n_items * tokens)
