"""``report.html``: one self-contained page of every claim of both papers, from the newest complete runs of a profile.

It shows what notebooks saved (`saved_runs`) in the order of the papers' claims (`ledger`), and computes nothing.
"""

from __future__ import annotations

from pathlib import Path

from masrepro.lab.file import write_atomic
from masrepro.report.ledger import counts, ledger
from masrepro.report.paper_claim import kind_of, reason_of
from masrepro.report.published.mas2 import statements
from masrepro.report.saved_runs import saved_runs, unfinished

PAGE = "report.html"


def write_report(outputs: Path, profile: str, *, as_pages: bool = True) -> Path:
    """Write the page; returns its path.

    Parameters
    ----------
    outputs : Path
        Holds a folder a notebook.
    profile : str
        Whose runs are shown. The page says so, and a smoke page says that its numbers are no results.
    as_pages : bool
        Whether executed notebooks are linked to as pages, which are made beside them, or as they are.
    """
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("masrepro.report", "templates"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    runs, ended = saved_runs(outputs, profile, as_pages=as_pages), unfinished(outputs, profile)
    entries = ledger(runs, ended, profile)
    page = environment.get_template("report.html.j2").render(
        profile=profile,
        runs=runs,
        ended=ended,
        entries=entries,
        papers=list(dict.fromkeys(entry.paper for entry in entries)),
        lines=[line for entry in entries for line in entry.lines],
        statements=statements(),
        counts=counts,
        kind_of=kind_of,
        reason_of=reason_of,
    )
    write_atomic(outputs / PAGE, page)
    return outputs / PAGE
