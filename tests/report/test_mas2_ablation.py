"""What each part of MAS² is worth, from runs as data."""

import pytest
from mas2_runs import one

from masrepro.lab.mas2_systems import FULL, Change
from masrepro.report.ablation_claims import ablation_claims, seen
from masrepro.report.mas2_ablation import (
    ablated,
    ablation_figure,
    ablation_reading,
    ablation_rows,
    best_single,
    sweep_rows,
    swept,
)

CHANGES = {
    "generator untrained": Change("generator", "untrained"),
    "implementer all on s": Change("implementer", "all on s"),
    "implementer all on l": Change("implementer", "all on l"),
    "rectifier untrained": Change("rectifier", "untrained"),
    "rectifier left out": Change("rectifier", "left out"),
    "all three untrained": Change("all three", "untrained"),
}
SOLVED = dict(zip([FULL, *CHANGES], (30, 10, 20, 31, 30, 15, 5), strict=True))
RUNS = [
    one(name, item, solved=item < solved, usd="4" if name.endswith(" l") else "1")
    for name, solved in SOLVED.items()
    for item in range(40)
]
FOUND = ablated(RUNS, CHANGES)


def test_changes_are_measured_against_the_full_system():
    full, *others = FOUND
    assert full.change is None and full.point.gain is None
    assert [round(one.point.gain.value, 3) for one in others] == [-0.5, -0.25, 0.025, 0.0, -0.375, -0.625]
    assert ablation_rows(FOUND)[1]["gain"] == -0.5


def test_the_papers_loss_stands_where_it_took_the_part_away_in_the_same_way():
    published = {one.point.variant: one.published for one in FOUND}
    assert published.pop("generator untrained") == pytest.approx((0.062 + 0.027 + 0.082) / 3)
    assert published.pop("rectifier left out") == pytest.approx((0.035 + 0.021 + 0.066) / 3)
    assert set(published.values()) == {None}
    reading = {(row["part"], row["which is"]): row for row in ablation_reading(FOUND)}
    assert reading["generator", "untrained"]["paper"] == "-0.057"
    assert reading["rectifier", "untrained"]["paper"] == ""
    assert reading["all three", "as in MAS²"]["change"] == ""


def test_the_best_single_backbone_is_chosen_on_these_items():
    name, gain = best_single(RUNS, CHANGES)
    assert name == "implementer all on l" and gain.value == pytest.approx(-0.025)
    assert best_single(RUNS, {"generator untrained": CHANGES["generator untrained"]}) is None


def test_the_figure_has_a_panel_a_part():
    figure = ablation_figure(FOUND)
    assert [panel.title for panel in figure.panels] == ["generator", "implementer", "rectifier", "all three"]
    assert [series.label for series in figure.panels[0].series] == [
        "changed",
        "full system",
        "full system less the paper's loss",
    ]
    assert figure.panels[1].series[0].names == ("all on s", "all on l")
    assert "rectifier left out 0.38 [" in figure.alt and figure.svg()


def test_what_was_seen_is_said_from_the_numbers():
    said = seen(FOUND, best_single(RUNS, CHANGES))
    assert said[0].startswith("With the generator untrained, success loses -0.50 [")
    assert said[3].startswith("With the rectifier untrained, success changes by what may be nothing: 0.00 [")
    assert said[-1].startswith("The best single backbone is implementer all on l; the full system gains -0.03 [")


def test_claims_begin_with_those_that_the_paper_measured():
    claims = ablation_claims(RUNS, CHANGES, trained=True)
    assert len(claims) == len(CHANGES) + 1
    first, second, third = claims[:3]
    assert "generator untrained" in first.claim
    assert first.published == "MBPP +6.2 points, HotpotQA +2.7 points, MATH +8.2 points"
    assert "rectifier left out" in second.claim and second.verdict == "consistent"
    assert third.published == "" and third.where.endswith("has no such row")
    assert third.verdict == "not published: consistent"
    assert claims[-1].claim.startswith("The implementer beats")
    assert claims[-1].verdict == "not published: not shown: the interval holds 0"


def test_an_untrained_full_system_is_not_set_beside_the_papers():
    own, unpublished = ablation_claims(RUNS, CHANGES, trained=False)[1:3]
    assert own.verdict == "not comparable: the paper's meta-agents are trained, ours are not; consistent"
    assert unpublished.verdict == "not published: consistent"
    verdicts = {claim.verdict for claim in ablation_claims(RUNS, CHANGES, trained=True, comparable=False)}
    assert verdicts == {"not comparable: too few items"}


def test_settings_are_swept_by_value():
    settings = {"rectifier untrained": ("theta_C", 800.0), "rectifier left out": ("theta_C", 400.0)}
    rows = sweep_rows(swept(RUNS, settings))
    assert [(row["setting"], row["value"]) for row in rows] == [("theta_C", 400.0), ("theta_C", 800.0)]
    assert rows[0]["change"].startswith("-0.38 [")
    assert sweep_rows(swept(RUNS, {})) == [{"setting": "none: the params name no other values"}]
