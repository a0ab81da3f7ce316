"""Success against cost, with what the meta-agents cost left out and counted in (MAS², arXiv 2509.24323, figure 3).

The paper calls MAS² Pareto-optimal and does not say whether its three 8B meta-agents are in its costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from masrepro.lab.table import Row
from masrepro.report.cost_pareto import pareto_front
from masrepro.report.figures import Figure, Panel, Series
from masrepro.report.mas2_points import SystemPoint
from masrepro.report.statistics import shown

BOUND = "knows the item"
"""Kind of the systems that no method can make: they stand in figures, and never on the front."""
_TITLES = {False: "systems' own cost", True: "meta-agents counted in"}


def front(points: Sequence[SystemPoint], kinds: Mapping[str, str], *, counts_meta: bool) -> list[SystemPoint]:
    """The methods that no other method beats, cheapest first; without what knows the item, solves nothing, or has no
    number.

    Parameters
    ----------
    kinds : mapping of str to str
        By system; `BOUND` is no method.
    """
    methods = [point for point in points if kinds.get(point.variant) != BOUND]
    known = [
        (point, (cost, point.success.value))
        for point in methods
        if point.success and point.success.value and (cost := point.cost(counts_meta=counts_meta)) is not None
    ]
    return [known[index][0] for index in pareto_front([at for _, at in known])]


def front_rows(points: Sequence[SystemPoint], kinds: Mapping[str, str]) -> list[Row]:
    """A row a system, cheapest first: success, both costs of a thousand problems, and whether it is on each front."""
    fronts = {counts: front(points, kinds, counts_meta=counts) for counts in _TITLES}
    return [
        {
            "system": point.variant,
            "kind": kinds.get(point.variant, ""),
            "success": shown(point.success),
            **{f"USD per 1,000, {_TITLES[counts]}": _thousand(point, counts) for counts in fronts},
            **{f"on the front, {_TITLES[counts]}": "yes" if point in own else "" for counts, own in fronts.items()},
        }
        for point in sorted(points, key=lambda point: point.cost(counts_meta=False) or 0.0)
    ]


def front_figure(points: Sequence[SystemPoint], kinds: Mapping[str, str], *, note: str = "") -> Figure:
    """Success against cost, a panel for each way to count; a line joins the methods that no other method beats.

    A system that costs nothing, since no valid one was made, has no place on a logarithmic axis.
    """
    said = "; ".join(
        f"{title}: {', '.join(point.variant for point in front(points, kinds, counts_meta=counts)) or 'not known'}"
        for counts, title in _TITLES.items()
    )
    return Figure(
        title="Success against cost, without and with what the meta-agents cost",
        y_label="share of items solved",
        panels=tuple(_panel(points, kinds, counts) for counts in _TITLES),
        alt=f"Methods that no other method beats, cheapest first, by {said}.",
        note=note,
    )


def _thousand(point: SystemPoint, counts_meta: bool) -> float | None:
    cost = point.cost(counts_meta=counts_meta)
    return None if cost is None else float(f"{1000 * cost:.3g}")


def _panel(points: Sequence[SystemPoint], kinds: Mapping[str, str], counts_meta: bool) -> Panel:
    series = []
    for style, kind in enumerate(dict.fromkeys(kinds.values())):
        own = [
            (cost, point.variant, point.success)
            for point in points
            if kinds.get(point.variant) == kind and point.success and (cost := _thousand(point, counts_meta))
        ]
        if own:
            series.append(
                Series(
                    label=f"{kind} (no method)" if kind == BOUND else kind,
                    x=tuple(cost for cost, _, _ in own),
                    y=tuple(success.value for _, _, success in own),
                    low=tuple(success.low for _, _, success in own),
                    high=tuple(success.high for _, _, success in own),
                    style=style,
                    joined=False,
                    names=tuple(name.replace("desk-solver-", "") for _, name, _ in own),
                )
            )
    best = [
        (cost, point.success.value)
        for point in front(points, kinds, counts_meta=counts_meta)
        if point.success and (cost := _thousand(point, counts_meta))
    ]
    if best:
        xs, ys = zip(*best, strict=True)
        series.append(Series("no method beats these", xs, ys, style=6, marked=len(best) == 1))
    return Panel(_TITLES[counts_meta], "US dollars per 1,000 questions", tuple(series), log_x=True)
