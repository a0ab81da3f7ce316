r"""Flawed on purpose: the scorer released with MAS-Orchestra (arXiv 2601.14652), as far as it is known.

Known: several answers are joined by ``<<horizon>>``; then exactly that many closed ``\boxed{}`` must be
there, all right, in order. One answer is matched by a string scorer *or* by Math-Verify in its default form,
over the whole text, with that library's search for something to grade and its rounding. An error message is
graded like an answer: "Expected 1" scores when the truth is 1, a 30 s timeout when it is 30, and
``<answer>42</answer>`` in a failed reply when it is 42. For every benchmark but AIME the paper puts an LLM
judge in front of this; that judge is not here.

The string scorer is restated from those observations, so that agreement in every case is not claimed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from masrepro.bench.scoring.boxes import boxes
from masrepro.bench.scoring.outcome import Score
from masrepro.bench.scoring.worker import WORKER, Undecided

JOIN = "<<horizon>>"
NOTE = "paper flavour: grades error messages and passing numbers too; only to compare with published figures"
MAX_CHARACTERS = 20_000  # only the tail of a longer text is searched

_ANSWER_TAG = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9][0-9,]*(?:\.[0-9]+)?")
_SPELLING = re.compile(r"\\left|\\right|\\[,!; ]|[\s$]|\\text|(?<=[0-9]),(?=[0-9]{3})")


def score_as_paper(prediction: str, gold: Sequence[str]) -> Score:
    """Score as the released code does; never ``unparsed``, which it does not know.

    Parameters
    ----------
    prediction : str
        What the system returned, or the message of its error.
    gold : sequence of str
        Truths of which one must be met; a truth may join several answers by ``<<horizon>>``.
    """
    scores = [_score(prediction[-MAX_CHARACTERS:], truth) for truth in gold]
    return max(scores, key=lambda one: one.credit)


def score_list_as_paper(prediction: str, gold: Sequence[str]) -> Score:
    """`score_as_paper` for one truth that is given as a list: all of ``gold`` must be there, in order."""
    return _score(prediction[-MAX_CHARACTERS:], JOIN.join(gold))


def _score(text: str, truth: str) -> Score:
    golds = [part.strip() for part in truth.split(JOIN)]
    if len(golds) == 1:
        answer = _string_answer(text)
        return _judged(_same(golds[0], answer) or _verified(golds[0], text), answer)
    answers = tuple(box.strip() for box in boxes(text) if box is not None)
    if len(answers) != len(golds):
        return _judged(False, answers)
    pairs = zip(golds, answers, strict=True)
    parts = tuple(_same(right, answer) or _verified(right, answer) for right, answer in pairs)
    return _judged(all(parts), answers, parts)


def _judged(right: bool, extracted: str | tuple[str, ...], parts: tuple[bool, ...] = ()) -> Score:
    return Score("correct" if right else "wrong", extracted, float(right), parts, (NOTE,))


def _string_answer(text: str) -> str:
    """Last closed box, else last answer tag, else last number, else all of the text."""
    for found in ([box for box in boxes(text) if box], _ANSWER_TAG.findall(text), _NUMBER.findall(text)):
        if found:
            return str(found[-1]).strip()
    return text.strip()


def _same(gold: str, answer: str) -> bool:
    return bool(answer) and _squeezed(gold) == _squeezed(answer)


def _squeezed(text: str) -> str:
    return re.sub(r"\b0+(?=[1-9])", "", _SPELLING.sub("", text).rstrip(".")).lower()


@lru_cache(maxsize=4_096)
def _verified(gold: str, text: str) -> bool:
    try:
        return WORKER.ask("paper", gold, text)
    except Undecided:  # the released code, too, takes a failure of Math-Verify for "not the same"
        return False
