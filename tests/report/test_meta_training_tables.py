"""Trees, pairs, curves and worth of a training of meta-agents, from data."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

import pytest

from masrepro.lab.mas2 import Mas2Run
from masrepro.lab.mas2_systems import FULL, UNTRAINED
from masrepro.models import Message, Usage
from masrepro.report.meta_training import (
    forest_rows,
    loss_figure,
    margin_figure,
    pair_rows,
    ranking_rows,
    step_rows,
)
from masrepro.report.meta_worth import (
    NOT_TRAINED,
    held_out_reading,
    held_out_rows,
    meta_training_claims,
    repeat_reading,
    seen,
)
from masrepro.train.cto import TrainedRole
from masrepro.train.cto_history import PairStep, Ranking
from masrepro.train.preference import Preference
from masrepro.train.tree import Node, Trajectory, Tree

SPENT = Usage(1, 10, 10, Decimal("0.001"))


def tree(item: str, fault: str, *texts: str) -> Tree:
    """Templates of which those that say right are."""
    nodes = tuple(
        Node(f"g{k}", None, "generator", (Message("user", item),), text, SPENT, "" if text != "hm" else "syntax")
        for k, text in enumerate(texts)
    )
    ways = tuple(
        Trajectory((node.id,), node.text == "right", Decimal("0.002"), Decimal("0.001"), "correct") for node in nodes
    )
    return Tree(item, "masbench/depth/4", "Q", fault, nodes, ways)


TREES = [tree("a", "none", "right", "wrong", "hm", "hm"), tree("b", "none", "wrong"), tree("c", "tool down", "right")]
PAIRS = [Preference("generator", "a", (), "right", lose, 0.5) for lose in ("wrong", "hm")]


def test_trees_are_counted_by_benchmark_and_fault():
    first, second = forest_rows(TREES)
    assert (first["fault"], first["trees"], first["ways"], first["all fail"], first["all right"]) == (
        "none",
        2,
        5,
        1,
        0,
    )
    assert first["right"] == pytest.approx(1 / 5)
    assert first["USD per 1,000 ways"] == pytest.approx(2.0)
    assert (second["fault"], second["right"], second["all right"]) == ("tool down", 1.0, 1)


def test_pairs_are_counted_by_role_and_a_role_without_them_has_a_row_too():
    generator, implementer, rectifier = pair_rows(TREES, PAIRS)
    assert generator == {
        "role": "generator",
        "decisions": 6,
        "different": 5,
        "unreadable": 2,
        "pairs": 2,
        "questions with pairs": 1,
        "mean dV": 0.5,
    }
    assert (implementer["pairs"], rectifier["mean dV"]) == (0, None)


def step(number: int, loss: float, margin: float) -> PairStep:
    return PairStep(number, loss, margin, 0.75, 2.0, -5.0, -6.0, 0.1, 1e-4)


TRAININGS = {
    "generator": [
        TrainedRole(
            "generator", Path("x"), (step(1, 0.7, 0.0), step(2, 0.5, 0.4)), Ranking(8, 0.5, 0.9, 1.0, 0.4), None
        ),
        TrainedRole(
            "generator",
            Path("y"),
            (step(1, 0.6, -0.1),),
            Ranking(8, 0.5, 0.8, 0.9, 0.3),
            Ranking(2, 0.5, 1.0, 1.0, 0.2),
        ),
    ],
    "rectifier": [TrainedRole("rectifier", Path("z"), (step(1, 0.4, 0.1),), Ranking(1, 0.0, 1.0, 1.0, 0.1), None)],
}


def test_curves_have_a_panel_a_role_and_a_line_a_training():
    figure = loss_figure(TRAININGS, note="a note")
    assert [panel.title for panel in figure.panels] == ["generator", "rectifier"]
    assert [series.label for series in figure.panels[0].series] == ["training 1", "training 2"]
    assert figure.panels[0].series[0].y == (0.35, 0.25)  # over a mean dV of 2
    assert "generator 0.350 to 0.250" in figure.alt
    assert figure.y_range == (0.0, pytest.approx(0.3675))
    margins = margin_figure(TRAININGS)
    assert margins.y_range[0] < -0.1 and margins.y_range[1] > 0.4
    assert ElementTree.fromstring(margins.svg()).tag.endswith("svg")


def test_rankings_before_and_after_and_the_steps_are_tables():
    first, second, third = ranking_rows(TRAININGS)
    assert (first["role"], first["training"], first["before"], first["after"]) == ("generator", 1, 0.5, 0.9)
    assert (first["others after"], second["others after"], third["other pairs"]) == (None, 1.0, 0)
    assert [(row["role"], row["training"], row["step"]) for row in step_rows(TRAININGS)] == [
        ("generator", 1, 1),
        ("generator", 1, 2),
        ("generator", 2, 1),
        ("rectifier", 1, 1),
    ]


def runs(n: int = 12) -> list[Mas2Run]:
    """Untrained: one in three cannot be read, half of the others are right. Trained: all right, at half the cost."""
    made = []
    for variant in (UNTRAINED, FULL):
        for k in range(n):
            for fault in ("none", "back-end down"):
                trained = variant == FULL
                outcome = "correct" if trained else ("invalid", "wrong", "correct")[k % 3]
                cost = Decimal("0") if outcome == "invalid" else Decimal("0.001") * (1 if trained else 2)
                usage = Usage(2, 10, 10, cost)
                made.append(Mas2Run(variant, "b", f"i{k}", 0, fault, outcome, usage, SPENT, 0.1, 2, 0, {"s": 2}))
    return made


def test_held_out_rows_are_paired_by_item_for_each_fault_and_for_all():
    rows = held_out_rows(runs())
    assert [row["fault"] for row in rows] == ["none", "back-end down", "all"]
    last = rows[-1]
    assert (last["n"], last["errors"]) == (12, 0)
    assert (last["untrained_invalid"], last["trained_invalid"]) == (pytest.approx(1 / 3), 0)
    assert (last["untrained_success"], last["trained_success"]) == (pytest.approx(1 / 3), 1.0)
    assert last["success_gain_low"] > 0 and last["reward_gain_low"] > 0
    assert last["cost_ratio"] == pytest.approx(0.75)
    assert len(held_out_rows([run for run in runs() if run.fault == "none"])) == 1


def test_reading_has_both_trios_with_intervals():
    rows = held_out_reading(runs())
    assert [(row["fault"], row["meta-agents"]) for row in rows[-2:]] == [("all", "untrained"), ("all", "trained")]
    assert rows[-1]["invalid"] == "0.00" and rows[-1]["success gained"].startswith("0.67 [")
    assert rows[-2]["R gained"] == ""


def test_repeats_have_a_table_of_their_own_and_leave_the_rest_as_it_is():
    again = [replace(run, variant="MAS², training 2") for run in runs() if run.variant == FULL]
    wrong = [replace(run, variant="MAS², training 3", outcome="wrong") for run in again]
    rows = repeat_reading([*runs(), *again, *wrong])
    assert [row["training"] for row in rows] == [FULL, "MAS², training 2", "MAS², training 3"]
    assert {**rows[0], "training": ""} == {**rows[1], "training": ""}
    assert rows[2]["R"].startswith("0.00") and rows[2]["success gained"].startswith("-0.33")
    assert held_out_rows([*runs(), *again, *wrong]) == held_out_rows(runs())
    reward, _, _ = meta_training_claims([*runs(), *again], ["generator"])
    assert "with other seeds by" in reward.ours and "other seeds" not in meta_training_claims(runs(), [])[0].ours


def test_claims_say_what_training_is_worth_and_what_the_paper_has_of_it():
    reward, success, cost = meta_training_claims(runs(), ["generator", "implementer", "rectifier"])
    assert (reward.verdict, reward.published) == ("consistent", "")
    assert success.verdict == "consistent"
    assert success.published.startswith("generator MBPP +6.2, HotpotQA +2.7, MATH +8.2; implementer MBPP +4.8")
    assert cost.ours.startswith("0.75 [") and cost.verdict == "not published"


def test_nothing_is_claimed_of_a_small_run_of_one_without_training_or_with_errors():
    assert {claim.verdict for claim in meta_training_claims(runs(), [])} == {NOT_TRAINED}
    small = meta_training_claims(runs(), ["generator"], comparable=False)
    assert all(claim.verdict.startswith("not comparable: too few") for claim in small)
    broken = [replace(run, outcome="error") if run.fault == "none" and run.item_id == "i0" else run for run in runs()]
    assert meta_training_claims(broken, ["generator"])[0].verdict.startswith("incomplete: 2 samples")
    assert "resumes" in seen(broken, ["generator"])


def test_what_was_seen_is_said_from_the_numbers():
    said = seen(runs(), ["generator"])
    assert said.startswith("After training (the implementer and rectifier untrained) a system earns more: R ")
    assert said.endswith("33% of the runs before, 0% after.")
    assert seen(runs(), []) == "Nothing was trained, so both sides are the same."
