"""Real gold answers: each right against itself, and wrong against the next different ones.

Set MASREPRO_DATA to a folder with the samples, JSON lines in the original schemas; without it these are
skipped.
"""

import json
import os
from pathlib import Path

import pytest

from masrepro.bench.scoring import score
from masrepro.bench.scoring.notation import plain
from masrepro.bench.scoring.qa import strict
from masrepro.bench.scoring.reading import Named, Quantity, read

SAMPLES = {
    "aime24": ("math", "aime24.jsonl"),
    "aime25": ("math", "aime25.jsonl"),
    "math500": ("math", "math500.jsonl"),
    "gsm8k": ("math", "gsm8k_test.jsonl"),
    "hotpotqa": ("qa_em", "hotpotqa_distractor.jsonl"),
    "nq_open": ("qa_em", "nq_open_dev.jsonl"),
}
N_OTHERS = 3


def golds(file: str) -> list[list[str]]:
    folder = os.environ.get("MASREPRO_DATA")
    if not folder:
        pytest.skip("MASREPRO_DATA is not set: no folder with samples of public benchmarks")
    path = Path(folder) / file
    if not path.exists():
        pytest.skip(f"{path} is not there")
    answers = [json.loads(line)["answer"] for line in path.read_text(encoding="utf-8").splitlines()]
    aliases = [answer if isinstance(answer, list) else [str(answer)] for answer in answers]
    return [[alias.split("####")[-1].strip() for alias in one] for one in aliases]


def bare(scorer: str, answer: str) -> str:
    """What must differ for two answers to be different: a unit or a name that one leaves out need not."""
    if scorer != "math":
        return strict(answer)
    reading = read(plain(answer))
    reading = reading.of if isinstance(reading, Named) else reading
    return reading.value if isinstance(reading, Quantity) else reading.text


@pytest.mark.parametrize(("scorer", "file"), SAMPLES.values(), ids=SAMPLES)
def test_gold_is_right_against_itself(scorer, file):
    missed = [
        (alias, aliases)
        for aliases in golds(file)
        for alias in aliases
        for form in (rf"\boxed{{{alias}}}", f"Answer: {alias}")
        if score(scorer, form, aliases).outcome != "correct"
    ]
    assert not missed


@pytest.mark.parametrize(("scorer", "file"), SAMPLES.values(), ids=SAMPLES)
def test_gold_is_wrong_against_different_gold(scorer, file):
    items = golds(file)
    mistaken = []
    n_compared = 0
    for index, aliases in enumerate(items):
        others = [items[(index + step) % len(items)] for step in range(1, N_OTHERS + 1)]
        kinds = {bare(scorer, alias) for alias in aliases}
        for other in others:
            if kinds.isdisjoint(bare(scorer, alias) for alias in other):
                n_compared += 1
                outcome = score(scorer, rf"\boxed{{{other[0]}}}", aliases).outcome
                mistaken += [] if outcome == "wrong" else [(other[0], aliases, outcome)]
    assert n_compared >= 2 * len(items)
    assert not mistaken
