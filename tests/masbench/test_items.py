"""MASBench items: exact axes, true answers, disjoint splits, and the same item for ever."""

import os
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.bench import benchmark, solve_text
from masrepro.bench.masbench.generate import make_item, split_of

CELLS = [(axis, value) for axis in ("depth", "parallel") for value in range(2, 13)]
cells = st.sampled_from(CELLS)
indices = st.integers(0, 10**9)
splits = st.sampled_from(["train", "test"])


@pytest.mark.parametrize(("axis", "value"), CELLS)
def test_axis_value_and_answer_are_exact(axis, value):
    for item in benchmark(f"masbench/{axis}/{value}", split="test", n=60):
        assert solve_text(item.question) == item.answer
        measured = len(item.problems) if axis == "parallel" else item.problems[0].depth
        assert measured == value == item.meta[axis]


@given(cells, splits, indices)
def test_any_item_of_any_split_is_true_to_its_text(cell, split, index):
    item = make_item(*cell, split, index)
    assert solve_text(item.question) == item.answer
    assert split_of(item.meta["template"]) == split


@given(cells, indices)
def test_every_stated_number_of_the_cone_changes_the_answer(cell, index):
    item = make_item(*cell, "test", index)
    for number, problem in enumerate(item.problems):
        for position in problem.cone:
            quantity = problem.quantities[position]
            if quantity.form in ("constant", "more", "times"):
                stated = f"The number of each {quantity.name} equals {quantity.constant}"
                changed = f"The number of each {quantity.name} equals {(quantity.constant + 1) % 23}"
                text = re.sub(re.escape(stated) + r"(?!\d)", changed, item.question)
                before, after = item.answer, solve_text(text)
                if isinstance(before, tuple):
                    before, after = before[number], after[number]
                assert after != before, f"{quantity.name} does not matter"


@given(cells, indices)
def test_no_name_appears_in_two_problems(cell, index):
    item = make_item(*cell, "test", index)
    names = [quantity.name for problem in item.problems for quantity in problem.quantities]
    assert len(names) == len(set(names))


@given(st.integers(2, 8), indices)
def test_problems_of_a_set_are_solvable_from_their_own_facts(value, index):
    item = make_item("parallel", value, "test", index)
    blocks = re.split(r"\n\n", item.question)[1:-1]
    alone = tuple(solve_text(re.sub(r"^Problem \d+: ", "", block)) for block in blocks)
    assert alone == item.answer


@given(st.integers(2, 12), indices)
def test_distractors_do_not_feed_the_answer_and_end_no_longer_chain(value, index):
    item = make_item("depth", value, "test", index)
    problem = item.problems[0]
    assert max(problem.levels) == value
    assert len(problem.quantities) - len(problem.cone) == item.meta["distractors"] == 3
    assert problem.operations == value - 1


def test_splits_share_no_template():
    for axis, value in [("depth", 2), ("depth", 3), ("depth", 6), ("parallel", 2)]:
        train, test = (
            {item.meta["template"] for item in benchmark(f"masbench/{axis}/{value}", split=split, n=300)}
            for split in ("train", "test")
        )
        assert train
        assert not train & test


@pytest.mark.parametrize(("axis", "value"), [("depth", 2), ("depth", 12), ("parallel", 3)])
def test_ids_and_questions_are_unique(axis, value):
    items = benchmark(f"masbench/{axis}/{value}", split="test", n=2000)
    assert len({item.id for item in items}) == len({item.question for item in items}) == 2000


def test_item_does_not_depend_on_how_many_are_made():
    many = benchmark("masbench/depth/4", split="test", n=8)
    assert benchmark("masbench/depth/4", split="test", n=2, start=5) == many[5:7]


GOLDEN = {
    "masbench/depth/2": "ce7ff13b44cc72d7",
    "masbench/depth/12": "eb86c3941b08c901",
    "masbench/parallel/2": "c258de68c49d5b37",
    "masbench/parallel/12": "d1e24db3a12224ed",
    "masbench/breadth/2": "dbd9068357f3e1ee",
    "masbench/breadth/12": "6cc1f6fb91949707",
    "masbench/horizon/2": "00a5ea8d88841507",
    "masbench/horizon/12": "9e3fa2938bba9b04",
    "masbench/robustness/2": "f8b164a220c2389b",
    "masbench/robustness/12": "d765473516e81107",
    "masbench/robustness/2/neutral": "c0e1fdc9bac1a106",
    "masbench/robustness/2/clean": "4962ecc1aadaeaf6",
    "masbench/depth/4/abstract": "0d9af568474ab16d",
    "masbench/breadth/4/abstract/fixed": "8d18447795a13388",
    "masbench/horizon/4/abstract": "d8116ef84b8184f9",
    "masbench/parallel/4/interleaved": "eed9ebfa7f9666b0",
    "masbench/robustness/4/fixed": "1d4996fdb080230d",
    "masbench-paper/depth/4": "8bba7ec1dc59c649",
    "masbench-paper/breadth/4": "e31d3294dea93fd9",
    "masbench-paper/horizon/4": "dbc688f2bd6661c7",
    "masbench-paper/parallel/4": "088f0624511f8f40",
    "masbench-paper/robustness/4": "e2736456c88d252c",
}
DIGEST = """
import json, sys
from hashlib import sha256
from masrepro.bench import benchmark
for name in sys.argv[1:]:
    items = benchmark(name, split="test", n=50)
    print(sha256(json.dumps([[i.id, i.question, i.answer] for i in items]).encode()).hexdigest()[:16])
"""


@pytest.mark.parametrize("hash_seed", ["0", "77"])
def test_items_never_change(hash_seed):
    command = [sys.executable, "-c", DIGEST, *GOLDEN]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert out.stdout.split() == list(GOLDEN.values())


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("masbench/depht/4", "axis"),
        ("masbench/depth/13", "2 to 12"),
        ("masbench/depth/1", "2 to 12"),
        ("masbench/depth", "masbench/<axis>/<value>"),
        ("gsm9k", "no benchmark 'gsm9k'"),
    ],
)
def test_unknown_benchmark_says_what_there_is(name, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        benchmark(name, n=1)


def test_unknown_split_says_which_there_are():
    with pytest.raises(ValueError, match="train and test"):
        benchmark("masbench/depth/4", split="dev", n=1)
