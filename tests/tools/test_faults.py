from __future__ import annotations

from random import Random

import pytest

from masrepro.tools.corpus import Corpus, Passage
from masrepro.tools.faults import DOWN, Failing, after, at_first, corrupted, down, lying, now_and_then, slow
from masrepro.tools.search import Search
from masrepro.tools.tool import ToolFailure

SEARCH = Search(Corpus([Passage("p1", "Old Harbor", "Dug in 1874 by Ada Brink, with 30 men.")]))
QUERY = {"query": "harbor"}


async def uses(tool, n: int) -> list[str]:
    results = [await tool.use(QUERY) for _ in range(n)]
    return [str(result.failure) if result.failure else result.text for result in results]


async def test_down_is_down_for_ever_and_the_tool_is_not_used():
    failing = Failing(SEARCH, down(ToolFailure("timeout", "no reply")))
    assert await uses(failing, 3) == ["timeout: no reply"] * 3


async def test_a_schedule_may_begin_later():
    right = (await SEARCH.use(QUERY)).text
    assert await uses(Failing(SEARCH, after(1, at_first(2))), 4) == [right, str(DOWN), str(DOWN), right]


async def test_it_is_otherwise_the_tool_that_it_was_made_of():
    failing = Failing(SEARCH, at_first(2))
    right = (await SEARCH.use(QUERY)).text
    assert await uses(failing, 4) == [str(DOWN), str(DOWN), right, right]
    assert (failing.name, failing.description, failing.parameters) == (
        SEARCH.name,
        SEARCH.description,
        SEARCH.parameters,
    )


async def test_chances_depend_on_the_seed_and_the_number_of_the_use_alone():
    runs = [await uses(Failing(SEARCH, now_and_then(0.5), seed=seed), 40) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    assert 10 <= runs[0].count(str(DOWN)) <= 30


async def test_slow_takes_longer_and_says_so():
    waited = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    result = await Failing(SEARCH, slow(7.5), sleep=sleep).use(QUERY)
    assert waited == [7.5]
    assert result.failure is None
    assert result.seconds >= 7.5


async def test_lying_changes_the_facts_and_nothing_says_so():
    right = await SEARCH.use(QUERY)
    lies = [await Failing(SEARCH, lying(), seed=seed).use(QUERY) for seed in (1, 1, 2)]
    assert [lie.failure for lie in lies] == [None] * 3
    assert lies[0].text == lies[1].text != lies[2].text
    assert all("1874" not in lie.text and "Ada Brink" not in lie.text for lie in lies)
    assert len(lies[0].text) == len(right.text)


async def test_lying_now_and_then_is_mostly_the_truth():
    right = (await SEARCH.use(QUERY)).text
    said = await uses(Failing(SEARCH, lying(0.2), seed=3), 50)
    assert 30 <= said.count(right) < 50


@pytest.mark.parametrize("text", ["1874", "Ada and Brink", "no names at all", "Alone", "x", "Ada", "0 0"])
@pytest.mark.parametrize("seed", range(5))
def test_a_corrupted_text_is_another(text, seed):
    assert corrupted(text, Random(seed)) != text
