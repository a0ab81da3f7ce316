"""The oracle follows the item's graph; the single agent gets the question alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.baselines import Oracle, SingleAgent, system
from masrepro.bench.item import Item
from masrepro.bench.masbench.axes import AXES
from masrepro.bench.masbench.generate import make_item
from masrepro.orchestration import parse


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_one_agent_for_each_arithmetic_step(depth, index):
    item = make_item("depth", depth, "test", index)
    plan = Oracle().design(item)
    assert len(plan.agents) == item.problems[0].operations
    assert plan.longest_chain == depth - 1
    asked = item.problems[0].quantities[item.problems[0].query].name
    assert plan.agent(plan.sink).goal == f"Find the number of each {asked}."


@given(st.integers(2, 8), st.integers(0, 10**6))
def test_one_worker_for_each_problem_and_a_sink(value, index):
    plan = Oracle().design(make_item("parallel", value, "test", index))
    assert (len(plan.agents), plan.longest_chain, plan.width) == (value + 1, 2, value)
    assert [flow.payload for flow in plan.flows] == [f"Problem {k}" for k in range(1, value + 1)]


def test_oracle_survives_every_notation():
    for axis in AXES:
        plan = Oracle().design(make_item(axis, 4, "test", 0))
        for notation in ("calls", "xml", "tool_calls"):
            assert parse(plan.to(notation), notation=notation) == plan


def test_oracle_needs_a_graph():
    with pytest.raises(ValueError, match="no dependency graph"):
        Oracle().design(Item("x", "How many?", "1", "exact_int"))


def test_single_agent_has_no_goal_of_its_own():
    plan = SingleAgent().design(make_item("depth", 4, "test", 0))
    assert [agent.goal for agent in plan.agents] == [""]


def test_unknown_system_lists_those_there_are():
    assert system("oracle").name == "oracle"
    with pytest.raises(ValueError, match="single_agent, oracle"):
        system("orakel")


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_breadth_has_one_agent_for_each_computed_quantity_and_one_reads_them_all(value, index):
    item = make_item("breadth", value, "test", index)
    (problem,) = item.problems
    plan = Oracle().design(item)
    assert len(plan.agents) == sum(bool(problem.quantities[i].parents) for i in problem.cone) <= value + 2
    assert plan.longest_chain == problem.depth - 1


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_a_relay_passes_each_answer_on_and_gathers_all(value, index):
    plan = Oracle().design(make_item("horizon", value, "test", index))
    assert (len(plan.agents), plan.longest_chain) == (value + 1, value + 1)
    assert [(f.source, f.target) for f in plan.flows if f.target != "sink"] == [
        (f"a{k}", f"a{k + 1}") for k in range(1, value)
    ]
    assert len(plan.inputs("sink")) == value


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_robustness_has_a_worker_for_each_sub_task_needles_too(value, index):
    item = make_item("robustness", value, "test", index)
    plan = Oracle().design(item)
    assert (len(plan.agents), plan.longest_chain, plan.width) == (value + 1, 2, value)
    assert plan.agent("a2").goal == f"Find {item.problems[1].asked}."
    assert plan.agent("a2").goal.startswith("Find the code of the ")
