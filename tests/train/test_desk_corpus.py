"""The solvers' training text: true to the questions, true to what was given, and all of it in the vocabulary."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.agents.cot import read_output
from masrepro.bench import score
from masrepro.bench.masbench.axes import AXES
from masrepro.bench.masbench.generate import make_item, split_of
from masrepro.bench.masbench.needle import Needle
from masrepro.models.desk import CONTEXT_TOKENS, new_tokenizer
from masrepro.train.desk_corpus import draw_item, draw_rows, drill, recall
from masrepro.train.desk_replies import NOTATIONS, NUMBERED, number_reply, quantity_reply, whole_reply
from masrepro.train.desk_words import phrases
from masrepro.train.desk_work import Given

seeds = st.integers(0, 10**9)
cells = st.tuples(st.sampled_from(AXES), st.integers(2, 12))
notations = st.sampled_from(list(NOTATIONS))


@pytest.fixture(scope="module")
def tokenizers():
    return {notation: new_tokenizer(phrases(notation)) for notation in NOTATIONS}


@pytest.fixture(scope="module")
def tokenizer(tokenizers):
    return tokenizers["nested"]


def answer_of(reply):
    return read_output(reply.text, "stop").answer


@given(cells, seeds, notations)
def test_whole_reply_is_scored_correct(cell, index, notation):
    item = make_item(*cell, "train", index)
    reply = whole_reply(item.problems, notation=notation)
    assert score(item.scorer, answer_of(reply), item.answer).outcome == "correct"
    if notation == NUMBERED:
        assert reply.operations >= item.meta["operations"]  # what is read twice is worked out twice
    else:
        assert reply.operations == item.meta["operations"]


@given(cells, seeds, notations)
def test_every_step_of_a_reply_is_true_and_counted(cell, index, notation):
    reply = whole_reply(make_item(*cell, "train", index).problems, notation=notation)
    steps = re.findall(r"(\d+) ([-+*]) (\d+) = (\d+)\b", reply.text)
    assert len(steps) == reply.operations
    for a, sign, b, result in steps:
        assert eval(f"({a} {sign} {b}) % 23") == int(result)


@given(cells, seeds)
def test_every_quote_stands_in_the_question(cell, index):
    item = make_item(*cell, "train", index)
    for quoted in re.findall(r"(?:^|[.:,] )([^.:,]+ equals [^.]+\.)", whole_reply(item.problems).text):
        assert quoted in item.question


@given(cells, seeds)
def test_every_quote_is_for_a_quantity_that_was_quoted_before_and_reads_it(cell, index):
    text = whole_reply(make_item(*cell, "train", index).problems).text
    for start in re.finditer(r"For ([^.,]+), ([^.,]+?) (?:equals|is) ", text):
        reader, name = start.groups()
        assert re.search(rf"{reader} equals [^.]*\b{name}\b", text[: start.start()])


@given(cells, seeds)
def test_operands_are_taken_one_by_one_with_what_they_are_worth(cell, index):
    text = whole_reply(make_item(*cell, "train", index).problems).text
    for taken in re.finditer(r" takes ([^.]+?) (?:\d+ [-+*] )?(\d+)(?: = \d+)?\.", text):
        name, value = taken.groups()
        found = rf"{name} (?:for [^.]+ )?(?:is|equals) (?:\d+ . \d+ = )?(\d+)\."
        assert re.findall(found, text[: taken.start()])[-1] == value


@given(cells, seeds)
def test_every_result_names_its_reader_beside(cell, index):
    text = whole_reply(make_item(*cell, "train", index).problems).text
    for result in re.finditer(r"([A-Z][^.,:]+?) for ([^.]+?) is [^.]*\. (\S+ \S+)", text):
        name, reader, next_name = result.groups()
        assert f"For {reader}, {name} equals " in text[: result.start()]
        assert next_name == reader


@given(cells, seeds)
def test_numbered_lines_quote_the_question_in_the_order_of_being_mentioned(cell, index):
    item = make_item(*cell, "train", index)
    text = whole_reply(item.problems, notation=NUMBERED).text
    lines = re.finditer(r"\[(\d+)\] ([^.:]+ equals [^.]+\.)", text)
    for n_quoted, quoted in enumerate(lines, start=1):
        assert int(quoted[1]) == n_quoted
        name = quoted[2].partition(" equals ")[0]
        assert n_quoted == 1 or re.search(rf"(each \[{n_quoted}\]|:) {name}\b", text[: quoted.start()])
        assert re.sub(r"\[\d+\] ", "", quoted[2]) in item.question


@given(cells, seeds)
def test_numbered_operands_are_worth_what_was_found_for_their_number(cell, index):
    text = whole_reply(make_item(*cell, "train", index).problems, notation=NUMBERED).text
    for line in re.finditer(r"\] takes ([^.]+)\.", text):
        for number, value in re.findall(r"\[(\d+)\] (\d+)", line[1]):
            assert f"[{number}] {value}." in text[: line.start()]


@given(st.integers(2, 12), seeds, notations)
def test_one_problem_of_a_set_is_answered_by_its_number(value, index, notation):
    for axis in ("parallel", "robustness"):
        item = make_item(axis, value, "train", index)
        for number, truth in enumerate(item.answer, start=1):
            assert answer_of(number_reply(item.problems, number, notation=notation)) == f"\\boxed{{{truth}}}"


@given(seeds, st.integers(0, 22), notations)
def test_given_values_are_trusted_even_when_wrong(index, value, notation):
    item = make_item("depth", 3, "train", index)
    problem = item.problems[0]
    given_index = max(p for p in problem.quantities[problem.query].parents if problem.levels[p] == 2)
    name = problem.quantities[given_index].name
    reply = quantity_reply(item.problems, 1, problem.query, Given({name: value}), notation=notation)
    assert f"{name} equals {value}." in reply.text
    assert reply.operations == 1


@given(seeds, st.integers(0, 22))
def test_a_carried_answer_is_trusted_and_what_came_before_is_not_worked_out(index, value):
    item = make_item("horizon", 3, "train", index)
    reply = number_reply(item.problems, 3, Given(answers={2: value}))
    carried = item.problems[2].quantities[0]
    assert re.search(rf"{carried.name} equals \[answer 2\]\. {carried.name} (for [^.]+ )?is {value}\.", reply.text)
    assert reply.operations == item.problems[2].operations


@given(seeds, st.integers(0, 22))
def test_numbered_work_trusts_a_carried_answer_too(index, value):
    item = make_item("horizon", 3, "train", index)
    reply = number_reply(item.problems, 3, Given(answers={2: value}), notation=NUMBERED)
    number = re.search(rf"\[(\d+)\] {item.problems[2].quantities[0].name} equals \[answer 2\]", reply.text)[1]
    assert f" [{number}] {value}." in reply.text
    assert "Problem 2" not in reply.text


@given(seeds, notations)
def test_a_carried_answer_that_did_not_arrive_is_worked_out(index, notation):
    item = make_item("horizon", 4, "train", index)
    assert answer_of(number_reply(item.problems, 4, notation=notation)) == f"\\boxed{{{item.answer[3]}}}"


@given(seeds, notations)
def test_all_text_is_in_the_vocabulary_and_comes_back_unchanged(tokenizers, seed, notation):
    rng, tokenizer = Random(seed), tokenizers[notation]
    for row in draw_rows(rng, draw_item(rng), notation):
        for text in (row.prompt, row.reply):
            ids = tokenizer(text, add_special_tokens=False)["input_ids"]
            assert tokenizer.unk_token_id not in ids
            assert tokenizer.decode(ids) == text


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_any_text_in_ascii_comes_back_unchanged(tokenizer, text):
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(ids) == text


def test_a_number_is_one_token_up_to_the_modulus_and_digits_beyond(tokenizer):
    assert tokenizer.tokenize("22") == ["22"]
    assert tokenizer.tokenize("23") == ["2", "3"]
    assert tokenizer.tokenize("2101537") == list("2101537")
    assert tokenizer.tokenize("a13") == ["a", "13"]


@given(seeds)
def test_rows_are_about_the_train_split(seed):
    assert split_of(draw_item(Random(seed)).meta["template"]) == "train"


@given(seeds)
def test_no_note_in_training_says_anything_about_what_is_asked(seed):
    rng = Random(seed)
    item = draw_item(rng)
    while item.meta["axis"] != "robustness":
        item = draw_item(rng)
    for note in re.findall(r"Note: (.+?) is \d+\.", item.question):
        assert item.question.lower().count(note.lower()) == 1


@given(seeds, notations)
def test_recall_says_what_the_question_says(seed, notation):
    rng = Random(seed)
    item = draw_item(rng)
    question, said = recall(item, rng, notation)
    numbers = [int(number) for pair in said for half in pair for number in re.findall(r"\[(\d+)\] ", half)]
    assert numbers == [n + 1 for n in range(len(numbers))]
    assert numbers == [] or notation == NUMBERED
    asked = [task.asked for task in item.problems]
    for start, end in ((re.sub(r"\[\d+\] ", "", a), re.sub(r"\[\d+\] ", "", b)) for a, b in said):
        if start.startswith("Problem "):
            task = item.problems[int(start[8:-2]) - 1]
            assert end.removeprefix("The code of the ") in task.asked
        elif start.startswith("The code"):
            assert f"{start}{end}" in question
        else:
            assert f"The number of each {start}{end}" in question
    n_needles = sum(isinstance(task, Needle) for task in item.problems)
    n_facts = sum(len(task.quantities) for task in item.problems if not isinstance(task, Needle)) + n_needles
    assert len(said) == n_facts + (len(asked) if len(asked) > 1 else 0)


@given(seeds)
def test_recall_of_what_is_asked_names_each_problem_once(seed):
    rng = Random(seed)
    item = draw_item(rng, axis="parallel")
    _, said = recall(item, rng, NUMBERED, asked_share=1.0)
    asked = {f"Problem {number}: ": task.asked for number, task in enumerate(item.problems, start=1)}
    assert sorted(start for start, _ in said) == sorted(asked)
    assert all(asked[start].endswith(end.removeprefix("The code of the ")) for start, end in said)


def test_drill_is_true_and_covers_all_operators():
    facts = drill(Random(1), 500)
    assert {question.split()[1] for question, _ in facts} == {"+", "-", "*"}
    for question, result in facts:
        a, sign, b, _ = question.split()
        assert eval(f"({a} {sign} {b}) % 23") == int(result)


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("axis", AXES)
def test_longest_texts_fit_the_context(tokenizers, axis, notation):
    for index in range(60):
        item = make_item(axis, 12, "test", index)
        texts = [item.question, whole_reply(item.problems, notation=notation).text]
        tokens = tokenizers[notation](texts, add_special_tokens=False)["input_ids"]
        assert sum(map(len, tokens)) < CONTEXT_TOKENS - 300
        assert "[100] " not in texts[1]
