"""What each notebook may be told: one frozen, strict schema a notebook, found by the notebook's name.

A schema also knows the most that a run with these params can spend, by arithmetic alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import Field, field_validator, model_validator

from masrepro.lab.axes_params import FiveAxesParams, oracle_calls
from masrepro.lab.effort_params import OrchestratorEffortParams
from masrepro.lab.explorer_params import ExplorerParams
from masrepro.lab.mas2_params import RuntimeParams
from masrepro.lab.mas2_table_params import AblationParams, CrossBackboneParams, MainTableParams
from masrepro.lab.meta_training_params import TrainMetaParams
from masrepro.lab.method_params import HolisticSequentialParams
from masrepro.lab.schema import (
    PROFILES,
    Axis,
    AxisValues,
    Bound,
    EvaluationParams,
    ModelNames,
    Params,
    Profile,
    PublicNames,
    WorkflowNames,
    describe,
)
from masrepro.lab.training_params import TrainOrchestratorParams
from masrepro.lab.writing_params import CostParetoParams, DomSweepParams
from masrepro.models.desk import shipped
from masrepro.models.smollm import NAME as SMOLLM

__all__ = [
    "PROFILES",
    "SCHEMAS",
    "AblationParams",
    "Axis",
    "Bound",
    "CostParetoParams",
    "CrossBackboneParams",
    "DeskModelsParams",
    "DomSweepParams",
    "EvaluationParams",
    "ExplorerParams",
    "FiveAxesParams",
    "HolisticSequentialParams",
    "MainTableParams",
    "MasbenchParams",
    "OrchestratorEffortParams",
    "Params",
    "Profile",
    "PublicParams",
    "RuntimeParams",
    "StartHereParams",
    "TrainMetaParams",
    "TrainOrchestratorParams",
    "describe",
]


class StartHereParams(Params):
    """00_start_here: one orchestration by hand."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "plan.svg")
    N_CALLS: ClassVar[int] = 16

    def bound(self) -> Bound:
        """A handful of calls, whatever the params."""
        return self._bound(samples=1, calls=self.N_CALLS)


class MasbenchParams(Params):
    """02_masbench: MASBench itself, without any model."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "cells.csv", "length.svg", "answers.svg", "masbench.jsonl")

    n_items: int = Field(200, ge=1, description="items per axis value")
    n_checked: int = Field(
        40, ge=1, description="items per axis value that are checked, their texts changed one by one"
    )
    axes: Mapping[Axis, AxisValues] = Field(
        {axis: (2, 4, 6, 8, 10, 12) for axis in ("depth", "breadth", "horizon", "parallel", "robustness")},
        min_length=1,
        description="MASBench axis values to look at, 2 to 12",
    )
    shown_value: int = Field(4, ge=2, le=12, description="axis value of the one item per axis that is shown")

    def bound(self) -> Bound:
        """No model, no sample, no call."""
        return Bound(0, 0, 0, Decimal(0))


class DeskModelsParams(EvaluationParams):
    """03_desk_models: what the desk models can do, and how they are trained."""

    files: ClassVar[tuple[str, ...]] = (
        "results.json",
        "ability.csv",
        "ability.svg",
        "competence.svg",
    )

    solvers: ModelNames = Field(
        ("desk-solver-s", "desk-solver-m", "desk-solver-l"),
        description="desk solvers to measure; the first also serves written systems",
    )
    orchestrator: str = Field("", description="the model that writes systems, or its folder; empty: left out")
    n_samples: int = Field(50, ge=1, description="items per axis value")
    axes: Mapping[Axis, AxisValues] = Field(
        {axis: (2, 4, 6, 8) for axis in ("depth", "breadth", "horizon", "parallel", "robustness")},
        min_length=1,
        description="MASBench axis values to measure, 2 to 12",
    )
    fixed_depths: AxisValues = Field((2, 4, 6, 8), description="depths at which the length is held fixed as well")
    temperatures: tuple[Annotated[float, Field(gt=0, le=2)], ...] = Field(
        (0.5, 0.7, 1.0), min_length=1, description="of the samples that are compared with one another"
    )
    n_repeats: int = Field(8, ge=2, description="samples per item and temperature")
    n_written: int = Field(60, ge=1, description="items per cell for which systems are written")
    n_draws: int = Field(4, ge=1, description="systems written per item")
    written_axes: Mapping[Axis, AxisValues] = Field(
        {"depth": (4, 6), "parallel": (2, 3)}, min_length=1, description="cells for which systems are written"
    )
    shown_steps: int = Field(40, ge=2, description="training steps that are made in the notebook, to be seen")
    concurrency: int = Field(128, ge=1, description="samples evaluated at once")

    @field_validator("solvers", "orchestrator")
    @classmethod
    def _known(cls, given: tuple[str, ...] | str) -> tuple[str, ...] | str:
        """Names are those of desk models here; a folder is looked for where the run is."""
        for name in (given,) if isinstance(given, str) else given:
            if name and Path(name).name == name and not Path(name).is_dir() and name not in shipped():
                there = ", ".join(shipped())
                raise ValueError(f"no desk model {name!r}: name the model/ of a training, or one of {there}")
        return given

    def bound(self) -> Bound:
        """One call a sample alone, the oracle's besides; a call a system, and up to ten for its agents."""
        values = [(axis, value) for axis, values in self.axes.items() for value in values]
        alone = len(values) + len(self.fixed_depths)
        oracle = oracle_calls(self.axes) + oracle_calls({"depth": self.fixed_depths})
        n_cells = sum(map(len, self.written_axes.values()))
        n_systems = n_cells * self.n_written * self.n_draws
        n_samples = len(self.solvers) * 2 * alone * self.n_samples + n_cells * self.n_written + n_systems
        n_calls = len(self.solvers) * (alone + oracle) * self.n_samples
        n_calls += n_cells * self.n_written + n_systems * (1 + _WRITTEN_AGENTS)
        n_calls += len(self.temperatures) * self.n_repeats * self.n_samples
        return self._bound(n_samples, n_calls)


