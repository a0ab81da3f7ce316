"""Orchestrators beside one another: what each writes for a question, and what its systems answer.

The shares are those by which MAS-Orchestra tells a reasoning orchestrator from one that follows instructions (arXiv
2601.14652, figures C.6, D.1): systems of one agent, direct answers, agents that get the whole question once more.
Claims are in `writer_claims`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.orchestrator import Writing
from masrepro.lab.sample import Sample
from masrepro.lab.table import Row
from masrepro.orchestration import Orchestration, parse
from masrepro.report.axes import SINGLE, columns, mean_scores, who_and_solver
from masrepro.report.figures import N_STYLES, Figure, Panel, Series
from masrepro.report.statistics import Estimate, accuracy, paired_difference, shown

Writings = Mapping[tuple[str, str], Writing]
"""By benchmark, and ``<orchestrator>/<draw>``."""


@dataclass(frozen=True, slots=True)
class WriterPoint:
    """An orchestrator, or the single agent, at one value of an axis; several draws of an item count as their mean.

    Scores are empty where a sample ended in an error: there is no number until the run is resumed.

    Parameters
    ----------
    scores : tuple of float
        Share of right answers of every item, in the items' order.
    undivided : tuple of float
        Share of valid systems of at most one agent, of every item.
    tokens : tuple of float
        What the orchestrator wrote, of every item, its thinking included.
    valid : float
        Share of valid systems.
    one_agent, direct : float or None
        Of these, the shares of systems of one agent, and of direct answers.
    repeating : float or None
        Share of agents that get the whole question once more, and nothing from others.
    agents : float or None
        Mean of valid systems.
    """

    writer: str
    axis: str
    value: int
    n: int
    errors: int
    scores: tuple[float, ...]
    undivided: tuple[float, ...]
    tokens: tuple[float, ...]
    valid: float
    one_agent: float | None
    direct: float | None
    repeating: float | None
    agents: float | None


def writer_points(
    evaluations: Sequence[Evaluation], writings: Writings, questions: Mapping[str, str]
) -> list[WriterPoint]:
    """One point an orchestrator and benchmark, in the order in which they were evaluated; the single agent is one.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        Of ``single_agent`` and ``<orchestrator>/<draw>``, on benchmarks named ``masbench/<axis>/<value>``.
    writings : mapping
        What the orchestrators spent.
    questions : mapping of str to str
        By item id.
    """
    groups: dict[tuple[str, str], list[Evaluation]] = defaultdict(list)
    for evaluation in evaluations:
        groups[evaluation.benchmark, who_and_solver(evaluation.system)[0]].append(evaluation)
    return [_point(benchmark, who, draws, writings, questions) for (benchmark, who), draws in groups.items()]


def scores_of(points: Sequence[WriterPoint], who: str) -> list[float]:
    """All items' scores of one of those compared, point after point; empty where it has a point without a number."""
    own = [point.scores for point in points if point.writer == who]
    return [score for scores in own for score in scores] if all(own) else []


def gain_of(points: Sequence[WriterPoint], who: str, over: str = SINGLE) -> Estimate | None:
    """One of those compared minus another over the items of all these points; None where a number is missing."""
    ours, theirs = scores_of(points, who), scores_of(points, over)
    return paired_difference(ours, theirs) if ours and theirs else None


def writers_of(points: Sequence[WriterPoint]) -> list[str]:
    """All that write, without the single agent."""
    return [who for who in dict.fromkeys(point.writer for point in points) if who != SINGLE]


def axes_of(points: Sequence[WriterPoint]) -> list[str]:
    """All axes."""
    return list(dict.fromkeys(point.axis for point in points))


def errors_of(points: Sequence[WriterPoint], *who: str) -> int:
    """Samples of these that ended in errors."""
    return sum(point.errors for point in points if point.writer in who)


def writer_rows(points: Sequence[WriterPoint]) -> list[Row]:
    """A row a point, all columns numeric but who and axis; None where a number is missing."""
    return [
        {
            "orchestrator": point.writer,
            "axis": point.axis,
            "value": point.value,
            "n": point.n,
            "errors": point.errors,
            **columns("accuracy", accuracy(point.scores) if point.scores else None),
            "valid": point.valid,
            "agents": point.agents,
            "one_agent": point.one_agent,
            "direct": point.direct,
            "repeating": point.repeating,
            "tokens_written": fmean(point.tokens) if point.tokens else 0.0,
        }
        for point in points
    ]


