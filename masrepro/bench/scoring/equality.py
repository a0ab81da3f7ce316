r"""When two mathematical answers are the same: a recursion over what `reading` found, down to scalars.

Not symmetric: gold in base eight may lose its base in the prediction; gold in base ten may not gain one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from masrepro.bench.scoring import reading
from masrepro.bench.scoring.notation import same_text
from masrepro.bench.scoring.rational import exact, has_thousands
from masrepro.bench.scoring.reading import (
    Collection,
    Matrix,
    Named,
    Quantity,
    Reading,
    Relation,
    Union,
    Words,
)

SameValue = Callable[[str, str], bool]
"""Whether a gold scalar and a predicted one, both without unit, have the same value."""

MAX_UNORDERED = 12  # items of a list that are matched in any order; a longer list is compared in order


class NeedsAlgebra(Exception):
    """Two scalars differ as text and are not both numbers as written."""


def same_answer(gold: str, prediction: str, same_value: SameValue) -> bool:
    """Whether two answers in the spelling of `notation.plain` are the same.

    Parameters
    ----------
    gold, prediction : str
        The answers.
    same_value : callable
        Decides scalars: `same_number`, or one that also knows algebra.

    Raises
    ------
    NeedsAlgebra
        ``same_value`` cannot decide.
    """
    right, answer = reading.read(gold), reading.read(prediction)
    # "100,200" is a number, unless what it is compared with is a list without doubt.
    if isinstance(right, Collection) and has_thousands(prediction):
        answer = reading.read(prediction, thousands=False)
    elif isinstance(answer, Collection) and has_thousands(gold):
        right = reading.read(gold, thousands=False)
    return _same(right, answer, same_value)


def same_number(gold: str, prediction: str) -> bool:
    """`SameValue` for numbers as written.

    Raises
    ------
    NeedsAlgebra
        The texts differ, and one of them is not such a number.
    """
    if same_text(gold, prediction):
        return True
    right, value = exact(gold), exact(prediction)
    if right is None or value is None:
        raise NeedsAlgebra
    return right == value


def _same(gold: Reading, answer: Reading, same_value: SameValue) -> bool:
    if same_text(gold.text, answer.text):
        return True
    match gold, answer:
        case Named(), Named():
            return same_text(gold.name, answer.name) and _same(gold.of, answer.of, same_value)
        case (Relation(), Relation() | Named()) | (Named(), Relation()):
            return same_value(gold.text, answer.text)
        case (Relation(), Union() | Collection()) | (Union() | Collection(), Relation()):
            return same_value(gold.text, answer.text) if _one_is_inequality(gold, answer) else False
        case _, Named():
            return _same(gold, answer.of, same_value)
        case Named(), _:
            return _same(gold.of, answer, same_value)
        case (Words(), Words() | Quantity()) | (Quantity(), Words()):
            return _letters(gold.text) == _letters(answer.text)
        case Quantity(), Quantity():
            return _same_quantity(gold, answer, same_value)
        case Collection(), Collection():
            return _same_collection(gold, answer, same_value)
        case Collection(items=(only,), ends="{}"), _:
            return _same(only, answer, same_value)
        case _, Collection(items=(only,), ends="{}"):
            return _same(gold, only, same_value)
        case Union(), Union():
            return _in_any_order(gold.parts, answer.parts, same_value)
        case Matrix(), Matrix():
            return len(gold.rows) == len(answer.rows) and all(
                _in_order(*rows, same_value) for rows in zip(gold.rows, answer.rows, strict=True)
            )
    return False


def _same_quantity(gold: Quantity, answer: Quantity, same_value: SameValue) -> bool:
    if gold.unit == answer.unit:
        return same_value(gold.value, answer.value)
    if gold.unit and answer.unit:
        return False
    if answer.unit.startswith("base ") and answer.unit != "base 10":
        return False  # gold is in base ten
    if same_value(gold.value, answer.value):
        return True
    # One of them is a per cent, and the other may be the same share written without the sign.
    if gold.unit == "%":
        return same_value(_hundredth(gold.value), answer.value)
    return answer.unit == "%" and same_value(gold.value, _hundredth(answer.value))


def _hundredth(value: str) -> str:
    number = exact(value)
    return rf"\frac{{{value}}}{{100}}" if number is None else str(number / 100)


def _same_collection(gold: Collection, answer: Collection, same_value: SameValue) -> bool:
    ends = {gold.ends, answer.ends}
    if ends <= {"", "{}"}:
        return _in_any_order(gold.items, answer.items, same_value)
    if len(ends) == 1 or (len(ends) == 2 and "" in ends):
        return _in_order(gold.items, answer.items, same_value)
    return False


def _in_order(gold: Sequence[Reading], answer: Sequence[Reading], same_value: SameValue) -> bool:
    return len(gold) == len(answer) and all(
        _same(right, item, same_value) for right, item in zip(gold, answer, strict=True)
    )


def _in_any_order(gold: Sequence[Reading], answer: Sequence[Reading], same_value: SameValue) -> bool:
    if len(gold) != len(answer) or len(gold) > MAX_UNORDERED:
        return _in_order(gold, answer, same_value)
    left = list(answer)
    for right in gold:
        match = next((item for item in left if _same(right, item, same_value)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _one_is_inequality(gold: Reading, answer: Reading) -> bool:
    return any(isinstance(side, Relation) and "=" not in side.text for side in (gold, answer))


def _letters(text: str) -> str:
    return "".join(sign for sign in text.replace(r"\text", "").casefold() if sign.isalnum())
