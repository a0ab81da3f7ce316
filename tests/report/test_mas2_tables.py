"""MAS²'s main table, its front and its claims, from runs as data."""

import pytest
from mas2_runs import one

from masrepro.lab.table import csv_text, latex_text, markdown_text
from masrepro.report.mas2_claims import Cast, main_claims, published_rows, statement_rows
from masrepro.report.mas2_frontier import BOUND, front, front_figure, front_rows
from masrepro.report.mas2_main import cost_reading, main_rows, seen, success_reading
from masrepro.report.mas2_points import system_points

KINDS = {
    "s alone": "model alone",
    "l alone": "model alone",
    "cot_sc (l)": "workflow alone",
    "MAS², untrained": "MAS², untrained",
    "MAS²": "MAS²",
    "oracle": BOUND,
}
SOLVED = {"s alone": 10, "l alone": 20, "cot_sc (l)": 21, "MAS², untrained": 5, "MAS²": 30, "oracle": 40}
USD = {"s alone": 1, "l alone": 4, "cot_sc (l)": 20, "MAS², untrained": 3, "MAS²": 3, "oracle": 2}
RUNS = [
    one(name, item, solved=item < solved, usd=f"{USD[name]}", meta_usd="2" if name.startswith("MAS²") else "0")
    for name, solved in SOLVED.items()
    for item in range(40)
]
CAST = Cast("MAS²", True, KINDS, ("s alone", "l alone"), "cot_sc (l)", "MAS², untrained")
POINTS = system_points(RUNS, "s alone")


def by_claim(runs=RUNS, cast=CAST, **options):
    return {claim.claim.split(",")[0]: claim for claim in main_claims(runs, cast, **options)}


def test_a_row_a_system_with_the_gain_over_the_reference():
    first, *_, ours, _ = main_rows(POINTS, KINDS)
    assert (first["system"], first["kind"], first["gain"]) == ("s alone", "model alone", None)
    assert (ours["success"], ours["gain"], ours["usd"], ours["meta_usd"]) == (0.75, 0.5, 3, 2)
    assert ours["ended"] == "correct 30, wrong 10"
    reading = success_reading(POINTS, KINDS)
    assert reading[4]["b"] == reading[4]["all"] and reading[4]["gain"].startswith("0.50 [")
    assert reading[0]["gain"] == ""


def test_what_the_meta_agents_take_stands_apart():
    assert [row["meta-agents' USD per 1,000"] for row in cost_reading(POINTS)] == [0, 0, 0, 2000, 2000, 0]
    assert seen(POINTS, "MAS²")[1] == "The meta-agents take 40% of all that it costs."


def test_the_front_holds_methods_alone_and_counts_the_meta_agents_where_told():
    assert [point.variant for point in front(POINTS, KINDS, counts_meta=False)] == ["s alone", "MAS²"]
    assert [point.variant for point in front(POINTS, KINDS, counts_meta=True)] == ["s alone", "l alone", "MAS²"]
    rows = {row["system"]: row for row in front_rows(POINTS, KINDS)}
    assert rows["l alone"]["on the front, systems' own cost"] == ""
    assert rows["l alone"]["on the front, meta-agents counted in"] == "yes"
    assert rows["oracle"]["on the front, meta-agents counted in"] == ""


def test_what_solves_nothing_is_on_no_front_however_cheap():
    points = system_points([one("a", usd="0", solved=False), one("b", usd="1")])
    assert [point.variant for point in front(points, {"a": "x", "b": "x"}, counts_meta=False)] == ["b"]


def test_the_figure_has_a_panel_for_each_way_to_count_and_says_who_is_on_the_front():
    figure = front_figure(POINTS, KINDS, note="a note")
    assert [panel.title for panel in figure.panels] == ["systems' own cost", "meta-agents counted in"]
    assert "knows the item (no method)" in [series.label for series in figure.panels[0].series]
    assert "systems' own cost: s alone, MAS²; meta-agents counted in: s alone, l alone, MAS²" in figure.alt
    assert figure.svg() == figure.svg() and "a note" in figure.svg()


def test_the_papers_claims_stand_beside_ours():
    claims = by_claim()
    assert list(claims) == [
        "MAS² answers better than every other system",
        "MAS² gains up to 19.6 points",
        "MAS² is on the front of cost and success",
        "Self-consistency on the dearest model costs many times as much",
        "Meta-agents trained with CTO earn more reward than untrained ones",
    ]
    best, models, on_front, ensemble, training = claims.values()
    assert best.published.startswith("0.4 to 3.6 points") and "over cot_sc (l), the best here" in best.ours
    assert "HumanEval +19.6" in models.published and models.ours.startswith("0.38 [")
    assert on_front.verdict == "consistent: on it either way"
    assert "costs 6.67 [6.67, 6.67] times as much" in ensemble.ours and "4.00 [4.00, 4.00]" in ensemble.ours
    assert {claim.verdict for claim in (best, models, ensemble)} == {"consistent"}
    assert (training.published, training.verdict) == ("", "not published: consistent")


def test_bounds_and_untrained_selves_are_no_rivals():
    assert "oracle" not in by_claim()["MAS² answers better than every other system"].ours


def test_untrained_meta_agents_are_not_set_beside_the_papers():
    cast = Cast("MAS², untrained", False, {k: v for k, v in KINDS.items() if k != "MAS²"}, ("s alone",))
    verdicts = [claim.verdict for claim in main_claims([run for run in RUNS if run.variant != "MAS²"], cast)]
    assert len(verdicts) == 3
    assert verdicts[0] == "not comparable: the paper's meta-agents are trained, ours are not; differs"
    assert verdicts[2] == "not comparable: the paper's meta-agents are trained, ours are not; off it"


def test_being_on_the_front_only_while_meta_agents_are_free_is_said():
    dear = [
        one("MAS²", item, solved=item < 19, usd="3", meta_usd="9") if run.variant == "MAS²" else run
        for run in RUNS
        for item in [int(run.item_id[1:])]
    ]
    on_front = by_claim(dear)["MAS² is on the front of cost and success"]
    assert on_front.verdict == "consistent: on it only while the meta-agents are not counted"


def test_small_runs_and_errors_give_no_verdict():
    assert {claim.verdict for claim in main_claims(RUNS, CAST, comparable=False)} == {"not comparable: too few items"}
    broken = [
        one("l alone", 0, outcome="error") if run.variant == "l alone" and run.item_id == "i0" else run for run in RUNS
    ]
    verdicts = [claim.verdict for claim in main_claims(broken, CAST)]
    assert verdicts[:3] == ["incomplete: 1 samples ended in errors; the same command again resumes"] * 3
    assert verdicts[3:] == ["consistent", "not published: consistent"], "these have nothing to do with it"


@pytest.mark.parametrize("rows", [published_rows(), statement_rows(), main_rows(POINTS, KINDS)])
def test_tables_can_be_written_in_every_form(rows):
    assert csv_text(rows) and markdown_text(rows) and latex_text(rows)


def test_the_published_table_marks_what_is_doubtful():
    rows = {row["system"]: row for row in published_rows()}
    assert rows["CoT"]["HumanEval"] == "90.8 ?" and rows["MAS²"]["HumanEval"] == "97.0"
    assert rows["ADAS"]["as in ScoreFlow's table"] == "4 of 4 cells" and rows["DyLAN"]["as in ScoreFlow's table"] == ""
