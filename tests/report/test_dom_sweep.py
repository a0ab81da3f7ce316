"""Where more agents stop helping: by the stated rule, from samples paired by item, with what was spent beside it."""

import pytest

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.orchestrator import Writing
from masrepro.lab.sample import Sample
from masrepro.meta.orchestrator import Written
from masrepro.models.model import Usage
from masrepro.orchestration.dom import DoM
from masrepro.report.dom_claims import published_degrees, sweep_claims, sweep_figure
from masrepro.report.dom_sweep import (
    SINGLE,
    accuracy_reading,
    enough,
    enough_rows,
    sweep_points,
    sweep_rows,
    use_reading,
)

CELL = "masbench/parallel/2"
N = 40


def evaluation(system, n_right, n_agents=2, n_broken=0, benchmark=CELL):
    """The first items are right, the last ones broken."""
    samples = []
    for k in range(N):
        broken = k >= N - n_broken
        outcome = "invalid" if broken else "correct" if k < n_right else "wrong"
        plan = None if broken else "create_agent()"
        usage = Usage(0) if broken else Usage(n_agents, 10 * n_agents, n_agents)
        size = 0 if broken else n_agents
        key = (system, benchmark, f"i{k}", 0)
        samples.append(Sample(*key, outcome, "1", "1", "1", usage=usage, n_agents=size, orchestration=plan))
    return Evaluation(system, benchmark, tuple(samples))


def writing(n_tokens):
    usage = {f"i{k}": Usage(1, n_tokens, 5) for k in range(N)}
    return Writing(Written("w", {}), "orchestrator", usage, 1.0)


RIGHT = {"0": 0, "1": 4, "2": 20, "3": 22, "4": 21}


def swept(solver="s", right=RIGHT, benchmark=CELL):
    evaluations = [evaluation(f"{SINGLE}/{solver}", 5, 1, benchmark=benchmark)]
    for degree, n_right in right.items():
        broken = N if degree == "0" else 0
        evaluations.append(evaluation(f"{degree}/0/{solver}", n_right, int(degree), broken, benchmark))
    evaluations.append(evaluation(f"HIGH/0/{solver}", 30, 5, 4, benchmark))
    evaluations.append(evaluation(f"HIGH/1/{solver}", 10, 5, 0, benchmark))
    return evaluations


def writings(benchmark=CELL):
    own = {(benchmark, f"{degree}/0"): writing(100) for degree in RIGHT}
    return own | {(benchmark, "HIGH/0"): writing(100), (benchmark, "HIGH/1"): writing(300)}


def test_more_stops_helping_at_the_smallest_cap_that_is_not_shown_to_be_worse():
    (found,) = enough(sweep_points(swept(), writings()))
    assert (found.best, found.enough) == (3, 2)
    assert found.best_accuracy.value == 22 / N and found.difference.value == pytest.approx(-2 / N)
    assert found.difference.low < 0 <= found.difference.high
    (row,) = enough_rows([found])
    assert (row["best cap"], row["enough"]) == (3, 2)


def test_of_equal_caps_the_smallest_is_the_best():
    (found,) = enough(sweep_points(swept(right={"1": 7, "2": 7, "3": 7}), writings()))
    assert (found.best, found.enough) == (1, 1)


def test_named_degrees_are_no_caps_and_draws_count_as_their_mean():
    points = {point.degree: point for point in sweep_points(swept(), writings())}
    high = points["HIGH"]
    assert high.cap is None and points["4"].cap == 4
    assert high.accuracy is not None and high.accuracy.value == pytest.approx(20 / N)
    assert high.over_single is not None and high.over_single.value == pytest.approx(15 / N)
    assert high.valid == pytest.approx(1 - 4 / (2 * N)) and high.agents == 5
    assert high.writing_tokens == 205
    assert points[SINGLE].over_single is None and points[SINGLE].writing_tokens == 0


def test_what_breaks_rules_costs_the_orchestrator_alone():
    points = {point.degree: point for point in sweep_points(swept(), writings())}
    direct = points["0"]
    assert (direct.valid, direct.agents, direct.calls, direct.tokens) == (0.0, None, 0.0, 0.0)
    assert direct.writing_tokens == 105
    assert points["3"].calls == 3 and points["3"].tokens == 33


def test_solvers_whose_names_hold_slashes_and_benchmarks_are_kept_apart():
    other = "masbench/depth/4"
    both = [*swept("openai/gpt-oss-120b"), *swept("s"), *swept("s", benchmark=other)]
    found = enough(sweep_points(both, writings() | writings(other)))
    assert [(one.benchmark, one.solver) for one in found] == [(CELL, "openai/gpt-oss-120b"), (CELL, "s"), (other, "s")]


