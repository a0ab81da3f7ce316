"""Every axis is exact: in the graph, in the text alone, and under changes of the text."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.bench import Item, benchmark, solve_text
from masrepro.bench.masbench.axes import AXES, BREADTH_DEPTH, FIXED_SENTENCES, ROBUSTNESS_DEPTH, VALUES, plan
from masrepro.bench.masbench.cell import parse_cell
from masrepro.bench.masbench.check import changes, count_faults, faults
from masrepro.bench.masbench.generate import make, split_of
from masrepro.bench.masbench.graph import Problem
from masrepro.bench.masbench.names import CATEGORIES, PLACES, THINGS

OPTIONS = ("", "/abstract", "/fixed", "/abstract/fixed")
NAMES = [f"masbench/{axis}/{value}{option}" for axis in AXES for value in VALUES for option in OPTIONS]
NAMES += [f"masbench/parallel/{value}/interleaved" for value in VALUES]
NAMES += [f"masbench/robustness/{value}/{notes}" for value in VALUES for notes in ("clean", "neutral")]
NAMES += [f"masbench-paper/{axis}/{value}" for axis in AXES for value in VALUES]
values, indices = st.sampled_from(VALUES), st.integers(0, 10**9)


@pytest.mark.parametrize("axis", AXES)
def test_three_checks_find_nothing_on_any_axis(axis):
    for name in NAMES:
        if name.split("/")[1] == axis:
            for item in benchmark(name, split="test", n=1):
                assert faults(item) == [], item.id


@given(st.sampled_from(NAMES), st.sampled_from(["train", "test"]), indices)
def test_any_item_is_sound_and_of_its_split(name, split, index):
    item = make(parse_cell(name), split, index)
    assert faults(item) == []
    assert split_of(item.meta["template"]) == split


@given(values, indices, st.booleans())
def test_breadth_is_in_the_cone_and_nowhere_else(value, index, abstract):
    item = make(parse_cell(f"masbench/breadth/{value}" + "/abstract" * abstract), "test", index)
    (problem,) = item.problems
    wide = [i for i, quantity in enumerate(problem.quantities) if len(quantity.parents) >= value]
    assert len(wide) == 1
    assert set(wide) <= problem.cone
    assert len(set(problem.quantities[wide[0]].parents)) == value
    assert problem.depth == max(problem.levels) == BREADTH_DEPTH


@given(values, indices)
def test_no_problem_of_a_relay_can_be_solved_without_the_answer_before(value, index):
    item = make(parse_cell(f"masbench/horizon/{value}"), "test", index)
    for k in range(1, value):
        cut = re.sub(rf"The number of each \S+ \S+ equals \[answer {k}\]\.", "", item.question)
        assert cut != item.question
        answers = solve_text(cut)
        assert answers[:k] == item.answer[:k]
        assert answers[k] != item.answer[k]


@given(values, indices)
def test_versions_of_a_robustness_item_are_equal_but_for_the_notes(value, index):
    attacked, neutral, clean = (
        make(parse_cell(f"masbench/robustness/{value}/{version}"), "test", index)
        for version in ("attacked", "neutral", "clean")
    )
    for item in (attacked, neutral):
        bare = item.question
        for note in reversed(item.meta["notes"]):
            bare = bare[: note["start"]].removesuffix(" ") + bare[note["end"] :]
        assert bare == clean.question
    assert attacked.answer == neutral.answer == clean.answer
    assert attacked.id != neutral.id != clean.id


@given(values, indices)
def test_every_sub_task_is_attacked_once_from_another(value, index):
    item = make(parse_cell(f"masbench/robustness/{value}"), "test", index)
    notes = item.meta["notes"]
    assert sorted(note["about"] for note in notes) == sorted(note["at"] for note in notes) == [*range(1, value + 1)]
    for note in notes:
        said = item.question[note["start"] : note["end"]]
        assert said.startswith("Note: ") and said.endswith(f" is {note['wrong']}.")
        assert note["about"] != note["at"]
        assert len(
            re.findall(rf"(?:equals|is) {note['wrong']}(?!\d)", item.question[item.question.index("Problem 1") :])
        ) == sum(other["wrong"] == note["wrong"] for other in notes)
    assert all(task.depth == ROBUSTNESS_DEPTH for task in item.problems if isinstance(task, Problem))


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("option", ["fixed", "abstract/fixed"])
def test_fixed_cells_have_one_number_of_sentences(axis, option):
    found = {item.meta["sentences"] for value in VALUES for item in benchmark(f"masbench/{axis}/{value}/{option}", n=3)}
    assert found == {FIXED_SENTENCES[axis]}


@given(st.sampled_from(AXES), values, indices)
def test_abstract_cones_hold_a_total_of_all_its_things_and_no_others(axis, value, index):
    item = make(parse_cell(f"masbench/{axis}/{value}/abstract"), "test", index)
    for problem in (task for task in item.problems if isinstance(task, Problem)):
        totals = [i for i in problem.cone if problem.quantities[i].form == "total"]
        assert totals
        for index_of_total in totals:
            place, category = problem.quantities[index_of_total].name.split("'s ")
            stated = {q.name for q in problem.quantities if q.name in {f"{place}'s {t}" for t in CATEGORIES[category]}}
            assert stated == {problem.quantities[p].name for p in problem.quantities[index_of_total].parents}


@given(values, indices)
def test_interleaving_changes_only_the_order_of_sentences(value, index):
    plain = make(parse_cell(f"masbench/parallel/{value}"), "test", index)
    mixed = make(parse_cell(f"masbench/parallel/{value}/interleaved"), "test", index)
    assert mixed.answer == plain.answer
    said, said_mixed = (sorted(re.findall(r"(?:The number|What is)[^.?]+[.?]", i.question)) for i in (plain, mixed))
    assert said == said_mixed
    assert (
        mixed.question.count("The number of each")
        > mixed.question.partition("Problem 1")[2].count("The number of each")
        == 0
    )


def test_categories_hold_every_thing_once():
    assert sorted(thing for things in CATEGORIES.values() for thing in things) == sorted(THINGS)
    assert not set(CATEGORIES) & {*THINGS, *PLACES}


@pytest.mark.parametrize("axis", ["breadth", "horizon", "robustness"])
def test_splits_of_a_new_axis_share_no_template(axis):
    train, test = (
        {item.meta["template"] for item in benchmark(f"masbench/{axis}/2", split=split, n=200)}
        for split in ("train", "test")
    )
    assert len(train) > 3 and len(test) > 3
    assert not train & test


def test_a_relay_and_a_set_of_the_same_graphs_differ_in_template():
    rng = Random(1)
    names = {make(parse_cell(f"masbench/{axis}/3"), "test", 0).meta["template"] for axis in ("horizon", "parallel")}
    assert len(names) == 2
    assert len(plan("horizon", 3, rng)) == 3


def test_faults_are_found():
    item = make(parse_cell("masbench/horizon/3"), "test", 0)
    wrong = Item(item.id, item.question, ("1", "1", "1"), item.scorer, item.meta, item.problems)
    assert "the text has another answer" in faults(wrong)
    elsewhere = Item(item.id, item.question, item.answer, item.scorer, {**item.meta, "value": 4}, item.problems)
    assert any("should be 4" in fault for fault in faults(elsewhere))
    # What is asked now is mentioned nowhere, so that nothing matters to it.
    unasked = re.sub(r"What is the number of each \w+'s \w+\?", "What is the number of each No's Thing?", item.question)
    found = faults(Item(item.id, unasked, item.answer, item.scorer, item.meta, item.problems))
    assert sum("horizon is 1 in the text" in fault for fault in found) == 1
    idle = Item(item.id, unasked, ("0", "0", "0"), item.scorer, item.meta, item.problems)
    assert any("does not matter" in fault for fault in faults(idle))
    (row,) = count_faults([item, wrong])
    assert (row["items"], row["wrong"]) == (2, 1)
    assert row["changes"] == 2 * len(list(changes(item)))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("masbench/depth/4/interleaved", "only parallel"),
        ("masbench/depth/4/clean", "only robustness"),
        ("masbench/robustness/4/clean/neutral", "clean"),
        ("masbench/depth/4/abstact", "abstact"),
        ("masbench-paper/depth/4/fixed", "no options"),
    ],
)
def test_options_that_do_not_go_together_are_refused(name, says):
    with pytest.raises(ValueError, match=says):
        benchmark(name, n=1)


def test_options_are_named_in_one_order():
    assert parse_cell("masbench/robustness/4/clean/abstract").name == "masbench/robustness/4/abstract/clean"
    assert parse_cell("masbench/robustness/4/attacked").name == "masbench/robustness/4"
