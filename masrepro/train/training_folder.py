"""The folder of a training: whose it is, where it goes on, and what lies with the finished model."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HISTORY = "history.jsonl"
SETTINGS = "settings.json"
MODEL = "model"
"""Within a training's folder: its steps, what it was told, and the finished adapter or model, beside both again."""
EARLIER = "earlier"
"""Beside the finished adapter: the adapters of earlier steps, each in a folder with the step's number."""
_ADAPTER = ("adapter_config.json", "adapter_model.safetensors")


def claim(folder: Path, told: Mapping[str, Any], usual: Mapping[str, Any], *, grows: str = "") -> None:
    """Take the folder for a training.

    Parameters
    ----------
    folder : Path
    told, usual : mapping of str to JSON-ready values
        What decides how it goes, and the defaults of that, which a folder has that was begun before a setting existed.
    grows : str
        The one number that may be more than it was.

    Raises
    ------
    ValueError
        It was begun with others.
    """
    path = folder / SETTINGS
    if path.exists():
        before = {**usual, **json.loads(path.read_text(encoding="utf-8"))}
        changed = [name for name, value in told.items() if before.get(name) != value and name != grows]
        if changed:
            raise ValueError(f"{folder} was begun with another {', '.join(changed)}; choose another folder")
        if grows and told[grows] < before[grows]:
            raise ValueError(f"{folder} has gone for {before[grows]} {grows}; {told[grows]} is less")
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


def complete(folder: Path, base: str) -> None:
    """Put beside the finished model how it was made. Its base goes by the settings' name for it, not by a path."""
    model = folder / MODEL
    for beside in ("training_args.bin", "README.md"):  # they name paths of this machine
        (model / beside).unlink(missing_ok=True)
    _name_base(model, base)
    for record in (HISTORY, SETTINGS):
        (model / record).write_bytes((folder / record).read_bytes())


def keep_adapter(checkpoint: Path, folder: Path, step: int, base: str) -> None:
    """Put the adapter of a checkpoint beside the finished one, which is still to come. Whole models are too large."""
    if not (checkpoint / _ADAPTER[0]).exists():
        return
    kept = folder / MODEL / EARLIER / str(step)
    kept.mkdir(parents=True, exist_ok=True)
    for name in _ADAPTER:
        (kept / name).write_bytes((checkpoint / name).read_bytes())
    _name_base(kept, base)


def earlier_adapters(model: Path) -> dict[int, Path]:
    """The adapters of earlier steps beside a finished one, by step."""
    return {int(path.parent.name): path.parent for path in model.glob(f"{EARLIER}/*/{_ADAPTER[0]}")}


def _name_base(adapter: Path, base: str) -> None:
    about = adapter / _ADAPTER[0]
    if about.exists():
        told = json.loads(about.read_text(encoding="utf-8"))
        told["base_model_name_or_path"] = base
        about.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
