from __future__ import annotations

import pytest

from masrepro.agents import Output
from masrepro.agents.majority import majority, normal_form


def samples(*answers: str | None) -> list[Output]:
    return [Output(answer, f"because {index}", "stop") for index, answer in enumerate(answers)]


@pytest.mark.parametrize(
    "same",
    [
        ["4", r"\boxed{4}", " 4. ", "$4$", "4.0", "+4", r"\boxed{ 4 }", "8/2"],
        ["1000", "1,000", "1000.00", r"\$1,000"],
        ["1/2", "0.5", r"\frac{1}{2}", r"\dfrac{1}{2}", ".5"],
        ["-1/2", r"-\frac{1}{2}"],
        ["the Eiffel Tower", "Eiffel  tower.", r"\text{Eiffel Tower}", '"Eiffel Tower"'],
        ["\\boxed{4}\n\\boxed{5}", "4, 5", r"\boxed{4}, \boxed{5}"],
        ["A", "a", "a."],
    ],
)
def test_spellings_of_one_answer_are_one_vote(same):
    assert len({normal_form(answer) for answer in same}) == 1
    assert majority(samples("other", *same)).n_votes == len(same)


@pytest.mark.parametrize(
    "different",
    [
        ["4", "-4", "40", "4/3", "4 apples", "4!", ".4"],
        ["\\boxed{4}\n\\boxed{5}", "\\boxed{5}\n\\boxed{4}"],
        ["1,00", "100"],
        ["x^2", "x^3"],
        ["1/0", "1"],
        ["9" * 200, "9" * 201],
        [r"\boxed{\sqrt{2}}", r"\boxed{\sqrt{3}}"],
    ],
)
def test_different_answers_are_different_votes(different):
    assert len({normal_form(answer) for answer in different}) == len(different)


def test_the_majority_keeps_the_first_spelling_and_its_rationale():
    vote = majority(samples("5", r"\boxed{4}", "4", None, "4.0"))
    assert vote.winner == Output(r"\boxed{4}", "because 1", "stop")
    assert str(vote) == "3 of 5 samples agree."


def test_a_tie_is_stated_and_goes_to_the_answer_that_appeared_first():
    vote = majority(samples("3", "5", r"\boxed{5}", "3", "7"))
    assert vote.winner.answer == "3"
    assert str(vote) == "Tie at 2 of 5 samples each: 3, 5; the first counts."


def test_samples_without_an_answer_do_not_vote():
    assert majority(samples(None, None, "4")).winner.answer == "4"
    assert str(majority(samples(None, None))) == "None of 2 samples holds an answer."
