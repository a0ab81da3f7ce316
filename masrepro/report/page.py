"""``outputs/report.html``: one self-contained page of every claim, from the newest complete runs of a profile.

It reads what notebooks saved (``results.json``, tables, figures) and computes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from masrepro.lab.file import write_atomic
from masrepro.lab.run_folder import NOTEBOOK, RESULTS, RunFolder, newest_complete
from masrepro.report.claims import Claim

PAGE = "report.html"


@dataclass(frozen=True, slots=True)
class Section:
    """One notebook's part of the page: its record, claims, figures (SVG text), and where the executed notebook
    lies.
    """

    record: dict[str, Any]
    title: str
    note: str
    claims: tuple[Claim, ...]
    figures: tuple[str, ...]
    notebook: str

    @property
    def command(self) -> str:
        """What repeats this run."""
        return f"python -m masrepro run {self.record['name']} --profile {self.record['profile']}"


def write_report(outputs: Path, profile: str) -> Path:
    """Write the page; returns its path.

    Parameters
    ----------
    outputs : Path
        Holds a folder a notebook.
    profile : str
        Whose runs are shown. The page says so, and a smoke page says that its numbers are no results.
    """
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader("masrepro.report", "templates"), autoescape=True)
    sections = list(_sections(outputs, profile))
    page = environment.get_template("report.html.j2").render(profile=profile, sections=sections)
    write_atomic(outputs / PAGE, page)
    return outputs / PAGE


def _sections(outputs: Path, profile: str) -> Iterator[Section]:
    for parent in sorted(path for path in outputs.glob("[0-9][0-9]_*") if path.is_dir()):
        folder = newest_complete(outputs, parent.name, profile)
        if folder is not None:
            yield _section(outputs, folder)


def _section(outputs: Path, folder: RunFolder) -> Section:
    results = json.loads((folder.path / RESULTS).read_text(encoding="utf-8"))
    return Section(
        record=folder.read(),
        title=results["title"],
        note=results.get("note", ""),
        claims=tuple(Claim.from_json(claim) for claim in results.get("claims", [])),
        figures=tuple(_inline(folder.path / figure) for figure in results.get("figures", [])),
        notebook=_as_page(folder).relative_to(outputs).as_posix(),
    )


def _inline(figure: Path) -> str:
    """The SVG element alone, without XML declaration and doctype, which HTML does not take."""
    text = figure.read_text(encoding="utf-8")
    return text[text.index("<svg") :]


def _as_page(folder: RunFolder) -> Path:
    """The executed notebook as HTML beside it; made once. A run outside the runner has no executed notebook yet."""
    notebook = folder.path / NOTEBOOK
    page = notebook.with_suffix(".html")
    if not notebook.exists():
        return folder.path
    if not page.exists():
        from nbconvert import HTMLExporter

        body, _ = HTMLExporter(template_name="lab").from_filename(str(notebook))
        write_atomic(page, body)
    return page
