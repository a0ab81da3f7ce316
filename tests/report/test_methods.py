"""Holistic against sequential: from real evaluations to accuracy, cost and claims; missing numbers are said to be."""

from dataclasses import replace

import pytest

from masrepro.baselines import Sequential, SingleAgent, system
from masrepro.bench import benchmark
from masrepro.lab.evaluate import evaluate_sync
from masrepro.lab.orchestrator import Writing
from masrepro.meta.orchestrator import Written
from masrepro.models import Completion, Sampling, Usage
from masrepro.models.desk import load_desk_model
from masrepro.orchestration.turns import turns_of
from masrepro.report.method_claims import method_claims, published_methods
from masrepro.report.methods import (
    accuracy_reading,
    accuracy_rows,
    method_cost_rows,
    method_figure,
    method_points,
    pooled_cost,
    pooled_gain,
    training_rows,
)
from masrepro.report.training import unequal_bases
from masrepro.train.desk_plans import PLAIN
from masrepro.train.history import Step

CELL = "masbench/parallel/2"


class Script:
    """Builds the star for whichever question it is asked about."""

    name, revision, context_tokens, price = "script", "1", 4096, None

    def __init__(self, plans):
        self.plans = plans

    async def complete(self, messages, sampling):
        (plan,) = [plan for question, plan in self.plans.items() if messages[1].content.startswith(question)]
        n_taken = sum(message.role == "assistant" for message in messages)
        return Completion(turns_of(plan)[n_taken], "stop", Usage(1, 100, 10))


@pytest.fixture(scope="module")
def measured():
    items = benchmark(CELL, split="test", n=4)
    solver = load_desk_model("desk-solver-s")
    plans = {item.question: system("star").design(item) for item in items}
    same = dict(models=solver, benchmark=CELL, sampling=Sampling(max_tokens=64), rationale_chars=0)
    texts = {item.id: plans[item.question].to("calls") for item in items}
    holistic = Written("holistic HIGH/0", {**texts, items[0].id: "no system"}, catalogue=PLAIN)
    sequential = Sequential("sequential HIGH/0", Script(plans), Sampling(max_tokens=100), catalogue=PLAIN)
    evaluations = [evaluate_sync(one, items, **same) for one in (SingleAgent(), holistic, sequential)]
    writing = Writing(holistic, "script", {item.id: Usage(1, 90, 40) for item in items}, 1.0)
    return evaluations, {(CELL, "holistic HIGH/0"): writing}


def test_costs_of_orchestrators_and_agents_are_kept_apart(measured):
    (point,) = method_points(*measured)
    holistic, sequential = point.costs["holistic"], point.costs["sequential"]
    assert (holistic.valid, sequential.valid) == (0.75, 1.0)
    assert (holistic.agents, sequential.agents) == (3.0, 3.0)
    assert (holistic.calls, sequential.calls) == (0.75 * 3, 3.0)
    assert (holistic.own_calls, holistic.own_tokens) == (1.0, 130.0)
    assert (sequential.own_calls, sequential.own_tokens) == (4.0, 440.0)
    assert (holistic.rounds, sequential.rounds) == (1 + 0.75 * 2, 4 + 3)
    assert sequential.all_tokens == sequential.tokens + 440.0
    assert pooled_cost([point], "sequential") == sequential
    assert {row["method"] for row in method_cost_rows([point])} == {"holistic", "sequential"}


def test_the_same_systems_answer_alike_whoever_wrote_them(measured):
    (point,) = method_points(*measured)
    assert point.scores["holistic"][1:] == point.scores["sequential"][1:]
    assert point.gain.value == -point.scores["sequential"][0] / 4
    assert pooled_gain([point]) == point.gain
    (row,), (read,) = accuracy_rows([point]), accuracy_reading([point])
    assert row["gain"] == point.gain.value and read["holistic - sequential"] == str(point.gain)
    figure = method_figure([point])
    assert [series.label for series in figure.panels[0].series] == ["single agent", "holistic", "sequential"]
    assert "<svg" in figure.svg()


def test_claims_have_the_papers_values_beside_ours_and_an_honest_verdict(measured):
    points = method_points(*measured)
    everywhere, cost, here = method_claims(points)
    assert "aime24 0.662 to 0.233" in everywhere.published or "aime24 0.663 to 0.233" in everywhere.published
    assert everywhere.verdict == here.verdict == "not shown: the interval holds 0"
    assert "aime24: 30,000 to 3,770,000 tokens" in cost.published and cost.verdict == "consistent"
    assert all(claim.verdict.startswith("not comparable") for claim in method_claims(points, comparable=False))


def test_what_was_not_measured_or_failed_is_said(measured):
    evaluations, writings = measured
    points = method_points(evaluations[:2], writings)
    assert pooled_gain(points) is None and pooled_cost(points, "sequential") is None
    assert {claim.verdict for claim in method_claims(points)} == {
        "incomplete: one of the two orchestrators was not measured"
    }
    broken = replace(
        evaluations[2], samples=(replace(evaluations[2].samples[0], outcome="error"), *evaluations[2].samples[1:])
    )
    points = method_points([*evaluations[:2], broken], writings)
    assert points[0].systems == {} and points[0].errors == 1
    assert method_claims(points)[0].verdict.startswith("incomplete: 1 samples ended in errors")


def test_the_papers_rows_are_those_of_both_systems():
    rows = {row["benchmark"]: row for row in published_methods()}
    assert rows["hotpotqa"]["MAS-Orchestra"] == 0.49 and rows["hotpotqa"]["ToolOrchestra"] == 0.3744
    assert rows["aime24"]["ToolOrchestra: calls"] == 1319 and rows["hotpotqa"]["ToolOrchestra: calls"] is None


def test_what_two_trainings_took_stands_side_by_side():
    step = Step(
        step=1, reward=0.5, zero_variance=0.0, valid=1.0, outcomes={"correct": 4, "wrong": 4}, rejected={},
        by_task={}, plan_tokens=30.0, calls=24, drawn_calls=9, prompt_tokens=500, reply_tokens=90, cost_usd="0",
        agents={"3": 8}, workflows={"cot": 24}, longest_chain=2.0, width=2.0, direct=0.0, whole=0.0, sink_asks=0.0,
        sink_gathers=1.0, learning={}, turns=4.0,
        seconds={"sampling": 20.0, "execution": 30.0, "waiting": 28.0, "update": 10.0},
    )  # fmt: skip
    (row,) = training_rows({"sequential": [step, step], "holistic": []})
    assert (row["systems"], row["tokens written"], row["turns a system"]) == (16, 480, 4.0)
    assert row["minutes"] == 2.0, "waiting is a part of execution"
    assert (row["sub-agents' calls"], row["of these drawn"], row["sub-agents' tokens"]) == (48, 18, 1180)


def test_bases_that_were_not_trained_alike_are_told_with_every_difference(measured):
    evaluations, writings = measured
    unequal = unequal_bases(["desk-orchestrator", "desk-thinker"])
    assert "begins_with" in unequal
    assert "corpus" not in unequal
    assert unequal_bases(["desk-sequencer", "desk-sequencer"]) == unequal_bases(["some/hub-id", "desk-sequencer"]) == ""
    points = method_points(evaluations, writings)
    alike, told = method_claims(points), method_claims(points, unequal=unequal)
    assert not any("trained alike" in claim.ours for claim in alike)
    assert [claim.verdict for claim in told] == [claim.verdict for claim in alike]
    assert f"not trained alike ({unequal})" in told[0].ours
