"""From evaluations to tables, figure and claims."""

import xml.etree.ElementTree as ElementTree

import pytest

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.sample import Sample
from masrepro.lab.table import csv_text, latex_text, markdown_text
from masrepro.report.axes import (
    STRONGER,
    WEAKER,
    axis_points,
    beside,
    mean_scores,
    numbers,
    pooled_gain,
    reading,
    who_and_solver,
)
from masrepro.report.axis_claims import axis_claims, axis_figure


def evaluation(system, benchmark, outcomes):
    """An evaluation with one sample an item; outcomes as a string, c correct, w wrong, e error."""
    names = {"c": "correct", "w": "wrong", "e": "error"}
    samples = tuple(
        Sample(system, benchmark, f"item{k}", 0, names[letter], "1", "1", "1") for k, letter in enumerate(outcomes)
    )
    return Evaluation(system, benchmark, samples)


def both(benchmark, single, oracle, solver="s"):
    named = {f"single_agent/{solver}": single, f"oracle/{solver}": oracle}
    return [evaluation(system, benchmark, outcomes) for system, outcomes in named.items()]


WHOLE = [
    *both("masbench/depth/2", "cccccccccw", "cccccccccc"),
    *both("masbench/depth/4", "ccwwwwwwww", "ccccccccww"),
    *both("masbench/parallel/3", "wwwww", "ccccw"),
]


def test_points_hold_accuracy_gain_and_the_papers_values():
    depth_2, depth_4, parallel_3 = axis_points(WHOLE)
    assert depth_4.systems["oracle"].value == 0.8
    assert depth_4.gains["oracle"].value == pytest.approx(0.6)
    assert depth_2.published["sas"].value == 0.493
    assert parallel_3.published == {}
    assert "not comparable" in depth_2.verdict
    assert parallel_3.verdict == "not published"


@pytest.mark.parametrize(
    ("system", "read"),
    [
        ("single_agent", ("single_agent", "")),
        ("oracle/openai/gpt-oss-120b", ("oracle", "openai/gpt-oss-120b")),
        ("untrained HIGH/0/s", ("untrained HIGH", "s")),
        ("4/1/openai/gpt-oss-120b", ("4", "openai/gpt-oss-120b")),
        ("instructed/2", ("instructed", "")),
        ("instructed/0/64 tokens", ("instructed", "64 tokens")),
    ],
)
def test_a_systems_name_tells_whose_it_is_and_who_serves_it(system, read):
    assert who_and_solver(system) == read


def test_gain_is_paired_by_item():
    crossed = both("masbench/depth/2", "ccccc" + "w" * 5, "w" * 5 + "ccccc")
    aligned = both("masbench/depth/2", "ccccc" + "w" * 5, "ccccc" + "w" * 5)
    widths = [
        point.gains["oracle"].high - point.gains["oracle"].low for (point,) in map(axis_points, (crossed, aligned))
    ]
    assert widths[0] > 2 * widths[1]


def test_no_number_and_no_verdict_while_samples_are_in_error():
    (point,) = axis_points(both("masbench/depth/2", "ccccccwwee", "cccccccccc"))
    assert point.systems == {} and point.gains == {}
    assert point.verdict.startswith("incomplete: 2 samples")
    assert pooled_gain([point]) is None
    claims = axis_claims([*axis_points(WHOLE)[1:2], point])
    assert claims[0].verdict.startswith("incomplete: 2 samples")
    assert numbers([point])[0]["single_agent"] is None


def test_repeats_and_draws_of_an_item_are_averaged_and_not_counted_as_items():
    samples = tuple(
        Sample("single_agent", "masbench/depth/2", f"item{k}", repeat, "correct" if repeat else "wrong", "1", "1", "1")
        for k in range(6)
        for repeat in range(2)
    )
    (point,) = axis_points([Evaluation("single_agent", "masbench/depth/2", samples)])
    assert (point.n, point.systems["single_agent"].value) == (6, 0.5)
    drawn = [evaluation(f"own HIGH/{k}/s", "masbench/depth/2", text) for k, text in enumerate(("ccww", "cwcw"))]
    assert mean_scores(drawn) == (1.0, 0.5, 0.5, 0.0)
    (point,) = axis_points([evaluation("single_agent/s", "masbench/depth/2", "cwww"), *drawn])
    assert point.gains["own HIGH"].value == 0.25


def test_pooled_gain_weighs_by_items():
    points = axis_points(WHOLE)[:2]
    assert pooled_gain(points).value == pytest.approx((0.1 + 0.6) / 2)
    assert pooled_gain(points).n == 20
    assert pooled_gain(points, "nobody") is None


@pytest.mark.parametrize(
    ("solver", "solvers", "found"),
    [
        ("s", ["s"], (WEAKER, STRONGER)),
        ("s", ["s", "m", "l"], (WEAKER,)),
        ("m", ["s", "m", "l"], ()),
        ("l", ["s", "m", "l"], (STRONGER,)),
        ("openai/gpt-oss-120b", ["openai/gpt-oss-120b", "x"], (STRONGER,)),
        ("Qwen/Qwen2.5-7B-Instruct", ["x", "Qwen/Qwen2.5-7B-Instruct"], (WEAKER,)),
    ],
)
def test_the_papers_weaker_sub_agents_stand_beside_our_first_and_its_stronger_ones_beside_our_last(
    solver, solvers, found
):
    assert beside(solver, solvers) == found


