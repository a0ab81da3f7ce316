"""A whole evaluation over HTTP against a server that fails one request in five, in every way that it knows.

Nothing may be lost, doubled or mixed up, and the costs must add up to the last digit. `tests/bench/bench_client.py`
does the same with 1,000 samples and reports the time.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import chain
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from chat_server import BREAKDOWN, CUT, END, HALF_JSON, NO_CHOICES, RATE_LIMIT, STALL, ChatServer, Fault
from echo import Echo, n_tokens, reply

from masrepro.bench import Item
from masrepro.lab import Evaluation, SampleStore, evaluate
from masrepro.lab.cost import CostLimit
from masrepro.lab.sample_store import read_samples
from masrepro.models import Cached, Message, Model, OpenAICompatible, Pool, Price, Sampling, Usage
from masrepro.orchestration import Agent, Flow, Orchestration

PRICE = Price(Decimal("0.15"), Decimal("0.60"))
WAYS = (RATE_LIMIT, BREAKDOWN, STALL, CUT, HALF_JSON, NO_CHOICES)


class OneAgent:
    name = "one"

    def design(self, item: Item) -> Orchestration:
        return Orchestration((Agent("a1", "", "", backbone=item.meta.get("backbone")),))


def items(n: int, **meta: Any) -> list[Item]:
    return [Item(f"i{k}", f"What is {k} times three?", str(3 * k), "exact_int", meta=meta) for k in range(1, n + 1)]


def faulty(n: int, share: float, ways: tuple[Fault, ...] = WAYS, seed: int = 1) -> Iterator[Fault | None]:
    """``n`` requests, a share of which fail at random; of every few failures there is one of each way."""
    rng = Random(seed)
    failing = sorted(rng.sample(range(n), round(n * share)))
    rounds = (rng.sample(ways, len(ways)) for _ in failing)
    at = dict(zip(failing, chain.from_iterable(rounds), strict=False))
    return (at.get(number) for number in range(n))


def client(server: ChatServer | SimpleNamespace, **changes: Any) -> OpenAICompatible:
    settings = {"context_tokens": 4096, "price": PRICE, "timeout_s": 8.0, "backoff_s": 0.02, "concurrency": 16}
    return OpenAICompatible(server.base_url, "echo", rng=Random(0), **(settings | changes))


async def evaluated(models: Pool | Model, asked: list[Item], **options: Any) -> Evaluation:
    return await evaluate(OneAgent(), asked, models=models, benchmark="b", **options)


def billed(server: ChatServer, n_empty: int) -> Usage:
    """What the server has counted: every request that it answered whole, and its empty replies."""
    whole = Usage()
    for request in server.answered:
        messages = [Message(turn["role"], turn["content"]) for turn in request["messages"]]
        text = reply(messages, Sampling(seed=request.get("seed")))
        whole += Usage(0, n_tokens(messages), len(text.split()))
    n_prompt, n_completion = whole.prompt_tokens + 7 * n_empty, whole.completion_tokens
    return Usage(len(server.requests), n_prompt, n_completion, PRICE.of(n_prompt, n_completion))


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_no_sample_is_lost_or_doubled_and_costs_add_up_exactly(tmp_path: Path, stream: bool) -> None:
    n_samples = 80
    schedule = list(faulty(3 * n_samples, 0.2, (*WAYS, END) if stream else WAYS))
    with ChatServer(Echo()) as server, SampleStore(tmp_path) as store:
        server.schedule(schedule)
        model = client(server, stream=stream, retries=9)
        evaluation = await evaluated(model, items(n_samples), sampling=Sampling(seed=1), store=store)
    met = [fault for fault in schedule[: len(server.requests)] if fault is not None]
    assert all(way in met for way in WAYS) and len(server.requests) == n_samples + len(met)
    assert [sample.item_id for sample in evaluation.samples] == [f"i{k}" for k in range(1, n_samples + 1)]
    assert str(evaluation.accuracy) == f"{n_samples}/{n_samples}, 100 %"
    assert evaluation.usage == sum((sample.usage for sample in evaluation.samples), Usage())
    assert evaluation.usage == billed(server, n_empty=met.count(NO_CHOICES))
    assert len(list(read_samples(tmp_path / "samples.jsonl"))) == n_samples


async def test_r11_what_answers_429_to_the_end_makes_a_range_until_it_is_resumed(tmp_path: Path) -> None:
    asked = items(10)
    asked[0], asked[9] = (replace(item, answer="1") for item in (asked[0], asked[9]))
    with ChatServer(Echo()) as server, SampleStore(tmp_path) as store:
        model = client(server, retries=1)
        server.schedule([None, None, RATE_LIMIT, RATE_LIMIT, None, None, None, RATE_LIMIT, RATE_LIMIT])
        first = await evaluated(model, asked, store=store, concurrency=1)
        assert str(first.accuracy) == "6/10, 2 errors, 60-80 %" and first.accuracy.value is None
        assert [sample.usage.calls for sample in first.samples if sample.outcome == "error"] == [2, 2]
        resumed = await evaluated(model, asked, store=store)
        assert str(resumed.accuracy) == "8/10, 80 %"
        assert store.spent.calls == len(server.requests) == 8 + 4 + 2


async def test_r12_costs_of_samples_add_up_with_a_retry_a_hit_and_a_model_of_unknown_price(tmp_path: Path) -> None:
    asked = [*items(18), Item("again", items(1)[0].question, "3", "exact_int")]
    unpriced = Item("unpriced", "What is 99 times three?", "297", "exact_int", meta={"backbone": "unpriced"})
    with ChatServer(Echo()) as server:
        server.schedule([BREAKDOWN])
        priced = Cached(client(server), tmp_path / "replies.sqlite")
        unknown = Cached(client(server, name="unpriced", price=None), tmp_path / "replies.sqlite")
        evaluation = await evaluated(Pool({"echo": priced, "unpriced": unknown}), [*asked, unpriced])
    by_item = {sample.item_id: sample for sample in evaluation.samples}
    assert evaluation.outcomes["correct"] == 20
    assert evaluation.usage.calls == len(server.requests) == 19 + 1
    assert by_item["unpriced"].usage.cost_usd is None and evaluation.usage.cost_usd is None
    hits = [sample for sample in (by_item["i1"], by_item["again"]) if sample.usage == Usage()]
    assert len(hits) == 1 and hits[0].trace.usage == Usage()
    priced_samples = [sample for sample in evaluation.samples if sample.item_id != "unpriced"]
    known = sum((sample.usage for sample in priced_samples), Usage())
    assert known.cost_usd == PRICE.of(known.prompt_tokens, known.completion_tokens) > 0
    assert sum(sample.usage.calls == 2 for sample in evaluation.samples) == 1


async def test_repeats_and_samples_of_one_agent_stay_apart_in_the_cache(tmp_path: Path) -> None:
    with ChatServer(Echo()) as server:
        for n_requests in (8, 8):
            model = Cached(client(server), tmp_path / "replies.sqlite")
            evaluation = await evaluated(model, items(1), repeats=8, sampling=Sampling(temperature=1.0))
            assert evaluation.outcomes["correct"] == 8
            assert len(server.requests) == n_requests


async def test_a_run_that_is_repeated_from_the_cache_costs_nothing_and_answers_the_same(tmp_path: Path) -> None:
    with ChatServer(Echo()) as server:
        first, second = [
            await evaluated(Cached(client(server), tmp_path / "replies.sqlite"), items(20), sampling=Sampling(seed=1))
            for _ in range(2)
        ]
    assert len(server.requests) == 20 and second.usage == Usage()
    assert [sample.answer for sample in second.samples] == [sample.answer for sample in first.samples]


class Chain:
    name = "chain"

    def design(self, item: Item) -> Orchestration:
        agents = tuple(Agent(f"a{k}", "", f"Step {k}.") for k in range(3))
        return Orchestration(agents, (Flow("a0", "a1"), Flow("a1", "a2")))


async def evaluated_with_all(base_url: str, folder: Path) -> tuple[Evaluation, CostLimit]:
    """Twelve samples of three calls each, four at once, with samples, replies and account on disk."""
    model = Cached(client(SimpleNamespace(base_url=base_url), timeout_s=60.0), folder / "replies.sqlite")
    limit = CostLimit(10, folder / "cost.jsonl")
    with SampleStore(folder) as store:
        told = partial(print, flush=True)
        options: Any = {"store": store, "progress": told, "concurrency": 4, "cost_limit": limit, "rationale_chars": 0}
        return await evaluate(Chain(), items(12), models=model, benchmark="b", **options), limit


def test_after_a_kill_only_samples_in_flight_are_repeated_and_no_reply_is_paid_for_twice(tmp_path: Path) -> None:
    program = (
        "import asyncio, pathlib, sys; sys.path.insert(0, sys.argv[1]);"
        "from test_faulty_server import evaluated_with_all;"
        "asyncio.run(evaluated_with_all(sys.argv[2], pathlib.Path(sys.argv[3])))"
    )
    with ChatServer(Echo(), delay_s=0.05) as server:
        arguments = [sys.executable, "-c", program, str(Path(__file__).parent), server.base_url, str(tmp_path)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            while process.stdout.readline() != "5 12\n":
                assert process.poll() is None
            os.kill(process.pid, signal.SIGKILL)
        n_before = len(server.requests)
        done = [sample.item_id for sample in read_samples(tmp_path / "samples.jsonl")]
        evaluation, limit = asyncio.run(evaluated_with_all(server.base_url, tmp_path))
        asked = [json.dumps(request["messages"]) for request in server.requests]
    assert 5 <= len(done) < 12 and n_before < 36
    assert len(evaluation.samples) == 12 and evaluation.accuracy.errors == 0
    assert len(list(read_samples(tmp_path / "samples.jsonl"))) == 12
    assert len(set(asked)) == 36 and len(asked) - 36 <= 4, "only requests in flight at the kill were sent again"
    again = [sample for sample in evaluation.samples if sample.item_id not in done]
    assert sum(sample.usage.calls for sample in again) == len(asked) - n_before
    assert billed(server, n_empty=0).cost_usd <= limit.spent_usd < 10
