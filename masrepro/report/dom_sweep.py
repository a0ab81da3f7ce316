"""Accuracy and cost by the degree of MAS: what an orchestrator may build, and where more of it stops helping.

Points and tables; figure and claims are in `dom_claims`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.orchestrator import Writing
from masrepro.lab.table import Row
from masrepro.report.axes import SINGLE, columns, mean_scores, who_and_solver
from masrepro.report.statistics import Estimate, accuracy, paired_difference

RULE = "the smallest cap whose paired difference to the best cap has a 95 % interval that includes 0"
"""Where more stops helping."""
Writings = Mapping[tuple[str, str], Writing]
"""By benchmark, and ``<degree>/<draw>``."""


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One degree of MAS on one benchmark with one sub-agents' model; several draws of an item count as their mean.

    Estimates are None where a sample ended in an error: there is no number until the run is resumed.

    Parameters
    ----------
    degree : str
        A cap on agents as text, "LOW", "HIGH", or ``SINGLE`` for the single agent.
    scores : tuple of float
        Share of right answers of every item, in the items' order; empty where there are errors.
    over_single : Estimate or None
        Gain over the single agent, paired by item.
    valid : float
        Share of valid systems.
    agents : float or None
        Mean agents of these.
    calls, tokens : float
        Per question, of the sub-agents.
    writing_tokens : float
        Per question, of the orchestrator, its prompt included.
    """

    benchmark: str
    solver: str
    degree: str
    n: int
    errors: int
    scores: tuple[float, ...]
    accuracy: Estimate | None
    over_single: Estimate | None
    valid: float
    agents: float | None
    calls: float
    tokens: float
    writing_tokens: float

    @property
    def cap(self) -> int | None:
        """The number, where the degree is one."""
        return int(self.degree) if self.degree.isdigit() else None


@dataclass(frozen=True, slots=True)
class Enough:
    """Where more agents stop helping on a benchmark, by `RULE`.

    Parameters
    ----------
    best, enough : int
        The cap of the highest accuracy, the smallest of equals; and the smallest cap that is not shown to be worse.
    difference : Estimate
        Of ``enough`` to ``best``, paired by item.
    """

    benchmark: str
    solver: str
    n: int
    best: int
    best_accuracy: Estimate
    enough: int
    enough_accuracy: Estimate
    difference: Estimate


def sweep_points(evaluations: Sequence[Evaluation], writings: Writings) -> list[SweepPoint]:
    """One point a benchmark, sub-agents' model and degree, in the order in which they were evaluated.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        Of ``single_agent/<solver>``, and of ``<degree>/<draw>/<solver>``.
    writings : mapping
        What the orchestrator spent on each.
    """
    groups: dict[tuple[str, str], dict[str, list[Evaluation]]] = defaultdict(lambda: defaultdict(list))
    for evaluation in evaluations:
        degree, solver = who_and_solver(evaluation.system)
        groups[evaluation.benchmark, solver][degree].append(evaluation)
    return [
        _point(benchmark, solver, degree, draws, by_degree[SINGLE], writings)
        for (benchmark, solver), by_degree in groups.items()
        for degree, draws in by_degree.items()
    ]


def enough(points: Sequence[SweepPoint]) -> list[Enough]:
    """Where more stops helping, an entry a benchmark and sub-agents' model; none where a number is missing."""
    groups: dict[tuple[str, str], list[SweepPoint]] = defaultdict(list)
    for point in points:
        if point.cap is not None:
            groups[point.benchmark, point.solver].append(point)
    complete = [own for own in groups.values() if all(point.accuracy for point in own)]
    return [_enough(sorted(own, key=lambda point: int(point.degree))) for own in complete]


def sweep_rows(points: Sequence[SweepPoint]) -> list[Row]:
    """A row a point, all columns numeric but benchmark, solver and degree; None where a number is missing."""
    return [
        {
            "benchmark": point.benchmark,
            "solver": point.solver,
            "degree": point.degree,
            "n": point.n,
            "errors": point.errors,
            **columns("accuracy", point.accuracy),
            **columns("over_single", point.over_single),
            "valid": point.valid,
            "agents": point.agents,
            "calls": point.calls,
            "tokens": point.tokens,
            "writing_tokens": point.writing_tokens,
        }
        for point in points
    ]


