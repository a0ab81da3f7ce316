"""The queue in front of a device: gathers the requests of concurrent tasks into batches, one batch at a time.

A batch is formed when the event loop has gone quiet, never after a time: which requests share a batch then follows from
the order in which they were made, and the same run forms the same batches again. All engines on a device share its
lane, so that two models do not race for the cores and the order of their batches is fixed too. Requests that depend on
anything outside the loop (a socket, a thread) arrive when they arrive; for them a batch is whatever had come by then.

Not here: what an engine does with a batch (`rows`).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakKeyDictionary

# Longer than any chain of callbacks from one agent's reply over its run's end to the next run's first request.
QUIET_PASSES = 32


class Engine(Protocol):
    """What computes batches. Requests are hashable; equal ones in a batch are computed once."""

    def choose(self, requests: Sequence[Any]) -> list[int]:
        """Which of the waiting requests (oldest first, none equal) make the next batch: indices, at least one."""
        ...

    def compute(self, requests: Sequence[Any], wanted: Callable[[int], bool]) -> Sequence[Any]:
        """One result a request. Runs in the device's thread; ``wanted(i)`` turns false when i may be given up."""
        ...


class Lane:
    """Requests of one event loop on their way to one device. Use `lane_to`."""

    def __init__(self, worker: ThreadPoolExecutor) -> None:
        self._worker = worker
        self._waiting: dict[_Ticket, None] = {}
        self._n_arrived = 0
        self._busy = False

    async def result(self, engine: Engine, request: Hashable) -> Any:
        """What ``engine`` makes of ``request``, computed together with whatever else is waiting for that engine.

        Cancelling the caller takes the request out of the queue, or gives up its row if the batch has begun.
        """
        loop = asyncio.get_running_loop()
        ticket = _Ticket(engine, request, loop.create_future())
        self._waiting[ticket] = None
        self._n_arrived += 1
        if not self._busy:
            self._busy = True
            loop.call_soon(self._settle, loop, self._n_arrived, 0)
        try:
            return await ticket.future
        finally:
            self._waiting.pop(ticket, None)

    def _settle(self, loop: asyncio.AbstractEventLoop, n_arrived: int, n_quiet: int) -> None:
        """Let every task that can run do so, until none has brought a request for a while; then send a batch."""
        if self._n_arrived != n_arrived:
            n_quiet = 0
        if n_quiet < QUIET_PASSES:
            loop.call_soon(self._settle, loop, self._n_arrived, n_quiet + 1)
        elif self._waiting:
            self._send(loop)
        else:
            self._busy = False

    def _send(self, loop: asyncio.AbstractEventLoop) -> None:
        engine = next(iter(self._waiting)).engine
        sharers: dict[Hashable, list[_Ticket]] = {}
        for ticket in self._waiting:
            if ticket.engine is engine:
                sharers.setdefault(ticket.request, []).append(ticket)
        requests = list(sharers)
        batch = [requests[index] for index in engine.choose(requests)]
        tickets = [sharers[request] for request in batch]
        for ticket in (ticket for group in tickets for ticket in group):
            del self._waiting[ticket]

        def wanted(index: int) -> bool:
            return not all(ticket.future.cancelled() for ticket in tickets[index])

        def hand_back(work: Future[Sequence[Any]]) -> None:
            try:
                loop.call_soon_threadsafe(self._deliver, loop, tickets, work)
            except RuntimeError:
                if not loop.is_closed():  # a loop that was closed meanwhile has nobody left who waits
                    raise

        self._worker.submit(engine.compute, batch, wanted).add_done_callback(hand_back)

    def _deliver(
        self, loop: asyncio.AbstractEventLoop, tickets: Sequence[Sequence[_Ticket]], work: Future[Sequence[Any]]
    ) -> None:
        error = work.exception()
        for index, group in enumerate(tickets):
            for ticket in group:
                if ticket.future.done():
                    continue
                if error is None:
                    ticket.future.set_result(work.result()[index])
                else:
                    ticket.future.set_exception(error)
        loop.call_soon(self._settle, loop, self._n_arrived, 0)


@dataclass(frozen=True, eq=False, slots=True)
class _Ticket:
    engine: Engine
    request: Hashable
    future: asyncio.Future[Any]


_lock = threading.Lock()
_workers: dict[str, ThreadPoolExecutor] = {}
_lanes: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Lane]] = WeakKeyDictionary()


def lane_to(device: str) -> Lane:
    """The running loop's lane to ``device``. Lanes of several loops feed the device's one thread in turn."""
    with _lock:
        if device not in _workers:
            _workers[device] = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"masrepro-{device}")
        lanes = _lanes.setdefault(asyncio.get_running_loop(), {})
        return lanes.setdefault(device, Lane(_workers[device]))