def test_a_sample_in_error_leaves_no_number():
    broken = swept()
    samples = broken[2].samples
    broken[2] = Evaluation("1/0/s", CELL, (Sample(*samples[0].key, "error", None, None, "1"), *samples[1:]))
    points = sweep_points(broken, writings())
    one = next(point for point in points if point.degree == "1")
    assert one.accuracy is None and one.errors == 1
    assert enough(points) == []
    claims = sweep_claims(points, trained=True)
    assert claims[0].verdict.startswith("incomplete: 1 samples") and claims[0].ours == "missing"
    assert accuracy_reading(points)[0]["1"] == "missing"


def test_an_error_of_the_single_agent_takes_the_gains_and_leaves_the_accuracies():
    broken = swept()
    samples = broken[0].samples
    broken[0] = Evaluation(f"{SINGLE}/s", CELL, (Sample(*samples[0].key, "error", None, None, "1"), *samples[1:]))
    points = {point.degree: point for point in sweep_points(broken, writings())}
    assert points["3"].accuracy is not None and points["3"].over_single is None
    claims = sweep_claims(list(points.values()), trained=True)
    assert {claim.verdict for claim in claims} == {
        "incomplete: 1 samples ended in errors; the same command again resumes"
    }


@pytest.mark.parametrize(
    ("n_right", "trained", "verdict"),
    [
        (30, True, "consistent"),
        (5, True, "not shown: the interval holds 0"),
        (0, True, "differs"),
        (30, False, "not comparable: the paper's orchestrator is trained, ours is not; consistent"),
    ],
)
def test_a_verdict_follows_from_the_interval_and_from_who_writes(n_right, trained, verdict):
    evaluations = [e for e in swept() if not e.system.startswith("HIGH")]
    single = 5 if n_right else 20
    evaluations[0] = evaluation(f"{SINGLE}/s", single, 1)
    evaluations.append(evaluation("HIGH/0/s", n_right))
    claims = sweep_claims(sweep_points(evaluations, writings()), trained=trained)
    assert claims[1].verdict == verdict
    assert claims[1].published == "0.295 to 0.400"
    assert "LOW on aime24 0.662" in claims[0].published and "HIGH on hotpotqa 0.490" in claims[0].published


def test_a_run_that_is_too_small_concludes_nothing():
    claims = sweep_claims(sweep_points(swept(), writings()), trained=True, comparable=False)
    assert {claim.verdict for claim in claims} == {"not comparable: too few items"}


def test_the_paper_stands_beside_the_axes_that_it_has():
    def paper(benchmark):
        points = sweep_points(swept(benchmark=benchmark), writings(benchmark))
        return sweep_claims(points, trained=True)[1].published

    assert paper("masbench/robustness/2") == "0.003 to 0.466"
    assert paper("masbench/parallel/3") == "" and paper("gsm8k") == ""


def test_the_papers_degrees_stand_with_what_they_gained():
    rows = {row["benchmark"]: row for row in published_degrees()}
    assert {name: row["DoM"] for name, row in rows.items() if row["DoM"] == "HIGH"}.keys() == {
        "hotpotqa",
        "browsecomp-plus",
    }
    assert (rows["hotpotqa"]["best sub-agent alone"], rows["hotpotqa"]["MAS-Orchestra"]) == (0.4644, 0.49)


def test_tables_and_figure_hold_every_degree():
    points = sweep_points(swept(), writings())
    rows = sweep_rows(points)
    assert [row["degree"] for row in rows] == [SINGLE, "0", "1", "2", "3", "4", "HIGH"]
    assert rows[0]["over_single"] is None and rows[3]["accuracy"] == 0.5
    (row,) = accuracy_reading(points)
    assert (row["single agent"], row["2"]) == ("0.12", "0.50 (+0.38)")
    assert [row["degree"] for row in use_reading(points)][-1] == "HIGH"
    (panel,) = sweep_figure(points).panels
    labels = {series.label: series for series in panel.series}
    assert labels["s, by cap"].x == (0, 1, 2, 3, 4) and labels["s, HIGH (right end)"].x == (5,)
    assert labels["paper: trained MAS, HIGH"].y == (0.4,)
    assert "2 of 3" in sweep_figure(points).alt and "</svg>" in sweep_figure(points).svg()


def test_benchmarks_with_fewer_degrees_leave_their_columns_empty():
    few = [e for e in swept(benchmark="gsm8k") if e.system.split("/")[0] in (SINGLE, "0", "1")]
    rows = accuracy_reading(sweep_points([*swept(), *few], writings() | writings("gsm8k")))
    assert list(rows[0]) == list(rows[1]) and (rows[1]["1"], rows[1]["HIGH"]) == ("0.10 (-0.03)", "")


def test_degrees_of_the_params_have_the_names_that_points_go_by():
    assert [str(dom) for dom in (DoM.at_most(0), DoM.at_most(8), DoM.LOW)] == ["0", "8", "LOW"]
