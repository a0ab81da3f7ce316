"""The response cache: what is a hit and what is not, and that nothing is paid for twice."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from masrepro.models import (
    Cached,
    Completion,
    Message,
    Model,
    Pool,
    Price,
    RateLimited,
    Sampling,
    ToolCall,
    ToolSignature,
    Usage,
)
from masrepro.models.cache import BrokenCache

PRICE = Price(Decimal("1.5"), Decimal("6"))
ASKED = (Message("system", "Answer."), Message("user", "How many crates?"))
SAMPLING = Sampling(temperature=0.5, max_tokens=8, seed=1)
ONCE = Usage(1, 10, 5, PRICE.of(10, 5))


class Paid:
    """A back-end that numbers its replies; fails or waits where it is told to."""

    context_tokens = 100
    price: Price | None = PRICE

    def __init__(self, name: str = "paid", revision: str = "1", faults: Sequence[Exception] = ()) -> None:
        self.name, self.revision = name, revision
        self.faults = list(faults)
        self.n_calls = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        self.n_calls += 1
        number = self.n_calls
        await self.gate.wait()
        if self.faults:
            raise self.faults.pop(0)
        calls = (ToolCall("c1", "search", "{}"),)
        return Completion(f"reply {number}\u2028\ud83d", "length", ONCE, "thought", calls)


def cached(path: Path, model: Paid | None = None) -> tuple[Paid, Cached]:
    model = model or Paid()
    return model, Cached(model, path / "replies.sqlite")


async def test_a_hit_is_the_same_reply_marked_and_free_of_cost(tmp_path: Path) -> None:
    model, cache = cached(tmp_path)
    assert isinstance(cache, Model)
    assert (cache.name, cache.revision, cache.context_tokens, cache.price) == ("paid", "1", 100, PRICE)
    first = await cache.complete(ASKED, SAMPLING)
    again = await cache.complete(list(ASKED), SAMPLING)
    assert first.usage == ONCE and not first.cached
    assert again == replace(first, usage=Usage(), cached=True)
    assert model.n_calls == 1


MISSES: dict[str, Any] = {
    "temperature": 0.6,
    "max_tokens": 9,
    "top_p": 0.9,
    "stop": ("x",),
    "seed": 2,
    "tools": (ToolSignature("search", "Find.", {}),),
    "repeat": 1,
}


async def test_r13_a_change_of_model_revision_message_or_any_sampling_field_is_a_miss(tmp_path: Path) -> None:
    assert set(MISSES) == set(Sampling.__slots__), "a new field of Sampling needs its place here"
    model, cache = cached(tmp_path)
    await cache.complete(ASKED, SAMPLING)
    for field, value in MISSES.items():
        assert not (await cache.complete(ASKED, replace(SAMPLING, **{field: value}))).cached, field
    for turns in ([ASKED[1]], [*ASKED, ASKED[1]], [ASKED[0], replace(ASKED[1], tool_call_id="c1")]):
        assert not (await cache.complete(turns, SAMPLING)).cached, turns
    assert model.n_calls == 1 + len(MISSES) + 3
    for other in (Paid(name="other"), Paid(revision="2")):
        assert not (await cached(tmp_path, other)[1].complete(ASKED, SAMPLING)).cached
        assert (await cached(tmp_path, other)[1].complete(ASKED, SAMPLING)).cached


async def test_errors_are_not_kept(tmp_path: Path) -> None:
    model, cache = cached(tmp_path, Paid(faults=[RateLimited("slow down", usage=Usage(3))]))
    with pytest.raises(RateLimited) as caught:
        await cache.complete(ASKED, SAMPLING)
    assert caught.value.usage == Usage(3)
    assert not (await cache.complete(ASKED, SAMPLING)).cached
    assert model.n_calls == 2


async def test_equal_requests_at_once_are_sent_once_and_paid_once(tmp_path: Path) -> None:
    model, cache = cached(tmp_path)
    model.gate.clear()
    asking = [asyncio.create_task(cache.complete(ASKED, SAMPLING)) for _ in range(20)]
    await asyncio.sleep(0)
    model.gate.set()
    replies = await asyncio.gather(*asking)
    assert model.n_calls == 1 and len({reply.text for reply in replies}) == 1
    assert sum((reply.usage for reply in replies), Usage()) == ONCE
    assert sum(reply.cached for reply in replies) == 19


async def test_an_error_of_equal_requests_reaches_all_and_counts_once(tmp_path: Path) -> None:
    model, cache = cached(tmp_path, Paid(faults=[RateLimited("slow down", usage=Usage(3))]))
    model.gate.clear()
    asking = [asyncio.create_task(cache.complete(ASKED, SAMPLING)) for _ in range(5)]
    await asyncio.sleep(0)
    model.gate.set()
    errors = await asyncio.gather(*asking, return_exceptions=True)
    assert [type(error) for error in errors] == [RateLimited] * 5
    assert sum((error.usage for error in errors if isinstance(error, RateLimited)), Usage()) == Usage(3)
    assert model.n_calls == 1


async def test_when_the_request_that_others_wait_for_is_called_off_one_of_them_is_sent(tmp_path: Path) -> None:
    model, cache = cached(tmp_path)
    model.gate.clear()
    asking = [asyncio.create_task(cache.complete(ASKED, SAMPLING)) for _ in range(4)]
    await asyncio.sleep(0)
    asking[0].cancel()
    await asyncio.wait([asking[0]])
    asking[2].cancel()
    model.gate.set()
    replies = await asyncio.gather(asking[1], asking[3])
    assert [reply.text for reply in replies] == [replies[0].text] * 2
    assert model.n_calls == 2 and sum(reply.cached for reply in replies) == 1
    assert cache._flights == {}


async def test_a_fault_in_a_program_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    _, cache = cached(tmp_path, Paid(faults=[ZeroDivisionError()]))
    with pytest.raises(ZeroDivisionError):
        await cache.complete(ASKED, SAMPLING)
    assert (await cache.complete(ASKED, SAMPLING)).text.startswith("reply 2")


async def test_a_pool_of_cached_models_shares_one_file(tmp_path: Path) -> None:
    models = [Paid("a"), Paid("b")]
    pool = Pool({model.name: Cached(model, tmp_path / "replies.sqlite") for model in models})
    for _ in range(2):
        for model in pool.values():
            await model.complete(ASKED, SAMPLING)
    assert [model.n_calls for model in models] == [1, 1]


def test_a_cache_serves_one_event_loop_after_another(tmp_path: Path) -> None:
    model, cache = cached(tmp_path)
    texts = {asyncio.run(cache.complete(ASKED, SAMPLING)).text for _ in range(3)}
    assert len(texts) == model.n_calls == 1


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to look like a file of pages" * 20, b"SQLite format 3\0"]
)
def test_a_file_that_is_no_cache_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "replies.sqlite").write_bytes(content)
    with pytest.raises(BrokenCache, match=r"replies\.sqlite is no response cache .* delete it"):
        cached(tmp_path)
    assert (tmp_path / "replies.sqlite").read_bytes() == content


def test_another_programs_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    with closing(sqlite3.connect(path)) as theirs, theirs:
        theirs.execute("CREATE TABLE replies (text TEXT)")
    content = path.read_bytes()
    with pytest.raises(BrokenCache, match="holds other tables"):
        cached(tmp_path)
    assert path.read_bytes() == content


FILLER = textwrap.dedent(
    """
    import asyncio, itertools, pathlib, sys
    sys.path.insert(0, sys.argv[2])
    from test_cache import SAMPLING, Cached, Message, Paid

    async def go(first, last=None):
        cache = Cached(Paid(), pathlib.Path(sys.argv[1]))
        for number in itertools.count(int(first)) if last is None else range(int(first), int(last)):
            await cache.complete([Message("user", str(number))], SAMPLING)
            print(number, flush=True)

    asyncio.run(go(*sys.argv[3:]))
    """
)
"""Fills a cache from one number on, to before another or for ever, and tells what is kept."""


def _filling(path: Path, *numbers: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", FILLER, str(path), str(Path(__file__).parent), *map(str, numbers)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


async def _hits(path: Path, last: int) -> list[bool]:
    cache = Cached(Paid(), path)
    return [(await cache.complete([Message("user", str(n))], SAMPLING)).cached for n in range(last)]


def test_processes_that_start_and_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    programs = [_filling(path, first, first + 40) for first in (0, 10, 20)]
    for program in programs:
        program.communicate()
    assert [program.returncode for program in programs] == [0, 0, 0]
    assert all(asyncio.run(_hits(path, 60)))


def test_a_process_killed_in_the_middle_has_kept_every_reply_that_it_was_given(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    with _filling(path, 0) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "20\n":
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        told = [20, *map(int, process.stdout.read().split())]
    assert all(asyncio.run(_hits(path, told[-1] + 1)))


def test_a_file_that_another_one_is_making_is_not_taken_for_a_strange_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        for number in range(150):
            start = threading.Barrier(4)
            path = tmp_path / f"{number}.sqlite"

            def opened(start: threading.Barrier = start, path: Path = path) -> bool:
                start.wait()
                Cached(Paid(), path).close()
                return path.is_file()

            openings = [threads.submit(opened) for _ in range(4)]
            assert all(opening.result() for opening in openings)
