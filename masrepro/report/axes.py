"""Accuracy by axis value: the tables, the figure and the claims of MAS-Orchestra's figure 3, from evaluations.

Published values stand beside ours in every form. Who is compared is told by name: ours are a single agent and the
oracle, an upper bound; the paper's are a single agent (SAS) and the systems of a trained orchestrator (MAS).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.table import Row
from masrepro.report.claims import Claim
from masrepro.report.figures import Figure, Panel, Series
from masrepro.report.published import Published, figure_3, figure_3_axes
from masrepro.report.statistics import Estimate, accuracy, paired_difference, shown

NOT_COMPARABLE = (
    "not comparable: items and sub-agents of our own, and an oracle where the paper has a trained orchestrator"
)
_LABELS = {"single_agent": "single agent", "oracle": "oracle (upper bound)"}


@dataclass(frozen=True, slots=True)
class AxisPoint:
    """Both systems at one value of one axis.

    ``systems`` and ``gain`` (oracle minus single agent, paired by item) are None where a sample ended in an error:
    there is no number until the run is resumed.
    """

    axis: str
    value: int
    n: int
    errors: int
    systems: Mapping[str, Estimate]
    gain: Estimate | None
    published: Mapping[str, Published]

    @property
    def verdict(self) -> str:
        """What may be concluded from this point against the paper."""
        if self.errors:
            return f"incomplete: {self.errors} samples ended in errors; the same command again resumes"
        return NOT_COMPARABLE if self.published else "not published"


def axis_points(evaluations: Sequence[Evaluation]) -> list[AxisPoint]:
    """One point an axis and value, in the order in which they were evaluated.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        Benchmarks named ``masbench/<axis>/<value>``.
    """
    by_benchmark: dict[str, list[Evaluation]] = defaultdict(list)
    for evaluation in evaluations:
        by_benchmark[evaluation.benchmark].append(evaluation)
    return [_point(benchmark, group) for benchmark, group in by_benchmark.items()]


def numbers(points: Sequence[AxisPoint]) -> list[Row]:
    """A row a point, all columns numeric but axis and verdict; None where a number is missing."""
    return [
        {
            "axis": point.axis,
            "value": point.value,
            "n": point.n,
            **columns("single_agent", point.systems.get("single_agent")),
            **columns("oracle", point.systems.get("oracle")),
            **columns("gain", point.gain),
            "paper_sas": _published(point, "sas"),
            "paper_mas": _published(point, "mas"),
            "verdict": point.verdict,
        }
        for point in points
    ]


def reading(points: Sequence[AxisPoint]) -> list[Row]:
    """The same for reading: estimates with their 95 % intervals, and the paper's values."""
    return [
        {
            "axis": point.axis,
            "value": point.value,
            "n": point.n,
            "single agent": shown(point.systems.get("single_agent")),
            "oracle": shown(point.systems.get("oracle")),
            "gain": shown(point.gain),
            "paper SAS": _published(point, "sas"),
            "paper MAS": _published(point, "mas"),
        }
        for point in points
    ]


def axis_figure(points: Sequence[AxisPoint], *, note: str = "") -> Figure:
    """Accuracy by axis value, a panel an axis; the paper's values are open markers."""
    axes = list(dict.fromkeys(point.axis for point in points))
    panels = tuple(_panel(axis, [point for point in points if point.axis == axis]) for axis in axes)
    means = ", ".join(f"{axis} {shown(pooled_gain(points, axis))}" for axis in axes)
    return Figure(
        title="Accuracy by axis value: single agent and oracle orchestration",
        y_label="share of items solved",
        panels=panels,
        alt=f"Accuracy falls with the axis value. Mean gain of the oracle over the single agent, by axis: {means}.",
        note=note,
    )


def pooled_gain(points: Sequence[AxisPoint], axis: str) -> Estimate | None:
    """Gain over all values of an axis, each weighted by its items; None if one is missing.

    The interval combines those of the points as independent samples.
    """
    gains = [point.gain for point in points if point.axis == axis]
    if not gains or any(gain is None for gain in gains):
        return None
    known = [gain for gain in gains if gain is not None]
    total = sum(gain.n for gain in known)
    mean = sum(gain.value * gain.n for gain in known) / total
    below = sum(((gain.value - gain.low) * gain.n) ** 2 for gain in known) ** 0.5 / total
    above = sum(((gain.high - gain.value) * gain.n) ** 2 for gain in known) ** 0.5 / total
    return Estimate(mean, mean - below, mean + above, total)


