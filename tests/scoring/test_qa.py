"""Normal forms and F1 of the official scripts, and where the strict form differs."""

import pytest

from masrepro.bench.scoring import score
from masrepro.bench.scoring.qa import exact_match, f1, official, strict


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        ("The Beatles.", "beatles"),
        ("a  man, AND the\tdog", "man and dog"),
        ("U.S.", "us"),
        ("theatre", "theatre"),
        ("1947–91", "1947–91"),
        ("A", ""),
    ],
)
def test_official_form_is_that_of_squad(answer, form):
    assert official(answer) == form


@pytest.mark.parametrize(
    ("prediction", "gold", "value"),
    [
        ("second world war", "the second World War", 1),
        ("world war", "second world war", 0.8),
        ("the war", "world war two", 0.5),
        ("Paris Paris", "Paris", 2 / 3),
        ("London", "Paris", 0),
        ("yes both", "yes", 0),
        ("no", "yes", 0),
        ("noanswer", "no answer", 0),
        ("yes", "Yes.", 1),
    ],
)
def test_f1_is_that_of_hotpotqa(prediction, gold, value):
    assert f1(prediction, gold, official) == pytest.approx(value)
    assert score("qa_f1", prediction, gold, flavour="official").credit == pytest.approx(value)
    assert score("qa_f1", prediction, gold).credit == pytest.approx(value)


@pytest.mark.parametrize(("prediction", "gold"), [("The", "A"), ("?", "!!!"), ("the", "an")])
def test_what_the_official_form_strips_to_nothing_is_compared_in_the_strict_form(prediction, gold):
    assert exact_match(prediction, gold, official)
    assert not exact_match(prediction, gold, strict)
    assert score("qa_em", prediction, gold, flavour="official").outcome == "correct"
    assert score("qa_em", prediction, gold).outcome == "wrong"


def test_f1_credit_is_the_best_over_aliases():
    result = score("qa_f1", "8 December", ["December 1985", "8 December 1985"])
    assert result.outcome == "wrong"
    assert result.credit == pytest.approx(0.8)
