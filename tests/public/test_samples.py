"""Real records in the original schemas: every one loads, and its truth is right by the card's scorer.

Set MASREPRO_DATA to a folder with samples; those that are not there are skipped.
"""

import os
from pathlib import Path

import pytest

from masrepro.bench import benchmark, score
from masrepro.bench.public import cards
from masrepro.bench.public.file import find_file

SPLITS = [(card, split) for card in cards().values() for split in card.splits]


def items_of(card, split):
    folder = os.environ.get("MASREPRO_DATA")
    if not folder:
        pytest.skip("MASREPRO_DATA is not set: no folder with samples of public benchmarks")
    if not find_file(card.splits[split].files, Path(folder)):
        pytest.skip(f"no sample of {card.name}, split {split}, in {folder}")
    if card.name == "mbpp" and split != "test":
        pytest.skip("the sample of MBPP is of its test split")
    return benchmark(card.name, split=split)


@pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in MBPP's own programs
@pytest.mark.parametrize(("card", "split"), SPLITS, ids=lambda part: getattr(part, "name", part))
def test_every_record_loads_and_its_truth_is_right(card, split):
    items = items_of(card, split)
    assert len({item.id for item in items}) == len(items) > 0
    if card.scorer == "code":
        for item in items:
            compile(f"{item.meta['reference']}\n{item.answer}", item.id, "exec")
        return
    missed = [
        (item.id, gold)
        for item in items
        for gold in ([item.answer] if isinstance(item.answer, str) else item.answer)
        for form in (rf"\boxed{{{gold}}}", f"Answer: {gold}")
        if score(card.scorer, form, item.answer).outcome != "correct"
    ]
    assert not missed


def test_hotpotqa_shows_the_paragraph_that_holds_the_answer():
    items = items_of(cards()["hotpotqa"], "test")
    named = [item for item in items if item.answer not in ("yes", "no")]
    assert named and all(item.answer in item.question for item in named)
    assert {item.answer for item in items} >= {"yes", "no"}
