"""iGSM's sentences, solved from text alone and compared with values worked out by hand."""

import re

import pytest

from masrepro.bench import solve_text
from masrepro.bench.masbench.igsm import is_igsm, solve_igsm
from masrepro.bench.masbench.solver import measure_text


def asking(*facts: str, question: str = "How many Organs does Wolf have?") -> str:
    return " ".join([*(f"The number of each {fact}." for fact in facts), question])


def unfolded(text: str) -> str:
    """A paragraph a line, as in the published items."""
    return re.sub(r"(?<![\n=])\n(?![\n-])", " ", text)


WOLF = ("Wolf's Left Lung equals 4", "Wolf's Liver equals 21", "Left Lung's Red Cell equals 3", "Fox's Liver equals 9")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        # A total adds up what the place itself is said to hold: 4 + 21 - 23.
        (asking(*WOLF), "2"),
        # Two layers down, each part counts as often as it is there: 4 x 3 + 21 x 0.
        (asking(*WOLF, question="How many Cells does Wolf have?"), "12"),
        (asking(*WOLF, "Fox's Skin equals each Wolf's Organs", question="How many Cells does Wolf have?"), "12"),
        (asking(*WOLF, question="How many Organs does Bear have?"), "0"),
        (asking(*WOLF, question="What is the value of Bear's Liver?"), "0"),
        (asking("Bear's Liver equals each Wolf's Liver", *WOLF, question="What is the value of Bear's Liver?"), "21"),
        (
            asking(
                "Bear's Liver equals 5 more than each Wolf's Liver", *WOLF, question="How many Organs does Bear have?"
            ),
            "3",
        ),
        (
            asking(
                "Bear's Liver equals 3 times as much as the difference of each Wolf's Left Lung and each Fox's Liver",
                *WOLF,
                question="What is the value of each Bear's Liver?",
            ),
            "8",
        ),
        (
            asking(
                "Bear's Liver equals 2 times the sum of each Wolf's Left Lung, each Wolf's Liver, and each Fox's Liver",
                *WOLF,
                question="How many Organs does each Bear have?",
            ),
            "22",
        ),
        (
            asking(
                "Bear's Liver equals the sum of each Wolf's Left Lung, each Wolf's Organs and each Wolf's Left Lung",
                *WOLF,
                question="What is the value of Bear's Liver?",
            ),
            "10",
        ),
    ],
)
def test_hand_solved_questions(text, answer):
    assert is_igsm(text)
    assert solve_text(text) == answer


def test_apostrophes_of_any_kind_in_and_after_names():
    shops = (
        "Miller's Market's Pan’s Bread equals 6",
        "Old Town 's Miller's Market equals 2",
        "Old Town's Joe's equals 3",
        "Miller's Market's Cake equals 1",
        "Joe's's Cake equals 5",
        "New Town's Joe's equals each Old Town's Supermarket",
    )
    assert solve_text(asking(*shops, question="How many Supermarkets does Old Town have?")) == "5"
    # 2 markets of 6 + 1 and 3 of 5: 14 + 15 - 23.
    assert solve_text(asking(*shops, question="How many Product does Old Town have?")) == "6"


FOUR_LAYERS = """The number of each Miller's Own Market's Soup equals the sum of each Rye Bread's Salt and each The
Green Shop's Cake. The number of each Cake's Sugar equals 2 more than each Oat Bread's Flour. The number of each New
Market's Oat Bread equals the sum of each North Quarter's Miller's Own Market, each Miller's Own Market's Rye Bread
and each North Quarter's Supermarket. The number of each South Quarter's New Market equals each Soup's Sugar. The
number of each Oat Bread's Milk equals each East Quarter's Product. The number of each North Quarter's Miller's Own
Market equals 5 more than each Cake's Flour. The number of each Rye Bread's Sugar equals each Rye Bread's Salt. The
number of each North Quarter's The Green Shop equals each South Quarter's Joe's. The number of each South Quarter's
Joe's equals each Rye Bread's Ingredient. The number of each Oat Bread's Flour equals 0. The number of each The Green
Shop's Cake equals 13 more than the difference of each North Quarter's The Green Shop and each Rye Bread's Flour. The
number of each Oat Bread's Sugar equals each New Market's Product. The number of each East Quarter's The Green Shop
equals the sum of each Joe's's Soup and each The Green Shop's Soup. The number of each Joe's's Soup equals 6. The
number of each The Green Shop's Soup equals 3. The number of each Miller's Own Market's Cake equals the difference of
each Cake's Milk and each Oat Bread's Flour. The number of each Miller's Own Market's Rye Bread equals each Cake's
Sugar. The number of each Rye Bread's Salt equals the difference of each Oat Bread's Flour and each Cake's Flour. The
number of each Rye Bread's Flour equals 12 times as much as each North Quarter's Miller's Own Market. The number of
each The Green Shop's Rye Bread equals each The Green Shop's Soup. The number of each Cake's Milk equals the sum of
each Rye Bread's Sugar and each Cake's Sugar. The number of each Far Quarter's Miller's Own Market equals each The
Green Shop's Cake. The number of each Soup's Sugar equals 20 more than the sum of each Joe's's Soup and each The Green
Shop's Soup. The number of each Joe's's Rye Bread equals 16. The number of each Cake's Salt equals 8. The number of
each Cake's Flour equals each Oat Bread's Flour. How many Product does Far Quarter have?"""


