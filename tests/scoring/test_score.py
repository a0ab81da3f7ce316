"""The entry: names, flavours, and what holds for every scorer and every text."""

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masrepro.bench.scoring import SCORERS, score

GOLDS = {
    "exact_int": "7",
    "exact_ints": ["7", "17"],
    "math": "7",
    "choice": "D",
    "qa_em": "yes",
    "qa_f1": "yes",
    "code": ["assert True"],
}
# Without algebra and without the sandbox, so that a thousand texts take no process; `test_mathematics` and `test_code`
# send them theirs.
FRAGMENTS = [
    *(r"\boxed{", r"\text{", "{", "}", "\\", "$", "**", "7", "17", ",", " and ", "or ", "not ", "\n", "####"),
    *("Answer: ", "the answer is ", "D", "(B)", "yes", "the", "<think>", "</think>"),
    *("\u2212", "\u00bd", "\ud800", "\u202e", "\u0667"),
]
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))


@pytest.mark.parametrize("name", [name for name in SCORERS if name not in ("math", "code")])
@given(text=texts)
@settings(deadline=None, max_examples=150)
def test_no_text_raises(name, text):
    result = score(name, text, GOLDS[name])
    assert result.outcome in ("correct", "wrong", "unparsed")
    assert 0 <= result.credit <= 1
    assert result.outcome != "correct" or result.credit == 1


@given(number=st.integers())
def test_an_integer_in_a_box_is_right_against_itself(number):
    boxed = rf"so \boxed{{{number}}}"
    assert score("exact_int", boxed, str(number)).outcome == "correct"
    assert score("math", boxed, str(number)).outcome == "correct"
    assert score("exact_int", boxed, str(number + 1)).outcome == "wrong"
    assert score("math", boxed, str(number + 1)).outcome == "wrong"


@given(numbers=st.lists(st.integers(), min_size=1, max_size=8))
def test_a_list_of_boxed_integers_is_right_against_itself(numbers):
    gold = [str(number) for number in numbers]
    boxed = "\n".join(rf"Problem {k}: \boxed{{{number}}}" for k, number in enumerate(gold, start=1))
    assert score("exact_ints", boxed, gold).outcome == "correct"


@pytest.mark.parametrize("letter", "ABCDEFGHIJ")
@pytest.mark.parametrize("form", ["{}", "({})", r"\boxed{{{}}}", r"\boxed{{\text{{{}}}}}", "Answer: **{}**."])
def test_a_letter_is_right_against_itself_and_wrong_against_another(letter, form):
    other = "B" if letter == "A" else "A"
    assert score("choice", form.format(letter), letter).outcome == "correct"
    assert score("choice", form.format(letter), other).outcome == "wrong"


@pytest.mark.parametrize("name", ["qa_em", "qa_f1"])
@pytest.mark.parametrize("flavour", ["strict", "official"])
@given(answer=st.text("abcthe AT.!é", min_size=1).filter(str.strip))
def test_an_answer_is_right_against_itself(name, flavour, answer):
    result = score(name, rf"\boxed{{{answer}}}", answer, flavour)
    nothing_left = flavour == "official" and name == "qa_f1" and result.credit == 0
    assert result.outcome == "correct" or nothing_left


@pytest.mark.parametrize("name", SCORERS)
def test_no_prediction_is_unparsed(name):
    assert score(name, None, GOLDS[name]).outcome == "unparsed"
    assert score(name, "", GOLDS[name]).outcome == "unparsed"


def test_unknown_names_say_which_there_are():
    with pytest.raises(ValueError, match=r"no scorer 'maths'; there are .*exact_int.*math.*qa_f1"):
        score("maths", "7", "7")
    with pytest.raises(ValueError, match=r"'math' has no flavour 'lenient'; it has strict, paper"):
        score("math", "7", "7", flavour="lenient")


@pytest.mark.parametrize(
    ("name", "gold"), [("exact_int", "seven"), ("exact_ints", ["7", "x"]), ("choice", "K"), ("qa_em", [])]
)
def test_a_gold_answer_that_cannot_be_read_is_an_error(name, gold):
    with pytest.raises(ValueError, match="gold"):
        score(name, "7", gold)


LONG = {
    "boxes": r"\boxed{" * 20_000,
    "nested boxes": r"\boxed{" * 20_000 + "7" + "}" * 20_000,
    "many boxes": r"\boxed{7} " * 20_000,
    "braces": "{" * 100_000 + "}" * 100_000,
    "markers": "#" * 100_000,
    "statements": "the answer is " * 10_000,
    "spaces": "answer is" + " " * 100_000 + "D",
    "fractions": r"\boxed{" + r"\frac" * 20_000 + "}",
    "stars": "*" * 100_000,
    "letters": "A or B and " * 10_000,
    "digits": "9" * 100_000,
    "commas": r"\boxed{" + "1," * 50_000 + "}",
    "tags": "<answer>" * 20_000,
}


@pytest.mark.parametrize("flavour", ["strict", "paper"])
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_texts_take_bounded_time(text, flavour):
    for name in ("exact_int", "exact_ints", "math", "choice", "qa_em"):
        start = time.process_time()
        score(name, text, GOLDS[name], flavour)
        assert time.process_time() - start < 5, name


def test_importing_and_scoring_numbers_loads_no_algebra():
    code = (
        "import sys; from masrepro.bench.scoring import score; "
        r"assert score('math', r'\boxed{0.50}', r'\frac12').outcome == 'correct'; "
        "print({'sympy', 'math_verify', 'latex2sympy2_extended', 'torch', 'pandas'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"
