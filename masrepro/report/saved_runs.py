"""The newest complete run of every notebook, as its folder holds it: what the report shows, read and not computed.

What cannot be read is said in a line for people, and keeps nothing else from being shown.
"""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from masrepro.lab.file import write_atomic
from masrepro.lab.home import find_home
from masrepro.lab.problem import BadInput
from masrepro.lab.resolve import resolve
from masrepro.lab.run_folder import NOTEBOOK, RESULTS, RunFolder, newest_complete, run_folders
from masrepro.report.claims import Claim
from masrepro.report.inline_svg import described, inline_svg, width_px
from masrepro.report.paper_claim import saved_claim

NARROW = ".narrow.svg"
"""Ends the name of a figure's other form, with one panel a row."""
FITTED_PX = 520
"""Up to this width a figure is legible when it is fitted to a phone."""
MOST_ROWS = 40
"""Rows of a table that a page shows."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure as SVG elements; ``narrow`` is empty where it has no form for narrow screens."""

    wide: str
    narrow: str
    caption: str

    @property
    def scrolls(self) -> bool:
        """Whether its letters would be too small if it were fitted to a narrow screen."""
        return not self.narrow and width_px(self.wide) > FITTED_PX


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table's first rows, as text, and how many more its file has."""

    file: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_more: int


@dataclass(frozen=True, slots=True)
class SavedRun:
    """One notebook's run.

    Parameters
    ----------
    record : dict
        ``run.json``.
    link, folder : str
        Where the executed notebook and the run's folder lie, from the page.
    command : str
        What repeats it.
    title, note : str
    seen : tuple of str
        What came out, in sentences, where the notebook says it.
    claims, drawings, tables : tuple
    problems : tuple of str
        What could not be read, and what to do.
    """

    record: Mapping[str, Any]
    link: str
    folder: str
    command: str
    title: str
    note: str = ""
    seen: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    tables: tuple[Numbers, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The notebook's."""
        return str(self.record["name"])

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens."""
        return int(self.record.get("prompt_tokens", 0) + self.record.get("completion_tokens", 0))


def saved_runs(outputs: Path, profile: str, *, as_pages: bool = True) -> tuple[SavedRun, ...]:
    """The newest complete run of every notebook in a profile, in the notebooks' order.

    Parameters
    ----------
    outputs : Path
        Holds a folder a notebook.
    as_pages : bool
        Whether to link to the executed notebook as a page, made beside it if need be, or to the notebook itself.
    """
    folders = (newest_complete(outputs, name, profile) for name in _names(outputs))
    return tuple(_saved(outputs, folder, as_pages) for folder in folders if folder is not None)


def unfinished(outputs: Path, profile: str) -> dict[str, str]:
    """Notebooks that ran in a profile, but never to their end: how their newest run ended, in words."""
    found = {}
    for name in _names(outputs):
        own = [folder for folder in run_folders(outputs, name) if folder.read().get("profile") == profile]
        if own and not any(folder.status == "complete" for folder in own):
            reason = own[0].read().get("reason")
            found[name] = f"its newest run is {own[0].status}" + (f": {reason}" if reason else "")
    return found


def repeating(record: Mapping[str, Any]) -> str:
    """The command that repeats a run, with the params that differ from what the profile has now."""
    name, profile = record["name"], record["profile"]
    words = ["python", "-m", "masrepro", "run", name, "--profile", profile]
    try:
        usual = resolve(name, home=find_home(), profile=profile).values()
    except BadInput:
        return shlex.join(words)
    for key, value in record.get("params", {}).items():
        if key in usual and value != usual[key]:
            words += ["-p", key, json.dumps(value)]
    return shlex.join(words)


def _names(outputs: Path) -> Iterator[str]:
    return (path.name for path in sorted(outputs.glob("[0-9][0-9]_*")) if path.is_dir())


def _saved(outputs: Path, folder: RunFolder, as_pages: bool) -> SavedRun:
    record = folder.read()
    where = folder.path.relative_to(outputs).as_posix()
    notebook = _notebook(folder, as_pages).relative_to(outputs).as_posix()
    problems: list[str] = []
    results: dict[str, Any] = {}
    with _noting(problems, f"{where}/{RESULTS} cannot be read, so this run shows nothing; run it again with --fresh"):
        results = json.loads((folder.path / RESULTS).read_text(encoding="utf-8"))
    claims: list[Claim] = []
    for values in results.get("claims", []):
        with _noting(problems, f"{where}/{RESULTS}"):
            claims.append(saved_claim(values))
    drawings: list[Drawing] = []
    for number, file in enumerate(results.get("figures", [])):
        with _noting(problems, f"{where}/{file} cannot be shown"):
            drawings.append(_drawing(folder, file, f"n{folder.name[:2]}f{number}"))
    tables: list[Numbers] = []
    for file in results.get("tables", []):
        with _noting(problems, f"{where}/{file} cannot be shown"):
            tables.append(_numbers(folder.path / file))
    return SavedRun(
        record,
        notebook,
        where,
        repeating(record),
        title=results.get("title", folder.name),
        note=results.get("note", ""),
        seen=tuple(results.get("seen", [])),
        claims=tuple(claims),
        drawings=tuple(drawings),
        tables=tuple(tables),
        problems=tuple(problems),
    )


@contextmanager
def _noting(problems: list[str], what: str) -> Iterator[None]:
    """Turn what cannot be read into a line for people."""
    try:
        yield
    except (OSError, ValueError) as error:
        problems.append(f"{what}: {error.strerror if isinstance(error, OSError) else error}")


def _drawing(folder: RunFolder, file: str, prefix: str) -> Drawing:
    path = folder.path / file
    wide = inline_svg(path.read_text(encoding="utf-8"), prefix, f"{folder.name}: {path.stem}")
    other = path.with_name(path.stem + NARROW)
    narrow = ""
    if other.exists():
        narrow = inline_svg(other.read_text(encoding="utf-8"), f"{prefix}n", f"{folder.name}: {path.stem}")
    return Drawing(wide, narrow, described(wide))


def _numbers(path: Path) -> Numbers:
    """A table from its CSV form, whichever form is named."""
    with path.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        columns, *rows = list(csv.reader(file)) or [[]]
    shown = tuple(tuple(map(_short, row)) for row in rows[:MOST_ROWS])
    return Numbers(path.with_suffix(".csv").name, tuple(columns), shown, max(0, len(rows) - MOST_ROWS))


def _short(cell: str) -> str:
    """A number to three digits, as the other forms of a table have it; other text as it is."""
    try:
        return f"{float(cell):.3g}" if "." in cell else cell
    except ValueError:
        return cell


def _notebook(folder: RunFolder, as_page: bool) -> Path:
    """The executed notebook, or it as a page beside it, made once; the folder of a run that the runner did not make."""
    notebook = folder.path / NOTEBOOK
    if not notebook.exists():
        return folder.path
    page = notebook.with_suffix(".html")
    if as_page and not page.exists():
        from nbconvert import HTMLExporter

        # Empty addresses: a page that is opened from disk must not wait for a network.
        nowhere = {"require_js_url": "", "mathjax_url": "", "jquery_url": "", "mermaid_js_url": ""}
        body, _ = HTMLExporter(template_name="lab", **nowhere).from_filename(str(notebook))
        write_atomic(page, body)
    return page if as_page else notebook
