"""All notebooks of a profile, and the report: complete runs are reused, unfinished ones resumed.

Each notebook is run by a process of its own, `python -m masrepro run`, a few at a time: a desk model computes on one
thread, so that a second notebook has the second core.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from masrepro.lab.execute import Say
from masrepro.lab.home import VARIABLE, Home
from masrepro.lab.params import SCHEMAS, Params
from masrepro.lab.problem import BadInput, Problem
from masrepro.lab.provenance import source_hash
from masrepro.lab.resolve import resolve
from masrepro.lab.run_folder import RunFolder, complete_run, run_folders

_REFUSED, _INTERRUPTED = 2, 130

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
        return self.status in ("complete", "reused", "skipped")


def reproduce(
    home: Home,
    profile: str,
    *,
    write_report: WriteReport,
    fresh: bool = False,
    jobs: int | None = None,
    say: Say = print,
) -> list[Step]:
    """Run every notebook of a profile, then write ``outputs/report.html``.

    A notebook that fails does not keep the next from running.

    Parameters
    ----------
    home : Home
    profile : str
        Folder of params.
    write_report : callable
    fresh : bool
        Reuse and resume nothing.
    jobs : int, optional
        Notebooks at a time; two where there are two cores.
    say : callable
        Takes one line at a time for people.

    Raises
    ------
    BadInput
        Before anything runs: everything that is wrong with any notebook's params.
    KeyboardInterrupt
        After every notebook that was running has recorded that it was interrupted.
    """
    all_params = _all_params(home, profile)
    runs = _Runs(home, profile, fresh, say)
    with ThreadPoolExecutor(jobs or min(2, os.cpu_count() or 1)) as pool:
        try:
            steps = list(pool.map(runs.step, all_params, all_params.values()))
        except BaseException:
            runs.stop()
            raise
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


@dataclass(slots=True)
class _Runs:
    """What all notebooks of a reproduction share, and the processes that are running."""

    home: Home
    profile: str
    fresh: bool
    say: Say
    lock: Lock = field(default_factory=Lock)
    running: list[subprocess.Popen[str]] = field(default_factory=list)
    stopped: bool = False

    def step(self, name: str, params: Params | None) -> Step:
        """Reuse a notebook's complete run, or run it."""
        if params is None:
            self.say(f"== {name}: skipped, it has no params in this profile")
            return Step(name, "skipped", 0.0, None)
        source = source_hash(self.home.notebook(name))
        done = None if self.fresh else complete_run(self.home.outputs, name, params.content_hash, source)
        if done is not None:
            self.say(f"== {name}: {done.run_id} is complete, with the same params and code: reused")
            return Step(name, "reused", 0.0, done)
        self.say(f"== {name}: {params.bound()}")
        began = time.monotonic()
        code = self._run(name)
        folder = next(run_folders(self.home.outputs, name, params.content_hash), None)
        # Without a folder of its own, the newest is of an earlier run.
        made = folder is not None and code != _REFUSED and (code == 0) == (folder.status == "complete")
        status = folder.status if folder is not None and made else "refused"
        return Step(name, status, (time.monotonic() - began) / 60, folder)

    def stop(self) -> None:
        """Interrupt what is running, and begin nothing more."""
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.send_signal(signal.SIGINT)

    def _run(self, name: str) -> int:
        """One notebook in a process of its own; what it says is told with its name. Returns the exit code."""
        command = [sys.executable, "-m", "masrepro", "run", name, "--profile", self.profile]
        with self.lock:
            if self.stopped:
                return _INTERRUPTED
            # In a session of its own it is interrupted once, by `stop`, and not by the terminal too.
            process = subprocess.Popen(
                command + ["--fresh"] * self.fresh,
                env={**os.environ, VARIABLE: str(self.home.root)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            self.running.append(process)
        with process:
            assert process.stdout is not None
            for line in process.stdout:
                self.say(f"{name.partition('_')[0]} {line.rstrip()}")
        with self.lock:
            self.running.remove(process)
        return process.returncode


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
