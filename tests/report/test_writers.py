"""Orchestrators side by side: what they write, what it is worth, and what may be concluded of kind and training."""

import pytest

from masrepro.lab.effort_params import Training
from masrepro.lab.evaluate import Evaluation
from masrepro.lab.orchestrator import Writing
from masrepro.lab.sample import Sample
from masrepro.meta.orchestrator import Written
from masrepro.models.model import Usage
from masrepro.orchestration import parse
from masrepro.report.training_claims import generalisation_claims, generalisation_rows, training_claims
from masrepro.report.writer_claims import NO_SECOND, kind_claims, published_rows
from masrepro.report.writers import (
    axes_reading,
    gain_of,
    kinds_reading,
    repeats_question,
    scores_of,
    writer_points,
    writer_rows,
    writers_figure,
)

N = 20
QUESTION = "What is  the number\nof each Crate?"
DIRECT = 'answer(text="4")'
ONE = 'create_agent(id="a1", role="solver", goal="", workflow="cot")'
TWO = (
    'create_agent(id="a1", role="solver", goal="Find the number of each Box.", workflow="cot")\n'
    'create_agent(id="a2", role="gatherer", goal="Give the final answer.", workflow="cot")\n'
    'create_flow(source="a1", target="a2", payload="")'
)


def evaluation(system, benchmark, n_right, plan=TWO, *, outcome=None):
    """The first items are right; ``outcome`` is the last one's, if any."""
    samples = []
    for k in range(N):
        own = outcome if outcome and k == N - 1 else "correct" if k < n_right else "wrong"
        text = None if own == "invalid" else plan
        size = 0 if text is None else len(parse(text).agents)
        key = (system, benchmark, f"{benchmark}{k}", 0)
        samples.append(Sample(*key, own, "1", "1", "1", n_agents=size, orchestration=text))
    return Evaluation(system, benchmark, tuple(samples))


def measured(rights, plans=None, tokens=None, outcomes=None):
    """Points of everyone named in ``rights``: right answers by benchmark."""
    evaluations, writings = [], {}
    for who, by_benchmark in rights.items():
        for cell, n_right in by_benchmark.items():
            benchmark = f"masbench/{cell}"
            system = who if who == "single_agent" else f"{who}/0"
            plan = ONE if who == "single_agent" else (plans or {}).get(who, TWO)
            evaluations.append(evaluation(system, benchmark, n_right, plan, outcome=(outcomes or {}).get(who)))
            usage = {f"{benchmark}{k}": Usage(1, 100, (tokens or {}).get(who, 50)) for k in range(N)}
            writings[benchmark, system] = Writing(Written(system, {}), who, usage, 1.0)
    questions = {sample.item_id: QUESTION for own in evaluations for sample in own.samples}
    return writer_points(evaluations, writings, questions)


CELLS = ("depth/2", "parallel/2")


def everywhere(n_right):
    return dict.fromkeys(CELLS, n_right)


def test_agents_that_are_asked_the_whole_question_and_hear_from_nobody_repeat_it():
    asks = f'create_agent(id="a1", role="solver", goal="Say: {" ".join(QUESTION.split())}", workflow="cot")'
    assert repeats_question(parse(ONE), QUESTION) == ["a1"]
    assert repeats_question(parse(asks), QUESTION) == ["a1"]
    assert repeats_question(parse(TWO), QUESTION) == []
    assert repeats_question(parse(DIRECT), QUESTION) == []
    heard = TWO.replace("Give the final answer.", "")
    assert repeats_question(parse(heard), QUESTION) == []


@pytest.mark.parametrize(
    ("plan", "one_agent", "direct", "repeating", "agents"),
    [(DIRECT, 0.0, 1.0, None, 0.0), (ONE, 1.0, 0.0, 1.0, 1.0), (TWO, 0.0, 0.0, 0.0, 2.0)],
)
def test_kinds_of_systems_are_counted(plan, one_agent, direct, repeating, agents):
    points = measured({"single_agent": {"depth/2": 4}, "instructed": {"depth/2": 10}}, {"instructed": plan})
    own = points[1]
    assert (own.one_agent, own.direct, own.repeating, own.agents) == (one_agent, direct, repeating, agents)
    assert (own.valid, own.undivided[0], own.tokens[0]) == (1.0, float(plan != TWO), 50)


