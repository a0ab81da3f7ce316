"""How able the desk solvers are alone, and what the best division of labour is worth to each: the edge of competence.

A multi-agent system can gain only where its parts can do what the whole cannot. So its gain should be small for a
solver that can do everything alone or nothing at all, and large between the two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.table import Row
from masrepro.report.axes import NOT_COMPARABLE, SINGLE, STRONGER, WEAKER, columns, mean_scores, who_and_solver
from masrepro.report.claims import Claim
from masrepro.report.figures import Figure, Panel, Series
from masrepro.report.published import figure_3, figure_3_axes
from masrepro.report.statistics import Estimate, accuracy, paired_difference


@dataclass(frozen=True, slots=True)
class AbilityPoint:
    """A solver on one cell: alone, in the system of the oracle or of another, and the difference, paired by item.

    Estimates are None where a sample ended in an error: there is no number until the run is resumed.
    """

    solver: str
    axis: str
    value: int
    n: int
    errors: int
    single: Estimate | None
    oracle: Estimate | None
    gain: Estimate | None


def ability_points(evaluations: Sequence[Evaluation], who: str = "oracle") -> list[AbilityPoint]:
    """One point a solver and cell, from evaluations of ``single_agent/<solver>`` and ``oracle/<solver>``.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        On benchmarks named ``masbench/<axis>/<value>``; options behind that become part of the axis's name.
    who : str
        The system that takes the oracle's place; ``<who>/<draw>/<solver>``, if an orchestrator's.
    """
    groups: dict[tuple[str, str], dict[str, list[Evaluation]]] = defaultdict(lambda: defaultdict(list))
    for evaluation in evaluations:
        system, solver = who_and_solver(evaluation.system)
        if system in (SINGLE, who):
            groups[solver, evaluation.benchmark][system].append(evaluation)
    return [_point(solver, benchmark, group, who) for (solver, benchmark), group in groups.items()]


def ability_rows(points: Sequence[AbilityPoint]) -> list[Row]:
    """A row a point, all columns numeric but solver and axis; None where a number is missing."""
    return [
        {
            "solver": point.solver,
            "axis": point.axis,
            "value": point.value,
            "n": point.n,
            "errors": point.errors,
            **columns("single_agent", point.single),
            **columns("oracle", point.oracle),
            **columns("gain", point.gain),
        }
        for point in points
    ]


def ability_reading(points: Sequence[AbilityPoint]) -> list[Row]:
    """A row a cell, a column a solver: alone, then in the oracle's system."""
    rows: dict[tuple[str, int], dict[str, str | int | float | None]] = {}
    for point in points:
        row = rows.setdefault((point.axis, point.value), {"axis": point.axis, "value": point.value})
        row[point.solver] = " to ".join(f"{e.value:.2f}" if e else "missing" for e in (point.single, point.oracle))
    return list(rows.values())


def ability_figure(points: Sequence[AbilityPoint], *, note: str = "") -> Figure:
    """Accuracy of the single agent by axis value: a panel an axis, a curve a solver."""
    solvers = list(dict.fromkeys(point.solver for point in points))
    panels = []
    for axis in dict.fromkeys(point.axis for point in points):
        series = []
        for style, solver in enumerate(solvers):
            own = [(p.value, p.single) for p in points if (p.axis, p.solver) == (axis, solver) and p.single]
            if own:
                series.append(Series.of(solver, own, style=style))
        panels.append(Panel(axis.capitalize(), f"{axis} of the question", tuple(series)))
    return Figure(
        title="What each desk solver can do alone",
        y_label="share of items solved by the single agent",
        panels=tuple(panels),
        alt="Accuracy of the single agent falls with the axis value, later for abler solvers.",
        note=note,
    )


def competence_figure(
    points: Sequence[AbilityPoint], *, others: Mapping[str, Sequence[AbilityPoint]] | None = None, note: str = ""
) -> Figure:
    """Gain of several agents over the single agent, against the single agent's accuracy; a point a cell.

    Parameters
    ----------
    points : sequence of AbilityPoint
        With the oracle's gains.
    others : mapping of str to sequence of AbilityPoint, optional
        With those of other systems, by name; a panel each.
    """
    panels = {"oracle": points, **(others or {})}
    return Figure(
        title="The edge of competence: what a division of labour is worth",
        y_label="gain over the single agent",
        panels=tuple(_competence_panel(who, own) for who, own in panels.items()),
        alt=f"Gain over the single agent ({', '.join(panels)}), against its accuracy, a point an axis value.",
        note=note,
        y_range=(-1.05 if others else -0.4, 1.05),
    )


