"""Files that are never seen half written, and locks that end with their process."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType


class Locked(Exception):
    """Another process, or another part of this one, holds the lock."""


class Lock:
    """An exclusive lock on a file, let go when released or when the process ends, however it ends.

    Parameters
    ----------
    path : Path
        The lock file; created if need be, never removed (removing it would let two holders in).
    wait_s : float
        How long to wait for another holder, in seconds.
    on_wait : callable or None
        Called once, before waiting begins.

    Raises
    ------
    Locked
        Still held by another after ``wait_s``.
    """

    def __init__(self, path: Path, wait_s: float = 0.0, on_wait: Callable[[], None] | None = None) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        deadline = time.monotonic() + wait_s
        while not self._try():
            if time.monotonic() >= deadline:
                self.release()
                raise Locked(f"{path} is in use by another process")
            if on_wait is not None:
                on_wait()
                on_wait = None
            time.sleep(0.1)

    def _try(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        """Let go; more than once does no harm."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Lock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def is_locked(path: Path) -> bool:
    """Whether someone holds the lock now."""
    if not path.exists():
        return False
    try:
        Lock(path).release()
    except Locked:
        return True
    return False


def write_atomic(path: Path, content: str | bytes) -> None:
    """Write aside, then rename: a reader sees the old file or the new one, also after a crash."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.aside")
    try:
        with aside.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
