"""A claim as a paper makes it, measured here or not; and what a saved claim's verdict is, in a word and its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from masrepro.report.claims import Claim

NOT_RUN = "not run"
"""The kind of verdict of a claim that no run has measured."""
MIXED = "mixed"
"""The kind of a verdict that is another for every sub-agents' model, each named with its own."""
KINDS = ("consistent", MIXED, "differs", "not shown", "not comparable", "incomplete", "not published", NOT_RUN)
"""Kinds of verdicts, in the order in which they are counted up."""


@dataclass(frozen=True, slots=True)
class PaperClaim:
    """A claim as a paper makes it.

    Parameters
    ----------
    paper, claim, where, published : str
        As in `Claim`; ``where`` without the paper.
    notebooks : tuple of str
        Those that measure it; none where that takes more than the notebooks have.
    about : tuple of str
        A notebook's claim belongs here if it has one of these words; no words take every claim.
    """

    paper: str
    claim: str
    where: str
    published: str
    notebooks: tuple[str, ...] = ()
    about: tuple[str, ...] = ()

    def covers(self, notebook: str, claim: Claim) -> bool:
        """Whether a claim that a notebook saved is this one, or a part of it."""
        text = claim.claim.lower()
        return notebook in self.notebooks and (not self.about or any(word in text for word in self.about))

    def missing(self, why: str) -> Claim:
        """The row that stands for it while no run has measured it."""
        return Claim(self.claim, f"{self.paper}, {self.where}", self.published, "not measured", f"{NOT_RUN}: {why}")


def kind_of(claim: Claim) -> str:
    """A claim's verdict without its reason: one of `KINDS`, or a word of its notebook's own."""
    return MIXED if _is_mixed(claim) else claim.verdict.partition(":")[0].strip()


def reason_of(claim: Claim) -> str:
    """Why the verdict is what it is; empty where it says no more."""
    return claim.verdict if _is_mixed(claim) else claim.verdict.partition(":")[2].strip()


def _is_mixed(claim: Claim) -> bool:
    """Whether it is a list of names, each with a verdict: "desk-solver-s: consistent; desk-solver-m: differs"."""
    parts = [part.split(": ") for part in claim.verdict.split("; ")]
    return len(parts) > 1 and all(len(part) > 1 and part[0] not in KINDS and part[1] in KINDS for part in parts)


def saved_claim(values: Mapping[str, Any]) -> Claim:
    """A claim as a notebook saved it.

    Raises
    ------
    ValueError
        A part is missing, is no text, or is empty where it may not be; says which.
    """
    parts = [field.name for field in fields(Claim)]
    lacking = [part for part in parts if not isinstance(values.get(part), str)]
    lacking += [part for part in ("claim", "ours", "verdict") if values.get(part) == ""]
    if lacking:
        raise ValueError(f"a claim lacks {', '.join(lacking)}: {values.get('claim') or dict(values)}")
    return Claim(**{part: values[part] for part in parts})
