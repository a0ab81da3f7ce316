"""What holds for every number and expression, with the algebra done in the worker."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from masrepro.bench.scoring import score
from masrepro.bench.scoring.notation import plain
from masrepro.bench.scoring.rational import exact

fractions = st.fractions(max_denominator=10_000)
terminating = st.builds(
    lambda whole, places: Fraction(whole, 10**places), st.integers(-(10**9), 10**9), st.integers(0, 8)
)


def outcome(prediction: str, gold: str) -> str:
    return score("math", rf"so \boxed{{{prediction}}}", gold).outcome


def as_decimal(value: Fraction) -> str:
    digits = f"{abs(value.numerator) * 10**8 // value.denominator:09d}"
    return f"{'-' if value < 0 else ''}{digits[:-8]}.{digits[-8:]}"


def as_latex(value: Fraction) -> str:
    return rf"{'-' if value < 0 else ''}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


@given(value=fractions, factor=st.integers(1, 50))
def test_a_fraction_equals_itself_in_any_spelling(value, factor):
    gold = as_latex(value)
    assert outcome(gold, gold) == "correct"
    assert outcome(f"{value.numerator * factor}/{value.denominator * factor}", gold) == "correct"
    assert outcome(gold.replace("frac", "dfrac"), gold) == "correct"


@given(value=terminating)
def test_a_decimal_is_the_rational_that_it_writes(value):
    assert exact(plain(as_decimal(value))) == value
    assert outcome(as_decimal(value), as_latex(value)) == "correct"


@given(a=fractions, b=fractions)
def test_numbers_are_equal_only_if_their_values_are(a, b):
    assert (outcome(as_latex(a), as_latex(b)) == "correct") == (a == b)


@given(value=terminating)
def test_nothing_is_near_enough(value):
    assert outcome(as_decimal(value + Fraction(1, 10**8)), as_latex(value)) == "wrong"


def sums(parts):
    return st.tuples(parts, st.sampled_from([" + ", " - ", r" \cdot "]), parts).map(
        lambda both: "({}{}{})".format(*both)
    )


scalars = st.recursive(
    st.one_of(
        st.integers(1, 99).map(str),
        st.sampled_from(["x", "y", r"\pi", r"\sqrt{2}", r"\frac{1}{3}", "0.25"]),
    ),
    lambda inner: st.one_of(
        sums(inner),
        inner.map(lambda part: rf"\sqrt{{{part}}}"),
        st.tuples(inner, inner).map(lambda both: r"\frac{{{}}}{{{}}}".format(*both)),
        inner.map(lambda part: f"({part})^2"),
    ),
    max_leaves=4,
)
answers = st.one_of(
    scalars,
    st.lists(scalars, min_size=2, max_size=3).map(lambda items: "({})".format(", ".join(items))),
    st.lists(scalars, min_size=2, max_size=3).map(lambda items: r"\{{{}\}}".format(", ".join(items))),
    scalars.map(lambda value: f"x = {value}"),
    st.tuples(scalars, st.sampled_from([r"^\circ", r"\text{ cm}", r"\%"])).map("".join),
)


@given(answer=answers)
def test_any_gold_answer_is_right_against_itself(answer):
    assert outcome(answer, answer) == "correct"


@given(
    answer=answers,
    text=st.lists(st.sampled_from([*r"\{}()[]^_,.+-/=<>%$ 12xi", r"\frac", r"\sqrt"]), max_size=9),
)
@settings(deadline=None, max_examples=150)
def test_no_text_in_a_box_raises(answer, text):
    assert outcome("".join([answer, *text]), "12") in ("correct", "wrong", "unparsed")


@given(value=scalars)
@settings(deadline=None, max_examples=40)
def test_algebra_finds_an_expression_equal_to_itself_rearranged(value):
    assert outcome(f"({value}) + 1 - 1", value) == "correct"
    assert outcome(f"({value}) + 1", value) in ("wrong", "unparsed")


def test_what_could_not_be_decided_says_so():
    result = score("math", r"\boxed{9^9^9^9}", "5")
    assert result.outcome == "unparsed"
    assert "not read" in result.notes[0]


def test_gold_may_be_several_accepted_answers():
    assert score("math", r"\boxed{0.5}", ["2", r"\frac{1}{2}"]).outcome == "correct"
    assert score("math", r"\boxed{3}", ["2", r"\frac{1}{2}"]).outcome == "wrong"
