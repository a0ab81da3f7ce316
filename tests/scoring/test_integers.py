"""Part credit beside the outcome of a list of integers."""

import pytest

from masrepro.bench.scoring import score


@pytest.mark.parametrize(
    ("text", "outcome", "credit", "prefix", "extracted"),
    [
        (r"\boxed{7} \boxed{17} \boxed{3}", "correct", 1, 3, ("7", "17", "3")),
        (r"\boxed{7} \boxed{18} \boxed{3}", "wrong", 2 / 3, 1, ("7", "18", "3")),
        (r"\boxed{8} \boxed{17} \boxed{3}", "wrong", 2 / 3, 0, ("8", "17", "3")),
        (r"\boxed{7} \boxed{17}", "unparsed", 2 / 3, 2, ("7", "17")),
        (r"\boxed{7} \boxed{x} \boxed{3}", "unparsed", 2 / 3, 1, ("7", None, "3")),
        (r"\boxed{7} \boxed{17} \boxed{3} \boxed{1}", "unparsed", 1, 3, ("7", "17", "3", "1")),
        ("7, 17, 3", "unparsed", 0, 0, None),
    ],
)
def test_part_credit_is_reported_beside_the_outcome(text, outcome, credit, prefix, extracted):
    result = score("exact_ints", text, ["7", "17", "3"])
    assert (result.outcome, result.prefix, result.extracted) == (outcome, prefix, extracted)
    assert result.credit == pytest.approx(credit)
    assert len(result.parts) == 3


def test_no_prediction_has_a_part_for_every_answer():
    assert score("exact_ints", None, ["7", "17"]).parts == (False, False)