def kinds_reading(points: Sequence[WriterPoint]) -> list[Row]:
    """A row an orchestrator: accuracy over all items, what its systems are, and what it writes for a question.

    Shares are means over benchmarks.
    """
    rows: list[Row] = []
    for who in dict.fromkeys(point.writer for point in points):
        own = [point for point in points if point.writer == who]
        scores = scores_of(points, who)
        writes = who != SINGLE
        rows.append(
            {
                "orchestrator": who.replace("_", " "),
                "items": sum(point.n for point in own),
                "accuracy": shown(accuracy(scores) if scores else None),
                "gain over the single agent": shown(gain_of(points, who)) if writes else "",
                "valid systems": _mean([point.valid for point in own], ".0%") if writes else "",
                "of one agent": _mean([point.one_agent for point in own], ".0%") if writes else "",
                "direct answers": _mean([point.direct for point in own], ".0%") if writes else "",
                "agents that repeat the question": _mean([point.repeating for point in own], ".0%") if writes else "",
                "agents": _mean([point.agents for point in own], ".1f") if writes else "",
                "tokens written": round(fmean(fmean(point.tokens) for point in own)) if writes else "",
            }
        )
    return rows


def axes_reading(points: Sequence[WriterPoint], base: str) -> list[Row]:
    """A row an axis: the single agent, and each orchestrator's accuracy with its difference to the base."""
    return [
        {
            "axis": axis,
            "items": sum(point.n for point in own if point.writer == SINGLE),
            **{who.replace("_", " "): _cell(own, who, base) for who in dict.fromkeys(point.writer for point in points)},
        }
        for axis in axes_of(points)
        for own in [[point for point in points if point.axis == axis]]
    ]


def writers_figure(points: Sequence[WriterPoint], *, note: str = "") -> Figure:
    """Accuracy by axis value, a panel an axis, a curve an orchestrator and one for the single agent."""
    who = list(dict.fromkeys(point.writer for point in points))
    panels = []
    for axis in axes_of(points):
        series = []
        for style, writer in enumerate(who):
            own = [p for p in points if (p.axis, p.writer) == (axis, writer) and p.scores]
            curve = [(float(point.value), accuracy(point.scores)) for point in own]
            if curve:
                series.append(Series.of(writer.replace("_", " "), curve, style=style % N_STYLES))
        panels.append(Panel(axis.capitalize(), f"{axis} of the question", tuple(series)))
    said = "; ".join(f"{writer} {shown(gain_of(points, writer))}" for writer in who[1:])
    return Figure(
        title="Accuracy by axis value, for each orchestrator",
        y_label="share of items solved",
        panels=tuple(panels),
        alt=f"Gain over the single agent on all items: {said or 'no orchestrator'}.",
        note=note,
    )


def repeats_question(plan: Orchestration, question: str) -> list[str]:
    """Ids of the agents that hear from nobody and are asked for nothing but the whole question."""
    whole = " ".join(question.split())
    goals = {source: " ".join(plan.agent(source).goal.split()) for source in plan.sources}
    return [source for source, goal in goals.items() if not goal or whole in goal]


def _point(
    benchmark: str, who: str, draws: Sequence[Evaluation], writings: Writings, questions: Mapping[str, str]
) -> WriterPoint:
    _, axis, value, *_ = benchmark.split("/")
    errors = sum(evaluation.accuracy.errors for evaluation in draws)
    samples = [sample for evaluation in draws for sample in evaluation.samples]
    plans = [
        (parse(sample.orchestration), questions[sample.item_id])
        for sample in samples
        if sample.orchestration is not None
    ]
    n_agents = sum(len(plan.agents) for plan, _ in plans)
    n_repeating = sum(len(repeats_question(plan, question)) for plan, question in plans)
    own = [writings[benchmark, evaluation.system] for evaluation in draws] if who != SINGLE else []
    ids = [sample.item_id for sample in draws[0].samples]
    return WriterPoint(
        writer=who,
        axis=axis,
        value=int(value),
        n=len(ids),
        errors=errors,
        scores=() if errors else mean_scores(draws),
        undivided=tuple(fmean(of_item) for of_item in zip(*map(_undivided, draws), strict=True)),
        tokens=tuple(fmean(one.usage[id].completion_tokens for one in own) for id in ids) if own else (),
        valid=len(plans) / len(samples),
        one_agent=fmean(len(plan.agents) == 1 for plan, _ in plans) if plans else None,
        direct=fmean(plan.answer is not None for plan, _ in plans) if plans else None,
        repeating=n_repeating / n_agents if n_agents else None,
        agents=n_agents / len(plans) if plans else None,
    )


def _undivided(evaluation: Evaluation) -> list[bool]:
    def undivided(sample: Sample) -> bool:
        return sample.orchestration is not None and sample.n_agents <= 1

    return [undivided(sample) for sample in evaluation.samples]


def _cell(points: Sequence[WriterPoint], who: str, base: str) -> str:
    scores = scores_of(points, who)
    if not scores:
        return "missing"
    gain = None if who in (SINGLE, base) else gain_of(points, who, base)
    return shown(accuracy(scores)) + (f" ({gain.value:+.2f} on {base})" if gain else "")


def _mean(values: Sequence[float | None], form: str) -> str:
    """Of those that are known."""
    known = [value for value in values if value is not None]
    return format(fmean(known), form) if known else "none"
