"""Cases as data: an answer text, the gold value, the outcome of the strict scorer."""

import json
import time
from collections import Counter
from pathlib import Path

import pytest

from masrepro.bench.scoring import score

CASES = Path(__file__).parent.parent / "cases"
FIELD = json.loads((CASES / "answers.json").read_text(encoding="utf-8"))
MORE = json.loads((CASES / "answers_more.json").read_text(encoding="utf-8"))
LONGEST_S = 60  # two starts of the worker and one comparison at its limit, on a busy machine


@pytest.mark.parametrize("case", FIELD + MORE, ids=lambda case: case["id"])
def test_answer_comes_out_as_stated(case):
    start = time.monotonic()
    outcome = score(case["scorer"], case["prediction"], case["gold"]).outcome
    assert outcome == case["strict"], case["why"]
    assert time.monotonic() - start < LONGEST_S


def test_cases_are_told_apart_and_cover_every_scorer():
    ids = [case["id"] for case in FIELD + MORE]
    assert len(set(ids)) == len(ids)
    counts = Counter(case["scorer"] for case in MORE)
    assert counts["math"] >= 200
    assert set(counts) == {"exact_int", "exact_ints", "math", "choice", "qa_em", "qa_f1"}
