"""How requests are gathered into batches. The engine here is a double: it records what it is asked to compute."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Sequence

import pytest

from masrepro.models.lane import lane_to


class Doubler:
    """Doubles numbers, ``max_batch`` at a time, in batches that wait for ``gate``; remembers every batch."""

    def __init__(self, max_batch: int = 64) -> None:
        self.batches: list[list[int]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.begun = threading.Event()
        self.unwanted: list[list[int]] = []
        self._max_batch = max_batch

    def choose(self, requests: Sequence[int]) -> list[int]:
        return list(range(len(requests)))[: self._max_batch]

    def compute(self, requests: Sequence[int], wanted: Callable[[int], bool]) -> list[int]:
        self.batches.append(list(requests))
        self.begun.set()
        self.gate.wait()
        self.unwanted.append([request for index, request in enumerate(requests) if not wanted(index)])
        if -1 in requests:
            raise RuntimeError("minus one")
        return [2 * request for request in requests]


async def ask(engine: Doubler, request: int, after_passes: int = 0) -> int:
    for _ in range(after_passes):
        await asyncio.sleep(0)
    doubled: int = await lane_to("double").result(engine, request)
    return doubled


async def test_one_burst_is_one_batch() -> None:
    engine = Doubler()
    assert await asyncio.gather(*(ask(engine, n) for n in range(50))) == [2 * n for n in range(50)]
    assert engine.batches == [list(range(50))]


async def test_requests_that_arrive_over_several_passes_of_the_loop_share_a_batch() -> None:
    engine = Doubler()
    await asyncio.gather(*(ask(engine, n, after_passes=3 * n) for n in range(20)))
    assert engine.batches == [list(range(20))]


async def test_requests_that_follow_from_a_batch_are_gathered_with_those_left_over() -> None:
    engine = Doubler(max_batch=4)

    async def two_in_turn(n: int) -> int:
        return await ask(engine, await ask(engine, n) + 100, after_passes=5)

    await asyncio.gather(*(two_in_turn(n) for n in range(6)))
    assert engine.batches == [[0, 1, 2, 3], [4, 5, 100, 102], [104, 106, 108, 110]]


async def test_the_same_requests_form_the_same_batches_every_time() -> None:
    async def run() -> list[list[int]]:
        first, second = Doubler(max_batch=5), Doubler(max_batch=3)

        async def chain(n: int) -> None:
            for engine in (first, second, first) if n % 2 else (second, first, second):
                n = await ask(engine, n) % 97

        await asyncio.gather(*(chain(n) for n in range(23)))
        return [*first.batches, *second.batches]

    assert await run() == await run() == await run()


async def test_equal_requests_are_computed_once_and_answered_each() -> None:
    engine = Doubler()
    assert await asyncio.gather(*(ask(engine, n) for n in (3, 4, 3, 3))) == [6, 8, 6, 6]
    assert engine.batches == [[3, 4]]


async def test_engines_on_one_device_take_turns() -> None:
    one, other = Doubler(), Doubler()
    one.gate.clear()
    asked = [asyncio.ensure_future(ask(engine, n)) for n, engine in enumerate((one, other, one))]
    await asyncio.to_thread(one.begun.wait)
    assert (one.batches, other.batches) == ([[0, 2]], [])
    one.gate.set()
    assert await asyncio.gather(*asked) == [0, 2, 4]
    assert other.batches == [[1]]


async def test_a_request_cancelled_in_the_queue_is_never_computed() -> None:
    engine = Doubler()
    engine.gate.clear()
    first = asyncio.ensure_future(ask(engine, 1))
    await asyncio.to_thread(engine.begun.wait)
    queued, kept = asyncio.ensure_future(ask(engine, 2)), asyncio.ensure_future(ask(engine, 3))
    await asyncio.sleep(0)
    queued.cancel()
    engine.gate.set()
    assert await asyncio.gather(first, kept) == [2, 6]
    assert engine.batches == [[1], [3]]
    assert queued.cancelled()


async def test_a_request_cancelled_in_its_batch_is_given_up_unless_another_shares_it() -> None:
    engine = Doubler()
    engine.gate.clear()
    asked = [asyncio.ensure_future(ask(engine, n)) for n in (1, 2, 2, 3)]
    await asyncio.to_thread(engine.begun.wait)
    asked[0].cancel()
    asked[1].cancel()
    await asyncio.sleep(0)
    engine.gate.set()
    assert await asyncio.gather(*asked[2:]) == [4, 6]
    assert engine.unwanted == [[1]]


async def test_a_failure_reaches_everybody_in_the_batch_and_nobody_else() -> None:
    engine = Doubler()
    outcomes = await asyncio.gather(*(ask(engine, n) for n in (-1, 5)), return_exceptions=True)
    assert [str(outcome) for outcome in outcomes] == ["minus one", "minus one"]
    assert await ask(engine, 5) == 10


def test_loops_in_turn_and_at_once() -> None:
    engine = Doubler()
    doubled: list[int] = []

    def run(n: int) -> None:
        doubled.append(asyncio.run(ask(engine, n)))

    for n in range(3):
        run(n)
    threads = [threading.Thread(target=run, args=(n,)) for n in range(3, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(doubled) == [2 * n for n in range(9)]


def test_a_loop_that_ends_in_the_middle_of_a_batch_leaves_nothing_behind(caplog: pytest.LogCaptureFixture) -> None:
    engine = Doubler()
    engine.gate.clear()

    async def give_up() -> weakref.ref[asyncio.AbstractEventLoop]:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await ask(engine, 1)
        return weakref.ref(asyncio.get_running_loop())

    loop = asyncio.run(give_up())
    engine.gate.set()
    assert asyncio.run(ask(engine, 2)) == 4
    gc.collect()
    assert loop() is None
    assert caplog.records == []
