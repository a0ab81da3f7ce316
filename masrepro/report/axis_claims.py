"""Figure and claims of accuracy by axis value, beside MAS-Orchestra's figures 3 and C.1."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from statistics import fmean

from masrepro.report.axes import (
    NOT_COMPARABLE,
    SHAPES,
    SINGLE,
    STRONGER,
    WEAKER,
    AxisPoint,
    pooled_gain,
    systems_of,
)
from masrepro.report.claims import TOO_FEW, Claim, direction, incomplete, verdict_on
from masrepro.report.competence import published_gains
from masrepro.report.figures import Figure, Panel, Series
from masrepro.report.published import by_value
from masrepro.report.statistics import Estimate, difference_of_gains, shown

WHERE = f"MAS-Orchestra, figures 3 and C.1 ({WEAKER} and {STRONGER} sub-agents)"
_LABELS = {SINGLE: "single agent", "oracle": "oracle (upper bound)", "star": "star (knows the problems)"}
_STYLES = 3
"""Styles for orchestrators, from the third on; then come the star's and the paper's."""


def axis_figure(points: Sequence[AxisPoint], *, note: str = "") -> Figure:
    """Accuracy by axis value: a row of panels an axis, a column a sub-agents' model; the paper's are open markers."""
    axes = list(dict.fromkeys(point.axis for point in points))
    solvers = list(dict.fromkeys(point.solver for point in points))
    panels = tuple(
        _panel(axis, solver, [p for p in points if (p.axis, p.solver) == (axis, solver)])
        for axis in axes
        for solver in solvers
    )
    means = "; ".join(
        f"{axis} {', '.join(_by_solver([p for p in points if p.axis == axis], 'oracle').values())}" for axis in axes
    )
    return Figure(
        title="Accuracy by axis value: one agent, and several",
        y_label="share of items solved",
        panels=panels,
        alt=f"Accuracy falls with the axis value. Mean gain of the oracle over the single agent, by axis: {means}.",
        note=note,
        columns=len(solvers) if len(solvers) > 1 else 0,
    )


def axis_claims(points: Sequence[AxisPoint], *, trained: Collection[str] = (), comparable: bool = True) -> list[Claim]:
    """What the paper says of each axis and of weaker and stronger sub-agents, with its values and ours.

    Parameters
    ----------
    trained : collection of str
        Systems whose orchestrator was trained for its systems' answers; the paper's was.
    comparable : bool
        False for runs that are too small to conclude anything.
    """
    others = systems_of(points)[1:]
    claims = []
    for axis in dict.fromkeys(point.axis for point in points):
        own = [point for point in points if point.axis == axis]
        claims.append(_falls(axis, own, comparable))
        claims += [_gains(axis, own, who, who in trained, comparable) for who in others]
    return [*claims, *(_weaker_gain_more(points, who, who in trained, comparable) for who in others)]


def _falls(axis: str, points: Sequence[AxisPoint], comparable: bool) -> Claim:
    def verdict(own: Sequence[AxisPoint]) -> str:
        if len(own) < 2:
            return "not comparable: one value only"
        return verdict_on(_fall(own), errors=_errors(own), comparable=comparable)

    ends = {
        solver: " to ".join(shown(point.systems.get(SINGLE)) for point in (own[0], own[-1]))
        for solver, own in _of_each(points).items()
    }
    return Claim(
        claim=f"The single agent's accuracy falls with {axis.capitalize()} ({_span(points)})",
        where=WHERE,
        published=_each_paper(axis, points, lambda at: f"{at[0]['sas']:.3f} to {at[-1]['sas']:.3f}"),
        ours=_together(ends),
        verdict=_together({solver: verdict(own) for solver, own in _of_each(points).items()}),
    )


def _gains(axis: str, points: Sequence[AxisPoint], who: str, trained: bool, comparable: bool) -> Claim:
    def verdict(own: Sequence[AxisPoint]) -> str:
        gain, errors = pooled_gain(own, who), _errors(own)
        if who in SHAPES:
            return incomplete(errors) if gain is None else NOT_COMPARABLE
        return verdict_on(gain, errors=errors, comparable=comparable, trained=trained)

    bound = ", which knows the item" if who in SHAPES else ""
    return Claim(
        claim=f"Several agents ({who}{bound}) gain over one on {axis.capitalize()}, mean over {_span(points)}",
        where=WHERE,
        published=_each_paper(axis, points, lambda at: f"{fmean(p['mas'] - p['sas'] for p in at):+.3f}"),
        ours=_together(_by_solver(points, who)),
        verdict=_together({solver: verdict(own) for solver, own in _of_each(points).items()}),
    )


def _weaker_gain_more(points: Sequence[AxisPoint], who: str, trained: bool, comparable: bool) -> Claim:
    """Of the first sub-agents' model against the last, over the items of all axes."""
    solvers = list(_of_each(points))
    errors = _errors(points)
    ends = [[p for p in points if p.solver == solver and who in p.gains] for solver in (solvers[0], solvers[-1])]
    more = None
    if not errors and len(solvers) > 1:
        more = difference_of_gains(*((_all(own, who), _all(own, SINGLE)) for own in ends))
    if len(solvers) < 2:
        verdict = "not comparable: one sub-agents' model only"
    elif who in SHAPES and more is not None:
        verdict = f"{NOT_COMPARABLE}; {direction(more)}" if comparable else TOO_FEW
    else:
        verdict = verdict_on(more, errors=errors, comparable=comparable, trained=trained)
    return Claim(
        claim=f"Weaker sub-agents gain more from several agents ({who}) than stronger ones",
        where=WHERE,
        published="; ".join(map(published_gains, (WEAKER, STRONGER))),
        ours=f"{solvers[0]} more than {solvers[-1]} by {shown(more)}" if len(solvers) > 1 else f"{solvers[0]} alone",
        verdict=verdict,
    )


