"""Which questions are learned from: equal parts, one order a seed, never a test item."""

import pytest

from masrepro.bench import benchmark
from masrepro.orchestration.dom import DoM
from masrepro.train.mix import Mix, assignments

CELLS = ("masbench/depth/3", "masbench/robustness/2", "masbench/robustness/2/clean")
MIX = Mix(CELLS, (DoM.LOW, DoM.HIGH), seed=1, n_items=50)


def names(given):
    return [(one.cell, str(one.dom), one.item.id) for one in given]


def test_every_pair_of_benchmark_and_degree_comes_once_a_round():
    given = assignments(MIX, 12)
    for start in (0, 6):
        pairs = {(one.cell, str(one.dom)) for one in given[start : start + 6]}
        assert pairs == {(cell, dom) for cell in CELLS for dom in ("LOW", "HIGH")}


def test_a_longer_training_begins_with_the_same_questions():
    assert names(assignments(MIX, 12))[:7] == names(assignments(MIX, 7))


def test_a_seed_fixes_items_and_order():
    other = Mix(CELLS, MIX.doms, seed=2, n_items=50)
    assert names(assignments(MIX, 12)) == names(assignments(MIX, 12))
    assert {name[2] for name in names(assignments(MIX, 12))} != {name[2] for name in names(assignments(other, 12))}


def test_items_come_from_the_train_split_and_again_only_when_all_were_used():
    mix = Mix(("masbench/parallel/2",), (DoM.HIGH,), seed=1, n_items=4)
    ids = [one.item.id for one in assignments(mix, 8)]
    assert len(set(ids[:4])) == 4 and set(ids[:4]) == set(ids[4:])
    assert set(ids) == {item.id for item in benchmark("masbench/parallel/2", split="train", n=4)}


def test_notes_are_left_out_where_the_cell_says_so():
    given = assignments(MIX, 6)
    assert all(("Note: " in one.item.question) == (one.cell == "masbench/robustness/2") for one in given)


def test_a_benchmark_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no benchmark 'nothing'"):
        assignments(Mix(("nothing",), (DoM.HIGH,), 1), 1)
