"""From evaluations of several solvers to ability, the edge of competence, and what is claimed of it."""

import xml.etree.ElementTree as ElementTree

import pytest

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.sample import Sample
from masrepro.lab.table import csv_text
from masrepro.report.competence import (
    ability_figure,
    ability_points,
    ability_reading,
    ability_rows,
    competence_claims,
    competence_figure,
)

NAMES = {"c": "correct", "w": "wrong", "e": "error"}


def evaluation(system, benchmark, outcomes):
    samples = tuple(Sample(system, benchmark, f"i{k}", 0, NAMES[o], "1", "1", "1") for k, o in enumerate(outcomes))
    return Evaluation(system, benchmark, samples)


def cell(solver, benchmark, single, oracle):
    return [
        evaluation(f"single_agent/{solver}", benchmark, single),
        evaluation(f"oracle/{solver}", benchmark, oracle),
    ]


WHOLE = [
    *cell("s", "masbench/depth/2", "cccc", "cccc"),
    *cell("s", "masbench/depth/4", "cwww", "cccw"),
    *cell("l", "masbench/depth/2", "cccc", "cccw"),
    *cell("l", "masbench/depth/4", "cccc", "cccc"),
]


def test_points_are_a_solver_on_a_cell_with_the_paired_gain():
    points = {(p.solver, p.value): p for p in ability_points(WHOLE)}
    assert points["s", 4].single.value == 0.25
    assert points["s", 4].gain.value == pytest.approx(0.5)
    assert points["l", 2].gain.value == pytest.approx(-0.25)


def test_an_option_is_part_of_the_axis_name():
    (point,) = ability_points(cell("s", "masbench/depth/4/fixed", "cw", "cc"))
    assert (point.axis, point.value) == ("depth fixed", 4)


def test_a_cell_with_errors_has_no_number():
    (point,) = ability_points(cell("s", "masbench/depth/2", "ce", "cc"))
    assert (point.single, point.oracle, point.gain, point.errors) == (None, None, None, 1)
    assert ability_reading([point]) == [{"axis": "depth", "value": 2, "s": "missing to missing"}]


def test_tables_have_a_row_a_point_and_a_column_a_solver():
    points = ability_points(WHOLE)
    assert ability_reading(points)[1] == {"axis": "depth", "value": 4, "s": "0.25 to 0.75", "l": "1.00 to 1.00"}
    assert csv_text(ability_rows(points)).count("\n") == 5


def test_claims_give_the_gain_by_ability_and_the_fall_at_one_length():
    points = ability_points(WHOLE)
    gains, length = competence_claims(points, points)
    assert "single agent at 0.1 to 0.9: mean gain +0.50 over 1 cells" in gains.ours
    assert "single agent at 0.0 to 0.1: mean gain no cell" in gains.ours
    assert "GPT-OSS-120B (low): depth +0.003" in gains.published
    assert length.ours == "s 1.00 to 0.25; l 1.00 to 1.00"
    assert len(competence_claims(points)) == 1


def test_figures_are_drawn_and_the_scatter_has_no_lines():
    points = ability_points(WHOLE)
    for figure in (ability_figure(points), competence_figure(points, note="smoke")):
        ElementTree.fromstring(figure.svg())
        assert len(figure.plotly().data) == 2
    assert {trace.mode for trace in competence_figure(points).plotly().data} == {"markers"}
    assert {trace.mode for trace in ability_figure(points).plotly().data} == {"lines+markers"}


def test_an_orchestrators_systems_can_take_the_oracles_place_in_a_panel_of_their_own():
    draws = [evaluation(f"mine HIGH/{k}/s", "masbench/depth/4", text) for k, text in enumerate(("ccww", "cccc"))]
    (point,) = ability_points([evaluation("single_agent/s", "masbench/depth/4", "cwww"), *draws], "mine HIGH")
    assert (point.solver, point.gain.value) == ("s", pytest.approx(0.5))
    figure = competence_figure(ability_points(WHOLE), others={"mine HIGH": [point]})
    assert [panel.title for panel in figure.panels] == ["oracle, all axes", "mine HIGH, all axes"]
    assert [series.label for series in figure.panels[1].series] == ["s"]