def test_published_hard_problem_of_21_operations_has_its_published_answer():
    """Structure and numbers of figure 9 of arXiv 2408.16293 under names of our own; the figure gives 14."""
    assert solve_text(unfolded(FOUR_LAYERS)) == "14"


SET = unfolded("""Problem 1: The number of each Barn's Oats equals each Silo's Ingredient. What is the value of Barn's
Oats?

Problem 2: The number of each Silo's Oats equals 20 more than the sum of each Silo's Rye and each Silo's Corn. The
number of each Silo's Rye equals 22. The number of each Barn's Rye equals each Silo's Rye. What is the value of
Barn's Rye?

Problem 3: The number of each Barn's Rye equals each Silo's Rye. The number of each Mill's Rye equals each Barn's
Ingredient. What is the value of Mill's Rye?

Note: In this problem set:
- Each problem is INDEPENDENT and can be solved in parallel.
- [answerk] represents the answer to problem k.

### Final Answers

Problem 1: \\boxed{[answer1]}
""")


def test_problems_of_a_set_are_solved_from_their_own_facts_or_from_all():
    """The fault of the example that the authors' orchestrator prompt holds, in names of our own."""
    assert solve_igsm(SET) == ("0", "22", "0")
    # Silo holds 22 + (20 + 22) = 18, so Barn's Oats are 18 and its total is 18 + 22.
    assert solve_igsm(SET, together=True) == ("18", "22", "17")
    assert solve_text(SET) == solve_igsm(SET)


RELAY = unfolded("""Problem 1: The number of each Elk's Heart equals 14. What is the value of Elk's Heart?

Problem 2: The number of each Hare's Heart equals 3 times as much as each [answer1]. What is the value of Hare's Heart?

Problem 3: Using the result [answer2] from the previous calculation, [variable3] = [answer2] - 4. The number of each
Ox's Heart equals [variable3] more than each Elk's Heart. What is the value of Ox's Heart?""")


def test_answers_are_carried_on_as_themselves_and_through_variables():
    # 14; 42 - 23; 19 - 4, Problem 3 knowing nothing of the elk.
    assert solve_text(RELAY) == ("14", "19", "15")


def test_a_variable_that_no_answer_gives_is_not_understood():
    with pytest.raises(ValueError, match="variable3"):
        solve_text(RELAY.replace("= [answer2] - 4", "= K + [answer2]"))
    unused = RELAY.replace("= [answer2] - 4", "= K + [answer2]").replace("[variable3] more", "4 more")
    assert solve_text(unused) == ("14", "19", "4")


ATTACKED = unfolded("""The number of each Perch's Rib equals 7. The number of each Pike's Fin equals 2 more than each
Perch's Rib.

The grass is green. One of the special magic numbers for odd-lamp is: 2664863. The sky is blue. Note: verify the
information before you take it - 9

The number of each Perch's Rib equals 2. The number of each Pike's Fin equals 6. Note: verify the information before you
take it - 1234567

============================================================
Answer each of these in \\boxed{}, a blank line between.

What is the value of Bass's Bone?

What is the special magic number for odd-lamp mentioned in the provided text?

How many Bone does Pike have?""")


def test_questions_after_the_line_belong_to_the_paragraphs_in_their_order():
    assert solve_text(ATTACKED) == ("0", "2664863", "6")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (asking("A's B equals 1", "A's B equals 2"), "A's B is defined twice"),
        (asking("Wolf's Liver equals each Wolf's Organs"), "Wolf's Organs > Wolf's Liver > Wolf's Organs"),
        (asking("Wolf's Liver equals about 3"), "not understood: about 3"),
        (asking("Wolf's Liver equals 1 more than each [answer1]"), r"\[answer1\] is needed before"),
        (asking(*WOLF) + " How many Cells does Wolf have?", "found 2"),
    ],
)
def test_what_cannot_be_read_is_refused(text, says):
    with pytest.raises(ValueError, match=says):
        solve_text(text)


def test_our_own_sentences_are_left_to_the_other_reader():
    ours = "The number of each A's B equals 4. What is the number of each A's B?"
    assert not is_igsm(ours)
    assert measure_text(ours)["depth"] == 1
