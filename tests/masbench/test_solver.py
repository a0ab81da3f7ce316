"""The text-only solver on hand-written questions, independent of the generator."""

import pytest

from masrepro.bench import solve_text

CASES = [
    ("The number of each A's B equals 30. What is the number of each A's B?", "7"),
    ("What is the number of each A's B?", "0"),
    ("The number of each A's B equals 5 more than each C's D. What is the number of each A's B?", "5"),
    (
        "The number of each A's B equals 22 times as many as each C's D. The number of each C's D equals 22. "
        "What is the number of each A's B?",
        "1",
    ),
    (
        "The number of each C's D equals 3. The number of each E's F equals 5. "
        "The number of each A's B equals the difference of each C's D and each E's F. "
        "What is the number of each A's B?",
        "21",
    ),
]


@pytest.mark.parametrize(("text", "answer"), CASES)
def test_hand_solved_questions(text, answer):
    assert solve_text(text) == answer


def test_numbered_problems_give_answers_in_order():
    text = "\n\n".join(f"Problem {k}: {text}" for k, (text, _) in enumerate(CASES, start=1))
    assert solve_text(text) == tuple(answer for _, answer in CASES)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("The number of each A's B equals 1.", "asks for exactly one"),
        (
            "The number of each A's B equals 1. The number of each A's B equals 2. What is the number of each A's B?",
            "twice",
        ),
        ("The number of each A's B equals 1 more than each A's B. What is the number of each A's B?", "by itself"),
        ("The number of each A's B equals about 3 or so. What is the number of each A's B?", "not understood"),
    ],
)
def test_what_is_not_a_question_is_refused(text, says):
    with pytest.raises(ValueError, match=says):
        solve_text(text)