def competence_claims(points: Sequence[AbilityPoint], fixed: Sequence[AbilityPoint] = ()) -> list[Claim]:
    """What the paper says of gain and ability, with ours: gains by how able the single agent is.

    Parameters
    ----------
    points : sequence of AbilityPoint
    fixed : sequence of AbilityPoint
        The same with the questions' length held fixed.
    """
    return [
        Claim(
            claim="Several agents gain over one at the edge of competence, and little where one can do it all",
            where="MAS-Orchestra, figure 3: mean gain by axis with weaker and stronger sub-agents",
            published="; ".join(map(published_gains, (WEAKER, STRONGER))),
            ours="; ".join(_gain_between(points, low, high) for low, high in _BANDS),
            verdict=NOT_COMPARABLE,
        ),
        *(_length_claim(fixed) for _ in fixed[:1]),
    ]


_BANDS = ((0.0, 0.1), (0.1, 0.9), (0.9, 1.01))
"""How able the single agent is: hardly at all, somewhere between, almost always right."""


def published_gains(sub_agent: str) -> str:
    """The paper's mean gain of several agents over one, by axis, with these sub-agents."""
    gains = []
    for axis in figure_3_axes(sub_agent):
        values = figure_3(axis, sub_agent=sub_agent)
        own = [values["mas", at].value - values["sas", at].value for who, at in values if who == "sas"]
        gains.append(f"{axis} {sum(own) / len(own):+.3f}")
    return f"{sub_agent}: {', '.join(gains)}"


def _gain_between(points: Sequence[AbilityPoint], low: float, high: float) -> str:
    gains = [p.gain.value for p in points if p.gain and p.single and low <= p.single.value < high]
    mean = f"{sum(gains) / len(gains):+.2f} over {len(gains)} cells" if gains else "no cell"
    return f"single agent at {low:.1f} to {min(high, 1.0):.1f}: mean gain {mean}"


def _length_claim(fixed: Sequence[AbilityPoint]) -> Claim:
    falls = []
    for solver in dict.fromkeys(point.solver for point in fixed):
        own = [point for point in fixed if point.solver == solver and point.single]
        ends = [point.single.value for point in (own[0], own[-1]) if point.single] if own else []
        falls.append(f"{solver} {ends[0]:.2f} to {ends[1]:.2f}" if ends else f"{solver} missing")
    values = sorted({point.value for point in fixed})
    return Claim(
        claim=f"The single agent's accuracy falls with Depth ({values[0]} to {values[-1]}) at one length",
        where="not in the paper, which lets length grow with the axis",
        published="",
        ours="; ".join(falls),
        verdict="not published",
    )


def _competence_panel(who: str, points: Sequence[AbilityPoint]) -> Panel:
    series = []
    for style, solver in enumerate(dict.fromkeys(point.solver for point in points)):
        own = [(p.single.value, p.gain) for p in points if p.solver == solver and p.single and p.gain]
        series.append(Series.of(solver, own, style=style, joined=False))
    return Panel(f"{who}, all axes", "share of items that the single agent solves", tuple(series))


def _point(solver: str, benchmark: str, group: Mapping[str, Sequence[Evaluation]], who: str) -> AbilityPoint:
    _, axis, value, *options = benchmark.split("/")
    errors = sum(evaluation.accuracy.errors for own in group.values() for evaluation in own)
    scores = {} if errors else {system: mean_scores(own) for system, own in group.items()}
    single, oracle = scores.get(SINGLE), scores.get(who)
    return AbilityPoint(
        solver=solver,
        axis=" ".join([axis, *options]),
        value=int(value),
        n=max(len({sample.item_id for sample in own[0].samples}) for own in group.values()),
        errors=errors,
        single=accuracy(single) if single else None,
        oracle=accuracy(oracle) if oracle else None,
        gain=paired_difference(oracle, single) if single and oracle else None,
    )
