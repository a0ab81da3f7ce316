"""A run's folder, ``outputs/NAME/RUN_ID/``: how it is made or found again, who may write, what it records.

``run.json`` is the record: status, params, hashes, provenance, spend. Whoever holds the folder's lock owns
the run; the lock ends with its process, so a record that says ``running`` without a lock is a run that was
killed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Literal

from masrepro.lab.file import Lock, Locked, is_locked, write_atomic
from masrepro.lab.params import Params
from masrepro.lab.redaction import redact
from masrepro.models.model import Usage

Status = Literal["running", "interrupted", "incomplete", "failed", "complete"]
RECORD = "run.json"
NOTEBOOK = "notebook.ipynb"
RESULTS = "results.json"
_LOCK = ".run.lock"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One run's folder.

    Parameters
    ----------
    path : Path
        ``outputs/NAME/RUN_ID``.
    """

    path: Path

    @property
    def name(self) -> str:
        """The notebook's name."""
        return self.path.parent.name

    @property
    def run_id(self) -> str:
        """UTC time of the start and the first digits of the params hash."""
        return self.path.name

    @property
    def status(self) -> Status:
        """What became of the run; ``interrupted`` if its process is gone and it never said."""
        recorded: Status = self.read()["status"]
        return "interrupted" if recorded == "running" and not is_locked(self.path / _LOCK) else recorded

    def read(self) -> dict[str, Any]:
        """The record."""
        record: dict[str, Any] = json.loads((self.path / RECORD).read_bytes())
        return record

    def update(self, **changes: Any) -> None:
        """Change fields of the record; the file is never seen half written."""
        record = self.read() if (self.path / RECORD).exists() else {}
        self.write(RECORD, json.dumps({**record, **changes}, indent=2) + "\n")

    def write(self, file: str, content: str | bytes) -> Path:
        """Write a file of the run, aside and renamed, secrets taken out of text. Returns its path."""
        path = self.path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, redact(content) if isinstance(content, str) else content)
        return path

    def record_spend(self, usage: Usage, n_samples: int) -> None:
        """Put on record what all attempts have spent; an unknown cost is ``unknown``, never 0."""
        self.update(
            n_samples=n_samples,
            calls=usage.calls,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost_usd="unknown" if usage.cost_usd is None else str(usage.cost_usd),
        )

    def close(self, status: Status, reason: str | None, seconds: float) -> None:
        """Put on record how an attempt ended; ``seconds`` add up over attempts that were not killed."""
        total = round(self.read()["seconds"] + seconds, 1)
        self.update(status=status, reason=reason, finished=_now(), seconds=total)

    def lock(self) -> Lock:
        """Own the run. Raises Locked if another process does."""
        # A reader that asks whether a run goes on holds its lock for a moment.
        return Lock(self.path / _LOCK, wait_s=0.3)


@dataclass(frozen=True, slots=True)
class Opened:
    """A run folder that this process owns.

    Parameters
    ----------
    folder : RunFolder
    lock : Lock
        Held; let go when the run is over.
    resumed : bool
        Whether the folder holds an unfinished run's samples.
    why : str
        Why it was resumed, or not, in words for people.
    """

    folder: RunFolder
    lock: Lock
    resumed: bool
    why: str


def open_folder(
    outputs: Path,
    name: str,
    params: Params,
    source: str,
    *,
    fresh: bool = False,
    provenance: Callable[[], dict[str, Any]],
) -> Opened:
    """Resume the newest run of these params if it is unfinished and the code the same; else start a new one.

    Parameters
    ----------
    outputs : Path
        Holds a folder a notebook.
    name : str
        The notebook.
    params : Params
        Of the run; equal params have equal hashes.
    source : str
        `provenance.source_hash`.
    fresh : bool
        Never resume.
    provenance : callable
        Gives commit, versions and hardware for the record of a new run.
    """
    newest = next(iter(run_folders(outputs, name, params.content_hash)), None)
    why = "a new run"
    if fresh:
        why = "a new run, as --fresh asks"
    elif newest is not None:
        try:
            lock = newest.lock()
        except Locked:
            why = f"a new run: {newest.run_id} has the same params, but is still running"
        else:
            record = newest.read()
            if record["status"] == "complete":
                why = f"a new run: {newest.run_id} with the same params is complete"
            elif record["source_hash"] != source:
                why = f"a new run: {newest.run_id} is unfinished, but the code has changed since"
            else:
                for aside in newest.path.glob(".*.aside"):
                    aside.unlink()
                # Equal hashes may hide another cost limit.
                resumed = [*record["resumed"], _now()]
                newest.update(status="running", reason=None, stopped=None, params=params.values(), resumed=resumed)
                return Opened(newest, lock, True, f"resuming {newest.run_id}, which is unfinished")
            lock.release()
    return _new(outputs, name, params, source, why, provenance())


def run_folders(outputs: Path, name: str, params_hash: str | None = None) -> Iterator[RunFolder]:
    """Runs of a notebook, newest first; of these params only, where their hash is given."""
    for path in sorted((outputs / name).glob("*/"), key=lambda path: path.name, reverse=True):
        folder = RunFolder(path)
        # A folder without a record belongs to a run that was killed before it began.
        if (path / RECORD).exists() and params_hash in (None, folder.read()["params_hash"]):
            yield folder


def complete_run(outputs: Path, name: str, params_hash: str, source: str) -> RunFolder | None:
    """The newest complete run of these params and this code, if there is one."""
    for folder in run_folders(outputs, name, params_hash):
        record = folder.read()
        if record["status"] == "complete" and record["source_hash"] == source:
            return folder
    return None


def newest_complete(outputs: Path, name: str, profile: str) -> RunFolder | None:
    """The newest complete run of a notebook in a profile, whatever its params and code."""
    for folder in run_folders(outputs, name):
        record = folder.read()
        if record["status"] == "complete" and record["profile"] == profile:
            return folder
    return None


def _new(outputs: Path, name: str, params: Params, source: str, why: str, provenance: dict[str, Any]) -> Opened:
    folder = RunFolder(_unique(outputs / name, f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{params.content_hash[:8]}"))
    lock = folder.lock()
    folder.update(
        name=name,
        run_id=folder.run_id,
        status="running",
        reason=None,
        profile=params.profile,
        seed=params.seed,
        params=params.values(),
        params_hash=params.content_hash,
        source_hash=source,
        started=_now(),
        resumed=[],
        finished=None,
        seconds=0.0,
        **provenance,
    )
    return Opened(folder, lock, False, why)


def _unique(parent: Path, run_id: str) -> Path:
    parent.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        path = parent / (run_id if number == 1 else f"{run_id}-{number}")
        with suppress(FileExistsError):
            path.mkdir()
            return path
    raise AssertionError("count does not end")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
