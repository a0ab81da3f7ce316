"""Imported items whose truth does not follow from their text are told apart, and still imported."""

import json

import pytest

from masrepro.bench import benchmark
from masrepro.bench.masbench.published import SEPARATOR, export_rows, import_published
from masrepro.bench.masbench.recheck import Recheck, count_verdicts, recheck

ALONE = "Problem 1: The number of each Elk's Heart equals 5. What is the value of Elk's Heart?\n\n"
NEEDY = (
    "Problem 2: The number of each Hare's Heart equals 2 more than each Elk's Heart. What is the value of Hare's Heart?"
)
CLASH = NEEDY.replace("2: ", "2: The number of each Elk's Heart equals 9. ")


def imported(tmp_path, *rows):
    path = tmp_path / "published.jsonl"
    path.write_text(
        "".join(
            json.dumps({"prompt": [{"role": "user", "content": question}], "reward_model": {"ground_truth": truth}})
            + "\n"
            for question, truth in rows
        )
    )
    return import_published(path)


@pytest.mark.parametrize(
    ("question", "truth", "verdict", "found"),
    [
        (ALONE + NEEDY, f"5{SEPARATOR}2", "follows", ("5", "2")),
        (ALONE + NEEDY, f"5{SEPARATOR}7", "needs another problem", ("5", "2")),
        (ALONE + NEEDY, f"5{SEPARATOR}8", "contradicted", ("5", "2")),
        (ALONE + CLASH, f"5{SEPARATOR}7", "contradicted", ("5", "11")),
        ("What comes after the moon?", "3", "not understood", ()),
    ],
)
def test_verdicts(tmp_path, question, truth, verdict, found):
    (item,) = imported(tmp_path, (question, truth))
    result = recheck(item)
    assert (result.verdict, result.found) == (verdict, found)
    assert bool(result.why) == (verdict == "not understood")


def test_verdicts_are_counted_by_benchmark(tmp_path):
    items = imported(tmp_path, (ALONE + NEEDY, f"5{SEPARATOR}2"), (ALONE + NEEDY, f"5{SEPARATOR}7"), ("What?", "3"))
    (row,) = count_verdicts(items)
    assert row == {
        "benchmark": "masbench-published/unknown",
        "items": 3,
        "follows": 1,
        "needs another problem": 1,
        "contradicted": 0,
        "not understood": 1,
    }


def test_our_own_items_follow_from_their_text_after_a_round_trip(tmp_path):
    path = tmp_path / "ours.jsonl"
    rows = export_rows(item for axis in ("depth", "horizon") for item in benchmark(f"masbench-paper/{axis}/4", n=3))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    items = import_published(path)
    assert [recheck(item) for item in items] == [
        Recheck(item.id, "follows", truth, truth)
        for item in items
        for truth in [(item.answer,) if isinstance(item.answer, str) else item.answer]
    ]
