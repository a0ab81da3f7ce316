"""The claims as Markdown: a short table for the README, between two marks, and all rows for the reference run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from masrepro.lab.table import Row, markdown_text
from masrepro.report.ledger import Entry, counts

BEGIN = "<!-- claims: written by python -m masrepro publish -->"
END = "<!-- end of claims -->"
NO_REFERENCE = "No reference run is published yet: `make reproduce`, then `python -m masrepro publish`."


def summary(entries: Sequence[Entry]) -> str:
    """How many rows came to which verdict, in a sentence."""
    lines = [line for entry in entries for line in entry.lines]
    return f"{len(lines)} rows: {_tally(counts(lines))}."


def short_table(entries: Sequence[Entry]) -> str:
    """One row a claim of a paper: its first row stands for it, which pools the others where there is one that does."""
    rows: list[Row] = [
        {
            "claim": entry.claim,
            "in": f"{entry.paper}, {entry.where}" if entry.where else entry.paper,
            "published": entry.lines[0].claim.published or "no value",
            "here": entry.lines[0].claim.ours,
            "verdicts": _tally(entry.counts),
        }
        for entry in entries
    ]
    return markdown_text(rows)


def long_table(entries: Sequence[Entry]) -> str:
    """All rows, with links to executed notebooks and the commands that repeat them."""
    rows: list[Row] = [
        {
            "claim": f"{line.claim.claim} ({line.claim.where})",
            "published": line.claim.published or "no value",
            "here": line.claim.ours,
            "verdict": line.claim.verdict,
            "evidence": f"[{line.run.name}]({line.run.link})" if line.run else "none",
            "command": f"`{line.command}`" if line.command else "",
        }
        for entry in entries
        for line in entry.lines
    ]
    return markdown_text(rows)


def readme_block(entries: Sequence[Entry]) -> str:
    """What stands between the marks."""
    return (
        f"The [reference run](outputs/reference/README.md), desk profile: {summary(entries)}\n\n"
        f"<details><summary>Claim by claim</summary>\n\n{short_table(entries)}\n</details>\n"
    )


def block_of(readme: str) -> str:
    """What a README has between the marks.

    Raises
    ------
    ValueError
        It has no such marks.
    """
    _, begin, rest = readme.partition(f"{BEGIN}\n")
    block, end, _ = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the README has no lines {BEGIN} and {END}")
    return block


def with_block(readme: str, block: str) -> str:
    """A README with another text between its marks."""
    return readme.replace(f"{BEGIN}\n{block_of(readme)}{END}", f"{BEGIN}\n{block}{END}")


def _tally(found: Mapping[str, int]) -> str:
    """Kinds of verdicts with their numbers; one verdict alone without."""
    if sum(found.values()) == 1:
        return next(iter(found))
    return ", ".join(f"{n} {kind}" for kind, n in found.items())
