from __future__ import annotations

import asyncio
import multiprocessing
from functools import partial

import pytest

from masrepro.bench import Item, Score
from masrepro.lab.grade import STRICT, ByName, graded, name_of
from masrepro.lab.sample import Sample

SAMPLE = Sample("s", "b", "i", 0, "error", "\\boxed{4}", None, "4")


def outcome(scorer: str, flavour: str = "strict") -> str:
    return asyncio.run(graded(SAMPLE, Item("i", "q", "4", scorer), ByName(flavour))).outcome


@pytest.mark.parametrize("scorer", ["exact_int", "math", "qa_em"])
@pytest.mark.parametrize("flavour", ["strict", "paper"])
def test_an_item_is_scored_by_the_scorer_it_names(scorer: str, flavour: str) -> None:
    assert outcome(scorer, flavour) == "correct"


async def test_what_may_need_algebra_is_awaited_and_what_may_not_is_there_at_once() -> None:
    def given(scorer: str, flavour: str) -> object:
        return ByName(flavour)(Item("i", "q", "4", scorer), "4")

    assert isinstance(given("exact_int", "strict"), Score)
    assert isinstance(given("qa_em", "official"), Score)
    waiting = [given("math", "strict"), given("exact_int", "paper")]
    assert not any(isinstance(one, Score) for one in waiting)
    await asyncio.gather(*waiting)  # type: ignore[call-overload]


def test_a_scorer_that_does_not_exist_is_a_fault_not_a_verdict() -> None:
    with pytest.raises(ValueError, match="no scorer 'taste'"):
        outcome("taste")


def test_scorers_go_by_their_name() -> None:
    def mine(item: Item, answer: str) -> Score:
        return Score("correct", answer, 1.0)

    assert [name_of(one) for one in (STRICT, ByName("paper"), mine, partial(mine))] == [
        "strict",
        "paper",
        "mine",
        "partial",
    ]


def _put(queue: multiprocessing.Queue[str]) -> None:
    queue.put(outcome("math"))


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork")
def test_a_forked_process_scores_in_a_thread_of_its_own() -> None:
    assert outcome("math") == "correct"
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[str] = context.Queue()
    child = context.Process(target=_put, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == "correct"
    child.join(timeout=60)
    assert child.exitcode == 0
