"""A circuit breaker: after enough failures in a row a back-end is left alone, then tried with one request at a time.

It keeps the time and nothing else: what counts as a failure, and how the request is sent, is the client's matter.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_LONGEST_PAUSE_S = 30.0


@dataclass(frozen=True, slots=True)
class Pass:
    """Leave to send one request; ``probe`` if others wait for what comes of it."""

    probe: bool


class Breaker:
    """Whether requests may be sent to one back-end. Share one among all clients of a server.

    Closed, it lets everything through. After ``failures`` in a row it opens: nothing is sent for ``pause_s``; then one
    request is let through as a probe (half-open). If the back-end answers, the breaker closes; if not, it stays open
    for twice the pause, up to 30 s. Requests wait meanwhile, but only for an outage shorter than ``patience_s``.

    Parameters
    ----------
    failures : int
        In a row, over all requests.
    pause_s : float
        From opening to the first probe, in seconds.
    patience_s : float
        Counted from opening, in seconds: until then requests wait for the back-end to come back, from then on those
        that are no probe fail at once. 0 never waits.
    clock : callable
        Monotonic seconds.
    """

    def __init__(
        self,
        failures: int = 10,
        pause_s: float = 1.0,
        patience_s: float = 120.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if failures < 1 or pause_s <= 0:
            raise ValueError(f"failures is {failures} and pause_s {pause_s}; they must be at least 1 and above 0")
        self._failures = failures
        self._first_pause_s = self._pause_s = pause_s
        self._patience_s = patience_s
        self._clock = clock
        self._lock = threading.Lock()
        self._in_a_row = 0
        self._opened: float | None = None
        self._tried = 0.0
        self._probing = False

    @property
    def is_open(self) -> bool:
        """Whether the back-end is taken to be down."""
        return self._opened is not None

    async def admit(self) -> Pass | str:
        """Wait for leave to send a request, to be handed back through `settle`; a text says why there is none."""
        while True:
            with self._lock:
                if self._opened is None:
                    return Pass(probe=False)
                now = self._clock()
                left_s = self._tried + self._pause_s - now
                if left_s <= 0 and not self._probing:
                    self._probing = True
                    return Pass(probe=True)
                if now - self._opened >= self._patience_s:
                    return self._why(now, left_s)
                wait_s = min(left_s if left_s > 0 else self._pause_s / 4, self._opened + self._patience_s - now)
            await asyncio.sleep(max(wait_s, 0.001))

    def settle(self, granted: Pass, answered: bool | None) -> None:
        """What came of a request: any answer, a refusal included; none; or, with None, it was called off."""
        with self._lock:
            is_probe = granted.probe and self._probing
            if is_probe:
                self._probing = False
            if answered:
                self._opened, self._in_a_row, self._pause_s = None, 0, self._first_pause_s
                self._probing = False
            elif answered is False:
                self._failed(is_probe)

    def _failed(self, is_probe: bool) -> None:
        now = self._clock()
        if self._opened is None:
            self._in_a_row += 1
            if self._in_a_row >= self._failures:
                self._opened = self._tried = now
        elif is_probe:
            self._tried, self._pause_s = now, min(2 * self._pause_s, _LONGEST_PAUSE_S)

    def _why(self, now: float, left_s: float) -> str:
        assert self._opened is not None
        since = datetime.now(UTC) - timedelta(seconds=now - self._opened)
        probe = f"it is tried again in {left_s:.1f} s" if left_s > 0 else "it is being tried again now"
        return (
            f"the circuit has been open since {since:%Y-%m-%d %H:%M:%S} UTC, after {self._in_a_row} failures in a row; "
            f"{probe}"
        )
