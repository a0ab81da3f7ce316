r"""What kind of thing a mathematical answer is: a quantity, list, tuple, matrix, relation, or words.

Reading stops at the scalars, whose text is kept as it stands: `rational` and `algebra` give them values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from masrepro.bench.scoring.notation import closing
from masrepro.bench.scoring.rational import has_thousands
from masrepro.bench.scoring.units import split_unit

MAX_NESTING = 20


@dataclass(frozen=True, slots=True)
class Words:
    """Prose, such as a name or "no solution"."""

    text: str


@dataclass(frozen=True, slots=True)
class Quantity:
    """A scalar and its unit ("" where it has none)."""

    text: str
    value: str
    unit: str


@dataclass(frozen=True, slots=True)
class Named:
    """``x = 5``: an answer that says what it is the value of."""

    text: str
    name: str
    of: Reading


@dataclass(frozen=True, slots=True)
class Collection:
    r"""Several answers.

    ``ends`` is "" for a bare list, "{}" for a set, else the brackets of a tuple or an interval.
    """

    text: str
    items: tuple[Reading, ...]
    ends: str


@dataclass(frozen=True, slots=True)
class Union:
    r"""Sets joined by ``\cup``."""

    text: str
    parts: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of entries."""

    text: str
    rows: tuple[tuple[Reading, ...], ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """An inequality, or an equation that is not of the form name = value."""

    text: str


Reading = Words | Quantity | Named | Collection | Union | Matrix | Relation

_TEXT = re.compile(r"\(?\\text ?\{[^{}]*\}\)?")
_PROSE = re.compile(r"[A-Za-z][A-Za-z'\u2019-]*(?: [\w'\u2019(][\w'\u2019,.:;()?!-]*)*")
_SHORT_WORDS = frozenset({"yes", "no", "odd", "not", "the", "dne"})
_MATRIX = re.compile(r"\\begin ?\{([pbB]?)matrix\}(.*)\\end ?\{\1matrix\}", re.DOTALL)
_MEMBER = re.compile(r"[A-Za-z] ?\\in(?![A-Za-z])(.*)", re.DOTALL)
_SEPARATOR = re.compile(r"[,;]|(?<![A-Za-z\\])(?:and|or)(?![A-Za-z])")
_COMMA = re.compile("[,;]")
_CUP = re.compile(r"\\cup(?![A-Za-z])")
_INEQUALITY = re.compile(r"[<>]|\\(?:le|ge|ne)(?![A-Za-z])")
_EQUALS = re.compile(r"=|\\approx(?![A-Za-z])")
_PLUS_MINUS = re.compile(r"\\pm(?![A-Za-z])")
_VARIABLE = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")
_NAME = re.compile(
    r"(?:(?:m ?)?\\angle )?(?:[A-Za-z]{1,3}|\\[A-Za-z]+)'*"
    r"(?: ?_ ?(?:\{[^{}]*\}|[A-Za-z0-9]))?(?: ?\([A-Za-z0-9 ,=|]*\))?"
)


def read(text: str, thousands: bool = True, nesting: int = 0) -> Reading:
    r"""The answer that ``text`` (in the spelling of `notation.plain`) writes.

    Parameters
    ----------
    text : str
        An answer.
    thousands : bool
        Whether the comma of ``100,200`` separates thousands, or else the items of a list.
    nesting : int
        How many brackets stand around ``text``. What lies deeper than `MAX_NESTING` is one scalar.
    """
    text = text.strip()
    if nesting > MAX_NESTING:
        return Quantity(text, text, "")
    if _is_words(text):
        return Words(text)
    if member := _MEMBER.fullmatch(text):
        return read(member[1], thousands, nesting + 1)
    if matrix := _MATRIX.fullmatch(text):
        return _matrix(text, matrix[2], nesting)
    is_number = thousands and has_thousands(text)
    if not is_number and len(items := _split(text, _SEPARATOR, thousands)) > 1:
        return _collection(text, items, "", thousands, nesting)
    if len(parts := _split(text, _CUP)) > 1:
        return Union(text, tuple(read(part, thousands, nesting + 1) for part in parts))
    if _INEQUALITY.search(text):
        return Relation(text)
    if len(sides := _split(text, _EQUALS)) > 1:
        return _equation(text, sides, thousands, nesting)
    return _bracketed(text, nesting) or _scalar(text, thousands, nesting)


def _is_words(text: str) -> bool:
    if r"\text" in text:
        return _TEXT.fullmatch(text) is not None
    words = re.findall("[A-Za-z]+", text)
    is_prose = any(len(word) > 3 or word.lower() in _SHORT_WORDS for word in words)
    return is_prose and _PROSE.fullmatch(text) is not None


def _matrix(text: str, inside: str, nesting: int) -> Matrix:
    rows = [row.split("&") for row in re.split(r"\\\\(?:\[[^\]]*\])?", inside) if row.strip()]
    return Matrix(text, tuple(tuple(read(cell, nesting=nesting + 1) for cell in row) for row in rows))


def _collection(text: str, items: list[str], ends: str, thousands: bool, nesting: int) -> Collection:
    readings: list[Reading] = []
    for item in items:
        reading = read(item, thousands, nesting + 1)
        both_signs = isinstance(reading, Collection) and not reading.ends
        readings += reading.items if isinstance(reading, Collection) and both_signs else [reading]
    return Collection(text, tuple(readings), ends)


def _equation(text: str, sides: list[str], thousands: bool, nesting: int) -> Reading:
    r"""A name and its value, or the value that a chain of numbers ends in; anything else is a relation.

    In ``x = 2\cdot 3 = 6`` the last side is the answer; in ``\sqrt{2} \approx 1.41`` the exact one.
    """
    sides = [side.strip() for side in sides]
    name, values = "", sides
    if _NAME.fullmatch(sides[0]):
        name, values = sides[0], sides[1:]
    elif _NAME.fullmatch(sides[-1]):
        name, values = sides[-1], sides[:-1]
    n_stated = len(values) - 1 if name else len(values)
    if any(_VARIABLE.search(value) for value in values[:n_stated]):
        return Relation(text)
    value = read(values[0] if r"\approx" in text else values[-1], thousands, nesting + 1)
    return Named(text, name, value) if name else value


def _bracketed(text: str, nesting: int) -> Reading | None:
    opening = 1 if text.startswith(r"\{") else 0
    if text[opening : opening + 1] not in ("(", "[", "{") or closing(text, opening) != len(text) - 1:
        return None
    ends = text[opening] + text[-1]
    inside = text[opening + 1 : -1].removesuffix("\\" if opening else "")
    # Between brackets a comma separates items; thousands only where the items have commas with a space.
    thousands = ", " in inside
    items = _split(inside, _COMMA, thousands)
    if len(items) > 1 or ends == "{}":
        return _collection(text, items, ends, thousands, nesting)
    return read(inside, nesting=nesting + 1) if ends == "()" else None


def _scalar(text: str, thousands: bool, nesting: int) -> Reading:
    if len(_PLUS_MINUS.findall(text)) == 1:
        plus, minus = (_PLUS_MINUS.sub(sign, text).strip() for sign in "+-")
        both = (plus.removeprefix("+"), minus)
        return Collection(text, tuple(read(one, thousands, nesting + 1) for one in both), "")
    value, unit = split_unit(text)
    return Quantity(text, value, unit)


def _split(text: str, separator: re.Pattern[str], thousands: bool = False) -> list[str]:
    """Parts between separators outside all brackets; with ``thousands``, a comma inside a number is none."""
    parts: list[str] = []
    start = depth = position = 0
    while position < len(text):
        if text[position] in "([{":
            depth += 1
        elif text[position] in ")]}":
            depth -= 1
        found = separator.match(text, position) if depth == 0 else None
        if found and not (thousands and _inside_number(text, found)):
            parts.append(text[start : found.start()])
            start = found.end()
        position = found.end() if found else position + 1
    return [part for part in [*parts, text[start:]] if part.strip()]


def _inside_number(text: str, comma: re.Match[str]) -> bool:
    before = re.search(r"(?<![0-9.])[0-9]{1,3}(?:,[0-9]{3})*$", text[: comma.start()])
    after = re.match(r"[0-9]{3}(?![0-9])", text[comma.end() :])
    return comma[0] == "," and before is not None and after is not None
