from __future__ import annotations

from decimal import Decimal
from random import Random

import pytest

from masrepro.models.faults import Failing, corrupted, down, lying, now_and_then, some
from masrepro.models.model import (
    Completion,
    MalformedReply,
    Model,
    ModelError,
    Price,
    RateLimited,
    Sampling,
    Unavailable,
    Usage,
)

PAID = Usage(1, 10, 5, Decimal("0.5"))
TEXT = "It is 3 + 4 = 7.\nAnswer: \\boxed{7}"


class Steady:
    name, revision, context_tokens, price = "steady", "r1", 99, Price(Decimal(1), Decimal(2))

    def __init__(self) -> None:
        self.n_calls = 0

    async def complete(self, messages, sampling):
        self.n_calls += 1
        return Completion(TEXT, "stop", PAID)


async def calls(model, n: int) -> list[str]:
    said = []
    for _ in range(n):
        try:
            said.append((await model.complete((), Sampling())).text)
        except ModelError as error:
            said.append(type(error).__name__)
    return said


async def test_it_is_otherwise_the_model_that_it_was_made_of():
    failing = Failing(Steady(), some(first=9))
    assert isinstance(failing, Model)
    assert (failing.name, failing.revision, failing.context_tokens) == ("steady", "r1", 99)
    assert failing.price == Steady.price
    assert await failing.complete((), Sampling()) == Completion(TEXT, "stop", PAID)


async def test_down_is_down_for_ever_and_the_model_is_not_asked():
    steady = Steady()
    failing = Failing(steady, down(first=1, error=RateLimited))
    assert await calls(failing, 4) == [TEXT, *["RateLimited"] * 3]
    assert (steady.n_calls, failing.n_calls, failing.n_faults) == (1, 4, 3)


async def test_some_calls_fail_and_then_it_works_again():
    assert await calls(Failing(Steady(), some(first=1, n=2)), 4) == [TEXT, "Unavailable", "Unavailable", TEXT]


async def test_a_call_to_what_is_down_is_counted_and_costs_nothing_and_a_malformed_reply_is_paid_for():
    for error, usage in ((Unavailable, Usage(calls=1)), (MalformedReply, PAID)):
        with pytest.raises(error) as raised:
            await Failing(Steady(), down(error=error)).complete((), Sampling())
        assert raised.value.usage == usage


async def test_chances_depend_on_the_seed_and_the_number_of_the_call_alone():
    runs = [await calls(Failing(Steady(), now_and_then(0.5), seed=seed), 40) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    assert 10 <= runs[0].count("Unavailable") <= 30


async def test_lying_changes_the_answer_once_and_nothing_says_so():
    lies = [await calls(Failing(Steady(), lying(first=1), seed=seed), 3) for seed in (1, 1, 2)]
    assert lies[0] == lies[1] != lies[2]
    assert [lie == TEXT for lie in lies[0]] == [True, False, True]
    assert lies[0][1].startswith("It is 3 + 4 = 7.\nAnswer: \\boxed{")


@pytest.mark.parametrize("text", ["7", "Problem 1: \\boxed{0}", "no number", "", "x"])
@pytest.mark.parametrize("seed", range(5))
def test_a_corrupted_text_is_another(text, seed):
    assert corrupted(text, Random(seed)) != text
