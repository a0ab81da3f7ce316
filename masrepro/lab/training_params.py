"""What notebooks that train an orchestrator may be told: the trainer's settings, and how the result is measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from masrepro.lab.orchestrator import known_adapter
from masrepro.lab.schema import Bound, EvaluationParams
from masrepro.models.desk import shipped, shipped_adapters
from masrepro.train.grpo_settings import GrpoSettings, Names
from masrepro.train.training_folder import SETTINGS

ORACLE_AGENTS = 40
"""More than the oracle needs for a question of any axis up to value 12."""
WRITTEN_AGENTS = 24
"""Agents of a system that fits into the tokens of one completion, at most, where no bound is set."""


def settings_in(folder: Path) -> dict[str, Any]:
    """Of the training that left an adapter there."""
    settings: dict[str, Any] = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    return settings


def check_repeats(ours: Mapping[str, Any], repeats: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Whether trainings, by name and settings, are ours with other seeds.

    Raises
    ------
    ValueError
        More than the seed differs, or two have the same one.
    """
    seeds = [ours["seed"]]
    for adapter, theirs in repeats:
        differing = sorted(name for name in {*ours, *theirs} - {"seed"} if ours.get(name) != theirs.get(name))
        if differing:
            raise ValueError(
                f"{adapter} in repeats differs in {', '.join(differing)}, not in its seed alone: leave it out, or name "
                "the same training with another seed"
            )
        if theirs["seed"] in seeds:
            raise ValueError(
                f"{adapter} in repeats has seed {theirs['seed']}, as another one here: leave one of them out"
            )
        seeds.append(theirs["seed"])


class TrainOrchestratorParams(EvaluationParams, GrpoSettings):
    """05_train_orchestrator: GRPO, and what it was worth on held-out items (MAS-Orchestra, figures 3, C.2)."""

    files: ClassVar[tuple[str, ...]] = (
        "results.json",
        "held_out.csv",
        "steps.csv",
        "reward.svg",
        "seeds.svg",
        "systems.svg",
    )

    adapter: Annotated[str, AfterValidator(known_adapter)] = Field(
        "", description="a finished training's model/ or a shipped adapter, to measure it; empty: train anew"
    )
    repeats: tuple[Annotated[str, AfterValidator(known_adapter)], ...] = Field(
        (), description="the same training with other seeds, as `adapter`, shown and measured beside it"
    )
    temperature: float = Field(0.5, ge=0.0, le=2.0, description="of the sub-agents; 0 is greedy (paper: 0.5)")
    max_tokens: int = Field(512, ge=1, description="tokens; upper bound on one reply (paper on MASBench: 512)")
    rationale_chars: int = Field(400, ge=0, description="characters of its rationale that go on with an answer")
    solver_dtype: Literal["float64", "float32"] = Field(
        "float64",
        description="of a desk sub-agent's weights; float32 is nearly twice as fast, and a rare reply may then differ",
    )
    test_cells: Names = Field(("masbench/depth/4",), description="benchmarks to measure on, test split")
    n_samples: int = Field(200, ge=1, description="items per benchmark (paper: 84 to 200)")
    n_draws: int = Field(8, ge=1, description="systems written per item and orchestrator (paper: 8)")
    test_temperature: float = Field(0.5, ge=0.0, le=2.0, description="of the orchestrators there (paper: 0.5)")
    concurrency: int = Field(128, ge=1, description="samples evaluated at once")
    n_devices: int = Field(8, ge=1, description="devices, for the estimate alone (paper: 8)")

    @field_validator("orchestrator")
    @classmethod
    def _known(cls, name: str) -> str:
        if name.startswith("desk-") and name not in shipped():
            raise ValueError(f"should be a folder, a hub id, or one of the desk models here: {', '.join(shipped())}")
        return name

    @model_validator(mode="after")
    def _repeats_differ_in_their_seed(self) -> Self:
        """As far as it can be told before a run: of adapters that come with the package."""
        with_package = {folder.name: folder for folder in shipped_adapters()}
        repeats = [(name, settings_in(with_package[name])) for name in self.repeats if name in with_package]
        if not self.adapter:
            check_repeats(self.grpo_values(), repeats)
        elif self.adapter in with_package:
            check_repeats(settings_in(with_package[self.adapter]), repeats)
        return self

    def bound(self) -> Bound:
        """Of training, and of measuring base, trained, single agent and oracle; sub-agents' calls only."""
        per_system = self.system_calls or WRITTEN_AGENTS
        n_written = (2 + len(self.repeats)) * len(self.doms) * self.n_draws
        n_items = len(self.test_cells) * self.n_samples
        trained = 0 if self.adapter else self.steps * self.completions_per_step
        calls = (trained + n_items * n_written) * per_system + n_items * (1 + ORACLE_AGENTS)
        return self._bound(n_items * (n_written + 2), calls)
