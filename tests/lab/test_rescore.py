from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from test_evaluate import OneAgent, Scripted, too_many

from masrepro.bench import Item, Score
from masrepro.lab.evaluate import Evaluation, evaluate
from masrepro.lab.grade import ByName
from masrepro.lab.rescore import by_flavour, rescore
from masrepro.lab.sample import Sample
from masrepro.lab.sample_store import SampleStore

ITEMS = [Item(f"i{index}", f"Question {index}?", "4", "exact_int") for index in range(5)]
REPLIES = {
    "Question 0?": "Answer: \\boxed{4}",
    "Question 1?": "Answer: \\boxed{5}",
    "Question 2?": "Answer: error: 4",  # no integer as a whole, but a number in passing
    "Question 3?": "Answer: nothing",
    "Question 4?": too_many(),
}


async def measured(store: SampleStore | None = None, items: Sequence[Item] = ITEMS) -> Evaluation:
    return await evaluate(OneAgent(), items, models=Scripted({**REPLIES}), benchmark="b", store=store)


def outcomes(samples: Sequence[Sample]) -> list[str]:
    return [sample.outcome for sample in samples]


async def test_two_flavours_of_the_same_answers_stand_side_by_side() -> None:
    evaluation = await measured()
    assert outcomes(evaluation.samples) == ["correct", "wrong", "unparsed", "unparsed", "error"]
    flavours = await by_flavour(evaluation, ITEMS)
    assert {name: str(one.accuracy) for name, one in flavours.items()} == {
        "strict": "1/5, 1 error, 20-40 %",
        "paper": "2/5, 1 error, 40-60 %",
    }
    assert outcomes(flavours["paper"].samples) == ["correct", "wrong", "correct", "wrong", "error"]
    assert "paper flavour" in flavours["paper"].samples[0].notes[0]
    assert all(one.usage == evaluation.usage for one in flavours.values())
    assert [one.samples[0].scorer for one in flavours.values()] == ["strict", "paper"]


async def test_rescoring_by_the_same_scorer_changes_nothing_but_the_mark() -> None:
    evaluation = await measured()
    again = await rescore(evaluation.samples, ITEMS, ByName())
    assert again[:4] == tuple(replace(sample, rescored=True) for sample in evaluation.samples[:4])
    assert again[4] == evaluation.samples[4]


async def test_a_store_is_rescored_as_it_was_read_and_nothing_is_written(tmp_path: Path) -> None:
    with SampleStore(tmp_path) as store:
        evaluation = await measured(store)
    written = (tmp_path / "samples.jsonl").read_bytes()
    with SampleStore(tmp_path) as store:
        assert await rescore(store, ITEMS, ByName("paper")) == await rescore(evaluation.samples, ITEMS, ByName("paper"))
    assert (tmp_path / "samples.jsonl").read_bytes() == written


async def test_a_corrected_truth_counts() -> None:
    corrected = [replace(item, answer="5") for item in ITEMS]
    samples = await rescore((await measured()).samples, corrected, ByName())
    assert outcomes(samples)[:2] == ["wrong", "correct"] and samples[0].gold == "5"


async def test_an_item_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="no item for 1 samples' item_id, such as 'i3'"):
        await rescore((await measured()).samples, [*ITEMS[:3], ITEMS[4]], ByName())


async def test_scorers_that_wait_are_awaited_side_by_side_up_to_the_bound() -> None:
    in_flight = most = 0

    async def patient(item: Item, answer: str) -> Score:
        nonlocal in_flight, most
        in_flight += 1
        most = max(most, in_flight)
        await asyncio.sleep(0.002)
        in_flight -= 1
        return Score("correct", answer, 1.0)

    samples = [Sample("s", "b", "i0", repeat, "wrong", "4", "4", "4") for repeat in range(20)]
    scored = await rescore(samples, ITEMS, patient, concurrency=6)
    assert most == 6 and {sample.outcome for sample in scored} == {"correct"}
    assert [sample.repeat for sample in scored] == list(range(20))