_WRITTEN_AGENTS = 24
"""Agents of a system that fits into the tokens of one completion, at most."""


class PublicParams(Params):
    """04_public_benchmarks: sub-agents alone, with a pretrained model (MAS-Orchestra, table 3)."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "table_3.csv")

    model: str = Field(SMOLLM, min_length=1, description="the sub-agents' model; any other one needs a server")
    model_dir: str | None = Field(None, description="SmolLM2's folder; null: outputs/models/smollm2-135m-instruct")
    data_dir: str | None = Field(None, description="folder with your own data files; null: what MASREPRO_DATA names")
    hub: bool = Field(False, description="download from the hub what is not in the data folder")
    max_tokens: int = Field(256, ge=1, description="tokens; upper bound on one completion")
    n_samples: int = Field(4, ge=1, description="items per benchmark")
    benchmarks: PublicNames = Field(("gsm8k", "hotpotqa/fullwiki", "humaneval"), description="what to measure on")
    workflows: WorkflowNames = Field(
        ("cot", "cot_sc", "debate", "reflexion", "deep_research"),
        description="sub-agents; deep_research only where there is a corpus, with HotpotQA",
    )
    n_votes: int = Field(5, ge=1, description="cot_sc: samples (paper: 5)")
    debaters: tuple[str, ...] = Field(("proponent", "critic"), min_length=2, description="debate: roles")
    debate_rounds: int = Field(2, ge=1, description="debate: rounds (paper: 5)")
    reflexion_rounds: int = Field(2, ge=1, description="reflexion: critic and revision, at most (paper: 5)")
    research_iterations: int = Field(2, ge=1, description="deep_research: rounds of search and notes (paper: 5)")
    research_hits: int = Field(3, ge=1, description="deep_research: passages a query (paper: 5)")
    read_chars: int = Field(3_000, ge=1, description="deep_research: characters read an iteration (paper: 50,000)")
    temperature: float = Field(0.0, ge=0.0, le=2.0, description="of sampling; 0 is greedy")
    concurrency: int = Field(32, ge=1, description="samples evaluated at once")

    @model_validator(mode="after")
    def _here_or_served(self) -> Self:
        if self.server is None and self.model != SMOLLM:
            raise ValueError(f"model is {self.model!r}, which runs on no server: set server, or take {SMOLLM}")
        return self

    def bound(self) -> Bound:
        """As if all data and the model were there; what is missing is not run. Without a server it runs here."""
        calls = {
            "cot": 1,
            "cot_sc": self.n_votes,
            "debate": len(self.debaters) * self.debate_rounds + 1,
            "reflexion": 1 + 2 * self.reflexion_rounds,
            "deep_research": 2 * self.research_iterations + 1,
        }
        pairs = [(name, who) for name in self.benchmarks for who in self.workflows]
        run = [who for name, who in pairs if who != "deep_research" or name == "hotpotqa/fullwiki"]
        n_calls = self.n_samples * sum(calls[who] for who in run)
        cost = Decimal(0) if self.server is None else None
        return Bound(self.n_samples * len(run), n_calls, n_calls * self.max_tokens, cost)


SCHEMAS: Mapping[str, type[Params]] = {
    "00_start_here": StartHereParams,
    "01_five_axes": FiveAxesParams,
    "02_masbench": MasbenchParams,
    "03_desk_models": DeskModelsParams,
    "04_public_benchmarks": PublicParams,
    "05_train_orchestrator": TrainOrchestratorParams,
    "06_holistic_vs_sequential": HolisticSequentialParams,
    "07_dom_sweep": DomSweepParams,
    "08_orchestrator_and_effort": OrchestratorEffortParams,
    "09_cost_pareto": CostParetoParams,
    "10_mas2_runtime": RuntimeParams,
    "11_train_meta_agents": TrainMetaParams,
    "12_mas2_main_table": MainTableParams,
    "13_mas2_ablations": AblationParams,
    "14_cross_backbone": CrossBackboneParams,
    "15_explorer": ExplorerParams,
}
"""Schema by notebook name (its file name without ``.ipynb``)."""
