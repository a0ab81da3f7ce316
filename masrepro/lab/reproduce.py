"""All notebooks of a profile, in order, and the report: complete runs are reused, unfinished ones resumed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from masrepro.lab.execute import Say
from masrepro.lab.home import Home
from masrepro.lab.params import SCHEMAS, Params
from masrepro.lab.problem import BadInput, Problem
from masrepro.lab.provenance import source_hash
from masrepro.lab.resolve import resolve
from masrepro.lab.run_folder import RunFolder, complete_run
from masrepro.lab.runner import error_text, run_notebook

WriteReport = Callable[[Path, str], Path]
"""Writes the report of a profile's runs; given the outputs folder and the profile, returns the page's path."""


@dataclass(frozen=True, slots=True)
class Step:
    """One notebook's part in a reproduction: its status in words, minutes of this attempt, and its run."""

    name: str
    status: str
    minutes: float
    folder: RunFolder | None

    @property
    def good(self) -> bool:
        """Whether nothing is missing: the run is complete, or there is none to make in this profile."""
        return self.status in ("complete", "reused") or self.folder is None


def reproduce(
    home: Home, profile: str, *, write_report: WriteReport, fresh: bool = False, say: Say = print
) -> list[Step]:
    """Run every notebook of a profile, then write ``outputs/report.html``.

    A notebook that fails does not keep the next from running.

    Raises
    ------
    BadInput
        Before anything runs: everything that is wrong with any notebook's params.
    """
    steps = [_step(home, name, params, fresh, say) for name, params in _all_params(home, profile).items()]
    _report(home, profile, write_report, say)
    for line in _table(steps):
        say(line)
    return steps


def _all_params(home: Home, profile: str) -> dict[str, Params | None]:
    """Params by notebook; None where the profile has none."""
    found: dict[str, Params | None] = {}
    problems: list[Problem] = []
    for name in home.notebooks():
        if name not in SCHEMAS:
            problems.append(
                Problem("has no params schema; add one to masrepro/lab/params.py", f"notebooks/{name}.ipynb")
            )
        elif not home.params_file(name, profile).exists():
            found[name] = None
        else:
            try:
                found[name] = resolve(name, home=home, profile=profile)
            except BadInput as error:
                problems += error.problems
    if not any(found.values()):
        problems.append(Problem(f"no notebook has a params file in {home.short(home.root / 'params' / profile)}"))
    if problems:
        raise BadInput(problems)
    return found


def _step(home: Home, name: str, params: Params | None, fresh: bool, say: Say) -> Step:
    if params is None:
        say(f"== {name}: skipped, it has no params in this profile")
        return Step(name, "skipped", 0.0, None)
    say(f"== {name}: {params.bound()}")
    source = source_hash(home.notebook(name))
    done = None if fresh else complete_run(home.outputs, name, params.content_hash, source)
    if done is not None:
        say(f"{done.run_id} is complete, with the same params and code: reused")
        return Step(name, "reused", 0.0, done)
    finished = run_notebook(home, name, params, fresh=fresh, say=say)
    if finished.status != "complete":
        say(f"{finished.status}: {finished.reason}")
        say(error_text(finished.folder))
    return Step(name, finished.status, finished.seconds / 60, finished.folder)


def _report(home: Home, profile: str, write_report: WriteReport, say: Say) -> None:
    began = time.monotonic()
    path = write_report(home.outputs, profile)
    say(f"== report: {home.short(path)}, {time.monotonic() - began:.1f} s")


def _table(steps: Sequence[Step]) -> list[str]:
    lines = [f"{'notebook':32} {'status':12} {'minutes':>8} {'calls':>9} {'tokens':>11}"]
    for step in steps:
        record = step.folder.read() if step.folder else {}
        tokens = record.get("prompt_tokens", 0) + record.get("completion_tokens", 0)
        lines.append(f"{step.name:32} {step.status:12} {step.minutes:8.1f} {record.get('calls', 0):9,} {tokens:11,}")
    return lines
