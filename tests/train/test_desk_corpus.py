"""The solvers' training text: true to the questions, true to what was given, and all of it in the vocabulary."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.agents.cot import read_output
from masrepro.bench import score
from masrepro.bench.masbench.generate import make_item, split_of
from masrepro.models.desk import new_tokenizer
from masrepro.train.desk_corpus import draw_item, draw_rows, drill, goal_reply, phrases, recall, worked_reply

seeds = st.integers(0, 10**9)


@pytest.fixture(scope="module")
def tokenizer():
    return new_tokenizer(phrases())


@given(st.sampled_from([("depth", 2), ("depth", 7), ("depth", 12), ("parallel", 2), ("parallel", 8)]), seeds)
def test_worked_reply_is_scored_correct(cell, index):
    item = make_item(*cell, "train", index)
    reply, operations = worked_reply(item.problems)
    assert score(item.scorer, read_output(reply, "stop").answer, item.answer).outcome == "correct"
    assert operations == item.meta["operations"]


@given(seeds)
def test_every_step_of_a_reply_is_true(index):
    item = make_item("depth", 8, "train", index)
    reply, _ = worked_reply(item.problems)
    for a, sign, b, result in re.findall(r"is (\d+) ([-+*]) (\d+) = (\d+)\.", reply):
        assert eval(f"({a} {sign} {b}) % 23") == int(result)


@given(seeds, st.integers(0, 22))
def test_given_values_are_trusted_even_when_wrong(index, value):
    item = make_item("depth", 3, "train", index)
    problem = item.problems[0]
    given_index = max(p for p in problem.quantities[problem.query].parents if problem.levels[p] == 2)
    name = problem.quantities[given_index].name
    reply, operations = goal_reply(problem, problem.query, {name: value})
    assert f"{name} equals {value}." in reply
    assert operations == 1


@given(seeds)
def test_all_text_is_in_the_vocabulary_and_comes_back_unchanged(tokenizer, seed):
    rng = Random(seed)
    for row in draw_rows(rng, draw_item(rng)):
        for text in (row.prompt, row.reply):
            ids = tokenizer(text, add_special_tokens=False)["input_ids"]
            assert tokenizer.unk_token_id not in ids
            assert tokenizer.decode(ids) == text


@given(seeds)
def test_rows_are_about_the_train_split(seed):
    assert split_of(draw_item(Random(seed)).meta["template"]) == "train"


@given(seeds)
def test_recall_says_what_the_question_says(seed):
    rng = Random(seed)
    item = draw_item(rng)
    question, said = recall(item, rng)
    assert len(said) == item.meta["sentences"]
    for name, what in said:
        assert f"The number of each {name}{what}" in question


def test_drill_is_true_and_covers_all_operators():
    facts = drill(Random(1), 500)
    assert {question.split()[1] for question, _ in facts} == {"+", "-", "*"}
    for question, result in facts:
        a, sign, b, _ = question.split()
        assert eval(f"({a} {sign} {b}) % 23") == int(result)


def test_longest_texts_fit_the_context(tokenizer):
    longest = 0
    for index in range(150):
        for axis, value in (("depth", 12), ("parallel", 8)):
            item = make_item(axis, value, "test", index)
            reply, _ = worked_reply(item.problems)
            prompt, answer = tokenizer([item.question, reply], add_special_tokens=False)["input_ids"]
            longest = max(longest, len(prompt) + len(answer))
            assert len(answer) < 448
    assert longest < 1000
