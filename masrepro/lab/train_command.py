"""Training an orchestrator from params: in the notebook, and as ``python -m masrepro train`` for several processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from masrepro.lab.backbone import load_backbone
from masrepro.lab.training_params import TrainOrchestratorParams
from masrepro.models.desk import WEIGHTS
from masrepro.models.model import Pool, Sampling
from masrepro.runtime.budget import Budget
from masrepro.train.grpo import HISTORY, Trained, catalogue_of, train
from masrepro.train.grpo_estimate import DESK, H200, estimate_training
from masrepro.train.history import read_history
from masrepro.train.rollout import Team
from masrepro.train.trained import load_orchestrator

if TYPE_CHECKING:
    from masrepro.models.local import Local


def team_of(params: TrainOrchestratorParams) -> Team:
    """The sub-agents and their conditions, in training and in evaluation alike."""
    return Team(
        Pool.of(load_backbone(params)),
        catalogue_of(params),
        Sampling(temperature=params.temperature, max_tokens=params.max_tokens, seed=params.seed),
        Budget(calls=params.system_calls),
        rationale_chars=params.rationale_chars,
    )


def trained_orchestrator(
    params: TrainOrchestratorParams, folder: Path, team: Team, *, report: Callable[[str], None] = print
) -> Trained:
    """The adapter that the params name, with its history where it has one; else one that is trained in ``folder``.

    Raises
    ------
    FileNotFoundError
        There is no such adapter.
    """
    if not params.adapter:
        return train(params, folder, team=team, report=report)
    shipped = WEIGHTS / params.adapter
    found = shipped if shipped.is_dir() else Path(params.adapter)
    if not any(found.glob("*.safetensors")):
        raise FileNotFoundError(f"no adapter {params.adapter!r}: name the model/ of a training, or leave it empty")
    return Trained(found, tuple(read_history(found / HISTORY)))


def orchestrators(params: TrainOrchestratorParams, trained: Trained) -> dict[str, Local]:
    """The orchestrator before training and after, as models that can be asked: ``base`` and ``trained``."""
    dtype = "float64" if params.device == "cpu" else "bfloat16"
    return {
        who: load_orchestrator(
            params.orchestrator, folder, name=f"{who} orchestrator", dtype=dtype, device=params.device
        )
        for who, folder in (("base", None), ("trained", trained.folder))
    }


def training_estimate(params: TrainOrchestratorParams) -> list[str]:
    """What ``--dry-run`` prints: memory, calls, tokens and hours, without a weight loaded."""
    machine = replace(H200, n_devices=params.n_devices) if params.device == "cuda" else DESK
    return estimate_training(params, params.max_tokens, machine).lines()
