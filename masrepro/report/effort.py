"""One agent against several as their effort grows: how much each may write, how hard it is told to reason.

MAS-Orchestra varies the reasoning effort of its sub-agents (arXiv 2601.14652, figures 5 and C.7). A desk model knows no
effort; what stands for it there is the length that a reply may have. Claims are in `effort_claims`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.table import Row
from masrepro.report.axes import SINGLE, columns, mean_scores, who_and_solver
from masrepro.report.figures import Figure, Panel, Series
from masrepro.report.statistics import Estimate, accuracy, difference_of_gains, paired_difference, shown

MANY = "several agents"


@dataclass(frozen=True, slots=True)
class EffortPoint:
    """One agent and several on one benchmark at one effort, paired by item; several draws count as their mean.

    Scores and estimates are missing where a sample ended in an error: there is no number until the run is resumed.

    Parameters
    ----------
    effort : str
        Its name, such as ``256 tokens`` or ``low, 512 tokens``.
    scores : mapping of str to tuple of float
        Share of right answers of every item: ``single_agent`` and `MANY`.
    gain : Estimate or None
        Several agents minus one.
    cut_off : mapping of str to float
        Share of samples whose last reply, the answer, met its bound.
    tokens : mapping of str to float
        What all agents wrote for a question.
    """

    axis: str
    value: int
    effort: str
    n: int
    errors: int
    scores: Mapping[str, tuple[float, ...]]
    gain: Estimate | None
    cut_off: Mapping[str, float]
    tokens: Mapping[str, float]

    @property
    def systems(self) -> Mapping[str, Estimate]:
        """Accuracy of both."""
        return {who: accuracy(own) for who, own in self.scores.items()}


def effort_points(evaluations: Sequence[Evaluation]) -> list[EffortPoint]:
    """One point a benchmark and effort, in the order in which they were evaluated.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        Of ``single_agent/<effort>`` and ``<orchestrator>/<draw>/<effort>``.
    """
    groups: dict[tuple[str, str], dict[str, list[Evaluation]]] = defaultdict(lambda: defaultdict(list))
    for evaluation in evaluations:
        who, effort = who_and_solver(evaluation.system)
        groups[evaluation.benchmark, effort][SINGLE if who == SINGLE else MANY].append(evaluation)
    return [_point(benchmark, effort, draws) for (benchmark, effort), draws in groups.items()]


def efforts_of(points: Sequence[EffortPoint]) -> list[str]:
    """All efforts, from the least to the most."""
    return list(dict.fromkeys(point.effort for point in points))


def shrinks(points: Sequence[EffortPoint]) -> Estimate | None:
    """How much larger the gain is at the least effort than at the most, over these benchmarks; None where unknown."""
    efforts = efforts_of(points)
    ends = [[point for point in points if point.effort == effort] for effort in (efforts[0], efforts[-1])]
    if len(efforts) < 2 or any(point.gain is None for end in ends for point in end):
        return None
    least, most = ([[s for point in end for s in point.scores[who]] for who in (MANY, SINGLE)] for end in ends)
    return difference_of_gains((least[0], least[1]), (most[0], most[1]))


def effort_rows(points: Sequence[EffortPoint]) -> list[Row]:
    """A row a point, all columns numeric but axis and effort; None where a number is missing."""
    return [
        {
            "axis": point.axis,
            "value": point.value,
            "effort": point.effort,
            "n": point.n,
            "errors": point.errors,
            **columns(SINGLE, point.systems.get(SINGLE)),
            **columns("several_agents", point.systems.get(MANY)),
            **columns("gain", point.gain),
            "single_agent_cut_off": point.cut_off[SINGLE],
            "several_agents_cut_off": point.cut_off[MANY],
            "single_agent_tokens": point.tokens[SINGLE],
            "several_agents_tokens": point.tokens[MANY],
        }
        for point in points
    ]


def effort_reading(points: Sequence[EffortPoint]) -> list[Row]:
    """A row a benchmark, a column an effort: one agent to several, and in brackets the gain."""
    rows: dict[tuple[str, int], dict[str, str | int | float | None]] = {}
    for point in points:
        row = rows.setdefault((point.axis, point.value), {"axis": point.axis, "value": point.value, "n": point.n})
        ends = " to ".join(f"{own.value:.2f}" for own in point.systems.values())
        row[point.effort] = f"{ends} ({point.gain.value:+.2f})" if point.gain else "missing"
    return list(rows.values())


def use_reading(points: Sequence[EffortPoint]) -> list[Row]:
    """A row an effort: how much is cut off, and what is written, as means over benchmarks."""
    rows: list[Row] = []
    for effort in efforts_of(points):
        own = [point for point in points if point.effort == effort]
        rows.append(
            {
                "effort": effort,
                "one agent: cut off": f"{fmean(point.cut_off[SINGLE] for point in own):.0%}",
                "several: cut off": f"{fmean(point.cut_off[MANY] for point in own):.0%}",
                "one agent: tokens": round(fmean(point.tokens[SINGLE] for point in own)),
                "several: tokens": round(fmean(point.tokens[MANY] for point in own)),
            }
        )
    return rows


def effort_figure(points: Sequence[EffortPoint], *, note: str = "") -> Figure:
    """Accuracy by effort, a panel a benchmark: one agent, and several."""
    efforts = efforts_of(points)
    numbered = ", ".join(f"{place}: {effort}" for place, effort in enumerate(efforts, start=1))
    panels = []
    for axis, value in dict.fromkeys((point.axis, point.value) for point in points):
        own = [point for point in points if (point.axis, point.value) == (axis, value)]
        series = [
            Series.of(label, [(efforts.index(p.effort) + 1.0, p.systems[who]) for p in own if p.scores], style=style)
            for style, (who, label) in enumerate({SINGLE: "single agent", MANY: MANY}.items())
        ]
        panels.append(Panel(f"{axis.capitalize()} {value}", "effort, by its number", tuple(series)))
    return Figure(
        title="One agent and several, as their effort grows",
        y_label="share of items solved",
        panels=tuple(panels),
        alt=f"By how much the gain is larger at the least effort than at the most: {shown(shrinks(points))}.",
        note=" ".join(filter(None, [note, f"Efforts: {numbered}."])),
    )


def _point(benchmark: str, effort: str, draws: Mapping[str, Sequence[Evaluation]]) -> EffortPoint:
    _, axis, value, *_ = benchmark.split("/")
    errors = sum(evaluation.accuracy.errors for own in draws.values() for evaluation in own)
    samples = {who: [sample for evaluation in own for sample in evaluation.samples] for who, own in draws.items()}
    scores = {} if errors else {who: mean_scores(own) for who, own in draws.items()}
    return EffortPoint(
        axis=axis,
        value=int(value),
        effort=effort,
        n=len(draws[SINGLE][0].samples),
        errors=errors,
        scores=scores,
        gain=paired_difference(scores[MANY], scores[SINGLE]) if scores else None,
        cut_off={who: fmean(sample.outcome == "truncated" for sample in own) for who, own in samples.items()},
        tokens={who: fmean(sample.usage.completion_tokens for sample in own) for who, own in samples.items()},
    )
