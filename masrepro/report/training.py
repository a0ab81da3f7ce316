"""How the desk models that come with the package were trained."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from masrepro.lab.table import Row
from masrepro.models.desk import folder_of, shipped
from masrepro.report.figures import Figure, Panel, Series
from masrepro.train.desk_recipe import Recipe
from masrepro.train.desk_training import TRAINING


def training_rows(names: Sequence[str]) -> list[Row]:
    """Tokens, steps and minutes of each model's training, and its last loss."""
    return [
        {
            "model": name,
            "begins with": record["recipe"]["begins_with"] or "nothing",
            "M tokens": round(record["tokens"] / 1e6, 1),
            "steps": record["steps"],
            "minutes": round(record["minutes"], 1),
            "cores": record.get("processes", 1),
            "last loss": record["curve"][-1][1] if record["curve"] else None,
        }
        for name, record in ((name, training_record(name)) for name in names)
    ]


def curve_figure(names: Sequence[str], *, note: str = "") -> Figure:
    """Loss by tokens seen, a curve a model."""
    series = []
    for style, name in enumerate(names):
        curve = training_record(name)["curve"]
        if curve:
            tokens, losses = zip(*curve, strict=True)
            series.append(Series(name, tuple(t / 1e6 for t in tokens), losses, style=style, marked=False))
    return Figure(
        title="Loss while training",
        y_label="loss on the replies' tokens, in nats",
        panels=(Panel("All rows and drills together", "million tokens seen", tuple(series)),),
        alt="Training losses fall slowly, then fast when names are found, then slowly again.",
        note=note,
        y_range=(0.0, 2.5),
    )


def unequal_bases(models: Sequence[str]) -> str:
    """In which entries the recipes of desk bases differ, beside what they write; empty where none is known to."""
    # An older recipe lacks entries that have come since; it was made as by their defaults.
    defaults = json.loads(json.dumps(asdict(Recipe(tokens=0, decay_tokens=0))))
    recipes = [{**defaults, **training_record(name)["recipe"]} for name in models if name in shipped()]
    unequal = (entry for entry in defaults if any(recipe[entry] != recipes[0][entry] for recipe in recipes))
    return ", ".join(entry for entry in unequal if entry != "corpus")


def training_record(name: str) -> dict[str, Any]:
    """How a shipped model was made: recipe, tokens, steps, minutes, and the curve of (tokens, loss)."""
    record: dict[str, Any] = json.loads((folder_of(name) / TRAINING).read_text(encoding="utf-8"))
    return record
