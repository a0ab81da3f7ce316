"""What the notebook in which orchestrations are looked at may be told."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, field_validator

from masrepro.lab.fault_setting import FaultKind
from masrepro.lab.orchestrator import known_adapter
from masrepro.lab.schema import Bound, EvaluationParams, ModelPool, Systems
from masrepro.lab.training_params import ORACLE_AGENTS
from masrepro.lab.writing_params import Cells
from masrepro.train.grpo_settings import GrpoSettings

HERE = "here"
"""In place of a folder: make it in this run."""


class ExplorerParams(EvaluationParams):
    """15_explorer: runs, agents, timelines, training steps, repairs and an editor, as pictures."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "graph.svg", "timeline.svg", "cases.csv", "training.csv")

    samples_from: str = Field(
        "", description="run to look at, NAME/RUN_ID below outputs/; empty: the newest with samples; here: make some"
    )
    systems: Systems = Field(("single_agent", "star", "oracle"), description="systems of samples made here")
    cells: Cells = Field(
        ("masbench/parallel/3",), description="their benchmarks; the first serves all that is run here"
    )
    n_samples: int = Field(3, ge=1, description="items per benchmark, of samples made here")
    orchestrator: str = Field(
        "desk-orchestrator", min_length=1, description="the model that a training made here begins with"
    )
    dom: Literal["LOW", "HIGH"] = Field("HIGH", description="degree of MAS of what it writes")
    plan_tokens: int = Field(256, ge=1, description="tokens; upper bound on a written system")
    system_calls: int = Field(24, ge=1, description="calls of one system, at most")
    rationale_chars: int = Field(0, ge=0, description="characters of its rationale that go on with an answer")
    training: str = Field(
        "",
        description="training to look at, its folder or a shipped adapter's name; empty: the newest below outputs/; "
        "here: a short one in this run",
    )
    training_steps: int = Field(2, ge=1, description="batches of a training made here")
    fault: FaultKind = Field("back-end down", description="the fault of the run that is repaired")
    solvers: ModelPool = Field(
        ("desk-solver-s", "desk-solver-m"),
        description="its pool: the first runs every agent, the next takes its place where it fails",
    )

    @field_validator("training")
    @classmethod
    def _known_training(cls, training: str) -> str:
        return training if training == HERE else known_adapter(training)

    @property
    def own_training(self) -> GrpoSettings:
        """A training made here: enough for a few steps to be looked at, and far too short to learn anything."""
        told = {
            "seed": self.seed,
            "orchestrator": self.orchestrator,
            "cells": self.cells[:1],
            "doms": (self.dom,),
            "n_items": 100,
            "steps": self.training_steps,
            "prompts_per_step": 1,
            "group_size": 4,
            "micro_batch": 4,
            "plan_tokens": self.plan_tokens,
            "lora_rank": 8,
            "learning_rate": 1e-3,
            "beta": 0.0,
            "checkpoint_every": 1,
            "autocast": False,
            "activation_checkpointing": False,
            "device": "cpu",
        }
        return GrpoSettings.model_validate(told)

    def bound(self) -> Bound:
        """Of samples, training, repair and systems by step, all made here; the editor's runs are not counted."""
        n_items = self.n_samples * len(self.cells)
        steps = self.training_steps * self.own_training.completions_per_step + self.training_steps + 1
        calls = n_items * len(self.systems) * ORACLE_AGENTS + steps * (1 + self.system_calls)
        return self._bound(n_items * len(self.systems), calls + 4 * ORACLE_AGENTS)
