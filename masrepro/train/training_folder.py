"""The folder of a training by GRPO: whose it is, where it goes on, and what lies with the finished model."""

from __future__ import annotations

import json
import os
from pathlib import Path

from masrepro.train.grpo_settings import GrpoSettings

HISTORY = "history.jsonl"
SETTINGS = "settings.json"
MODEL = "model"
"""Within a training's folder: its steps, what it was told, and the finished adapter or model, beside both again."""


def claim(folder: Path, settings: GrpoSettings) -> None:
    """Take the folder for these settings; one that was begun before a setting existed has its default.

    Raises
    ------
    ValueError
        It was begun with others.
    """
    told = settings.grpo_values()
    path = folder / SETTINGS
    if path.exists():
        before = {**GrpoSettings.model_validate({}).grpo_values(), **json.loads(path.read_text(encoding="utf-8"))}
        changed = [name for name, value in told.items() if before[name] != value and name != "steps"]
        if changed:
            raise ValueError(f"{folder} was begun with another {', '.join(changed)}; choose another folder")
        if told["steps"] < before["steps"]:
            raise ValueError(f"{folder} has gone for {before['steps']} steps; {told['steps']} is less")
    folder.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(f".{os.getpid()}")  # of several processes, each writes the same
    aside.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    aside.replace(path)


def last_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint that was written to its end: the trainer's state is its last file."""
    found = [path for path in (folder / "checkpoints").glob("checkpoint-*") if (path / "trainer_state.json").exists()]
    return max(found, key=n_updates, default=None)


def n_updates(checkpoint: Path) -> int:
    """Updates that had been made when it was written."""
    return int(checkpoint.name.rpartition("-")[2])


def complete(folder: Path, settings: GrpoSettings) -> None:
    """Put beside the finished model how it was made. Its base goes by the settings' name for it, not by a path."""
    model = folder / MODEL
    for beside in ("training_args.bin", "README.md"):  # they name paths of this machine
        (model / beside).unlink(missing_ok=True)
    about = model / "adapter_config.json"
    if about.exists():
        told = json.loads(about.read_text(encoding="utf-8"))
        told["base_model_name_or_path"] = settings.orchestrator
        about.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    for record in (HISTORY, SETTINGS):
        (model / record).write_bytes((folder / record).read_bytes())
