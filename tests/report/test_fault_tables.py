"""Tables, figure and claims of the fault bench, from runs as data."""

from __future__ import annotations

from decimal import Decimal

import pytest

from masrepro.lab.fault_bench import NO_REPAIR, RESTART, RESUME, RETRY, FaultRun
from masrepro.models import Usage
from masrepro.report.fault_bench import (
    comparison_rows,
    cost_ratio,
    fault_claims,
    fault_figure,
    fault_rows,
    reading,
    seen,
    solved_difference,
)

COSTS = {NO_REPAIR: 0.5, RETRY: 1.0, RESTART: 2.0, RESUME: 1.5}


def one(fault: str, policy: str, item: int) -> FaultRun:
    solved = policy != NO_REPAIR and not (fault == "back-end down" and policy == RETRY)
    cost = COSTS[policy] + 0.1 * item
    usage = Usage(3, 10, 10, Decimal(1))
    return FaultRun(
        fault, policy, "b", f"i{item}", solved, "done", "done" if solved else "most repairs", usage, cost, 1, 2
    )


RUNS = [
    one(fault, policy, item)
    for fault in ("none", "back-end down", "tool fails once")
    for policy in COSTS
    for item in range(10)
]


def test_a_row_a_fault_and_policy():
    rows = fault_rows(RUNS)
    assert len(rows) == 12
    assert rows[4] == {
        "fault": "back-end down",
        "policy": NO_REPAIR,
        "n": 10,
        "solved": "0.00 [0.00, 0.28]",
        "cost": pytest.approx(0.95),
        "calls": 3,
        "repairs": 1,
        "ended": "most repairs 10",
    }
    assert reading(RUNS)[1][RESUME] == "1.00 at 1.95"


def test_policies_are_compared_by_item_and_pooled():
    rows = comparison_rows(RUNS)
    assert [row["fault"] for row in rows] == ["none", "back-end down", "tool fails once", "all faults"]
    assert {row["n"] for row in rows} == {10}
    assert cost_ratio(RUNS, RESUME, RESTART).value == pytest.approx(1.95 / 2.45)
    assert solved_difference(RUNS, RESUME, RETRY).value == pytest.approx(1 / 3)


def test_what_was_seen_is_said_from_the_numbers():
    resumed, retried = seen(RUNS)
    assert resumed.startswith("Resuming after the same repairs costs less than starting over (0.80 [")
    assert retried == "Trying again solves as much as anything, for least, after: tool fails once."


def test_the_figure_has_a_panel_a_family_and_leaves_out_runs_without_a_fault():
    figure = fault_figure(RUNS, note="a note")
    assert [panel.title for panel in figure.panels] == ["Back-ends", "Tools"]
    assert [series.label for series in figure.panels[0].series] == list(COSTS)
    assert figure.note == "a note"


def test_the_papers_claim_stands_beside_ours():
    rectifier, resuming = fault_claims(RUNS)
    assert rectifier.published == "MBPP +3.5 points, HotpotQA +2.1 points, MATH +6.6 points"
    assert rectifier.ours.startswith("1.00 [")
    assert rectifier.verdict.startswith("not comparable: ")
    assert (resuming.published, resuming.verdict) == ("", "not published")
