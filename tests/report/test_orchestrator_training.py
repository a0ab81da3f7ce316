"""What is said of a training: curves and shapes from steps, held-out numbers paired by item, verdicts that follow."""

from dataclasses import replace

import pytest

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.sample import Sample
from masrepro.report.orchestrator_training import (
    held_out,
    held_out_reading,
    held_out_rows,
    repeat_rows,
    repeats_figure,
    reward_figure,
    shape_figure,
    step_rows,
    systems_figure,
    time_rows,
    training_claims,
)
from masrepro.train.history import Step

CELL = "masbench/parallel/2"


def step(number, reward, agents, **changes):
    values = dict(
        step=number,
        reward=reward,
        zero_variance=0.25,
        valid=0.9,
        outcomes={"correct": 1, "wrong": 9},
        rejected={"cycle": 1},
        by_task={"c HIGH": reward},
        plan_tokens=40.0,
        calls=20,
        drawn_calls=10,
        prompt_tokens=1000,
        reply_tokens=300,
        cost_usd="0",
        agents=agents,
        workflows={"cot": 20},
        longest_chain=2.0,
        width=2.0,
        direct=0.0,
        whole=0.5,
        sink_asks=0.5,
        sink_gathers=0.5,
        learning={"loss": 0.1, "entropy": 0.5},
        seconds={"sampling": 1.0, "execution": 2.0, "waiting": 1.9, "update": 1.0},
    )
    return Step(**{**values, **changes})


STEPS = [step(1, 0.1, {"1": 5, "3": 4}), step(2, 0.3, {"0": 1, "3": 8}), step(3, 0.5, {"3": 7, "7": 2})]


def evaluation(system, right, n_agents=3, broken=()):
    samples = tuple(
        Sample(
            system,
            CELL,
            f"i{k}",
            0,
            outcome="invalid" if k in broken else "correct" if ok else "wrong",
            answer="1",
            extracted="1",
            gold="1",
            n_agents=0 if k in broken else n_agents,
            orchestration=None if k in broken else "create_agent()",
        )
        for k, ok in enumerate(right)
    )
    return Evaluation(system, CELL, samples)


def evaluations(trained=(True,) * 30 + (False,) * 10):
    nothing = [False] * 40
    return [
        evaluation("single_agent", nothing, 1),
        evaluation("oracle", [True] * 40, 5),
        evaluation("base HIGH/0", nothing, broken=(0, 1, 2, 3)),
        evaluation("base HIGH/1", nothing),
        evaluation("trained HIGH/0", trained),
        evaluation("trained HIGH/1", nothing),
        evaluation("trained LOW/0", [True] * 40, 1),
    ]


def test_draws_of_an_item_count_as_their_mean_and_other_degrees_not_at_all():
    (point,) = held_out(evaluations(), "HIGH")
    assert point.systems["trained"].value == 30 / 80
    assert point.trained.over_base is not None and point.trained.over_base.value == 30 / 80
    assert point.valid == {"base": 76 / 80, "trained": 1.0}
    assert point.agents["base"] == 3.0
    (low,) = held_out(evaluations(), "LOW")
    assert low.systems["trained"].value == 1.0 and low.trained.over_base is None
    (row,) = held_out_rows([point])
    assert row["oracle"] == 1.0 and row["base_valid"] == 76 / 80
    assert held_out_reading([point])[0]["trained"] == str(point.systems["trained"])


def test_a_sample_in_error_leaves_no_number():
    broken = evaluations()
    one = broken[0].samples[0]
    broken[0] = Evaluation("single_agent", CELL, (Sample(*one.key, "error", None, None, "1"), *broken[0].samples[1:]))
    (point,) = held_out(broken, "HIGH")
    assert point.systems == {} and point.trained.over_base is None
    assert held_out_reading([point])[0]["trained"] == "missing"
    assert training_claims([point])[0].verdict.startswith("incomplete: 1 samples")


@pytest.mark.parametrize(
    ("trained", "verdict"),
    [((True,) * 30 + (False,) * 10, "consistent"), ((False,) * 40, "not shown: the interval holds 0")],
)
def test_a_verdict_follows_from_the_interval(trained, verdict):
    over_base, over_single = training_claims(held_out(evaluations(trained), "HIGH"))
    assert over_base.verdict == over_single.verdict == verdict
    assert over_single.published == "0.295 to 0.400"


def test_a_run_that_is_too_small_concludes_nothing():
    claims = training_claims(held_out(evaluations(), "HIGH"), comparable=False)
    assert {claim.verdict for claim in claims} == {"not comparable: too few items and steps"}


def test_curves_show_every_step_and_only_what_is_there():
    (panel,) = reward_figure(STEPS).panels
    assert panel.series[0].y == (0.1, 0.3, 0.5)
    sizes, kinds = systems_figure(STEPS).panels
    assert [series.label for series in sizes.series] == ["1 agent", "3 agents", "more"]
    assert sizes.series[1].y == (4 / 9, 8 / 9, 7 / 9)
    assert "direct answer" not in [series.label for series in kinds.series]
    assert "1.9 agents" in shape_figure(STEPS).alt and "3.9 agents" in shape_figure(STEPS).alt
    assert "</svg>" in systems_figure(STEPS).svg()


def test_a_reward_that_stays_nothing_is_shown_as_nothing():
    none = [replace(step, reward=0.0) for step in STEPS]
    (panel,) = reward_figure(none).panels
    assert (panel.series[0].label, panel.series[0].y) == ("reward", (0.0, 0.0, 0.0))


def test_time_is_split_into_parts_that_add_up():
    rows = {row["part"]: row["share"] for row in time_rows(STEPS)}
    assert rows == {
        "sampling systems": "25.0%",
        "sub-agents' replies": "47.5%",
        "parsing, running, scoring": "2.5%",
        "update": "25.0%",
    }
    assert step_rows(STEPS)[0]["rejected"] == "cycle 1"


def test_a_training_without_steps_still_draws():
    assert time_rows([]) == []
    for figure in (reward_figure([]), systems_figure([]), shape_figure([])):
        assert all(not panel.series for panel in figure.panels)


def test_repeats_stand_beside_the_training_and_not_in_its_verdict():
    again = evaluation("seed-2 HIGH/0", [True] * 20 + [False] * 20)
    (point,) = held_out([*evaluations(), again], "HIGH")
    assert point.trained.over_base is not None and point.trained.over_base.value == 30 / 80
    assert point.repeats["seed-2"].over_base is not None and point.repeats["seed-2"].over_base.value == 0.5
    assert [row["training"] for row in repeat_rows([point])] == ["trained", "seed-2"]
    assert "with other seeds" in training_claims([point])[0].ours
    (alone,) = held_out(evaluations(), "HIGH")
    assert repeat_rows([alone]) == [] and "other seeds" not in training_claims([alone])[0].ours


def test_curves_of_seeds_are_means_of_five_steps():
    steps = [step(number, reward, {"1": 1}) for number, reward in enumerate((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), start=1)]
    (one, none) = repeats_figure({"trained": steps, "seed-2": []}).panels[0].series
    assert one.y == pytest.approx((0.0, 0.1, 0.2, 0.3, 0.4, 0.6))
    assert none.y == ()
    assert "trained 0.40 to 0.60" in repeats_figure({"trained": steps}).alt