def test_robustness_has_the_papers_values_for_its_stronger_sub_agents_alone():
    (point,) = axis_points(both("masbench/robustness/2", "ww", "cw"))
    assert {who: p.value for who, p in point.published.items()} == {"sas": 0.003, "mas": 0.466}
    weak, strong = axis_points(
        [*both("masbench/robustness/2", "ww", "cw"), *both("masbench/robustness/2", "ww", "cw", solver="l")]
    )
    assert weak.published == {} and strong.published["mas"].where == "figure C.1"


def test_tables_have_a_row_a_point_in_every_format():
    points = axis_points(WHOLE)
    rows = numbers(points)
    assert [row["axis"] for row in rows] == ["depth", "depth", "parallel"]
    assert rows[1]["oracle_gain"] == pytest.approx(0.6) and rows[1]["paper_mas"] == 0.344
    assert csv_text(rows).count("\n") == 4
    assert "0.493" in markdown_text(rows)
    assert "tabular" in latex_text(rows)
    assert reading(points)[0]["paper: SAS to MAS"] == "0.493 to 0.500"


def test_claims_set_the_published_value_beside_ours():
    falls, gains, *_ = axis_claims(axis_points(WHOLE))
    assert falls.published.startswith(f"{WEAKER}: 0.493 to 0.350; {STRONGER}: 0.862 to 0.647")
    assert falls.ours.startswith("0.90 [") and falls.verdict == "consistent"
    assert gains.published.startswith(f"{WEAKER}: +0.001")
    assert "knows the item" in gains.claim and gains.verdict.startswith("not comparable")


def weak_and_strong(gained):
    """A weak and a strong solver; an orchestrator's systems gain so much with the weak one, nothing with the strong."""
    cells = ("masbench/depth/2", "masbench/parallel/2")
    found = []
    for cell in cells:
        found += [
            evaluation("single_agent/weak", cell, "w" * 20),
            evaluation("mine HIGH/0/weak", cell, "c" * gained + "w" * (20 - gained)),
            evaluation("single_agent/strong", cell, "c" * 18 + "ww"),
            evaluation("mine HIGH/0/strong", cell, "c" * 18 + "ww"),
        ]
    return axis_points(found)


def test_what_an_orchestrator_gains_is_judged_for_each_solver_and_by_its_training():
    claims = {claim.claim: claim for claim in axis_claims(weak_and_strong(12), trained={"mine HIGH"})}
    depth = claims["Several agents (mine HIGH) gain over one on Depth, mean over 2 only"]
    assert depth.verdict == "weak: consistent; strong: not shown: the interval holds 0"
    assert depth.ours.startswith("weak: 0.60 [")
    weaker = claims["Weaker sub-agents gain more from several agents (mine HIGH) than stronger ones"]
    assert weaker.ours.startswith("weak more than strong by 0.60 [") and weaker.verdict == "consistent"
    (gain,) = [c for c in axis_claims(weak_and_strong(12)) if "mine HIGH) gain over one on Depth" in c.claim]
    reason = "not comparable: the paper's orchestrator is trained, ours is not"
    assert gain.verdict == f"{reason}; weak: consistent; strong: not shown: the interval holds 0"
    untrained = axis_claims(weak_and_strong(12))[-1].verdict
    assert untrained == "not comparable: the paper's orchestrator is trained, ours is not; consistent"
    assert axis_claims(weak_and_strong(12), comparable=False)[-1].verdict == "not comparable: too few items"


def test_one_value_and_one_solver_show_neither_a_fall_nor_who_gains_more():
    claims = axis_claims(axis_points(both("masbench/parallel/3", "wwwww", "ccccw")))
    assert claims[0].verdict == "not comparable: one value only"
    assert claims[-1].verdict == "not comparable: one sub-agents' model only"


def test_figure_is_the_same_svg_twice_and_says_what_it_shows():
    first, second = (axis_figure(axis_points(WHOLE), note="Smoke run.") for _ in range(2))
    assert first.svg() == second.svg()
    root = ElementTree.fromstring(first.svg())
    texts = " ".join(root.itertext())
    assert "Mean gain of the oracle" in texts
    assert "oracle (upper bound)" in texts
    assert "Smoke run." in texts


def test_figure_has_a_column_a_solver_and_a_row_an_axis():
    figure = axis_figure(weak_and_strong(12))
    assert [panel.title for panel in figure.panels] == [
        "Depth, weak",
        "Depth, strong",
        "Parallel, weak",
        "Parallel, strong",
    ]
    assert figure.columns == 2
    labels = [series.label for series in figure.panels[1].series]
    assert labels[:2] == ["single agent", "mine HIGH"] and f"paper: trained MAS, {STRONGER}" in labels


def test_figure_has_a_static_and_an_interactive_form_of_the_same_numbers():
    figure = axis_figure(axis_points(WHOLE))
    bundle = figure._repr_mimebundle_()
    assert bundle["image/svg+xml"].count("<svg") == 1
    traces = bundle["application/vnd.plotly.v1+json"]["data"]
    oracle = next(trace for trace in traces if trace["name"] == "oracle (upper bound)")
    assert list(oracle["y"]) == [1.0, 0.8]
    assert any("open" in trace["marker"]["symbol"] for trace in traces)
