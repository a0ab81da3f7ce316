from __future__ import annotations

import asyncio
import subprocess
import sys
from functools import partial
from pathlib import Path

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


FORKED = """
import multiprocessing, sys
sys.path.insert(0, sys.argv[1])
from test_grade import outcome

def put(queue):
    queue.put(outcome("math"))

here = outcome("math")
context = multiprocessing.get_context("fork")
queue = context.Queue()
child = context.Process(target=put, args=(queue,))
child.start()
print(here, queue.get(timeout=60))
child.join(timeout=60)
sys.exit(child.exitcode)
"""


def test_a_forked_process_scores_in_a_thread_of_its_own() -> None:
    # In a program of its own: here other threads may hold a lock that a fork would never get.
    told = subprocess.run([sys.executable, "-c", FORKED, str(Path(__file__).parent)], capture_output=True, text=True)
    assert (told.returncode, told.stdout) == (0, "correct correct\n"), told.stderr