def accuracy_reading(points: Sequence[SweepPoint]) -> list[Row]:
    """A row a benchmark and solver, a column a degree: accuracy, and behind it the gain over the single agent."""
    degrees = dict.fromkeys(point.degree for point in points)
    groups: dict[tuple[str, str], dict[str, SweepPoint]] = defaultdict(dict)
    for point in points:
        groups[point.benchmark, point.solver][point.degree] = point
    return [
        {
            "benchmark": benchmark,
            "solver": solver,
            "n": own[SINGLE].n,
            **{degree.replace("_", " "): _short(own[degree]) if degree in own else "" for degree in degrees},
        }
        for (benchmark, solver), own in groups.items()
    ]


def use_reading(points: Sequence[SweepPoint]) -> list[Row]:
    """A row a degree: what is written and what that takes, as means over benchmarks and sub-agents' models."""
    groups: dict[str, list[SweepPoint]] = defaultdict(list)
    for point in points:
        groups[point.degree].append(point)
    return [
        {
            "degree": degree.replace("_", " "),
            "valid": f"{fmean(point.valid for point in own):.0%}",
            "agents": _mean([point.agents for point in own]),
            "calls": round(fmean(point.calls for point in own), 2),
            "sub-agents' tokens": round(fmean(point.tokens for point in own)),
            "orchestrator's tokens": round(fmean(point.writing_tokens for point in own)),
        }
        for degree, own in groups.items()
    ]


def enough_rows(found: Sequence[Enough]) -> list[Row]:
    """A row a benchmark and solver: the best cap, the smallest that suffices, and the difference."""
    return [
        {
            "benchmark": one.benchmark,
            "solver": one.solver,
            "n": one.n,
            "best cap": one.best,
            "accuracy there": str(one.best_accuracy),
            "enough": one.enough,
            "accuracy with it": str(one.enough_accuracy),
            "difference": str(one.difference),
        }
        for one in found
    ]


def _point(
    benchmark: str,
    solver: str,
    degree: str,
    draws: Sequence[Evaluation],
    single: Sequence[Evaluation],
    writings: Writings,
) -> SweepPoint:
    errors = sum(evaluation.accuracy.errors for evaluation in draws)
    scores = () if errors else mean_scores(draws)
    alone = () if any(evaluation.accuracy.errors for evaluation in single) else mean_scores(single)
    samples = [sample for evaluation in draws for sample in evaluation.samples]
    valid = [sample for sample in samples if sample.orchestration is not None]
    own = [writings[benchmark, f"{degree}/{draw}"] for draw in range(len(draws))] if degree != SINGLE else []
    return SweepPoint(
        benchmark=benchmark,
        solver=solver,
        degree=degree,
        n=len(draws[0].samples),
        errors=errors,
        scores=scores,
        accuracy=accuracy(scores) if scores else None,
        over_single=paired_difference(scores, alone) if scores and alone and degree != SINGLE else None,
        valid=len(valid) / len(samples),
        agents=fmean(sample.n_agents for sample in valid) if valid else None,
        calls=fmean(sample.usage.calls for sample in samples),
        tokens=fmean(sample.usage.tokens for sample in samples),
        writing_tokens=fmean(usage.tokens for one in own for usage in one.usage.values()) if own else 0.0,
    )


def _enough(by_cap: Sequence[SweepPoint]) -> Enough:
    best = max(by_cap, key=lambda point: (fmean(point.scores), -int(point.degree)))
    differences = [(point, paired_difference(point.scores, best.scores)) for point in by_cap]
    least, difference = next((point, gap) for point, gap in differences if gap.high >= 0)
    assert best.accuracy is not None and least.accuracy is not None
    return Enough(
        benchmark=best.benchmark,
        solver=best.solver,
        n=best.n,
        best=int(best.degree),
        best_accuracy=best.accuracy,
        enough=int(least.degree),
        enough_accuracy=least.accuracy,
        difference=difference,
    )


def _short(point: SweepPoint) -> str:
    if point.accuracy is None:
        return "missing"
    gain = "" if point.over_single is None else f" ({point.over_single.value:+.2f})"
    return f"{point.accuracy.value:.2f}{gain}"


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fmean(known), 2) if known else None
