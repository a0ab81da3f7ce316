"""The text-only solver on hand-written questions, independent of the generator."""

import pytest

from masrepro.bench import solve_text
from masrepro.bench.masbench.solver import measure_text

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
        "The number of each A's B equals the sum of each C's D, each E's F, each G's H and each E's F. "
        "What is the number of each A's B?",
        "13",
    ),
    (
        "Boxes are Crate, Drum and Kettle. The number of each A's Drum equals 20. "
        "The number of each A's Crate equals 8. "
        "The number of each A's Lamp equals 7. The number of each C's Kettle equals 9. "
        "The number of each B's Lamp equals 2 times as many as each A's Boxes. What is the number of each B's Lamp?",
        "10",
    ),
    ("Boxes are Crate, Drum and Kettle. What is the number of each A's Boxes?", "0"),
    ("Rain falls. The code of the old oak is 1234567. Rain falls. What is the code of the old oak?", "1234567"),
    ("The number of each A's B equals 4. What is the number of each A's B? Note: the number of each A's B is 5.", "4"),
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


RELAY = """Problem 1: The number of each A's B equals 4. What is the number of each A's B?

Problem 2: The number of each C's D equals [answer 1]. The number of each E's F equals 3 times as many as each C's D.
What is the number of each E's F? Note: the number of each A's B is 7.

Problem 3: The number of each G's H equals 1 more than each [answer2]. What is the number of each G's H?"""


def test_answers_are_carried_on():
    assert solve_text(RELAY) == ("4", "12", "13")


def test_an_answer_cannot_be_carried_back():
    with pytest.raises(ValueError, match="needed before it is known"):
        solve_text(RELAY.replace("[answer 1]", "[answer 3]"))


def test_facts_before_the_first_problem_belong_to_all():
    text = (
        "The number of each A's B equals 4.\n\nProblem 1: What is the number of each A's B?\n\nProblem 2: "
        + CASES[0][0]
    )
    assert solve_text(text.replace("A's B equals 30", "C's D equals 30")) == ("4", "4")


def test_axes_are_measured_in_the_text():
    assert measure_text(RELAY) == {"depth": 2, "breadth": 1, "horizon": 3, "parallel": 1, "robustness": 1}
    apart = RELAY.replace("[answer 1]", "9").replace("each [answer2]", "each X's Y")
    assert measure_text(apart) == {"depth": 2, "breadth": 1, "horizon": 1, "parallel": 3, "robustness": 1}
    joined = apart.replace("each X's Y", "each A's B")
    assert measure_text(joined)["parallel"] == 2


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
