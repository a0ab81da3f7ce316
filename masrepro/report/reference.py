"""``outputs/reference/``: the executed desk run that is published with the repository, small enough for that.

Collected from the newest complete run of every notebook: the executed notebooks, records, results, tables and figures,
without samples and what only a widget needs. The README's table of claims is written from it.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from masrepro.lab.file import write_atomic
from masrepro.lab.home import Home
from masrepro.lab.problem import BadInput, Problem
from masrepro.lab.provenance import source_hash
from masrepro.lab.run_folder import NOTEBOOK, RECORD, RESULTS, RunFolder, newest_complete
from masrepro.report.claims_table import NO_REFERENCE, long_table, readme_block, summary, with_block
from masrepro.report.inline_svg import lighter
from masrepro.report.ledger import Entry, ledger
from masrepro.report.page import write_report
from masrepro.report.saved_runs import NARROW, saved_runs

REFERENCE = "reference"
"""The folder's name below ``outputs/``."""
PROFILE = "desk"
MOST_BYTES = 8_000_000
"""What the repository takes."""
_COUNT = re.compile(r"(.+): \d+/\d+")
"""A line of progress: what is counted, and how far."""
_SVG, _PLOTLY = "image/svg+xml", "application/vnd.plotly.v1+json"


def publish(home: Home, *, say: Callable[[str], None] = print) -> Path:
    """Collect a finished desk reproduction, then write its page and the README's table; returns the folder.

    Raises
    ------
    BadInput
        A notebook has no complete desk run, or it all is too large.
    """
    runs = {name: newest_complete(home.outputs, name, PROFILE) for name in _published_notebooks(home)}
    missing = [name for name, run in runs.items() if run is None]
    if missing:
        raise BadInput(
            [
                Problem(f"has no complete {PROFILE} run; python -m masrepro reproduce --profile {PROFILE}", n)
                for n in missing
            ]
        )
    aside = home.outputs / f".{REFERENCE}"
    shutil.rmtree(aside, ignore_errors=True)
    for name, run in runs.items():
        assert run is not None
        if run.read()["source_hash"] != source_hash(home.notebook(name)):
            say(f"{name}: the code has changed since this run")
        _collect(run, aside / name / run.run_id, home.root)
    _hold_size(aside)
    reference = home.outputs / REFERENCE
    shutil.rmtree(reference, ignore_errors=True)
    aside.rename(reference)
    say(f"{len(runs)} runs collected in {home.short(reference)}")
    write_tables(home, say=say)
    _hold_size(reference)
    return reference


def write_tables(home: Home, *, say: Callable[[str], None] = print) -> None:
    """Write page and tables of the reference run again, and the README's part of them, from what is collected.

    Raises
    ------
    BadInput
        There is no README with the marks for it.
    """
    reference, readme = home.outputs / REFERENCE, home.root / "README.md"
    entries = reference_entries(reference)
    try:
        text = with_block(readme.read_text(encoding="utf-8"), readme_block(entries) if entries else f"{NO_REFERENCE}\n")
    except (FileNotFoundError, ValueError) as error:
        raise BadInput.of(f"{home.short(readme)} cannot take the table of claims: {error}") from error
    if entries:
        say(f"page: {home.short(write_report(reference, PROFILE, as_pages=False))}")
        write_atomic(reference / "README.md", _front_page(entries))
    write_atomic(readme, text)
    say(f"table of claims: {home.short(readme)}")


def reference_entries(reference: Path) -> tuple[Entry, ...]:
    """The papers' claims beside those of the reference run; empty while there is none."""
    runs = saved_runs(reference, PROFILE, as_pages=False)
    return ledger(runs, {}, PROFILE) if runs else ()


def _published_notebooks(home: Home) -> Iterator[str]:
    return (name for name in home.notebooks() if home.params_file(name, PROFILE).exists())


def _front_page(entries: tuple[Entry, ...]) -> str:
    return (
        "# The reference run\n\n"
        "Every notebook of the desk profile as it was executed, with its tables and figures; collected by "
        "`python -m masrepro publish`. Open `report.html` for the figures on one page.\n\n"
        f"{summary(entries)}\n\n{long_table(entries)}"
    )


def _collect(run: RunFolder, target: Path, root: Path) -> None:
    """Copy what is published of a run; paths on this machine are cut to what lies below the checkout."""
    target.mkdir(parents=True)
    results = json.loads((run.path / RESULTS).read_text(encoding="utf-8"))
    for file in _files(run, results):
        text = (run.path / file).read_text(encoding="utf-8").replace(f"{root}/", "")
        if file == NOTEBOOK:
            text = json.dumps(lighter_notebook(json.loads(text)), indent=1, ensure_ascii=False) + "\n"
        elif file.endswith(".svg"):
            text = lighter(text)
        (target / file).write_text(text, encoding="utf-8")


def _files(run: RunFolder, results: Mapping[str, Any]) -> Iterator[str]:
    yield from (RECORD, RESULTS, NOTEBOOK)
    for file in results.get("tables", []):
        yield from (file, str(Path(file).with_suffix(".csv")))
    for file in results.get("figures", []):
        yield file
        if (run.path / (narrow := f"{Path(file).stem}{NARROW}")).exists():
            yield narrow


def lighter_notebook(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """An executed notebook without what a viewer does not show: plotly's form of a figure that is there as SVG, the
    runner's own notes, the state of widgets, and the steps of a count.
    """
    cells = [{**cell, "metadata": _tags(cell["metadata"])} for cell in notebook["cells"]]
    for cell in cells:
        if "outputs" in cell:
            cell["outputs"] = [_lighter_output(output) for output in cell["outputs"]]
    kept = {key: value for key, value in notebook["metadata"].items() if key in ("kernelspec", "language_info")}
    return {**notebook, "cells": cells, "metadata": kept}


def _lighter_output(output: Mapping[str, Any]) -> dict[str, Any]:
    if "text" in output:
        return {**output, "text": _without_progress("".join(output["text"]))}
    data = output.get("data", {})
    if _SVG not in data:
        return dict(output)
    kept = {kind: value for kind, value in data.items() if kind != _PLOTLY}
    return {**output, "data": {**kept, _SVG: lighter("".join(data[_SVG]))}}


def _without_progress(text: str) -> str:
    """Printed text with the last of several lines that count the same thing up."""
    lines = text.splitlines(keepends=True)
    counted = [found[1] if (found := _COUNT.fullmatch(line.rstrip())) else None for line in lines]
    following = [*counted[1:], None]
    return "".join(line for line, of, then in zip(lines, counted, following, strict=True) if of is None or of != then)


def _tags(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key == "tags"}


def _hold_size(folder: Path) -> None:
    sizes = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    total = sum(sizes.values())
    if total > MOST_BYTES:
        largest = sorted(sizes, key=lambda path: -sizes[path])[:5]
        named = ", ".join(f"{path.relative_to(folder)} {sizes[path] / 1e6:.1f} MB" for path in largest)
        raise BadInput.of(f"the reference run takes {total / 1e6:.1f} MB of {MOST_BYTES / 1e6:.0f}; largest: {named}")
