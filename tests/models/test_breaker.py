"""The circuit breaker, on a clock of its own."""

from __future__ import annotations

import asyncio

import pytest

from masrepro.models.breaker import Breaker, Pass


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def breaker(clock: Clock, patience_s: float = 0.0) -> Breaker:
    return Breaker(failures=3, pause_s=10.0, patience_s=patience_s, clock=clock)


async def passed(circuit: Breaker) -> Pass:
    granted = await circuit.admit()
    assert isinstance(granted, Pass), granted
    return granted


async def fail(circuit: Breaker, times: int = 1) -> None:
    for _ in range(times):
        circuit.settle(await passed(circuit), answered=False)


async def test_it_opens_after_failures_in_a_row_and_says_since_when(clock: Clock) -> None:
    circuit = breaker(clock)
    await fail(circuit, 2)
    circuit.settle(await passed(circuit), answered=True)
    await fail(circuit, 2)
    assert not circuit.is_open
    await fail(circuit)
    clock.now_s += 4
    why = await circuit.admit()
    assert isinstance(why, str) and circuit.is_open
    assert "open since 20" in why and "after 3 failures in a row; it is tried again in 6.0 s" in why


async def test_one_probe_at_a_time_and_a_failed_one_doubles_the_pause(clock: Clock) -> None:
    circuit = breaker(clock)
    await fail(circuit, 3)
    clock.now_s += 10
    probe = await passed(circuit)
    assert probe.probe
    assert "being tried again now" in str(await circuit.admit())
    circuit.settle(probe, answered=False)
    clock.now_s += 19
    assert "again in 1.0 s" in str(await circuit.admit())
    clock.now_s += 1
    circuit.settle(await passed(circuit), answered=True)
    assert not circuit.is_open and not (await passed(circuit)).probe


async def test_a_probe_that_is_called_off_makes_room_for_another(clock: Clock) -> None:
    circuit = breaker(clock)
    await fail(circuit, 3)
    clock.now_s += 10
    circuit.settle(await passed(circuit), answered=None)
    assert (await passed(circuit)).probe


async def test_what_was_in_flight_when_it_opened_neither_prolongs_it_nor_is_lost(clock: Clock) -> None:
    circuit = breaker(clock)
    late = [await passed(circuit) for _ in range(2)]
    await fail(circuit, 3)
    clock.now_s += 9
    circuit.settle(late[0], answered=False)
    assert "again in 1.0 s" in str(await circuit.admit())
    circuit.settle(late[1], answered=True)
    assert not circuit.is_open


async def test_with_patience_requests_wait_for_the_probe_and_then_all_go(clock: Clock) -> None:
    circuit = Breaker(failures=1, pause_s=0.02, patience_s=60.0)
    await fail(circuit)
    waiting = [asyncio.create_task(circuit.admit()) for _ in range(5)]
    done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    (probe,) = (task.result() for task in done)
    assert isinstance(probe, Pass) and probe.probe
    assert sum(task.done() for task in waiting) == 1
    circuit.settle(probe, answered=True)
    others = [granted for granted in await asyncio.gather(*waiting) if granted is not probe]
    assert others == [Pass(probe=False)] * 4


async def test_patience_ends_with_an_outage_that_lasts(clock: Clock) -> None:
    circuit = breaker(clock, patience_s=25.0)
    await fail(circuit, 3)
    clock.now_s += 10
    await fail(circuit)
    clock.now_s += 16
    assert "it is tried again in 4.0 s" in str(await circuit.admit())


def test_a_breaker_that_could_not_work_is_refused() -> None:
    with pytest.raises(ValueError, match="failures is 0"):
        Breaker(failures=0)