def _panel(axis: str, solver: str, points: Sequence[AxisPoint]) -> Panel:
    series = []
    written = [who for who in systems_of(points) if who not in _LABELS]
    styles = {SINGLE: 0, "oracle": 1, "star": 5} | {who: 2 + k % _STYLES for k, who in enumerate(written)}
    for who in systems_of(points):
        own = [(float(point.value), point.systems[who]) for point in points if who in point.systems]
        if own:
            series.append(Series.of(_LABELS.get(who, who), own, style=styles[who]))
    paper = [point for point in points if point.published]
    for who, (label, style) in {"sas": ("paper: SAS", 0), "mas": ("paper: trained MAS", 6)}.items():
        if paper:
            at, y = zip(*((float(point.value), point.published[who].value) for point in paper), strict=True)
            sub_agent = paper[0].published[who].sub_agent
            series.append(Series(f"{label}, {sub_agent}", at, y, style=style, published=True))
    title = f"{axis.capitalize()}, {solver}" if solver else axis.capitalize()
    return Panel(title, f"{axis} of the question", tuple(series))


def _fall(points: Sequence[AxisPoint]) -> Estimate | None:
    """The single agent at the first value minus that at the last, whose items are others."""
    first, last = (point.systems.get(SINGLE) for point in (points[0], points[-1]))
    if first is None or last is None:
        return None
    fall = first.value - last.value
    below = ((first.value - first.low) ** 2 + (last.high - last.value) ** 2) ** 0.5
    above = ((first.high - first.value) ** 2 + (last.value - last.low) ** 2) ** 0.5
    return Estimate(fall, fall - below, fall + above, min(first.n, last.n))


def _of_each(points: Sequence[AxisPoint]) -> dict[str, list[AxisPoint]]:
    """Points by sub-agents' model."""
    return {solver: [p for p in points if p.solver == solver] for solver in dict.fromkeys(p.solver for p in points)}


def _by_solver(points: Sequence[AxisPoint], who: str) -> dict[str, str]:
    return {solver: shown(pooled_gain(own, who)) for solver, own in _of_each(points).items()}


def _together(said: Mapping[str, str]) -> str:
    """What is said of each sub-agents' model; but once, with its reason in front, what is said of all."""
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    reasons = {text.rpartition("; ")[0] for text in said.values()}
    if len(reasons) > 1:
        return "; ".join(f"{solver}: {text}" for solver, text in said.items())
    (reason,) = reasons
    each = (f"{solver}: {text.rpartition('; ')[2]}" for solver, text in said.items())
    return "; ".join(filter(None, [reason, *each]))


def _each_paper(axis: str, points: Sequence[AxisPoint], say: Callable[[Sequence[Mapping[str, float]]], str]) -> str:
    """What is to be said of each of the paper's sub-agents, at the values that it shares with ours."""
    said = []
    for sub_agent in (WEAKER, STRONGER):
        known = by_value(axis, sub_agent)
        ours = dict.fromkeys(point.value for point in points)
        at = [{who: known[who, value].value for who in ("sas", "mas")} for value in ours if ("sas", value) in known]
        if at:
            said.append(f"{sub_agent}: {say(at)}")
    return "; ".join(said)


def _all(points: Sequence[AxisPoint], who: str) -> list[float]:
    return [score for point in points for score in point.scores[who]]


def _errors(points: Sequence[AxisPoint]) -> int:
    return sum(point.errors for point in points)


def _span(points: Sequence[AxisPoint]) -> str:
    values = list(dict.fromkeys(point.value for point in points))
    return f"{values[0]} to {values[-1]}" if len(values) > 1 else f"{values[0]} only"
