"""Cards of the adapters that come with the package: what each learned from, and how far its training came."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from masrepro.train.cto import RANKING
from masrepro.train.history import Step, read_history
from masrepro.train.training_folder import HISTORY, SETTINGS

_FEW = 10


def adapter_card(folder: Path) -> str:
    """An adapter's card in Markdown.

    Parameters
    ----------
    folder : Path
        The ``model/`` of a training, under its name.
    """
    settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    if (folder / RANKING).exists():
        ranking = json.loads((folder / RANKING).read_text(encoding="utf-8"))
        parts = _of_pairs(settings, ranking)
    else:
        parts = _of_rewards(settings, read_history(folder / HISTORY))
    return "\n\n".join((f"# {folder.name}", *parts, _made(settings))) + "\n"


def _of_rewards(settings: Mapping[str, Any], steps: Sequence[Step]) -> tuple[str, str]:
    first, last = steps[:_FEW], steps[-_FEW:]
    measured_by = "05_train_orchestrator" if settings["method"] == "holistic" else "06_holistic_vs_sequential"
    return (
        f"An adapter to `{settings['orchestrator']}`, trained by GRPO ({settings['method']}) on the final answer "
        f"alone: {', '.join(settings['cells'])}, train split, degree of MAS {', '.join(settings['doms'])}. "
        f"`{measured_by}` measures it on held-out items.",
        f"Means over the first {len(first)} and the last {len(last)} of {len(steps)} steps: reward "
        f"{fmean(step.reward for step in first):.2f} and {fmean(step.reward for step in last):.2f}, valid systems "
        f"{fmean(step.valid for step in first):.2f} and {fmean(step.valid for step in last):.2f}. All steps: "
        f"`{HISTORY}`.",
    )


def _of_pairs(settings: Mapping[str, Any], ranking: Mapping[str, Any]) -> tuple[str, str]:
    learned, others = ranking["learned"], ranking["held_out"]
    said = (
        f"It ranked {learned['before']:.2f} of {learned['n_pairs']} pairs right before it learned from them and "
        f"{learned['after']:.2f} after"
    )
    if others:
        said += f"; of {others['n_pairs']} pairs of other questions {others['before']:.2f} and {others['after']:.2f}"
    return (
        f"An adapter to `{settings['base']}`: MAS²'s {settings['role']}, trained by collaborative tree optimisation. "
        "`11_train_meta_agents` grows such trees, trains on them, and measures all three adapters on held-out items.",
        f"{said}. It learned with {_learned_from(settings)}. All steps: `{HISTORY}`.",
    )


def _learned_from(settings: Mapping[str, Any]) -> str:
    """The loss's beta; and where it was set, how many branches of each tree were learned from, or a bound on R."""
    words = {"beta": "beta", "n_templates": "K", "n_implementations": "N", "cap": "R at most"}
    return ", ".join(f"{word} {settings[name]:g}" for name, word in words.items() if settings.get(name) is not None)


def _made(settings: Mapping[str, Any]) -> str:
    return (
        f"LoRA of rank {settings['lora_rank']}, learning rate {settings['learning_rate']:g}, seed {settings['seed']}; "
        f"all settings: `{SETTINGS}`. Licence: Apache-2.0."
    )
