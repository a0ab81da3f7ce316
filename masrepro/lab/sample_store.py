"""The file of finished samples: append-only JSON lines, so that a killed run loses only what was in flight.

A line is a sample; a key that occurs again replaces what stood before (an error that was tried again). One
writer at a time, held by a lock that ends with its process.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

from masrepro.lab.file import Lock
from masrepro.lab.redaction import redact
from masrepro.lab.sample import Key, Sample
from masrepro.models.model import Usage

FILE = "samples.jsonl"
SYNC_EVERY_S = 1.0
WAIT_S = 15.0
WAITING = "waiting for the last run's kernel to end"


class BrokenStore(Exception):
    """A line in the middle of the file is not a sample; says which, and what to do."""


class SampleStore:
    """Samples of one run, on disk.

    Parameters
    ----------
    folder : Path
        Run folder; holds ``samples.jsonl`` and, after a crash in mid-line, ``samples.jsonl.torn``.
    wait_s : float
        How long to wait for the kernel of a killed run to go, in seconds.
    on_wait : callable or None
        Called once, before waiting begins.

    Raises
    ------
    Locked
        Another process still writes here.
    BrokenStore
        A line other than the last is not a sample.
    """

    def __init__(self, folder: Path, wait_s: float = WAIT_S, on_wait: Callable[[], None] | None = None) -> None:
        self.path = folder / FILE
        self._lock = Lock(folder / ".samples.lock", wait_s, on_wait)
        try:
            self.repaired = _repair(self.path)
            self._samples = list(read_samples(self.path))
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        except BaseException:
            self._lock.release()
            raise
        self._latest = {sample.key: sample for sample in self._samples}
        self._synced = time.monotonic()

    def finished(self, key: Key) -> Sample | None:
        """The sample of that key, if it need not be run again: one in ``error`` or stopped by a cost limit is."""
        sample = self._latest.get(key)
        return sample if sample is not None and sample.measured else None

    def unscored(self, key: Key) -> Sample | None:
        """The sample of that key, if its run is done and only its scoring has to be tried again."""
        sample = self._latest.get(key)
        return sample if sample is not None and sample.awaits_scoring else None

    @property
    def samples(self) -> tuple[Sample, ...]:
        """Each key once, with its latest sample, in the order in which keys first appeared."""
        return tuple(self._latest.values())

    @property
    def spent(self) -> Usage:
        """What all samples cost, scoring and those included that were tried again; no run counts twice."""
        runs = (sample.usage for sample in self._samples if not sample.rescored)
        return sum(runs, self.spent_on_scoring)

    @property
    def spent_on_scoring(self) -> Usage:
        """The part of it that scorers cost, such as judges."""
        return sum((sample.scoring_usage for sample in self._samples), Usage())

    def append(self, sample: Sample) -> None:
        """Write a sample. It then survives a crash of this process, and after `sync` one of the machine."""
        line = redact(sample.to_json()).encode() + b"\n"
        written = 0
        while written < len(line):
            written += os.write(self._descriptor, line[written:])
        self._samples.append(sample)
        self._latest[sample.key] = sample
        if time.monotonic() - self._synced >= SYNC_EVERY_S:
            self.sync()

    def sync(self) -> None:
        """Make everything so far safe from a crash of the machine."""
        os.fsync(self._descriptor)
        self._synced = time.monotonic()

    def close(self) -> None:
        """Sync and let the next writer in; more than once does no harm."""
        if self._descriptor >= 0:
            self.sync()
            os.close(self._descriptor)
            self._descriptor = -1
            self._lock.release()

    def __enter__(self) -> SampleStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_samples(path: Path) -> Iterator[Sample]:
    r"""All samples of a file, in its order; only ``\n`` ends a line. A torn last line is left out.

    Raises
    ------
    BrokenStore
        A complete line is not a sample.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield Sample.from_json(line)
            except ValueError as error:
                remedy = "delete that line to run its sample again, or start with --fresh"
                raise BrokenStore(f"{path.name}, line {number}: {error}; {remedy}") from error


def _repair(path: Path) -> bool:
    """Complete or move aside a last line without its end; returns whether there was one."""
    if not path.exists():
        return False
    content = path.read_bytes()
    tail = content[content.rfind(b"\n") + 1 :]
    if not tail:
        return False
    try:
        Sample.from_json(tail)
    except ValueError:
        with path.with_name(f"{path.name}.torn").open("ab") as aside:
            aside.write(tail + b"\n")
        os.truncate(path, len(content) - len(tail))
    else:
        with path.open("ab") as file:
            file.write(b"\n")
    return True
