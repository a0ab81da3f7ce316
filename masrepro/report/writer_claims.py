"""What MAS-Orchestra says of orchestrators that follow instructions and those that reason (figures 4, C.5 and C.6).

Ours stands beside it. What it says of their training is in `training_claims`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from masrepro.lab.table import Row
from masrepro.report.claims import Claim, verdict_on
from masrepro.report.published import figure, shapes_written
from masrepro.report.statistics import Estimate, paired_difference, ratio_of_means, shown
from masrepro.report.writers import WriterPoint, axes_of, errors_of, gain_of, writers_of

INSTRUCTED, REASONING = "instructed", "reasoning"
NO_SECOND = "incomplete: no reasoning orchestrator is named, so it was not measured"


def kind_claims(points: Sequence[WriterPoint], *, trained: bool, comparable: bool = True) -> list[Claim]:
    """What the paper says of orchestrators that follow instructions and those that reason.

    Parameters
    ----------
    trained : bool
        Whether both were trained for their systems' answers; the paper's were.
    comparable : bool
        False for runs that are too small to conclude anything.
    """
    there = REASONING in writers_of(points)
    errors = errors_of(points, INSTRUCTED, REASONING)

    def judged(gain: Estimate | None) -> str:
        if not there:
            return NO_SECOND
        return verdict_on(gain, errors=errors, comparable=comparable, trained=trained)

    better = gain_of(points, INSTRUCTED, REASONING)
    by_axis = (
        f"{axis} {shown(gain_of([p for p in points if p.axis == axis], INSTRUCTED, REASONING))}"
        for axis in axes_of(points)
    )
    undivided, single = _undivided(points), shapes_written("c6")["shares"]
    longer = _times_as_long(points)
    return [
        Claim(
            claim="An orchestrator that follows instructions does better than one that solves the question first",
            where="MAS-Orchestra, figure 4 (GPT-OSS-20B low) and figure C.5 (DeepSeek-R1-Distill-Qwen-7B), trained",
            published="; ".join(map(_instructed_to_reasoning, ("4", "c5"))),
            ours=f"difference {shown(better)}; {'; '.join(by_axis)}" if there else "reasoning: not measured",
            verdict=judged(better),
        ),
        Claim(
            claim="One that solves the question itself writes more single agents and direct answers",
            where="MAS-Orchestra, figure C.6 (Depth 4, from the first to the last step of training)",
            published="; ".join(f"{what} {ends[0]:.2f} to {ends[1]:.2f}" for what, ends in single.items()),
            ours=f"systems of at most one agent: {_each(points, _share_undivided)}; difference {shown(undivided)}",
            verdict=judged(undivided),
        ),
        Claim(
            claim="One that solves the question itself writes more tokens",
            where="MAS-Orchestra, appendix B (what they may write)",
            published="at most 8,192 to 120,000; what they do write is not published",
            ours=f"tokens for a question: {_each(points, _written)}"
            + (f"; {longer.value:.1f} times [{longer.low:.1f}, {longer.high:.1f}]" if longer else ""),
            verdict="not published" if there else NO_SECOND,
        ),
    ]


def published_rows(*numbers: str) -> list[Row]:
    """Some of the paper's figures side by side: a row an axis value, a column a setting; accuracy of the systems."""
    values: dict[str, dict[tuple[str, int], float]] = {}
    for p in (p for number in numbers for p in figure(number)):
        values.setdefault(f"{p.setting} ({p.where})", {})[p.axis, p.axis_value] = p.value
    cells = dict.fromkeys(cell for known in values.values() for cell in known)
    return [
        {"axis": axis, "value": value, **{setting: known.get((axis, value)) for setting, known in values.items()}}
        for axis, value in cells
    ]


def _instructed_to_reasoning(number: str) -> str:
    """Mean over an axis's values, for each axis of figure 4 or C.5."""
    values = figure(number)
    settings = list(dict.fromkeys(p.setting for p in values))
    means = {
        axis: [fmean(p.value for p in values if (p.axis, p.setting) == (axis, setting)) for setting in settings]
        for axis in dict.fromkeys(p.axis for p in values)
    }
    said = (f"{axis} {one:.3f} to {other:.3f}" for axis, (one, other) in means.items())
    return f"{values[0].where}: {', '.join(said)}"


def _undivided(points: Sequence[WriterPoint]) -> Estimate | None:
    """Share of systems of at most one agent, the reasoning orchestrator's minus the other's."""
    ours, theirs = (
        [share for p in points if p.writer == who for share in p.undivided] for who in (REASONING, INSTRUCTED)
    )
    return paired_difference(ours, theirs) if ours and theirs else None


def _times_as_long(points: Sequence[WriterPoint]) -> Estimate | None:
    ours, theirs = ([n for p in points if p.writer == who for n in p.tokens] for who in (REASONING, INSTRUCTED))
    return ratio_of_means(ours, theirs) if ours and theirs else None


def _each(points: Sequence[WriterPoint], what: Callable[[Sequence[WriterPoint]], str]) -> str:
    """What is to be said of both kinds, where they are there."""
    own = {who: [p for p in points if p.writer == who] for who in (INSTRUCTED, REASONING)}
    return ", ".join(f"{who} {what(theirs) if theirs else 'not measured'}" for who, theirs in own.items())


def _share_undivided(points: Sequence[WriterPoint]) -> str:
    return f"{fmean(share for p in points for share in p.undivided):.2f}"


def _written(points: Sequence[WriterPoint]) -> str:
    return f"{fmean(n for p in points for n in p.tokens):.0f}"
