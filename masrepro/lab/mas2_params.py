"""What the notebooks on MAS² (arXiv 2509.24323) may be told."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from masrepro.lab.fault_bench import policies
from masrepro.lab.fault_setting import FAULTS, FaultKind
from masrepro.lab.schema import Bound, ModelPool, ModelPrice, Params
from masrepro.lab.training_params import ORACLE_AGENTS


class RuntimeParams(Params):
    """10_mas2_runtime: one run told step by step, and the fault bench."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "faults.csv", "comparison.csv", "faults.svg", "before.svg")

    solvers: ModelPool = Field(
        ("desk-solver-m", "desk-solver-l", "desk-solver-s"),
        description="the pool: the first runs every agent, the next takes its place where it fails",
    )
    prices: Mapping[str, ModelPrice] = Field(
        {"desk-solver-s": (0.1, 0.4), "desk-solver-m": (0.2, 0.8), "desk-solver-l": (0.4, 1.6)},
        description="notional: US dollars per million tokens, [prompt, completion], so that costs can be compared",
    )
    rectifier: str = Field(
        "", description="a desk model or a folder that acts as rectifier as well, at a price; empty: left out"
    )
    system: Literal["oracle", "star"] = Field("oracle", description="whose designs run")
    cells: Annotated[tuple[str, ...], Field(min_length=1)] = Field(
        ("masbench/depth/4", "masbench/parallel/3"), description="benchmarks to take items from, test split"
    )
    n_samples: int = Field(20, ge=2, description="items per benchmark")
    faults: Annotated[tuple[FaultKind, ...], Field(min_length=1)] = Field(FAULTS, description="kinds of fault")
    told_fault: FaultKind = Field("back-end down", description="the fault of the one run that is told step by step")
    told_item: int = Field(1, ge=0, description="which of the first benchmark's items it is, from 0")
    max_repairs: int = Field(3, ge=1, description="times that a rectifier is asked in one run (paper: not stated)")
    concurrency: int = Field(64, ge=1, description="runs at once")

    @model_validator(mode="after")
    def _told_of_those_measured(self) -> Self:
        if self.told_item >= self.n_samples:
            raise ValueError(f"told_item is {self.told_item}; it must be below n_samples, {self.n_samples}")
        return self

    @model_validator(mode="after")
    def _in_this_process_at_a_price(self) -> Self:
        if self.server is not None:
            raise ValueError("the solvers of the fault bench run in this process: leave server out")
        asked = [*self.solvers, *([self.rectifier] if self.rectifier else [])]
        unpriced = [name for name in asked if name not in self.prices]
        if unpriced:
            raise ValueError(f"costs are compared: give {', '.join(unpriced)} a price in prices, [prompt, completion]")
        return self

    def bound(self) -> Bound:
        """Every agent in every attempt of every run; in fact equal questions are computed once. Free: all runs here."""
        n_policies = len(policies()) + bool(self.rectifier)
        runs = len(self.cells) * self.n_samples * (1 + len(self.faults) * n_policies) + 1
        calls = runs * (1 + self.max_repairs) * (ORACLE_AGENTS + 1)
        return Bound(runs, calls, calls * self.max_tokens, Decimal(0))
