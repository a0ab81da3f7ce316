"""Every claim of both papers beside what the runs found of it; what none has measured is there as a gap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from masrepro.report.claims import Claim
from masrepro.report.claims_of_mas2 import mas2_claims
from masrepro.report.claims_of_orchestra import orchestra_claims
from masrepro.report.paper_claim import KINDS, PaperClaim, kind_of
from masrepro.report.saved_runs import SavedRun

BESIDES = "Measured here besides"
"""Heads claims that are of no paper's list."""


@dataclass(frozen=True, slots=True)
class Line:
    """A claim with its verdict, the run that it is from, None where none has measured it, and what repeats that run or
    would measure it; empty where nothing here would.
    """

    claim: Claim
    run: SavedRun | None
    command: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One claim of a paper, with all lines that bear on it."""

    paper: str
    claim: str
    where: str
    published: str
    lines: tuple[Line, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Number of lines by kind of verdict."""
        return counts(self.lines)


def ledger(runs: Sequence[SavedRun], ended: Mapping[str, str], profile: str) -> tuple[Entry, ...]:
    """All entries: the papers' claims in their order, then what was measured besides.

    Parameters
    ----------
    runs : sequence of SavedRun
    ended : mapping of str to str
        How the newest run of a notebook ended that has no complete one; see `saved_runs.unfinished`.
    profile : str
        Whose runs these are.
    """
    left = [Line(claim, run, run.command) for run in runs for claim in run.claims]
    entries = []
    for paper in (*orchestra_claims(), *mas2_claims()):
        own = tuple(line for line in left if line.run and paper.covers(line.run.name, line.claim))
        left = [line for line in left if line not in own]
        entries.append(
            Entry(paper.paper, paper.claim, paper.where, paper.published, own or (_gap(paper, runs, ended, profile),))
        )
    if left:
        entries.append(Entry(BESIDES, "What the papers do not say, or say otherwise", "", "", tuple(left)))
    return tuple(entries)


def counts(lines: Sequence[Line]) -> dict[str, int]:
    """Number of lines by kind of verdict, known kinds first."""
    found = Counter(kind_of(line.claim) for line in lines)
    return {kind: found[kind] for kind in (*KINDS, *sorted(found.keys() - set(KINDS))) if found[kind]}


def _gap(paper: PaperClaim, runs: Sequence[SavedRun], ended: Mapping[str, str], profile: str) -> Line:
    """The line of a claim that no run has measured: why, and what would."""
    done = {run.name for run in runs}
    for name in paper.notebooks:
        command = f"python -m masrepro run {name} --profile {profile}"
        if name in done:
            return Line(paper.missing("its notebook ran, and says nothing of it with these params"), None, command)
        if name in ended:
            return Line(paper.missing(f"no complete run, {ended[name]}"), None, command)
        return Line(paper.missing("no complete run"), None, command)
    return Line(paper.missing("no notebook has the models and data that it takes"), None, "")