def test_what_is_invalid_is_no_system_of_any_size():
    points = measured({"instructed": {"depth/2": 0}}, {"instructed": ONE}, outcomes={"instructed": "invalid"})
    assert points[0].valid == pytest.approx(1 - 1 / N)
    assert points[0].undivided[-1] == 0.0 and points[0].one_agent == 1.0


def test_gains_are_over_the_items_of_all_benchmarks():
    points = measured({"single_agent": everywhere(2), "instructed": {"depth/2": 4, "parallel/2": 8}})
    gain = gain_of(points, "instructed")
    assert gain.n == 2 * N and gain.value == pytest.approx((2 + 6) / (2 * N))
    assert gain_of(points, "reasoning") is None
    single, instructed = kinds_reading(points)
    assert single["gain over the single agent"] == "" and instructed["gain over the single agent"] == str(gain)
    assert [row["axis"] for row in axes_reading(points, "instructed")] == ["depth", "parallel"]
    assert writer_rows(points)[-1]["accuracy"] == 8 / N


def test_an_error_leaves_no_number():
    points = measured({"single_agent": everywhere(2), "instructed": everywhere(9)}, outcomes={"instructed": "error"})
    assert scores_of(points, "instructed") == [] and gain_of(points, "instructed") is None
    assert kinds_reading(points)[1]["accuracy"] == "missing"
    assert writer_rows(points)[-1]["accuracy"] is None
    assert "missing" in axes_reading(points, "instructed")[0]["instructed"]


KINDS = {"single_agent": everywhere(2), "instructed": everywhere(16), "reasoning": everywhere(4)}


def test_a_reasoning_orchestrator_is_set_against_one_that_follows_instructions():
    points = measured(KINDS, {"reasoning": ONE}, {"reasoning": 500})
    better, alone, longer = kind_claims(points, trained=True)
    assert better.verdict == "consistent" and better.ours.startswith("difference 0.60 [")
    assert (
        "figure 4: depth 0.604 to 0.570" in better.published and "figure C.5: depth 0.840 to 0.170" in better.published
    )
    assert alone.verdict == "consistent" and "instructed 0.00, reasoning 1.00" in alone.ours
    assert "0.19 to 0.48" in alone.published
    assert "instructed 50, reasoning 500" in longer.ours and "10.0 times" in longer.ours
    untrained, *_ = kind_claims(points, trained=False)
    assert untrained.verdict == "not comparable: the paper's orchestrator is trained, ours is not; consistent"
    assert kind_claims(points, trained=True, comparable=False)[0].verdict == "not comparable: too few items"


def test_without_a_second_orchestrator_it_is_said_that_there_is_none():
    claims = kind_claims(measured({"single_agent": everywhere(2), "instructed": everywhere(9)}), trained=False)
    assert {claim.verdict for claim in claims} == {NO_SECOND}
    assert "reasoning not measured" in claims[1].ours


def training(*cells):
    return Training(model="desk-orchestrator", adapter="a/x", trained_on=tuple(f"masbench/{cell}" for cell in cells))


def test_one_training_on_all_axes_is_set_against_one_on_each():
    rights = {"single_agent": everywhere(2), "instructed": everywhere(4)}
    rights |= {"all": {"depth/2": 15, "parallel/2": 3}, "deep": everywhere(15), "wide": everywhere(15)}
    trainings = {"all": training(*CELLS), "deep": training("depth/2"), "wide": training("parallel/2")}
    claims = {claim.claim: claim for claim in training_claims(measured(rights), trainings)}
    depth, breadth, parallel, robustness = claims.values()
    assert depth.verdict.startswith("consistent: no difference is shown, which may be up to ")
    assert depth.ours.startswith("all 0.75 [") and "against deep 0.75" in depth.ours
    assert parallel.verdict == "differs"
    assert breadth.verdict == "incomplete: no orchestrator trained on breadth alone is named"
    assert robustness.verdict == "incomplete: no orchestrator trained on robustness is named"
    assert "separate: 0.840 at 2" in depth.published and "with adversarial data: 0.317 at 2" in robustness.published


