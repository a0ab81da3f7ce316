"""One agent and several as effort grows: paired by item, with the paper's efforts beside ours."""

import pytest

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.sample import Sample
from masrepro.models.model import Usage
from masrepro.report.effort import (
    effort_figure,
    effort_points,
    effort_reading,
    effort_rows,
    efforts_of,
    shrinks,
    use_reading,
)
from masrepro.report.effort_claims import LENGTHS, effort_claims, published_effort_rows, published_efforts

N = 30
CELL = "masbench/robustness/2"


def evaluation(system, n_right, benchmark=CELL, other="wrong", tokens=10):
    samples = tuple(
        Sample(
            system, benchmark, f"i{k}", 0, "correct" if k < n_right else other, "1", "1", "1", usage=Usage(1, 5, tokens)
        )
        for k in range(N)
    )
    return Evaluation(system, benchmark, samples)


def at(effort, single, several, benchmark=CELL):
    return [
        evaluation(f"single_agent/{effort}", single, benchmark, other="truncated", tokens=20),
        evaluation(f"mine/0/{effort}", several, benchmark),
    ]


SHRINKING = [*at("64 tokens", 0, 21), *at("512 tokens", 21, 21)]
STEADY = [*at("64 tokens", 3, 15), *at("512 tokens", 3, 15)]


def test_points_hold_both_systems_their_gain_and_what_was_cut_off():
    least, most = effort_points(SHRINKING)
    assert (least.axis, least.value, least.effort, least.n) == ("robustness", 2, "64 tokens", N)
    assert least.gain.value == pytest.approx(0.7) and most.gain.value == 0
    assert least.cut_off == {"single_agent": 1.0, "several agents": 0.0}
    assert least.tokens == {"single_agent": 20, "several agents": 10}
    assert efforts_of([least, most]) == ["64 tokens", "512 tokens"]


def test_a_gain_shrinks_by_its_ends_over_the_same_items():
    assert shrinks(effort_points(SHRINKING)).value == pytest.approx(0.7)
    steady = shrinks(effort_points(STEADY))
    assert steady.value == 0 and steady.low < 0 < steady.high
    assert shrinks(effort_points(SHRINKING[:2])) is None


def test_the_paper_sees_it_shrink_on_robustness_alone():
    known = published_efforts("robustness", 2)
    assert list(known) == ["low", "medium", "high", "high, 120k tokens"]
    assert known["low"] == {"sas": 0.003, "mas": 0.466} and known["medium"] == {"sas": 0.032, "mas": 0.201}
    assert published_efforts("depth", 3) == {}
    rows = published_effort_rows()
    assert len(rows) == 20 and rows[0]["low"] == "0.862 to 0.840"


@pytest.mark.parametrize(
    ("evaluations", "told", "verdict"),
    [
        (SHRINKING, dict(trained=True, by_effort=True), "consistent"),
        (STEADY, dict(trained=True, by_effort=True), "not shown: the interval holds 0"),
        (SHRINKING, dict(trained=True, by_effort=False), f"{LENGTHS}; consistent"),
        (
            SHRINKING,
            dict(trained=False, by_effort=True),
            "not comparable: the paper's orchestrator is trained, ours is not; consistent",
        ),
        (SHRINKING, dict(trained=True, by_effort=True, comparable=False), "not comparable: too few items"),
    ],
)
def test_a_verdict_says_whether_efforts_or_lengths_were_compared(evaluations, told, verdict):
    everywhere, robustness = effort_claims(effort_points(evaluations), **told)
    assert everywhere.verdict == robustness.verdict == verdict
    assert robustness.published.startswith("low +0.463, medium +0.169")


def test_an_error_leaves_no_number():
    broken = [*SHRINKING[:3], evaluation("mine/0/512 tokens", 3, other="error")]
    points = effort_points(broken)
    assert points[1].scores == {} and points[1].gain is None and shrinks(points) is None
    claims = effort_claims(points, trained=True, by_effort=False)
    assert claims[0].verdict.startswith(f"incomplete: {N - 3} samples")
    assert effort_reading(points)[0]["512 tokens"] == "missing"
    assert effort_rows(points)[1]["gain"] is None


def test_tables_and_figure_hold_every_effort():
    points = effort_points(
        [*SHRINKING, *at("64 tokens", 1, 2, "masbench/depth/4"), *at("512 tokens", 1, 2, "masbench/depth/4")]
    )
    assert [(row["axis"], row["64 tokens"]) for row in effort_reading(points)] == [
        ("robustness", "0.00 to 0.70 (+0.70)"),
        ("depth", "0.03 to 0.07 (+0.03)"),
    ]
    assert [row["one agent: cut off"] for row in use_reading(points)] == ["98%", "63%"]
    figure = effort_figure(points, note="Smoke run.")
    assert [panel.title for panel in figure.panels] == ["Robustness 2", "Depth 4"]
    assert figure.panels[0].series[0].x == (1.0, 2.0)
    assert figure.note == "Smoke run. Efforts: 1: 64 tokens, 2: 512 tokens." and "</svg>" in figure.svg()
