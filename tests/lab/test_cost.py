"""The cost limit: never exceeded, whatever runs at once; what it stopped goes on under a higher one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from masrepro.bench import Item
from masrepro.lab.cost import CostLimit, CostReached, UnknownPrice
from masrepro.lab.evaluate import Evaluation, evaluate
from masrepro.lab.sample_store import SampleStore
from masrepro.models.cache import Cached
from masrepro.models.model import FREE, Completion, Message, Pool, Price, Sampling, Unavailable, Usage
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import Budget

PRICE = Price(Decimal(10), Decimal(100))
MESSAGES = (Message("user", "four"),)
SAMPLING = Sampling(max_tokens=10)
COST = PRICE.of(10, 5)


class Paid:
    """A back-end that costs the same each time, well below what is set aside; keeps what was in flight at most."""

    name, revision, context_tokens = "paid", "1", 4096
    price: Price | None = PRICE

    def __init__(self, cost_usd: Decimal | None = COST) -> None:
        self.cost_usd = cost_usd
        self.n_calls = self.in_flight = self.most_in_flight = 0
        self.failing = False

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        self.n_calls += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(0.001)
        self.in_flight -= 1
        usage = Usage(1, 10, 5, self.cost_usd)
        if self.failing:
            raise Unavailable("down", usage=usage)
        return Completion("Answer: \\boxed{4}", "stop", usage)


class Chain:
    name = "chain"

    def design(self, item: Item) -> Orchestration:
        agents = tuple(Agent(f"a{k}", "", "") for k in range(3))
        return Orchestration(agents, tuple(Flow(f"a{k}", f"a{k + 1}") for k in range(2)))


def items(n: int) -> list[Item]:
    return [Item(f"i{k}", f"Question {k}?", "4", "exact_int") for k in range(n)]


async def evaluated(model: Paid, n: int, limit: CostLimit, **options: Any) -> Evaluation:
    options = {"sampling": Sampling(max_tokens=64), **options}
    return await evaluate(Chain(), items(n), models=model, benchmark="b", cost_limit=limit, **options)


@pytest.mark.parametrize("n_affordable", [0, 1, 7, 40])
async def test_a_run_stops_before_its_limit_is_exceeded_and_close_to_it(n_affordable: int) -> None:
    model, limit = Paid(), CostLimit(n_affordable * COST)
    evaluation = await evaluated(model, 30, limit)
    spent = model.n_calls * COST
    assert evaluation.usage.cost_usd == limit.spent_usd == spent <= n_affordable * COST
    assert n_affordable * COST - spent < PRICE.of(1500, 64), "less than one more call is left over"
    stopped = [sample for sample in evaluation.samples if sample.stopped]
    assert stopped and {sample.outcome for sample in stopped} == {"limit"}
    assert all("cost limit" in str(sample.error) for sample in stopped)
    assert evaluation.accuracy.stopped == len(stopped) and evaluation.accuracy.value is None


async def test_calls_wait_for_one_another_rather_than_be_refused_while_some_are_in_flight() -> None:
    bound = PRICE.of(1000, 64)
    model, limit = Paid(), CostLimit(2 * bound)
    evaluation = await evaluated(model, 20, limit, concurrency=20)
    assert model.most_in_flight <= 3 and evaluation.outcomes["correct"] > 3
    assert limit.spent_usd <= 2 * bound


async def test_what_was_stopped_goes_on_under_a_higher_limit_and_nothing_is_run_twice(tmp_path: Path) -> None:
    model, account = Paid(), tmp_path / "cost.jsonl"
    with SampleStore(tmp_path) as store:
        limit = CostLimit(Decimal("0.025"), account)
        first = await evaluated(model, 12, limit, store=store, concurrency=2)
        limit.close()
    done = [sample for sample in first.samples if not sample.stopped]
    assert done and len(done) < 12
    n_calls = model.n_calls
    with SampleStore(tmp_path) as store:
        limit = CostLimit(1, account)
        assert limit.spent_usd == n_calls * COST
        second = await evaluated(model, 12, limit, store=store)
        assert limit.spent_usd == model.n_calls * COST == store.spent.cost_usd
    assert second.outcomes["correct"] == 12 and not limit.reached
    assert [sample for sample in second.samples if sample in done] == done


async def test_the_same_limit_again_and_again_is_still_not_exceeded(tmp_path: Path) -> None:
    model, account = Paid(), tmp_path / "cost.jsonl"
    for _ in range(4):
        limit = CostLimit(Decimal("0.025"), account)
        evaluation = await evaluated(model, 12, limit, concurrency=1)
        assert evaluation.accuracy.stopped
        assert limit.spent_usd == model.n_calls * COST <= Decimal("0.025")
        limit.close()


async def test_a_samples_own_budget_is_no_cost_limit() -> None:
    evaluation = await evaluated(Paid(), 3, CostLimit(10), budget=Budget(calls=2))
    assert evaluation.outcomes["limit"] == 3 and not any(sample.stopped for sample in evaluation.samples)
    assert evaluation.accuracy.value == 0.0


async def test_what_failed_calls_cost_counts_and_an_unknown_cost_counts_as_its_bound() -> None:
    model, limit = Paid(), CostLimit(1)
    (limited,) = limit.pool(Pool.of(model)).values()
    model.failing = True
    with pytest.raises(Unavailable):
        await limited.complete(MESSAGES, SAMPLING)
    assert limit.spent_usd == COST
    model.failing, model.cost_usd = False, None
    await limited.complete(MESSAGES, SAMPLING)
    assert limit.spent_usd == COST + PRICE.of(128 + 32 + 4, 10)


async def test_a_call_that_was_cut_off_counts_as_its_bound() -> None:
    model, limit = Paid(), CostLimit(1)
    (limited,) = limit.pool(Pool.of(model)).values()
    call = asyncio.create_task(limited.complete(MESSAGES, SAMPLING))
    while not model.in_flight:
        await asyncio.sleep(0)
    call.cancel()
    await asyncio.wait([call])
    assert limit.spent_usd == PRICE.of(164, 10)


async def test_a_hit_in_the_cache_needs_no_room(tmp_path: Path) -> None:
    cache = Cached(Paid(), tmp_path / "replies.sqlite")
    kept = await cache.complete(MESSAGES, SAMPLING)
    (limited,) = CostLimit(0).pool(Pool.of(cache)).values()
    assert (await limited.complete(MESSAGES, SAMPLING)).text == kept.text
    with pytest.raises(CostReached, match=r"the cost limit of 0 USD \(0 USD spent\) has no room for a call of up to"):
        await limited.complete(MESSAGES, Sampling(max_tokens=10, seed=1))


async def test_a_limit_needs_every_price_and_free_models_never_meet_it() -> None:
    model = Paid()
    model.price = None
    with pytest.raises(UnknownPrice, match=r"that of paid is unknown; give it in `prices`"):
        await evaluated(model, 1, CostLimit(5))
    await evaluated(model, 1, CostLimit(None))
    free = Paid(cost_usd=Decimal(0))
    free.price = FREE
    assert (await evaluated(free, 5, CostLimit(0))).outcomes["correct"] == 5


def test_a_killed_run_counts_what_it_had_set_aside(tmp_path: Path) -> None:
    account = tmp_path / "cost.jsonl"
    limit = CostLimit(5, account)
    asyncio.run(limit.hold(Decimal("0.3")))
    settled = asyncio.run(limit.hold(Decimal("0.2")))
    limit.settle(settled, Decimal("0.2"), Decimal("0.01"))
    limit.close()
    with account.open("a") as file:
        file.write('[2, "0.')
    again = CostLimit(5, account)
    assert again.spent_usd == Decimal("0.31")
    number = asyncio.run(again.hold(Decimal(1)))
    again.settle(number, Decimal(1), Decimal("0.5"))
    again.close()
    assert number == 2 and CostLimit(5, account).spent_usd == Decimal("0.81")
    assert [json.loads(line) for line in account.read_text().splitlines()][-1] == [2, "0.5"]
