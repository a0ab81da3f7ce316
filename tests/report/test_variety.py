"""Samples of one model, one by one and together."""

from masrepro.bench import Item
from masrepro.models import Completion, Usage
from masrepro.report.variety import variety_rows


def reply(value):
    return Completion(f"Answer: \\boxed{{{value}}}", "stop", Usage())


def test_votes_and_single_samples_are_scored_apart():
    items = [Item("x", "?", "1", "exact_int"), Item("y", "?", "2", "exact_int")]
    drawn = [[reply(1), reply(1), reply(3)], [reply(4), reply(5), reply(2)]]
    (row,) = variety_rows({0.7: drawn}, items)
    assert row["distinct replies"] == "83%"
    assert row["one sample"].startswith("0.50")
    assert row["majority"].startswith("0.50")
    assert row["any of them"].startswith("1.00")
