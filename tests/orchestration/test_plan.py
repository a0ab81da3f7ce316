"""Orchestration as data: what it refuses, what it knows of its shape, and its content hash."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import random
import subprocess
import sys
from itertools import pairwise

import pytest

from masrepro.orchestration import Agent, Flow, Orchestration, OrchestrationError, parse

DIAMOND = Orchestration(
    (Agent("a", "r", "g"), Agent("b", "r", "${a}"), Agent("c", "r", "use ${a}"), Agent("d", "r", "g")),
    (Flow("a", "b"), Flow("a", "c", "x"), Flow("b", "d"), Flow("c", "d", "y")),
)


def test_shape_of_a_diamond():
    assert DIAMOND.sources == ("a",)
    assert DIAMOND.sink == "d"
    assert DIAMOND.levels == (("a",), ("b", "c"), ("d",))
    assert DIAMOND.order == ("a", "b", "c", "d")
    assert (DIAMOND.longest_chain, DIAMOND.width) == (3, 2)
    assert DIAMOND.critical_path == ("a", "b", "d")
    assert DIAMOND.inputs("d") == (Flow("b", "d"), Flow("c", "d", "y"))
    assert DIAMOND.outputs("a") == (Flow("a", "b"), Flow("a", "c", "x"))
    assert DIAMOND.inputs("a") == DIAMOND.outputs("d") == ()
    assert DIAMOND.agent("c").goal == "use ${a}"


def test_shape_of_a_direct_answer():
    plan = Orchestration(answer="42")
    assert (plan.sources, plan.sink, plan.levels, plan.order, plan.critical_path) == ((), None, (), (), ())
    assert (plan.longest_chain, plan.width) == (0, 0)


def test_unknown_agent_is_a_key_error_that_lists_the_known():
    with pytest.raises(KeyError, match="a, b, c, d"):
        DIAMOND.agent("z")


def test_template_has_no_backbones():
    assert DIAMOND.is_template
    staffed = dataclasses.replace(DIAMOND.agents[1], backbone="small")
    assert not dataclasses.replace(DIAMOND, agents=(DIAMOND.agents[0], staffed, *DIAMOND.agents[2:])).is_template


def test_lists_are_taken_for_tuples():
    plan = Orchestration([Agent("a", "r", "g", tools=["search"])], [])
    assert plan == Orchestration((Agent("a", "r", "g", tools=("search",)),), ())
    assert hash(plan)
    with pytest.raises(TypeError, match=r"\['search'\]"):
        Agent("a", "r", "g", tools="search")


@pytest.mark.parametrize(
    ("agents", "flows", "answer", "rule"),
    [
        ([], [], None, "nothing-built"),
        (["a"], [], "42", "answer-beside-agents"),
        ([], [], " \n", "empty-answer"),
        ([], [("a", "b")], "42", "unknown-agent"),
        (["a", "a"], [], None, "duplicate-id"),
        (["a", ""], [("a", "")], None, "bad-id"),
        (["a", "ä"], [("a", "ä")], None, "bad-id"),
        (["a", "b\n"], [("a", "b\n")], None, "bad-id"),
        (["a", "b"], [("a", "c")], None, "unknown-agent"),
        (["a", "b"], [("a", "b"), ("a", "a")], None, "self-loop"),
        (["a", "b"], [("a", "b"), ("a", "b")], None, "duplicate-flow"),
        (["a", "b"], [("a", "b"), ("b", "a")], None, "cycle"),
        (["a", "b"], [], None, "disconnected"),
        (["a", "b", "c"], [("a", "b"), ("a", "c")], None, "several-sinks"),
        (["a", "b", "c", "d"], [("a", "b"), ("c", "d")], None, "several-sinks"),
    ],
)
def test_built_by_hand_it_obeys_the_same_rules(agents, flows, answer, rule):
    with pytest.raises(OrchestrationError) as caught:
        Orchestration(tuple(Agent(a, "r", "g") for a in agents), tuple(Flow(*f) for f in flows), answer)
    assert caught.value.rule == rule
    assert caught.value.where and caught.value.hint


def test_reference_needs_its_flow():
    for goal, rule in (("${b}", "unknown-reference"), ("${a}", "self-reference")):
        with pytest.raises(OrchestrationError, match=rule):
            Orchestration((Agent("a", "r", goal),))
    for goal in ("$a", "${", "${a", "$ {a}", "${a b}", "${é}", "${}", "{a}"):
        assert Orchestration((Agent("a", "r", goal),)).agents[0].goal == goal
    with pytest.raises(OrchestrationError, match="reference-without-flow"):
        Orchestration((Agent("a", "r", "${b}"), Agent("b", "r", "g")), (Flow("a", "b"),))


def test_half_a_character_is_refused_wherever_it_stands():
    half = "x\ud800"
    for agent in (Agent("a", half, ""), Agent("a", "", half), Agent("a", "", "", roles=("pro", half))):
        with pytest.raises(OrchestrationError, match="not-unicode"):
            Orchestration((agent,))
    with pytest.raises(OrchestrationError, match="not-unicode"):
        Orchestration((Agent("a", "", ""), Agent("b", "", "")), (Flow("a", "b", half),))
    with pytest.raises(OrchestrationError, match="not-unicode"):
        Orchestration(answer=half)


def test_cycle_is_named_along_its_flows():
    flows = [("s", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "t")]
    with pytest.raises(OrchestrationError) as caught:
        Orchestration(tuple(Agent(a, "r", "g") for a in "sabct"), tuple(Flow(*f) for f in flows))
    ring = caught.value.what.split(": ")[1].split(" -> ")
    assert ring[0] == ring[-1] and len(ring) == 4
    assert all(pair in flows for pair in pairwise(ring))


def test_hash_ignores_the_order_of_listing():
    rng = random.Random(0)
    for _ in range(20):
        agents, flows = list(DIAMOND.agents), list(DIAMOND.flows)
        rng.shuffle(agents)
        rng.shuffle(flows)
        assert Orchestration(tuple(agents), tuple(flows)).content_hash == DIAMOND.content_hash


def test_hash_sees_every_field():
    plans = [Orchestration(answer="x"), Orchestration((Agent("x", "", ""),))]
    base = {
        "id": "a",
        "role": "r",
        "goal": "g",
        "workflow": "cot",
        "tools": (),
        "roles": (),
        "backbone": None,
    }
    changes = [{}, {"role": "R"}, {"goal": "G"}, {"workflow": "debate"}, {"tools": ("x",)}, {"roles": ("x",)}]
    changes += [
        {"id": "b"},
        {"backbone": ""},
        {"backbone": "x"},
        {"tools": ("x", "y")},
        {"tools": ("y", "x")},
    ]
    plans += [Orchestration((Agent(**{**base, **change}),)) for change in changes]
    two = (Agent("a", "", ""), Agent("b", "", ""))
    plans += [Orchestration(two, (flow,)) for flow in (Flow("a", "b"), Flow("b", "a"), Flow("a", "b", "p"))]
    assert len({plan.content_hash for plan in plans}) == len(plans)


def test_hash_is_the_same_in_another_process():
    code = (
        "from masrepro.orchestration import parse;"
        'print(parse(\'create_agent(id="a", role="\\u2028", goal="g", tools=["search"])\').content_hash)'
    )
    environment = {"PYTHONHASHSEED": "7", "PYTHONPATH": ":".join(sys.path)}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    plan = parse('create_agent(id="a", role="\u2028", goal="g", tools=["search"])')
    assert out.stdout.strip() == plan.content_hash == "3c3759c063b3fa31"


def test_plan_can_be_copied_and_sent():
    for plan in (DIAMOND, Orchestration(answer="42")):
        for other in (copy.copy(plan), copy.deepcopy(plan), pickle.loads(pickle.dumps(plan))):
            assert other == plan and other.levels == plan.levels and other.content_hash == plan.content_hash
