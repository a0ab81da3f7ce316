"""What trajectories and decisions are worth: the paper's formula, and the choices that it leaves open."""

from dataclasses import replace
from decimal import Decimal
from math import inf, isfinite, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import end, node, templates, tree, trees

from masrepro.train.credit import Credit, exact_rewards, rewards, values

credits = st.builds(Credit, st.booleans(), st.booleans(), st.none() | st.floats(0.01, 5))
CHEAP_DEAR_WRONG = templates(("cheap", True, "1"), ("dear", True, "3"), ("wrong", False, "2"))


def worth(grown, **choices):
    return [reward for reward in rewards(grown, Credit(**choices)).values()]


def test_a_success_is_worth_the_mean_cost_over_its_own_and_a_failure_nothing():
    assert worth(CHEAP_DEAR_WRONG) == [2, pytest.approx(2 / 3), 0]


def test_the_mean_may_be_that_of_the_successes():
    grown = templates(("cheap", True, "1"), ("dear", True, "3"), ("wrong", False, "8"))
    assert worth(grown) == [4, pytest.approx(4 / 3), 0]
    assert worth(grown, failures_in_mean=False) == [2, pytest.approx(2 / 3), 0]


def test_what_the_meta_agents_cost_may_count():
    nodes = [node("g0", "a"), node("g1", "b")]
    grown = tree(nodes, [end("g0", True, "1", "3"), end("g1", True, "2", "0")])
    assert worth(grown) == [1.5, 0.75]
    assert worth(grown, counts_meta=True) == [0.75, 1.5]


def test_rewards_have_a_highest_only_if_told():
    grown = templates(("cheap", True, "1"), ("wrong", False, "99"))
    assert worth(grown) == [50, 0]
    assert worth(grown, cap=4.0) == [4, 0]


def test_a_cost_of_nothing_counts_as_the_least_that_any_path_cost():
    grown = templates(("free", True, "0"), ("cheap", True, "1"), ("dear", False, "5"))
    assert worth(grown) == [2, 2, 0]
    assert worth(grown, failures_in_mean=False) == [0.5, 0.5, 0]


def test_where_nothing_was_paid_all_successes_are_worth_one():
    assert worth(templates(("a", True, "0"), ("b", False, "0"))) == [1, 0]
    assert worth(templates(("a", True, "0"), ("b", False, "3")), failures_in_mean=False) == [1, 0]


@pytest.mark.parametrize("cap", [0.0, -1.0, inf, nan])
def test_a_cap_is_a_positive_number(cap):
    with pytest.raises(ValueError, match="must be a positive number"):
        Credit(cap=cap)


def test_a_decision_is_worth_the_mean_of_what_passes_through_it():
    nodes = [node("g0", "a"), node("g1", "b"), *(node(f"g0.i{k}", f"{k}", told="a") for k in range(3))]
    ends = [end("g0.i0", True, "1"), end("g0.i1", False, "1"), end("g0.i2", True, "2"), end("g1", False, "0")]
    assert values(tree(nodes, ends)) == {"g0": 0.5, "g1": 0, "g0.i0": 1, "g0.i1": 0, "g0.i2": 0.5}


@given(trees(), credits)
def test_rewards_are_finite_and_never_negative_and_those_of_failures_nothing(grown, credit):
    by_path = rewards(grown, credit)
    assert by_path.keys() == {one.path for one in grown.trajectories}
    for one in grown.trajectories:
        assert isfinite(by_path[one.path]) and (by_path[one.path] > 0) == one.success
        assert credit.cap is None or by_path[one.path] <= credit.cap


@given(trees(), credits)
def test_a_parent_is_worth_the_weighted_mean_of_its_children(grown, credit):
    value = values(grown, credit)
    for parent in grown.nodes:
        children = grown.children(parent.id)
        if children:
            weights = [len(grown.through(child.id)) for child in children]
            mean = sum(w * value[child.id] for w, child in zip(weights, children, strict=True)) / sum(weights)
            assert value[parent.id] == pytest.approx(mean, rel=1e-12)


@given(trees(), credits, st.decimals("0.001", 1000, places=3))
def test_another_currency_changes_nothing(grown, credit, rate):
    def exchanged(one):
        return replace(one, cost_usd=one.cost_usd * rate, meta_usd=one.meta_usd * rate)

    dear = replace(grown, trajectories=tuple(map(exchanged, grown.trajectories)))
    assert exact_rewards(dear, credit) == exact_rewards(grown, credit)


@given(trees(), st.booleans())
def test_the_mean_cost_of_successes_weighted_by_their_rewards_is_the_trees(grown, counts_meta):
    """R x C = mean C for every success that cost something: the formula read backwards."""
    credit = Credit(counts_meta=counts_meta)
    by_path = exact_rewards(grown, credit)
    costs = [one.cost_usd + (one.meta_usd if counts_meta else Decimal(0)) for one in grown.trajectories]
    for one, cost in zip(grown.trajectories, costs, strict=True):
        if one.success and cost:
            assert float(by_path[one.path]) * float(cost) == pytest.approx(float(sum(costs)) / len(costs))
