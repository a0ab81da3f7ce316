r"""Strict scorer of mathematical answers: equal values however they are spelled, and nothing else.

A wrapper of Math-Verify that leaves it what it does best, the algebra of one expression. Extraction,
spelling, units, lists and numbers are done here and in the modules below, without tolerance: 0.50 is 1/2,
0.333 is not 1/3, and 0 is not 1/2000.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from masrepro.bench.scoring.boxes import boxes, spoken, stated
from masrepro.bench.scoring.equality import NeedsAlgebra, same_answer, same_number
from masrepro.bench.scoring.notation import MAX_CHARACTERS, plain, same_text
from masrepro.bench.scoring.outcome import Score, judged, unparsed
from masrepro.bench.scoring.reading import Words, read
from masrepro.bench.scoring.worker import WORKER, Undecided


def score_mathematics(prediction: str, gold: Sequence[str]) -> Score:
    r"""Score the last box of a reply or, where it has none, what follows ``Answer:`` or the whole reply.

    Parameters
    ----------
    prediction : str
        The reply.
    gold : sequence of str
        Answers that count as right, each whole: "1331 and 1728" asks for both.

    Notes
    -----
    ``unparsed``: no box and no lone expression; a last box that is empty or never closed; content that is no
    mathematics, or cannot be evaluated within the limits of `worker`. The last two say so in ``notes``.
    """
    text = spoken(prediction)
    content = stated(text)
    answer = "" if content is None else _unboxed(content)
    if not any(character.isalnum() for character in answer):
        return unparsed()
    golds = [_unboxed(alias) for alias in gold]
    verdicts = [_compared(right, answer) for right in golds]
    if any(same for same, _ in verdicts):
        return judged(True, answer)
    undecided = [reason for _, reason in verdicts if reason]
    if undecided:
        return unparsed(answer, *undecided)
    if content == text and _is_prose(answer) and not all(map(_is_prose, golds)):
        return unparsed()  # neither boxed nor marked: talk, not an answer
    return judged(False, answer)


def _unboxed(content: str) -> str:
    """The answer in its one spelling, without boxes around it."""
    answer = plain(content)
    while len(answer) <= MAX_CHARACTERS and answer.startswith(("\\boxed", "\\fbox")):
        inner = boxes(answer)
        if not inner or inner[0] is None:
            break
        answer = plain(inner[0])
    return answer


def _is_prose(answer: str) -> bool:
    return len(answer) > MAX_CHARACTERS or isinstance(read(answer), Words)


@lru_cache(maxsize=4_096)
def _compared(gold: str, answer: str) -> tuple[bool, str]:
    """Whether two answers are the same, and why that could not be decided ("" where it could)."""
    if same_text(gold, answer):
        return True, ""
    if max(len(gold), len(answer)) > MAX_CHARACTERS:
        return False, ""
    try:
        return same_answer(gold, answer, same_number), ""
    except NeedsAlgebra:
        pass
    try:
        return WORKER.ask("same", gold, answer), ""
    except Undecided as reason:
        return False, str(reason)
