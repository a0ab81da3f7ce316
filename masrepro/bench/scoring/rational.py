r"""Exact values of numbers as written: integers, decimals, fractions, mixed numbers, powers of ten.

A decimal is the rational number that its digits say, so that 0.50 is 1/2, 0.333 is not 1/3, and no tolerance
is needed. Anything with an operation in it (``5-3``, ``\sqrt{4}``) is for `algebra`.
"""

from __future__ import annotations

import re
from fractions import Fraction

MAX_DIGITS = 4_000  # Python refuses to read an integer of more than 4,300 digits
Exact = Fraction | float  # a float only for plus or minus infinity

_DECIMAL = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_POWER = r"(?:\\times|\\cdot|\*|x) ?10 ?\^ ?\{ ?(?P<power>[+-]?[0-9]+) ?\}"
_SCIENTIFIC = re.compile(rf"(?P<mantissa>{_DECIMAL}) ?(?:[eE](?P<exponent>[+-]?[0-9]+)|{_POWER})?")
_POWER_OF_TEN = re.compile(r"10 ?\^ ?\{ ?([+-]?[0-9]+) ?\}")
_REPEATING = re.compile(r"([0-9]*)\.([0-9]*) ?\\overline ?\{ ?([0-9]+) ?\}")
_FRACTION = re.compile(r"\\frac ?\{([^{}]*)\} ?\{([^{}]*)\}")
_SLASHED = re.compile(r"([^/]+)/([^/]+)")
_MIXED = re.compile(r"([0-9]+) ?(\\frac ?\{ ?[0-9]+ ?\} ?\{ ?[0-9]+ ?\}|(?<= )[0-9]+ ?/ ?[0-9]+)")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:(?:,[0-9]{3})+|(?: [0-9]{3})+)(?:\.[0-9]+)?")


def exact(text: str) -> Exact | None:
    r"""The value of a number as written; None where ``text`` is not one.

    Parameters
    ----------
    text : str
        In the spelling of `notation.plain`, without a unit.

    Returns
    -------
    Fraction, float or None
        A float for ``\infty`` and ``-\infty`` only.
    """
    text = text.strip()
    sign = -1 if text.startswith("-") else 1
    body = text[1:].strip() if text.startswith(("-", "+")) else text
    if body == r"\infty":
        return sign * float("inf")
    value = _unsigned(body)
    return None if value is None else sign * value


def has_thousands(text: str) -> bool:
    """Whether the commas of an unsigned number, if it is one, stand where thousands are separated."""
    return "," in text and _THOUSANDS.fullmatch(text.lstrip("+-").strip()) is not None


def _unsigned(body: str) -> Fraction | None:
    if len(body) > MAX_DIGITS:
        return None
    if _THOUSANDS.fullmatch(body):
        body = body.replace(",", "").replace(" ", "")
    if found := _SCIENTIFIC.fullmatch(body):
        power = found["exponent"] or found["power"] or "0"
        return _scaled(Fraction(found["mantissa"].rstrip(".")), power)
    if found := _POWER_OF_TEN.fullmatch(body):
        return _scaled(Fraction(1), found[1])
    if found := _REPEATING.fullmatch(body):
        whole, fixed, period = found.groups()
        nines = 10 ** len(period) - 1
        return Fraction(int(whole + fixed or "0") * nines + int(period), nines * 10 ** len(fixed))
    if found := _MIXED.fullmatch(body):
        part = _unsigned(found[2])
        return None if part is None else int(found[1]) + part
    if found := _FRACTION.fullmatch(body) or _SLASHED.fullmatch(body):
        return _ratio(exact(found[1]), exact(found[2]))
    return None


def _scaled(mantissa: Fraction, power: str) -> Fraction | None:
    if len(power) > 5 or abs(int(power)) > MAX_DIGITS:
        return None
    return mantissa * Fraction(10) ** int(power)


def _ratio(numerator: Exact | None, denominator: Exact | None) -> Fraction | None:
    if isinstance(numerator, Fraction) and isinstance(denominator, Fraction) and denominator:
        return numerator / denominator
    return None
