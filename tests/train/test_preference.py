"""Pairs of actions: who is above whom, by how much, and what is no pair."""

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import end, node, templates, tree, trees

from masrepro.train.credit import Credit
from masrepro.train.preference import Preference, held_out, mean_one, preferences, widest
from masrepro.train.tree import Tree

credits = st.builds(Credit, st.booleans(), st.booleans(), st.none() | st.floats(0.01, 5))


def told(pairs):
    return [(pair.win, pair.lose, pair.delta) for pair in pairs]


def pair(item, delta, role="generator", win="a"):
    return Preference(role, f"item-{item}", node("g0", "").prompt, win, "z", delta)


def test_siblings_of_different_value_make_pairs_the_better_first():
    grown = templates(("wrong", False, "2"), ("cheap", True, "1"), ("dear", True, "3"))
    assert told(preferences(grown)) == [
        ("cheap", "wrong", 2),
        ("dear", "wrong", pytest.approx(2 / 3)),
        ("cheap", "dear", pytest.approx(4 / 3)),
    ]
    assert {(one.role, one.item_id, one.prompt) for one in preferences(grown)} == {
        ("generator", "item-1", node("g0", "").prompt)
    }


def test_every_role_gets_the_pairs_of_its_own_contexts():
    nodes = [node("g0", "a"), node("g1", "b"), node("g0.i0", "s", told="a"), node("g0.i1", "m", told="a")]
    nodes += [node("g0.i1.r0", "retry", told="down"), node("g0.i1.r1", "swap", told="down")]
    ends = [end("g0.i0", True, "1"), end("g0.i1.r0", False, "1"), end("g0.i1.r1", True, "2"), end("g1", False, "0")]
    pairs = preferences(tree(nodes, ends))
    assert [(one.role, one.win, one.lose) for one in pairs] == [
        ("generator", "a", "b"),
        ("implementer", "s", "m"),
        ("rectifier", "swap", "retry"),
    ]


def test_failures_alone_give_no_pairs_and_successes_alone_those_of_cost():
    assert preferences(templates(("a", False, "1"), ("b", False, "2"), ("c", False, "0"))) == []
    assert told(preferences(templates(("a", True, "1"), ("b", True, "3")))) == [("a", "b", pytest.approx(4 / 3))]
    assert preferences(templates(("a", True, "2"), ("b", True, "2"))) == []


def test_a_text_that_could_not_be_read_loses_like_any_other_failure():
    assert told(preferences(templates(("good", True, "1"), ("oops", False, "0")))) == [("good", "oops", 0.5)]


def test_equal_texts_are_one_action_with_the_trajectories_of_both():
    grown = templates(("same", True, "1"), ("same", False, "1"), ("other", True, "1"), ("other", True, "1"))
    assert told(preferences(grown)) == [("other", "same", 0.5)]
    assert preferences(templates(("same", True, "1"), ("same", False, "1"))) == []


def test_what_follows_equal_texts_is_one_context():
    nodes = [node("g0", "same"), node("g1", "same"), node("g0.i0", "s", told="same"), node("g1.i0", "m", told="same")]
    grown = tree(nodes, [end("g0.i0", True, "1"), end("g1.i0", False, "1")])
    assert [(one.role, one.win, one.lose, one.delta) for one in preferences(grown)] == [("implementer", "s", "m", 1)]


def test_equal_values_make_no_pair_though_a_sum_of_floats_would_tell_them_apart():
    nodes = [node("g0", "a"), node("g1", "b")]
    nodes += [node(f"{up}.i{k}", f"{k}", told=up) for up in ("g0", "g1") for k in range(3)]
    ends = [end(f"g0.i{k}", True, cost) for k, cost in enumerate(("1", "2", "11"))]
    ends += [end(f"g1.i{k}", True, cost) for k, cost in enumerate(("11", "2", "1"))]
    assert [one for one in preferences(tree(nodes, ends)) if one.role == "generator"] == []


def test_a_least_difference_drops_what_is_below_it():
    grown = templates(("cheap", True, "1"), ("dear", True, "3"), ("wrong", False, "2"))
    assert [one[:2] for one in told(preferences(grown, least=1.0))] == [("cheap", "dear"), ("cheap", "wrong")]


@given(trees(), credits)
def test_a_pair_is_of_two_texts_for_one_context_once_and_its_delta_positive(grown, credit):
    pairs = preferences(grown, credit)
    assert all(one.delta > 0 and one.win != one.lose for one in pairs)
    met = [(one.role, one.prompt, frozenset((one.win, one.lose))) for one in pairs]
    assert len(set(met)) == len(met)


@given(trees(), credits)
def test_a_saved_tree_is_scored_again_without_a_model(grown, credit):
    assert preferences(Tree.from_json(grown.to_json()), credit) == preferences(grown, credit)


@given(trees(), credits)
def test_without_a_success_or_without_a_difference_there_is_no_pair(grown, credit):
    def with_all(**values):
        return replace(grown, trajectories=tuple(replace(one, **values) for one in grown.trajectories))

    assert preferences(with_all(success=False), credit) == []
    alike = (
        with_all(success=True, cost_usd=grown.trajectories[0].cost_usd, meta_usd=grown.trajectories[0].meta_usd)
        if grown.trajectories
        else grown
    )
    assert preferences(alike, credit) == []


def test_of_a_context_the_pairs_that_differ_most_are_kept():
    pairs = [pair(1, 0.1), pair(1, 0.4), pair(1, 0.3), pair(2, 0.2), pair(1, 0.1, role="implementer")]
    assert [one.delta for one in widest(pairs, 2)] == [0.4, 0.3, 0.2, 0.1]
    assert widest(pairs, 9) == pairs


def test_questions_are_held_out_whole_and_the_same_for_a_seed():
    pairs = [pair(item, 0.5, win=f"{draw}") for item in range(10) for draw in range(3)]
    learned, apart = held_out(pairs, 0.2, seed=3)
    assert len(learned) == 24 and len(apart) == 6
    assert not {one.item_id for one in learned} & {one.item_id for one in apart}
    assert held_out(pairs[::-1], 0.2, seed=3)[0] == learned[::-1]
    assert any(held_out(pairs, 0.2, seed=seed)[0] != learned for seed in range(5))


@pytest.mark.parametrize(
    ("n_items", "share", "n_apart"), [(1, 0.5, 0), (2, 0.01, 1), (2, 0.99, 1), (9, 0.0, 0), (0, 0.1, 0)]
)
def test_one_question_is_always_learned_from_and_one_held_out_where_there_are_two(n_items, share, n_apart):
    learned, apart = held_out([pair(item, 0.5) for item in range(n_items)], share, seed=1)
    assert (len(learned), len(apart)) == (n_items - n_apart, n_apart)


def test_deltas_are_divided_by_their_mean():
    assert [one.delta for one in mean_one([pair(1, 1.0), pair(2, 3.0)])] == [0.5, 1.5]
    assert mean_one([]) == []


def test_trees_are_scored_without_torch():
    program = "import sys, masrepro.train.preference; print('torch' in sys.modules, 'transformers' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