def test_adversarial_items_are_those_of_robustness():
    cells = ("depth/2", "robustness/2")
    rights = {"single_agent": dict.fromkeys(cells, 0), "instructed": dict.fromkeys(cells, 1)}
    rights |= {"without": dict.fromkeys(cells, 2), "with": dict.fromkeys(cells, 14)}
    trainings = {"without": training("depth/2"), "with": training(*cells)}
    claim = training_claims(measured(rights), trainings)[-1]
    assert claim.verdict == "consistent" and claim.ours.startswith("with 0.70 [")


def test_adversarial_training_is_set_against_that_on_its_other_axes():
    cells = ("depth/2", "parallel/2", "robustness/2")
    rights = {name: dict.fromkeys(cells, 2) for name in ("single_agent", "instructed", "alone", "combined", "with")}
    trainings = {"alone": training("depth/2"), "combined": training(*cells[:2]), "with": training(*cells)}
    claim = training_claims(measured(rights), trainings)[-1]
    assert "against combined" in claim.ours


def test_what_was_learned_is_measured_beyond_it():
    cells = ("depth/2", "depth/3", "depth/4")
    rights = {"single_agent": dict.fromkeys(cells, 2), "instructed": dict.fromkeys(cells, 4)}
    rights |= {"deep": {"depth/2": 15, "depth/3": 15, "depth/4": 4}}
    points, trainings = measured(rights), {"deep": training("depth/2", "depth/3")}
    (claim,) = generalisation_claims(points, trainings)
    assert claim.claim == "What deep learned on Depth 2, 3 holds at larger values"
    assert claim.verdict == "not shown: the interval holds 0"
    assert "over the untrained one 0.55 [" in claim.ours and "at 2, 3" in claim.ours and "at 4" in claim.ours
    assert "up to 8, +0.022 at 10" in claim.published
    rows = generalisation_rows(points, trainings)
    assert [(row["value"], row["trained on it"]) for row in rows] == [(2, "yes"), (3, "yes"), (4, "no")]
    (unseen,) = generalisation_claims(points, {"deep": training("depth/4")})
    assert unseen.verdict == "incomplete: no larger value was measured"


def test_without_trainings_the_verdict_says_so():
    points = measured({"single_agent": everywhere(2), "instructed": everywhere(9)})
    (claim,) = generalisation_claims(points, {})
    assert claim.verdict.startswith("incomplete: no trained orchestrator is named")
    assert all(claim.verdict.startswith("incomplete: no") for claim in training_claims(points, {}))
    assert generalisation_rows(points, {}) == []


def test_the_papers_settings_stand_side_by_side():
    rows = published_rows("4", "c5")
    assert rows[0]["Qwen2.5-7B-Instruct (figure 4)"] == 0.84 and rows[0]["GPT-OSS-20B (low) (figure 4)"] == 0.826
    robustness = next(row for row in rows if row["axis"] == "robustness")
    assert robustness["DeepSeek-R1-Distill-Qwen-7B (figure C.5)"] == 0.11
    assert robustness["Qwen2.5-7B-Instruct (figure 4)"] is None


def test_the_figure_has_a_panel_an_axis_and_a_curve_for_everyone():
    figure = writers_figure(measured(KINDS))
    assert [panel.title for panel in figure.panels] == ["Depth", "Parallel"]
    assert [series.label for series in figure.panels[0].series] == ["single agent", "instructed", "reasoning"]
    assert "instructed 0.70 [" in figure.alt and "</svg>" in figure.svg()
