"""One notebook from command to verdict: make or resume its folder, execute it, audit it, record that."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

from masrepro.lab.audit import Audit, audit, short_traceback
from masrepro.lab.backbone import require_server
from masrepro.lab.execute import KernelDied, Say, execute
from masrepro.lab.file import Locked
from masrepro.lab.home import Home
from masrepro.lab.params import Params
from masrepro.lab.problem import BadInput
from masrepro.lab.provenance import provenance, source_hash
from masrepro.lab.redaction import scrub
from masrepro.lab.run_folder import NOTEBOOK, RunFolder, Status, open_folder
from masrepro.lab.sample_store import WAITING, SampleStore


@dataclass(frozen=True, slots=True)
class Finished:
    """What became of a run.

    Parameters
    ----------
    folder : RunFolder
    status : Status
    reason : str or None
        Why it is not complete.
    seconds : float
        Wall-clock time of this attempt.
    """

    folder: RunFolder
    status: Status
    reason: str | None
    seconds: float


def run_notebook(home: Home, name: str, params: Params, *, fresh: bool = False, say: Say = print) -> Finished:
    """Run a notebook with validated params.

    Parameters
    ----------
    home : Home
    name : str
        Notebook name.
    params : Params
    fresh : bool
        Never resume.
    say : callable
        Takes one line at a time for people.

    Raises
    ------
    BadInput
        There is no such notebook file, or the params name a server that is not there.
    KeyboardInterrupt
        After the run is recorded as interrupted.
    """
    notebook = home.notebook(name)
    if not notebook.is_file():
        raise BadInput.of(f"no notebook {home.short(notebook)}")
    require_server(params)
    began = time.monotonic()
    opened = open_folder(
        home.outputs,
        name,
        params,
        source_hash(notebook),
        fresh=fresh,
        provenance=lambda: provenance(home.root),
    )
    folder = opened.folder
    with opened.lock:
        say(f"{opened.why}, in {home.short(folder.path)}")
        try:
            if opened.resumed:
                _wait_for_last_kernel(folder, say)
            verdict = _execute(home, folder, params, say)
        except KeyboardInterrupt:
            folder.close("interrupted", "interrupted from the keyboard", time.monotonic() - began)
            raise
        if verdict.status != "complete":
            _record_samples(folder)
        folder.close(verdict.status, verdict.reason, time.monotonic() - began)
    return Finished(folder, verdict.status, verdict.reason, time.monotonic() - began)


def error_text(folder: RunFolder) -> str:
    """The end of the notebook's own traceback; empty if it raised nothing."""
    path = folder.path / NOTEBOOK
    return short_traceback(json.loads(path.read_bytes())) if path.exists() else ""


def _execute(home: Home, folder: RunFolder, params: Params, say: Say) -> Audit:
    try:
        execute(home, folder, params.values(), say)
    except KernelDied as error:
        return Audit("failed", str(error))
    finally:
        for path in scrub(folder.path):
            say(f"a secret was taken out of {path.name}")
    verdict = audit(json.loads((folder.path / NOTEBOOK).read_bytes()), folder.path, params.files)
    stopped = folder.read().get("stopped")
    return Audit("incomplete", stopped) if stopped and verdict.status == "complete" else verdict


def _wait_for_last_kernel(folder: RunFolder, say: Say) -> None:
    """A killed runner's kernel notices within seconds that it is alone; until then it may still write."""
    try:
        SampleStore(folder.path, on_wait=lambda: say(WAITING)).close()
    except Locked as error:
        raise BadInput.of(f"the last run's kernel still writes to {folder.run_id}; end it, or use --fresh") from error


def _record_samples(folder: RunFolder) -> None:
    """What the samples cost that a notebook finished before it failed to finish itself."""
    with SampleStore(folder.path) as store:
        folder.record_spend(store.spent, len(store.samples))
