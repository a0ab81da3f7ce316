r"""Exact integers, one or an ordered list, as MASBench asks for them: each in a ``\boxed{}``.

Not here: expressions and decimals. ``\boxed{5+2}`` and ``\boxed{7.0}`` hold no integer, whatever their value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from masrepro.bench.scoring.boxes import boxes, spoken, stated
from masrepro.bench.scoring.notation import plain
from masrepro.bench.scoring.outcome import Score, judged, unparsed

_INTEGER = re.compile(r"([+-]?) ?([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+)")


def score_integer(prediction: str, gold: Sequence[str]) -> Score:
    """Score a reply that must state one integer: in its last box or, where it has no box at all, as a whole.

    Parameters
    ----------
    prediction : str
        The reply. An integer as a whole may follow ``Answer:`` or ``### Final Answers``.
    gold : sequence of str
        Integers that count as right.

    Raises
    ------
    ValueError
        A gold answer is not an integer.
    """
    golds = [_gold_integer(answer) for answer in gold]
    content = stated(spoken(prediction))
    value = None if content is None else integer(content)
    return unparsed() if value is None else judged(value in golds, value)


def score_integers(prediction: str, gold: Sequence[str]) -> Score:
    """Score a reply that must state as many integers as ``gold`` has, in its boxes, in that order.

    Another number of boxes, or a box without an integer, is ``unparsed``; ``credit`` (the mean over
    positions), ``parts`` and ``prefix`` still say which positions hold the right one.

    Raises
    ------
    ValueError
        A gold answer is not an integer.
    """
    golds = [_gold_integer(answer) for answer in gold]
    values = tuple(None if content is None else integer(content) for content in boxes(spoken(prediction)))
    padded = values + (None,) * len(golds)
    parts = tuple(value == right for value, right in zip(padded, golds, strict=False))
    credit = sum(parts) / len(parts)
    if len(values) != len(golds) or None in values:
        return Score("unparsed", values or None, credit, parts)
    return Score("correct" if all(parts) else "wrong", values, credit, parts)


def integer(text: str) -> str | None:
    """The integer that ``text`` is, without leading zeros and separators; None where it is something else.

    A string, so that an integer of any length can be read.
    """
    found = _INTEGER.fullmatch(plain(text))
    if found is None:
        return None
    digits = re.sub("[, ]", "", found[2]).lstrip("0") or "0"
    return f"-{digits}" if found[1] == "-" and digits != "0" else digits


def _gold_integer(answer: str) -> str:
    value = integer(answer)
    if value is None:
        raise ValueError(f"gold answer {answer!r} is not an integer: give one, or use scorer 'math'")
    return value
