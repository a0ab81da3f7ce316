"""Model cards of the desk models: what each is for, how it was made, and what was measured of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from masrepro.lab.run_folder import RESULTS, RunFolder
from masrepro.lab.table import markdown_text
from masrepro.models.desk import Size, folder_of, shipped, shipped_adapters
from masrepro.report.adapter_card import adapter_card
from masrepro.report.saved_runs import repeating
from masrepro.report.statistics import Estimate
from masrepro.report.training import training_record

CARD = "README.md"

_PURPOSE = {
    "solver": "Reads MASBench questions of all five axes, what upstream agents passed on, and a goal; answers with "
    "worked steps. Sub-agents of the desk profile run on it.",
    "orchestrator": "Reads a question, a degree of MAS and workflow names, and writes a multi-agent system in the "
    "`calls` notation. Assigns models to a system's agents, and changes a system whose run has paused, in the words of "
    "MAS²'s meta-agents. It knows the languages, and nothing of which choice is good: sizes and shapes are random.",
    "thinker": "Works the question out between `<think>` marks, then writes a multi-agent system in the `calls` "
    "notation, or answers directly. Of which design is good it knows nothing.",
    "sequential": "Writes a multi-agent system in turns: adds an agent, hears its answer, adds the next or stops "
    "(ToolOrchestra's kind). It knows the language of these turns, and nothing of which agent is worth adding.",
}
_LIMITS = (
    "It knows one small world, MASBench's text and the prompts around it; other text in ASCII comes back unchanged and "
    "means nothing to it. Category totals (`/abstract` cells) were not in its training. One seed. Licence: Apache-2.0."
)


def write_cards(run: Path) -> list[Path]:
    """Write the card of every shipped model that a finished run of 03_desk_models measured, and of every adapter.

    A model that it did not measure keeps the card that it has, or gets one without figures.

    Parameters
    ----------
    run : Path
        The run's folder.

    Raises
    ------
    FileNotFoundError
        The run has no results yet.
    """
    results = json.loads((run / RESULTS).read_text(encoding="utf-8"))
    command = repeating(RunFolder(run).read())
    measured = {results["orchestrator"], *(point["solver"] for point in results["points"])}
    paths = []
    for name in shipped():
        path = folder_of(name) / CARD
        if name in measured or not path.exists():
            path.write_text(card(name, training_record(name), results, command), encoding="utf-8")
            paths.append(path)
    for folder in shipped_adapters():
        (folder / CARD).write_text(adapter_card(folder), encoding="utf-8")
        paths.append(folder / CARD)
    return paths


def card(name: str, training: Mapping[str, Any], results: Mapping[str, Any], command: str) -> str:
    """A model's card in Markdown.

    Parameters
    ----------
    training : mapping
        As it lies beside the weights; see `masrepro.train.desk_training`.
    results : mapping
        ``results.json`` of a run of 03_desk_models.
    command : str
        What repeats that run.
    """
    recipe, size = training["recipe"], Size(**training["recipe"]["size"])
    started = f"the weights of {recipe['begins_with']}" if recipe["begins_with"] else "nothing"
    parts = (
        f"# {name}",
        _PURPOSE[recipe["corpus"]],
        f"LFM2 of width {size.width}, {size.layers} layers (convolution over {size.reach} tokens and "
        f"attention in turn), {size.heads} heads; bf16. "
        f"Made by `python -m masrepro desk train {name.removeprefix('desk-')}` from {started}: "
        f"{training['tokens'] / 1e6:.1f} M tokens in {training['steps']:,} steps, data and weights from "
        f"seed {recipe['seed']}, {training['minutes']:.0f} minutes of {_cores(training)}, {_code(training)}. "
        "Recipe and loss curve: `training.json`.",
        _measured(name, results, command),
        _LIMITS,
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def _cores(training: Mapping[str, Any]) -> str:
    count = training.get("processes", 1)
    return "one shared core" if count == 1 else f"{count} shared cores"


def _code(training: Mapping[str, Any]) -> str:
    if not training.get("commit"):
        return "code of no known commit"
    return f"code of commit {training['commit'][:12]}" + (" with changes on top" if training["dirty"] else "")


def _measured(name: str, results: Mapping[str, Any], command: str) -> str:
    rows = [_row(point) for point in results["points"] if point["solver"] == name]
    lead = "Share of test items solved alone (the whole question) and by the oracle's system of this solver"
    if name == results["orchestrator"]:
        rows, lead = results["validity"], "Systems drawn at temperature 1, by the number of agents written"
    if not rows:
        return ""
    return f"Measured by `{command}`. {lead}, with 95 % intervals:\n\n{markdown_text(rows)}"


def _row(point: Mapping[str, Any]) -> dict[str, str | int | float | None]:
    return {
        "axis": point["axis"],
        "value": point["value"],
        "n": point["n"],
        **{what: _estimate(point, what) for what in ("single_agent", "oracle", "gain")},
    }


def _estimate(point: Mapping[str, Any], what: str) -> str:
    value, low, high = point[what], point[f"{what}_low"], point[f"{what}_high"]
    return "missing" if value is None else str(Estimate(value, low, high, point["n"]))