def axis_claims(points: Sequence[AxisPoint]) -> list[Claim]:
    """What the paper says of each axis, with its values and ours."""
    claims = []
    for axis in dict.fromkeys(point.axis for point in points):
        own = [point for point in points if point.axis == axis]
        incomplete = next((point.verdict for point in own if point.errors), None)
        ends = [point.systems.get("single_agent") for point in (own[0], own[-1])]
        paper = [point for point in own if point.published]
        span = f"{own[0].value} to {own[-1].value}" if len(own) > 1 else f"{own[0].value} only"
        claims.append(
            Claim(
                claim=f"The single agent's accuracy falls with {axis.capitalize()} ({span})",
                where="MAS-Orchestra, figure 3 (Qwen2.5-7B sub-agents)",
                published=" to ".join(
                    f"{p.published['sas'].value:.3f} at {p.value}" for p in paper[:: len(paper) - 1 or 1]
                ),
                ours=" to ".join(map(shown, ends)),
                verdict=incomplete or NOT_COMPARABLE,
            )
        )
        claims.append(
            Claim(
                claim=f"Several agents gain over one on {axis.capitalize()} (mean over values {span})",
                where="MAS-Orchestra, figure 3 (Qwen2.5-7B sub-agents)",
                published=_published_gain(paper),
                ours=f"{shown(pooled_gain(points, axis))} (oracle, an upper bound)",
                verdict=incomplete or NOT_COMPARABLE,
            )
        )
    return claims


def _point(benchmark: str, group: Sequence[Evaluation]) -> AxisPoint:
    _, axis, value = benchmark.split("/")
    errors = sum(evaluation.accuracy.errors for evaluation in group)
    scores = {evaluation.system: item_scores(evaluation) for evaluation in group}
    both = not errors and {"single_agent", "oracle"} <= scores.keys()
    published = figure_3(axis) if axis in figure_3_axes() else {}
    return AxisPoint(
        axis=axis,
        value=int(value),
        n=max(map(len, scores.values())),
        errors=errors,
        systems={} if errors else {system: accuracy(own) for system, own in scores.items()},
        gain=paired_difference(scores["oracle"], scores["single_agent"]) if both else None,
        published={system: p for (system, at), p in published.items() if at == int(value)},
    )


def item_scores(evaluation: Evaluation) -> list[float]:
    """Share of right answers of every item, in the items' order."""
    right: dict[str, list[bool]] = defaultdict(list)
    for sample in evaluation.samples:
        right[sample.item_id].append(sample.outcome == "correct")
    return [sum(answers) / len(answers) for answers in right.values()]


def _panel(axis: str, points: Sequence[AxisPoint]) -> Panel:
    series = []
    for style, (system, label) in enumerate(_LABELS.items()):
        own = [(point.value, point.systems[system]) for point in points if system in point.systems]
        if own:
            series.append(Series.of(label, own, style=style))
    for style, (system, label) in enumerate({"sas": "paper: SAS, 7B", "mas": "paper: trained MAS, 7B"}.items()):
        theirs = [(point.value, point.published[system].value) for point in points if point.published]
        if theirs:
            x, y = zip(*theirs, strict=True)
            series.append(Series(label=label, x=x, y=y, style=style, published=True))
    return Panel(axis.capitalize(), f"{axis} of the question", tuple(series))


def columns(name: str, estimate: Estimate | None) -> dict[str, float | None]:
    """An estimate and its interval as three columns of a table; None where there is none."""
    return {
        name: estimate.value if estimate else None,
        f"{name}_low": estimate.low if estimate else None,
        f"{name}_high": estimate.high if estimate else None,
    }


def _published(point: AxisPoint, system: str) -> float | None:
    return point.published[system].value if point.published else None


def _published_gain(points: Sequence[AxisPoint]) -> str:
    if not points:
        return ""
    gains = [point.published["mas"].value - point.published["sas"].value for point in points]
    return f"{sum(gains) / len(gains):+.3f} (trained orchestrator)"
