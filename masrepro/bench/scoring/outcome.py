"""What scoring one answer gives.

Not here: outcomes that no look at the text can find (`invalid`, `truncated`, `limit`, `error`). The
evaluation loop sets those, and an answer that has one of them never reaches a strict scorer.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

Outcome = Literal["correct", "wrong", "unparsed", "invalid", "truncated", "limit", "error"]


class ScorerUnavailable(RuntimeError):
    """A scorer cannot work at all, whatever the answer: its process does not start, a library is missing.

    Says nothing about the answer, which is scored once the fault is mended.
    """


@dataclass(frozen=True, slots=True)
class Score:
    """The verdict on one answer.

    Parameters
    ----------
    outcome : Outcome
        Scorers give ``correct``, ``wrong`` or ``unparsed`` (the text states no answer that can be read).
    extracted : str, tuple or None
        What was read as the answer; a tuple, in order, where several were asked for, with None for each that
        cannot be read.
    credit : float
        In [0, 1]: F1 for ``qa_f1``, the mean over positions for ``exact_ints``, else 1 for a correct answer.
    parts : tuple of bool
        Which of several asked answers are right, in order; empty where one answer was asked for.
    notes : tuple of str
        What a reader of the number should know: a flawed flavour, a comparison that was given up.
    """

    outcome: Outcome
    extracted: str | tuple[str | None, ...] | None
    credit: float
    parts: tuple[bool, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def prefix(self) -> int:
        """How many of several asked answers are right before the first that is not."""
        return sum(takewhile(bool, self.parts))


def judged(right: bool, extracted: str) -> Score:
    """Score of one answer that was read and compared."""
    return Score("correct" if right else "wrong", extracted, float(right))


def unparsed(extracted: str | None = None, *notes: str) -> Score:
    """Score of a text that states no answer that can be read."""
    return Score("unparsed", extracted, 0.0, notes=notes)
