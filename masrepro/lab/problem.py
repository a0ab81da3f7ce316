"""What is wrong with input, said so that a person can mend it: all problems at once, each with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from masrepro.lab.redaction import redact


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend.

    Parameters
    ----------
    what : str
        What is wrong, and the remedy.
    place : str
        ``params/smoke/01_five_axes.yaml``, ``-p n_samples``, ``variable n_samples``; empty where there is
        none.
    line : int
        From 1; 0 where there is none.
    """

    what: str
    place: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.place, f"line {self.line}" if self.line else "") if part)
        return f"{where}: {self.what}" if where else self.what


class BadInput(Exception):
    """Input that cannot be used as it stands. The command line prints it and exits with code 2.

    Parameters
    ----------
    problems : sequence of Problem
        Everything that is wrong. Anything that looks like a secret is taken out of the text.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(redact("\n".join(str(problem) for problem in self.problems)))

    @classmethod
    def of(cls, what: str, place: str = "") -> BadInput:
        """A single problem."""
        return cls([Problem(what, place)])


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """``, did you mean n_samples?`` for the closest known word, else the list of known words."""
    close = get_close_matches(word, known, n=1, cutoff=0.6)
    return f", did you mean {close[0]}?" if close else f"; known: {', '.join(known)}"
