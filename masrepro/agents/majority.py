r"""Which answer most samples give, when the same answer may be spelled in several ways.

The released code counts raw strings, so that ``4`` and ``\boxed{4}`` are different votes. Here answers are brought to a
normal form first. It is meant for counting votes and errs on the side of keeping answers apart; whether an answer is
right is for a scorer to say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from masrepro.agents.agent import Output
from masrepro.agents.cot import unboxed

_BOX = re.compile(r"\\boxed\s*\{([^{}]*)\}")
_TEXT = re.compile(r"\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}")
_FRACTION = re.compile(r"(-?)\\[dt]?frac\s*\{(-?\d+)\}\s*\{(\d+)\}")
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:/\d+)?", re.ASCII)
_LONGEST_NUMBER = 100  # characters; longer ones are compared as text
_BEFORE = " \t\n,;:\"'`*$"
_AFTER = _BEFORE + ".?"


@dataclass(frozen=True, slots=True)
class Vote:
    """How a vote ended.

    Parameters
    ----------
    winner : Output or None
        The first sample that gives the answer with the most votes; None if no sample holds an answer.
    n_votes : int
        Samples that give it.
    n_samples : int
        All samples, those without an answer included.
    tied : tuple of str
        The answers that have as many votes, each as first given and the winner's first; empty without a tie.
    """

    winner: Output | None
    n_votes: int
    n_samples: int
    tied: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.winner is None:
            return f"None of {self.n_samples} samples holds an answer."
        if self.tied:
            return f"Tie at {self.n_votes} of {self.n_samples} samples each: {', '.join(self.tied)}; the first counts."
        return f"{self.n_votes} of {self.n_samples} samples agree."


def majority(samples: Sequence[Output]) -> Vote:
    """Count the samples by the normal form of their answers; a tie goes to the answer that appears first."""
    ballots: dict[str, list[Output]] = {}
    for sample in samples:
        if sample.answer is not None:
            ballots.setdefault(normal_form(sample.answer), []).append(sample)
    if not ballots:
        return Vote(None, 0, len(samples))
    n_votes = max(map(len, ballots.values()))
    leading = [ballot[0] for ballot in ballots.values() if len(ballot) == n_votes]
    tied = tuple(unboxed(leader.answer or "") for leader in leading) if len(leading) > 1 else ()
    return Vote(leading[0], n_votes, len(samples), tied)


def normal_form(answer: str) -> str:
    r"""One spelling for answers that plainly are the same.

    Boxes, dollar signs, text commands, case, spacing, marks at the ends and a leading article go; a number becomes an
    exact fraction, so that ``1,000``, ``1000.0`` and ``\boxed{1000}`` agree. Several boxes keep their order.
    """
    text = _TEXT.sub(r"\1", _BOX.sub(r" \1 ", unboxed(answer)))
    text = _FRACTION.sub(r"\1\2/\3", text).replace(r"\$", "").replace("\\!", "")
    words = [bare for word in text.casefold().split() if (bare := word.lstrip(_BEFORE).rstrip(_AFTER))]
    if len(words) > 1 and words[0] in ("a", "an", "the"):
        words = words[1:]
    return " ".join(map(_number, words))


def _number(word: str) -> str:
    plain = word.replace(",", "") if _THOUSANDS.fullmatch(word) else word
    if len(plain) > _LONGEST_NUMBER or not _NUMBER.fullmatch(plain):
        return word
    numerator, _, denominator = plain.partition("/")
    if denominator and not int(denominator):
        return word
    return str(Fraction(numerator) / int(denominator or 1))
