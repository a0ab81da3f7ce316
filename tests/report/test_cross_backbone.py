"""New members of the pool, from runs as data."""

import pytest
from mas2_runs import one

from masrepro.lab.mas2_pools import Added
from masrepro.lab.table import markdown_text
from masrepro.report.cross_backbone import backbone_rows, crossing_reading, crossing_rows, crossings, share_of
from masrepro.report.cross_backbone_claims import (
    cross_backbone_claims,
    not_there,
    published_gains,
    published_rows,
)

ADDED = Added("MAS² + x + y", "MAS²", ("x", "y"), ("x alone", "y alone"))
SOLVED = {"x alone": 12, "y alone": 25, "MAS²": 10, "MAS² + x + y": 30}
USD = {"x alone": "1", "y alone": "2", "MAS²": "1", "MAS² + x + y": "6"}
BACKBONES = {"x alone": {"x": 1}, "y alone": {"y": 1}, "MAS²": {"s": 2}, "MAS² + x + y": {"s": 3, "y": 1}}
RUNS = [
    one(
        name,
        item,
        solved=item < solved,
        usd=USD[name],
        meta_usd="2" if "MAS²" in name else "0",
        backbones=BACKBONES[name],
    )
    for name, solved in SOLVED.items()
    for item in range(40)
]
(FOUND,) = crossings(RUNS, [ADDED])


def test_a_larger_pool_is_set_beside_the_old_one_and_the_best_new_member_alone():
    assert FOUND.point.gain.value == pytest.approx(0.5)
    assert FOUND.best_alone == "y alone" and FOUND.over_best.value == pytest.approx(0.125)
    assert FOUND.times[False].value == 3.0 and FOUND.times[True].value == 4.0
    assert crossing_rows([FOUND])[0]["best_alone"] == "y alone"
    assert crossing_reading([FOUND])[0]["over it"].startswith("0.12 [")


def test_the_share_of_agents_on_new_members():
    assert FOUND.share.value == 0.25
    assert share_of([one("a", 0, backbones={"s": 1, "x": 3}), one("a", 1, backbones={})], ["x"]).value == 0.75
    assert share_of([one("a", backbones={})], ["x"]) is None
    rows = {row["system"]: row for row in backbone_rows(RUNS)}
    assert rows["MAS² + x + y"]["s"].startswith("0.75 [") and rows["MAS²"]["y"].startswith("0.00 [")


def test_the_papers_gains_over_the_old_pool_and_over_the_best_alone():
    gains = {(gain.row, gain.benchmark): gain for gain in published_gains()}
    assert len(gains) == 6
    headline = gains["+ Qwen3-Coder + Gemini-2.5-Pro", "MATH"]
    assert (headline.over_best, headline.best) == (0.151, "Qwen3-Coder") and headline.times == pytest.approx(
        15.47 / 0.54
    )
    best = gains["+ GPT-5-Mini + Gemini-2.5-Pro", "MATH"]
    assert best.over_base == 0.193 and best.over_best == 0.033 and round(best.times) == 13


def test_claims_name_the_comparison_that_the_paper_lacks():
    base, best, share = cross_backbone_claims([FOUND], trained=True)
    assert base.published == "+13.5 to +19.3 points over the old pool, on MATH and Bamboogle"
    assert base.verdict == "consistent" and base.ours.startswith("0.50 [")
    assert best.published == "+0.8 to +15.1 points at 1.1 to 28.6 times the cost"
    assert "over y alone at 3.00 [3.00, 3.00] times the cost, 4.00 [4.00, 4.00] with" in best.ours
    assert best.verdict == "consistent"
    assert share.verdict == "not published" and "of the agents run on them" in share.ours


def test_untrained_small_and_missing_runs_are_not_comparable():
    untrained = cross_backbone_claims([FOUND], trained=False)
    assert untrained[0].verdict == "not comparable: the paper's meta-agents are trained, ours are not; consistent"
    assert cross_backbone_claims([FOUND], trained=True, comparable=False)[0].verdict == "not comparable: too few items"
    missing = not_there(["desk-solver-xl"])
    assert (missing.ours, missing.verdict) == ("not measured", "incomplete: desk-solver-xl is not here")


def test_without_a_run_of_new_members_alone_there_is_no_best():
    (found,) = crossings([run for run in RUNS if "alone" not in run.variant], [ADDED])
    assert found.best_alone == "" and found.over_best is None and found.times == {False: None, True: None}


def test_the_published_table_marks_rows_told_by_price_and_misfits():
    rows = {row["row"]: row for row in published_rows()}
    assert rows["GPT-5-Mini ?"]["MATH"] == "87.3" and rows["GPT-5-Mini ?"]["MATH, US dollars"] == "1.22"
    assert rows["+ Qwen3-Coder + GPT-5-Mini"]["Bamboogle"] == "82.5 ?"
    assert markdown_text(published_rows())
