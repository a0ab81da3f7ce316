"""The released scorer's known behaviour, faults and all, with the strict verdict beside it."""

import pytest

from masrepro.bench.scoring import score

FAULTS = [
    ("Error: 2 sinks were found. Expected 1", "1"),
    ("Execution timed out after 30 seconds", "30"),
    ("failed to parse the reply: <answer>42</answer>", "42"),
]


@pytest.mark.parametrize(("message", "truth"), FAULTS)
def test_an_error_message_is_graded_like_an_answer(message, truth):
    result = score("math", message, truth, flavour="paper")
    assert result.outcome == "correct"
    assert "paper flavour" in result.notes[0]
    assert score("math", message, truth).outcome != "correct"
    assert score("exact_int", message, truth).outcome == "unparsed"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (r"Problem 1: \boxed{14} Problem 2: \boxed{22}", "correct"),
        (r"\boxed{22} \boxed{14}", "wrong"),
        (r"\boxed{14}", "wrong"),
        (r"\boxed{14} \boxed{22} \boxed{11}", "wrong"),
        (r"\boxed{14} \boxed{22", "wrong"),
        (r"\boxed{014} \boxed{22.0}", "correct"),
        ("14, 22", "wrong"),
    ],
)
def test_answers_joined_by_horizon_must_all_be_boxed_in_order(text, outcome):
    assert score("exact_ints", text, ["14", "22"], flavour="paper").outcome == outcome
    assert score("exact_int", text, "14<<horizon>>22", flavour="paper").outcome == outcome


def test_it_has_no_part_credit_and_never_says_unparsed():
    result = score("exact_ints", r"\boxed{14} \boxed{23}", ["14", "22"], flavour="paper")
    assert (result.outcome, result.credit, result.parts) == ("wrong", 0.0, (True, False))
    assert score("exact_int", None, "7", flavour="paper").outcome == "wrong"


def test_numbers_are_rounded_as_math_verify_rounds():
    assert score("math", r"\boxed{0.33333333}", r"\frac{1}{3}", flavour="paper").outcome == "correct"
    assert score("math", r"\boxed{0.33333333}", r"\frac{1}{3}").outcome == "wrong"


def test_any_alias_counts_for_question_answering():
    assert score("qa_em", "one season", ["one", "one season"], flavour="paper").outcome == "correct"
