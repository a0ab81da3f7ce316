"""A claim of a paper beside what came out here: the rows of the report, and how a verdict is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from masrepro.report.statistics import Estimate

TOO_FEW = "not comparable: too few items"
"""Verdict of runs from which nothing can be concluded."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim.

    Parameters
    ----------
    claim : str
        In a sentence.
    where : str
        Paper, and its table or figure.
    published : str
        The paper's value; empty where it gives none.
    ours : str
        Our value with its interval.
    verdict : str
        ``consistent``, ``differs``, ``not comparable: why``, or ``incomplete: why``.
    """

    claim: str
    where: str
    published: str
    ours: str
    verdict: str

    def to_json(self) -> dict[str, str]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Claim:
        """The claim that gave these values."""
        return cls(**values)


def direction(gain: Estimate) -> str:
    """Verdict on a gain that is claimed, from its interval."""
    if gain.low > 0:
        return "consistent"
    return "differs" if gain.high < 0 else "not shown: the interval holds 0"


def incomplete(errors: int) -> str:
    """Verdict where samples ended in errors."""
    return f"incomplete: {errors} samples ended in errors; the same command again resumes"


def verdict_on(gain: Estimate | None, errors: int = 0, *, trained: bool = True, comparable: bool = True) -> str:
    """Verdict on a gain that is claimed.

    Parameters
    ----------
    gain : Estimate or None
        None where it was not measured.
    errors : int
        Samples that ended in errors.
    trained : bool
        Whether the orchestrator was trained for its systems' answers; the paper's was.
    comparable : bool
        False for runs that are too small to conclude anything.
    """
    if gain is None:
        return incomplete(errors) if errors else "incomplete: not measured"
    if not comparable:
        return TOO_FEW
    if not trained:
        return f"not comparable: the paper's orchestrator is trained, ours is not; {direction(gain)}"
    return direction(gain)
