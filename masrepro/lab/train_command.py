"""Training an orchestrator from params: in the notebook, and as ``python -m masrepro train`` for several processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from masrepro.lab.backbone import load_backbone
from masrepro.lab.orchestrator import adapter_folder
from masrepro.lab.problem import BadInput
from masrepro.lab.training_params import TrainOrchestratorParams, check_repeats, settings_in
from masrepro.models.model import Pool, Sampling
from masrepro.runtime.budget import Budget
from masrepro.train.grpo import Trained, catalogue_of, train
from masrepro.train.grpo_estimate import DESK, H200, estimate_training
from masrepro.train.history import Step, read_history
from masrepro.train.rollout import Team
from masrepro.train.trained import load_orchestrator
from masrepro.train.training_folder import HISTORY

if TYPE_CHECKING:
    from masrepro.models.local import Local


def team_of(params: TrainOrchestratorParams) -> Team:
    """The sub-agents and their conditions, in training and in evaluation alike."""
    return Team(
        Pool.of(load_backbone(params, dtype=params.solver_dtype)),
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
    return Trained(adapter_folder(params.adapter), tuple(history_of(params.adapter)))


def history_of(adapter: str) -> list[Step]:
    """The steps in which an adapter was trained; none where they do not lie beside it.

    Raises
    ------
    FileNotFoundError
        There is no such adapter.
    """
    return read_history(adapter_folder(adapter) / HISTORY)


def repeats_of(params: TrainOrchestratorParams, trained: Trained) -> dict[str, Trained]:
    """The same training with other seeds, as the params name it, by ``seed-<seed>``.

    Raises
    ------
    FileNotFoundError
        There is no such adapter.
    BadInput
        It is another training: more than the seed differs. Or its seed has been named already.
    """
    folders = [adapter_folder(adapter) for adapter in params.repeats]
    settings = [settings_in(folder) for folder in folders]
    try:
        check_repeats(settings_in(trained.folder), list(zip(params.repeats, settings, strict=True)))
    except ValueError as error:
        raise BadInput.of(str(error)) from error
    return {
        f"seed-{theirs['seed']}": Trained(folder, tuple(read_history(folder / HISTORY)))
        for folder, theirs in zip(folders, settings, strict=True)
    }


def orchestrators(
    params: TrainOrchestratorParams, trained: Trained, repeats: Mapping[str, Trained] = MappingProxyType({})
) -> dict[str, Local]:
    """Models that write whole systems: the ``base``, the ``trained`` one, and the repeats by their names.

    Raises
    ------
    BadInput
        It is a sequential one, which is measured in another notebook.
    """
    if params.method == "sequential":
        raise BadInput.of(
            "a sequential orchestrator writes no whole systems: measure it in 06_holistic_vs_sequential, with "
            f"{trained.folder} as the adapter of `sequential` there"
        )
    dtype = "float64" if params.device == "cpu" else "bfloat16"
    folders = {"base": None, "trained": trained.folder, **{who: one.folder for who, one in repeats.items()}}
    return {
        who: load_orchestrator(
            params.orchestrator, folder, name=f"{who} orchestrator", dtype=dtype, device=params.device
        )
        for who, folder in folders.items()
    }


def training_estimate(params: TrainOrchestratorParams) -> list[str]:
    """What ``--dry-run`` prints: memory, calls, tokens and hours, without a weight loaded."""
    machine = replace(H200, n_devices=params.n_devices) if params.device == "cuda" else DESK
    return estimate_training(params, params.max_tokens, machine).lines()
