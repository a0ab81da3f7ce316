"""What MAS-Orchestra says of its sub-agents' reasoning effort, with ours beside it (figures 5 and C.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from masrepro.lab.table import Row
from masrepro.report.axes import STRONGER
from masrepro.report.claims import Claim, direction, verdict_on
from masrepro.report.effort import EffortPoint, shrinks
from masrepro.report.published import by_value, figure
from masrepro.report.statistics import Estimate, shown

LENGTHS = "not comparable: the paper varies reasoning effort, here it is the length of a reply"


def published_efforts(axis: str, value: int) -> dict[str, dict[str, float]]:
    """The paper's ``sas`` and ``mas`` at an axis value, by effort, the least first; empty where it has none."""
    known: dict[str, dict[str, float]] = {}
    low = [p for p in by_value(axis, STRONGER).values() if p.axis_value == value]
    others = [p for number in ("5", "c7") for p in figure(number) if (p.axis, p.axis_value) == (axis, value)]
    for setting, values in (("low", low), *((p.setting, [p]) for p in others)):
        for published in values:
            known.setdefault(setting, {})[published.system] = published.value
    return known


def published_effort_rows() -> list[Row]:
    """Figures 3 (low), 5 and C.7, a row an axis value and a column an effort: one agent to several."""
    cells = dict.fromkeys((p.axis, p.axis_value) for p in figure("5"))
    return [
        {
            "axis": axis,
            "value": value,
            **{effort: " to ".join(f"{p:.3f}" for p in at.values()) for effort, at in known.items()},
        }
        for axis, value in cells
        for known in [published_efforts(axis, value)]
    ]


def effort_claims(
    points: Sequence[EffortPoint], *, trained: bool, by_effort: bool, comparable: bool = True
) -> list[Claim]:
    """For each benchmark whether several agents gain less as effort grows; the paper sees it on Robustness alone.

    Parameters
    ----------
    trained : bool
        Whether the orchestrator was trained for its systems' answers; the paper's was.
    by_effort : bool
        Whether the sub-agents were told how hard to reason; False: only the length of a reply was bounded.
    comparable : bool
        False for runs that are too small to conclude anything.
    """

    def judged(own: Sequence[EffortPoint]) -> str:
        less, errors = shrinks(own), sum(point.errors for point in own)
        verdict = verdict_on(less, errors, trained=trained, comparable=comparable)
        if less is None or not comparable or by_effort:
            return verdict
        return f"{LENGTHS}; {direction(less)}"

    cells = {
        cell: [point for point in points if (point.axis, point.value) == cell]
        for cell in dict.fromkeys((point.axis, point.value) for point in points)
    }
    return [
        Claim(
            claim="Several agents gain less as effort grows",
            where="MAS-Orchestra, figures 5 and C.7 (GPT-OSS-120B sub-agents)",
            published=f"robustness 2: {_gains(published_efforts('robustness', 2))}",
            ours=f"all benchmarks: gain at the least effort minus that at the most {shown(shrinks(points))}",
            verdict=judged(points),
        ),
        *(
            Claim(
                claim=f"Several agents gain less on {axis.capitalize()} {value} as effort grows",
                where="MAS-Orchestra, figures 5 and C.7 (GPT-OSS-120B sub-agents)",
                published=_gains(published_efforts(axis, value)),
                ours=f"{_our_gains(own)}; the least minus the most {shown(shrinks(own))}",
                verdict=judged(own),
            )
            for (axis, value), own in cells.items()
        ),
    ]


def _gains(known: Mapping[str, Mapping[str, float]]) -> str:
    return ", ".join(f"{effort} {at['mas'] - at['sas']:+.3f}" for effort, at in known.items())


def _our_gains(points: Sequence[EffortPoint]) -> str:
    def said(gain: Estimate | None) -> str:
        return f"{gain.value:+.2f}" if gain else "missing"

    return ", ".join(f"{point.effort} {said(point.gain)}" for point in points)
