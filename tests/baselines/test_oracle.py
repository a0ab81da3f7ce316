"""The oracle follows the item's graph; the single agent gets the question alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.baselines import Oracle, SingleAgent, Star, system
from masrepro.bench.item import Item
from masrepro.bench.masbench.axes import AXES
from masrepro.bench.masbench.generate import make_item
from masrepro.lab.params import FiveAxesParams
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
def test_problems_side_by_side_and_a_sink(value, index):
    item = make_item("parallel", value, "test", index)
    plan = Oracle().design(item)
    assert len(plan.agents) == item.meta["operations"] + 1
    assert [flow.payload for flow in plan.inputs("sink")] == [f"Problem {k}" for k in range(1, value + 1)]
    assert plan.longest_chain == 3


@given(st.integers(2, 8), st.integers(0, 10**6))
def test_star_is_one_worker_for_each_problem_and_a_sink(value, index):
    plan = Star().design(make_item("parallel", value, "test", index))
    assert (len(plan.agents), plan.longest_chain, plan.width) == (value + 1, 2, value)
    assert [flow.payload for flow in plan.flows] == [f"Problem {k}" for k in range(1, value + 1)]


def test_star_over_one_problem_is_one_agent():
    item = make_item("depth", 4, "test", 0)
    assert [agent.goal for agent in Star().design(item).agents] == [f"Find {item.problems[0].asked}."]


@given(st.sampled_from(AXES), st.integers(2, 12), st.integers(0, 10**6))
def test_bound_on_the_oracles_calls_holds(axis, value, index):
    n_agents = len(Oracle().design(make_item(axis, value, "test", index)).agents)
    params = FiveAxesParams(axes={axis: (value,)}, n_samples=1, systems=("oracle",))
    assert n_agents <= params.bound().calls


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
    with pytest.raises(ValueError, match="single_agent, star, oracle"):
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
    item = make_item("horizon", value, "test", index)
    plan = Oracle().design(item)
    carried = [flow for flow in plan.flows if flow.payload.startswith("Problem") and flow.target != "sink"]
    assert {flow.payload for flow in carried} == {f"Problem {k}" for k in range(1, value)}
    assert {flow.source for flow in carried} < {flow.source for flow in plan.inputs("sink")}
    assert len(plan.inputs("sink")) == value
    relay = Star().design(item)
    assert (len(relay.agents), relay.longest_chain) == (value + 1, value + 1)


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_robustness_has_agents_for_each_chain_and_one_for_each_needle(value, index):
    item = make_item("robustness", value, "test", index)
    plan = Oracle().design(item)
    codes = [agent.goal for agent in plan.agents if agent.goal.startswith("Find the code of the ")]
    assert codes == [f"Find {task.asked}." for task in item.problems[1::2]]
    assert len(plan.agents) == item.meta["operations"] + len(codes) + 1
