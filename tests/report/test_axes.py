"""From evaluations to tables, figure and claims."""

import xml.etree.ElementTree as ElementTree

import pytest

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.sample import Sample
from masrepro.lab.table import csv_text, latex_text, markdown_text
from masrepro.report.axes import axis_claims, axis_figure, axis_points, numbers, pooled_gain, reading


def evaluation(system, benchmark, outcomes):
    """An evaluation with one sample an item; outcomes as a string, c correct, w wrong, e error."""
    names = {"c": "correct", "w": "wrong", "e": "error"}
    samples = tuple(
        Sample(system, benchmark, f"item{k}", 0, names[letter], "1", "1", "1") for k, letter in enumerate(outcomes)
    )
    return Evaluation(system, benchmark, samples)


def both(benchmark, single, oracle):
    return [evaluation("single_agent", benchmark, single), evaluation("oracle", benchmark, oracle)]


WHOLE = [
    *both("masbench/depth/2", "cccccccccw", "cccccccccc"),
    *both("masbench/depth/4", "ccwwwwwwww", "ccccccccww"),
    *both("masbench/parallel/3", "wwwww", "ccccw"),
]


def test_points_hold_accuracy_gain_and_the_papers_values():
    depth_2, depth_4, parallel_3 = axis_points(WHOLE)
    assert depth_4.systems["oracle"].value == 0.8
    assert depth_4.gain.value == pytest.approx(0.6)
    assert depth_2.published["sas"].value == 0.493
    assert parallel_3.published == {}
    assert "not comparable" in depth_2.verdict
    assert parallel_3.verdict == "not published"


def test_gain_is_paired_by_item():
    crossed = both("masbench/depth/2", "ccccc" + "w" * 5, "w" * 5 + "ccccc")
    aligned = both("masbench/depth/2", "ccccc" + "w" * 5, "ccccc" + "w" * 5)
    widths = [point.gain.high - point.gain.low for (point,) in map(axis_points, (crossed, aligned))]
    assert widths[0] > 2 * widths[1]


def test_no_number_and_no_verdict_while_samples_are_in_error():
    (point,) = axis_points(both("masbench/depth/2", "ccccccwwee", "cccccccccc"))
    assert point.systems == {}
    assert point.gain is None
    assert point.verdict.startswith("incomplete: 2 samples")
    assert pooled_gain([point], "depth") is None
    assert all(claim.verdict.startswith("incomplete") for claim in axis_claims([point]))
    assert reading([point])[0]["oracle"] == "missing"


def test_repeats_of_an_item_are_averaged_and_not_counted_as_items():
    samples = tuple(
        Sample("single_agent", "masbench/depth/2", f"item{k}", repeat, "correct" if repeat else "wrong", "1", "1", "1")
        for k in range(6)
        for repeat in range(2)
    )
    (point,) = axis_points([Evaluation("single_agent", "masbench/depth/2", samples)])
    assert (point.n, point.systems["single_agent"].value) == (6, 0.5)


def test_pooled_gain_weighs_by_items():
    points = axis_points(WHOLE)
    assert pooled_gain(points, "depth").value == pytest.approx((0.1 + 0.6) / 2)
    assert pooled_gain(points, "depth").n == 20


def test_tables_have_a_row_a_point_in_every_format():
    rows = numbers(axis_points(WHOLE))
    assert [row["axis"] for row in rows] == ["depth", "depth", "parallel"]
    assert csv_text(rows).count("\n") == 4
    assert "0.493" in markdown_text(rows)
    assert "tabular" in latex_text(rows)


def test_claims_set_the_published_value_beside_ours():
    falls, gains, *_ = axis_claims(axis_points(WHOLE))
    assert falls.published == "0.493 at 2 to 0.350 at 4"
    assert falls.ours.startswith("0.90 [")
    assert gains.published == "+0.001 (trained orchestrator)"
    assert "upper bound" in gains.ours


def test_figure_is_the_same_svg_twice_and_says_what_it_shows():
    first, second = (axis_figure(axis_points(WHOLE), note="Smoke run.") for _ in range(2))
    assert first.svg() == second.svg()
    root = ElementTree.fromstring(first.svg())
    texts = " ".join(root.itertext())
    assert "Mean gain of the oracle" in texts
    assert "oracle (upper bound)" in texts
    assert "Smoke run." in texts


def test_figure_has_a_static_and_an_interactive_form_of_the_same_numbers():
    figure = axis_figure(axis_points(WHOLE))
    bundle = figure._repr_mimebundle_()
    assert bundle["image/svg+xml"].count("<svg") == 1
    traces = bundle["application/vnd.plotly.v1+json"]["data"]
    oracle = next(trace for trace in traces if trace["name"] == "oracle (upper bound)")
    assert list(oracle["y"]) == [1.0, 0.8]
    assert any("open" in trace["marker"]["symbol"] for trace in traces)
