"""The estimate before the first call: never below what is spent, and near it where lengths are known."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from masrepro.baselines import system
from masrepro.bench import Item, benchmark
from masrepro.lab.estimate import Estimate, estimate, usd_text
from masrepro.lab.evaluate import evaluate
from masrepro.models.model import Completion, Message, Price, Sampling, Usage
from masrepro.orchestration import Agent, Orchestration, OrchestrationError

PRICE = Price(Decimal("0.15"), Decimal("0.60"))
SAMPLING = Sampling(max_tokens=100)


class Talker:
    """A back-end that writes up to ``max_tokens``; a character is a token, the dearest that text can be."""

    name, revision, context_tokens = "talker", "1", 20_000

    def __init__(self, price: Price | None = PRICE, share: float = 1.0) -> None:
        self.price = price
        self.share = share
        self.rng = Random(0)

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        n_prompt = sum(len(message.content) + 4 for message in messages)
        text = "Answer: " + "".join(self.rng.choices("0123456789", k=round(sampling.max_tokens * self.share) - 8))
        cost = None if self.price is None else self.price.of(n_prompt, len(text))
        return Completion(text, "stop", Usage(1, n_prompt, len(text), cost))


class Alone:
    name = "alone"

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def design(self, item: Item) -> Orchestration:
        return Orchestration((Agent("a1", "solver", "Solve it.", **self.fields),))


def jobs(n: int, repeats: int = 1) -> list[tuple[Item, int]]:
    return [(Item(f"i{k}", f"Question {k}?", "4", "exact_int"), repeats) for k in range(n)]


def spread(usage: Usage) -> tuple[int, int, int]:
    return usage.calls, usage.prompt_tokens, usage.completion_tokens


@pytest.mark.parametrize("who", ["single_agent", "oracle"])
@pytest.mark.parametrize("name", ["masbench/depth/4", "masbench/parallel/3"])
async def test_an_evaluation_stays_within_its_bound_and_calls_are_as_foretold(name: str, who: str) -> None:
    items = benchmark(name, split="test", n=5)
    model = Talker()
    told = estimate(system(who), [(item, 2) for item in items], models=model, sampling=SAMPLING)
    spent = (await evaluate(system(who), items, models=model, benchmark=name, repeats=2, sampling=SAMPLING)).usage
    assert told.n_samples == 10 and told.most.calls == spent.calls
    assert all(most >= real for most, real in zip(spread(told.most), spread(spent), strict=True))
    assert told.most.cost_usd is not None and told.most.cost_usd >= (spent.cost_usd or 0)


async def test_lengths_that_were_seen_make_the_expectation_close() -> None:
    items, model = [item for item, _ in jobs(20)], Talker(share=0.3)
    seen = (await evaluate(Alone(), items[:10], models=model, benchmark="b", sampling=SAMPLING)).usage
    told = estimate(Alone(), [(item, 1) for item in items[10:]], models=model, sampling=SAMPLING, seen=seen)
    spent = (await evaluate(Alone(), items[10:], models=model, benchmark="b", sampling=SAMPLING)).usage
    assert float(told.expected.cost_usd or 0) == pytest.approx(float(spent.cost_usd or 0), rel=0.05)
    assert "lengths as in 10 calls so far" in told.basis


def test_without_any_seen_replies_are_taken_at_half_of_their_bound() -> None:
    told = estimate(Alone(), jobs(4, repeats=3), models=Talker(), sampling=SAMPLING)
    assert told.expected.calls == 12 and told.expected.completion_tokens == 12 * 50
    assert str(told).startswith("12 samples: at most 12 calls, ")
    assert str(told).endswith("(calls of the known designs; replies half of max_tokens long)")


def test_a_design_that_a_model_draws_is_bounded_by_the_budget_or_a_stated_cap() -> None:
    class Drawn:
        name = "drawn"

        async def design(self, item: Item) -> Orchestration:
            raise AssertionError("the estimate made a model design something")

    told = estimate(Drawn(), jobs(2), models=Talker(), sampling=SAMPLING, max_calls=5)
    assert told.most == Usage(10, 10 * 19_900, 1000, PRICE.of(199_000, 1000))
    assert "5 calls a sample, the cap" in str(told)
    assert "16 calls a sample, the cap" in str(estimate(Drawn(), jobs(2), models=Talker(), sampling=SAMPLING))


def test_a_design_that_is_no_orchestration_costs_nothing() -> None:
    class Broken:
        name = "broken"

        def design(self, item: Item) -> Orchestration:
            raise OrchestrationError("cycle", "a1 feeds itself", "flow 1", "Do not.")

    assert estimate(Broken(), jobs(2), models=Talker(), sampling=SAMPLING).most == Usage()


@pytest.mark.parametrize("fields", [{"backbone": "unheard-of"}, {"workflow": "unheard-of"}])
def test_a_design_that_cannot_be_staffed_costs_nothing(fields: dict[str, str]) -> None:
    assert estimate(Alone(**fields), jobs(2), models=Talker(), sampling=SAMPLING).most == Usage()


def test_what_tools_find_may_fill_the_context() -> None:
    told = estimate(Alone(tools=("search",)), jobs(1), models=Talker(), sampling=SAMPLING)
    assert told.most.prompt_tokens == told.most.calls * (20_000 - 100)


def test_the_budget_bounds_the_calls_of_a_known_design() -> None:
    items = benchmark("masbench/depth/6", split="test", n=2)
    pairs = [(item, 1) for item in items]
    told = estimate(system("oracle"), pairs, models=Talker(), sampling=SAMPLING, max_calls=2)
    assert told.most.calls == 4


def test_an_unknown_price_is_said_to_be_unknown() -> None:
    told = estimate(Alone(), jobs(1), models=Talker(price=None), sampling=SAMPLING)
    assert told.most.cost_usd is None and str(told).count("cost unknown") == 2


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (None, "cost unknown"),
        ("0", "0 USD"),
        ("12.346", "12.35 USD"),
        ("0.0123", "0.012 USD"),
        ("1E-7", "0.00000010 USD"),
    ],
)
def test_money_in_words(usd: str | None, text: str) -> None:
    assert usd_text(None if usd is None else Decimal(usd)) == text


def test_an_estimate_of_one() -> None:
    told = str(Estimate(1, Usage(1, 2, 3, Decimal("0.5")), Usage(1, 1, 1, Decimal("0.25")), "b"))
    assert told == (
        "1 sample: at most 1 call, 2 prompt and 3 completion tokens, 0.50 USD; "
        "expected 1 call, 1 prompt and 1 completion tokens, 0.25 USD (b)"
    )
