from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest

from masrepro.agents.draws import apart, at_once, derived_seeds
from masrepro.models.model import Sampling


async def after(gate: Awaitable[object], said: list[str], name: str) -> str:
    try:
        await gate
    except asyncio.CancelledError:
        said.append(f"{name} cancelled")
        raise
    said.append(name)
    return name


async def failing(error: BaseException) -> str:
    raise error


async def test_results_keep_their_order_however_they_end():
    said: list[str] = []
    late = asyncio.Event()

    async def first() -> str:
        await late.wait()
        return "first"

    async def second() -> str:
        late.set()
        return "second"

    assert await at_once([first(), second()]) == ("first", "second")
    assert await at_once([]) == ()
    assert said == []


async def test_what_is_in_flight_ends_before_a_failure_is_raised():
    said: list[str] = []
    with pytest.raises(ExceptionGroup) as raised:
        await at_once([failing(ValueError("one")), after(asyncio.sleep(0.01), said, "other"), failing(KeyError("two"))])
    assert said == ["other"]
    assert [type(error) for error in raised.value.exceptions] == [ValueError, KeyError]


async def test_cancelling_cancels_all_and_waits_for_them():
    said: list[str] = []
    never = asyncio.Event()
    running = asyncio.create_task(at_once(after(never.wait(), said, name) for name in "ab"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert said == ["a cancelled", "b cancelled"]


async def test_one_that_was_cancelled_by_something_else_is_no_result():
    with pytest.raises(asyncio.CancelledError):
        await at_once([failing(asyncio.CancelledError())])


def test_seeds_are_distinct_small_and_the_same_in_every_process():
    assert derived_seeds(1, "a", 3) == (26254715, 26254716, 26254717)
    assert derived_seeds(None, "a", 2) == (None, None)
    for seed in range(200):
        drawn = derived_seeds(seed, "agent \ud800", 50)
        assert len(set(drawn)) == 50
        assert all(0 <= one < 2**31 for one in drawn)


def test_draws_of_different_repeats_are_kept_apart():
    repeats = {draw["repeat"] for repeat in range(4) for draw in apart(Sampling(repeat=repeat), "a", 5, 0.5)}
    assert repeats == set(range(20))
