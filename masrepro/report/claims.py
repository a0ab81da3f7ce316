"""A claim of a paper beside what came out here: the rows of the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


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
