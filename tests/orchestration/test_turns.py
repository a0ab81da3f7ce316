"""Systems built turn by turn: every valid system can be, and each rule that a turn can break is told with its place."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.bench.masbench.generate import make_item
from masrepro.orchestration import OrchestrationError
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.plan import Agent, Flow, Orchestration
from masrepro.orchestration.turns import Partial, take_turn, turns_of
from masrepro.train.desk_plans import PLAIN, draw_plan

A1 = 'create_agent(id="a1", role="solver", goal="Find x.", workflow="cot")'
A2 = 'create_agent(id="a2", role="solver", goal="", workflow="cot")'
A3 = 'create_agent(id="a3", role="solver", goal="Find ${a1}.", workflow="cot")'
FROM_A1 = 'create_flow(source="a1", target="a2", payload="x")'


def built(*turns, dom=DoM.HIGH):
    made = Partial()
    for turn in turns:
        assert isinstance(made, Partial), "a turn after the end"
        made = take_turn(turn, made, dom, catalogue=PLAIN)
    return made


@given(st.integers(0, 10**9))
def test_any_system_is_built_by_its_turns_and_every_state_is_a_system_of_its_newest_agent(seed):
    rng = Random(seed)
    plan = draw_plan(rng, make_item(rng.choice(["depth", "parallel"]), 4, "train", seed), DoM.HIGH)
    *steps, end = turns_of(plan)
    made = Partial()
    for n, step in enumerate(steps, start=1):
        made = take_turn(step, made, catalogue=PLAIN)
        assert len(made.agents) == n
        assert made.newest.sink == made.agents[-1].id
    whole = take_turn(end, made, catalogue=PLAIN)
    assert whole.content_hash == plan.content_hash


def test_what_does_not_lead_to_the_newest_agent_is_no_part_of_its_system():
    made = built(A1, A2, A3 + '\ncreate_flow(source="a1", target="a3")')
    assert [agent.id for agent in made.newest.agents] == ["a1", "a3"]
    assert made.newest.flows == (Flow("a1", "a3"),)


def test_a_direct_answer_is_the_first_turn_and_comes_back_as_one():
    plan = Orchestration(answer="\\boxed{7}")
    assert built(*turns_of(plan), dom=DoM.LOW) == plan
    assert turns_of(Orchestration((Agent("a1", "solver", ""),)))[-1] == 'answer(text="${a1}")'


def test_thinking_and_a_fence_are_tolerated():
    assert len(built(f"<think>\n{A2}\n</think>\n```\n{A1}\n```").agents) == 1


@pytest.mark.parametrize(
    ("turns", "rule", "where"),
    [
        (["Let me think."], "syntax", "line 1"),
        ([""], "nothing-built", "line 1"),
        ([FROM_A1], "no-agent", "the whole turn"),
        ([f"{A1}\n{A2}\n{FROM_A1}"], "several-agents", "line 2, column 1, agent 'a2'"),
        ([A1, A1], "duplicate-id", "agent 'a1'"),
        ([A1, A2, f"{A3}\n{FROM_A1}"], "acted-already", "line 2"),
        ([A1, f"{A2}\n{FROM_A1.replace('a1', 'a9')}"], "unknown-agent", "line 2"),
        ([A1, f"{A2}\n{FROM_A1}\n{FROM_A1}"], "duplicate-flow", "flow 'a1' -> 'a2'"),
        ([f'{A1}\ncreate_flow(source="a1", target="a1")'], "self-loop", "flow 'a1' -> 'a1'"),
        ([A3], "unknown-reference", "agent 'a3'"),
        ([A1, A3], "unknown-reference", "agent 'a3'"),
        ([A1.replace("cot", "debate")], "unknown-workflow", "agent 'a1'"),
        ([A1.replace('"a1"', '"a 1"')], "bad-id", "line 1"),
        ([A1, f'{A2}\n{FROM_A1}\nanswer(text="${{a2}}")'], "answer-beside-agents", "line 3"),
        ([A1, 'answer(text="7")'], "own-answer", "line 1"),
        ([A1, f"{A2}\n{FROM_A1}", 'answer(text="${a1}")'], "not-the-sink", "line 1"),
        ([A1, A2, 'answer(text="${a2}")'], "disconnected", "line 1"),
        (['answer(text="${a1}")'], "nothing-built", "line 1"),
        (['answer(text=" ")'], "empty-answer", "line 1"),
    ],
)
def test_a_broken_rule_is_named_with_its_place(turns, rule, where):
    with pytest.raises(OrchestrationError) as refused:
        built(*turns)
    assert (refused.value.rule, refused.value.where[: len(where)]) == (rule, where) or where in refused.value.where
    assert refused.value.rule == rule and refused.value.hint


def test_the_degree_bounds_the_agents_of_a_conversation():
    with pytest.raises(OrchestrationError) as refused:
        built(A1, f"{A2}\n{FROM_A1}", dom=DoM.LOW)
    assert refused.value.rule == "dom"
    assert built(A1, 'answer(text="${a1}")', dom=DoM.LOW).sink == "a1"
