r"""Whether two scalar expressions have the same value, decided by Math-Verify and SymPy.

Runs in the process of `worker` only: parsing and simplifying what a model wrote has no bound on time or
memory.

Math-Verify is kept strict. It gets one expression, never a text to search. Its removal of units is off, which
would read ``2t`` as 2. Decimals go in as fractions, so that nothing is rounded. An equality that it finds
numerically, to 60 digits, is checked once more to a precision that depends on the numbers.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from masrepro.bench.scoring.equality import NeedsAlgebra, same_number

MAX_EXPONENT = 10_000
N_DIGITS = 60

_DECIMAL = re.compile(r"([0-9]*)\.([0-9]+)")
_THOUSANDS = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])")
_DEGREES = re.compile(r"([0-9.]+|\\[a-z]+|[A-Za-z]) ?\^\\circ")
# Read by Math-Verify, but not as meant: "5 3" as a sum, "3^{2} 5" as a product, the e of "1e9" as Euler's,
# "2^{3}^{4}" in part.
_MISREAD = re.compile(
    r"\$|(?<!_)[0-9.] +[0-9.]"
    r"|[0-9] ?\^ ?\{[^{}]*\} ?[0-9]"
    r"|[0-9.][eE][+-]?[0-9]"
    r"|\^ ?\{[^{}]*\} ?\^",
)
_TOWER = re.compile(r"[0-9]+(?: ?\^[{( ]*[0-9]+)+")
_FACTORIALS = re.compile(r"[0-9]{5} ?!|![ )}]*!")


class Unreadable(Exception):
    """An expression that is not mathematics, or is too large to be evaluated."""


def same_value(gold: str, prediction: str) -> bool:
    """`equality.SameValue` that knows algebra.

    Raises
    ------
    Unreadable
        The prediction cannot be parsed, or is too large to be evaluated.
    """
    try:
        return same_number(gold, prediction)
    except NeedsAlgebra:
        value = _expression(prediction)
    if value is None:
        raise Unreadable(prediction)
    right = _expression(gold)
    return right is not None and _verified(right, value) and not _differ(right, value)


def default_match(gold: str, text: str) -> bool:
    """Math-Verify in its default form, which searches both texts for something to compare: for `paper`."""
    from math_verify import parse, verify

    gold_parsed, text_parsed = (parse(one, parsing_timeout=None) for one in (gold, text))
    return bool(verify(gold_parsed, text_parsed, timeout_seconds=None))


def _verified(gold: Any, prediction: Any) -> bool:
    from math_verify import verify

    exactly = {"numeric_precision": N_DIGITS, "allow_set_relation_comp": True, "timeout_seconds": None}
    return bool(verify(gold, prediction, **exactly)) or _cancels(gold, prediction)


def _cancels(gold: Any, prediction: Any) -> bool:
    """Whether an expression comes to a lone variable, which Math-Verify compares by its name only."""
    from sympy import Expr, simplify

    if not all(isinstance(side, Expr) for side in (gold, prediction)):
        return False
    if not (gold.is_Symbol or prediction.is_Symbol):
        return False
    return bool(simplify((gold - prediction).doit()) == 0)


def _differ(gold: Any, prediction: Any) -> bool:
    """Whether two closed numbers differ beyond doubt: their difference has a digit that is not 0."""
    from sympy import Expr

    closed = all(isinstance(side, Expr) and not side.free_symbols for side in (gold, prediction))
    if not closed:
        return False
    difference = (gold - prediction).doit()
    if difference.is_Rational:
        return bool(difference != 0)
    value = difference.evalf(15, maxn=1_000)
    return bool(value.is_Float and value != 0 and value._prec > 1)


@lru_cache(maxsize=1_024)
def _expression(text: str) -> Any | None:
    """What Math-Verify parses an expression to; None where it cannot."""
    from latex2sympy2_extended.math_normalization import NormalizationConfig
    from math_verify import LatexExtractionConfig, parse

    if _MISREAD.search(text):
        return None
    if _is_towering(text):
        raise Unreadable(text)
    text = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), text)
    text = _DEGREES.sub(r"(\1 \\cdot \\frac{\\pi}{180})", text)
    text = _DECIMAL.sub(_as_fraction, text)
    spelling = NormalizationConfig(units=False, malformed_operators=False, nits=False, boxed="none")
    parsed = parse(
        f"${text}$",
        [LatexExtractionConfig(boxed_match_priority=-1, normalization_config=spelling)],
        fallback_mode="no_fallback",
        extraction_mode="first_match",
        parsing_timeout=None,
    )
    return _with_imaginary_unit(parsed[0]) if parsed else None


def _with_imaginary_unit(expression: Any) -> Any:
    """The expression with its variable i, if it has one that is not an index, as the square root of -1."""
    from sympy import Expr, I

    if not isinstance(expression, Expr):
        return expression
    return expression.subs({symbol: I for symbol in expression.free_symbols if symbol.name == "i"})


def _as_fraction(decimal: re.Match[str]) -> str:
    whole, fixed = decimal.groups()
    return rf"{{\frac{{{int(whole + fixed)}}}{{1{'0' * len(fixed)}}}}}"


def _is_towering(text: str) -> bool:
    """Whether a power or factorial of literal numbers, such as 9^9^9, is too large to work out."""
    if _FACTORIALS.search(text):
        return True
    for tower in _TOWER.findall(text):
        _, *exponents = (int(number[:9]) for number in re.findall("[0-9]+", tower))
        exponent = 1
        for number in reversed(exponents):
            if number > MAX_EXPONENT or (number > 1 and exponent > MAX_EXPONENT.bit_length()):
                return True
            exponent = number**exponent
        if exponent > MAX_EXPONENT:
            return True
    return False
