"""Success, cost and reward of systems from their runs, worked out by hand."""

import pytest
from mas2_runs import one

from masrepro.report.mas2_points import cost_ratio, run_rewards, success_difference, system_points
from masrepro.train.credit import Credit, rewards
from masrepro.train.tree import Node, Trajectory, Tree


def test_the_reward_is_success_over_normalised_cost():
    runs = [one("a", usd="1"), one("b", usd="3"), one("c", usd="2", solved=False)]
    assert run_rewards(runs) == [2.0, pytest.approx(2 / 3), 0.0]


def test_costs_are_normalised_within_one_item_and_fault():
    runs = [one("a", 0, usd="1"), one("b", 0, usd="3"), one("a", 1, usd="100"), one("a", 0, usd="7", fault="tool down")]
    assert run_rewards(runs) == [2.0, pytest.approx(2 / 3), 1.0, 1.0]


def test_the_meta_agents_cost_is_counted_where_told():
    runs = [one("a", usd="1", meta_usd="3"), one("b", usd="2")]
    assert run_rewards(runs) == [1.5, 0.75]
    assert run_rewards(runs, counts_meta=True) == [0.75, 1.5]


def test_a_cost_of_nothing_counts_as_the_least_that_was_paid():
    assert run_rewards([one("a", usd="0"), one("b", usd="2")]) == [0.5, 0.5]
    assert run_rewards([one("a", usd="0"), one("b", usd="0", solved=False)]) == [1.0, 0.0]


@pytest.mark.parametrize("counts_meta", [False, True])
def test_rewards_are_those_of_the_paths_of_a_tree(counts_meta):
    runs = [
        one("a", usd="1", meta_usd="0.5"),
        one("b", usd="0", meta_usd="0.2", solved=False, outcome="invalid"),
        one("c", usd="0.3", meta_usd="0.1"),
    ]
    nodes = tuple(Node(run.variant, None, "generator", (), run.variant, run.meta_usage) for run in runs)
    ends = tuple(
        Trajectory((run.variant,), run.outcome == "correct", run.usage.cost_usd, run.meta_usage.cost_usd, run.outcome)
        for run in runs
    )
    by_path = rewards(Tree("i0", "b", "?", "none", nodes, ends), Credit(counts_meta=counts_meta))
    assert run_rewards(runs, counts_meta=counts_meta) == pytest.approx([by_path[run.variant,] for run in runs])


def test_an_unknown_price_leaves_reward_and_cost_unknown():
    runs = [one("a", usd=None), one("b", usd="1")]
    assert run_rewards(runs) == [None, None]
    first, second = system_points(runs)
    assert first.usd is None and first.cost(counts_meta=False) is None and first.reward is None
    assert second.usd is not None and second.reward is None
    assert cost_ratio(runs, "a", "b", counts_meta=False) is None


def test_repeats_and_faults_of_an_item_are_averaged_first():
    runs = [
        one("a", 0, solved=True),
        one("a", 0, solved=False, fault="tool down"),
        one("a", 0, solved=True, repeat=1),
        one("a", 0, solved=False, fault="tool down", repeat=1),
        one("a", 1, solved=False),
    ]
    (point,) = system_points(runs)
    assert point.n == 2 and point.success.value == 0.25
    assert dict(point.scores) == {("b", "i0"): 0.5, ("b", "i1"): 0.0}


def test_gains_are_paired_with_the_reference():
    runs = [one("base", item, solved=item < 2, usd="1") for item in range(10)]
    runs += [one("new", item, solved=item < 6, usd="2") for item in reversed(range(10))]
    base, new = system_points(runs, "base")
    assert base.gain is None and base.reward_gain is None
    assert new.gain.value == pytest.approx(0.4) and new.gain.low < 0.4 < new.gain.high
    assert new.reward.value == pytest.approx(0.6 * 0.75) and base.reward.value == pytest.approx(0.2 * 1.5)
    assert new.reward_gain.value == pytest.approx(0.6 * 0.75 - 0.2 * 1.5)
    assert cost_ratio(runs, "new", "base", counts_meta=False).value == 2.0
    assert success_difference(runs, "new", ["base"]).value == pytest.approx(0.4)


def test_a_gain_over_the_mean_of_several():
    runs = [
        one(name, item, solved=solved) for item in range(4) for name, solved in (("a", True), ("b", False), ("c", True))
    ]
    assert success_difference(runs, "c", ["a", "b"]).value == 0.5


def test_an_error_without_a_fault_leaves_no_number_and_with_one_is_a_failure():
    runs = [one("a", 0), one("a", 1, outcome="error"), one("b", 0), one("b", 1)]
    first, second = system_points(runs, "a")
    assert first.errors == 1 and first.success is None and first.by_benchmark == {} and second.gain is None
    assert success_difference(runs, "b", ["a"]) is None
    (point,) = system_points([one("a", 0), one("a", 1, outcome="error", fault="back-end down")])
    assert point.errors == 0 and point.success.value == 0.5 and point.ended == "correct 1, error 1"


def test_systems_on_other_problems_are_not_compared():
    with pytest.raises(ValueError, match=r"'b' and 'a' did not run on the same problems; 1 are in one only"):
        system_points([one("a", 0), one("a", 1), one("b", 0)], "a")
    with pytest.raises(ValueError, match="no runs of the reference 'c'; there are: a"):
        system_points([one("a")], "c")


def test_what_stands_in_a_point():
    point = system_points([one("a", usd="0.25", meta_usd="0.5", benchmark=name) for name in ("x", "y")])[0]
    assert list(point.by_benchmark) == ["x", "y"]
    assert (point.cost(counts_meta=False), point.cost(counts_meta=True)) == (0.25, 0.75)
    assert (point.tokens, point.meta_tokens, point.agents, point.repairs) == (11, 11, 2, 1)
