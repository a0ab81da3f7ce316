"""Accuracy against cost: calls, tokens, money and time, an orchestrator's own included (MAS-Orchestra, figure 1).

What a system costs is a mean over questions. Money is known only where the price of every model that took part is;
seconds are wall-clock time from question to answer with all questions of a benchmark at once, on the machine at hand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean
from typing import Literal

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.orchestrator import Writing
from masrepro.lab.sample import Sample
from masrepro.lab.table import Row
from masrepro.models.model import Price
from masrepro.report.axes import SHAPES, SINGLE, columns, mean_scores, who_and_solver
from masrepro.report.statistics import Estimate, accuracy, paired_difference, shown

Cost = Literal["calls", "tokens", "usd", "seconds"]
Kind = Literal["single agent", "workflow alone", "knows the item", "orchestrator"]
Prices = Mapping[str, Price | None]


@dataclass(frozen=True, slots=True)
class CostPoint:
    """A system over all its questions; several draws of an item count as their mean.

    Estimates are None where a sample ended in an error: there is no number until the run is resumed.

    Parameters
    ----------
    system : str
        Who, and for single agents on which model, such as ``single agent (desk-solver-s)``.
    scores : tuple of float
        Share of right answers of every item; empty where there are errors.
    over_single : Estimate or None
        Gain over the single agent on the model that serves all other systems, paired by item.
    calls, tokens : float
        Per question, the orchestrator's included.
    writing_tokens : float
        Of these, the orchestrator's.
    usd : Decimal or None
        US dollars per question; None: unknown.
    seconds : float
        Per question.
    """

    system: str
    kind: Kind
    n: int
    errors: int
    scores: tuple[float, ...]
    accuracy: Estimate | None
    over_single: Estimate | None
    calls: float
    tokens: float
    writing_tokens: float
    usd: Decimal | None
    seconds: float

    def cost(self, what: Cost) -> float | None:
        """What it costs per question; None where that is unknown."""
        value: float | Decimal | None = getattr(self, what)
        return None if value is None else float(value)


def cost_points(
    evaluations: Sequence[Evaluation], writings: Mapping[tuple[str, str], Writing], prices: Prices
) -> list[CostPoint]:
    """One point a system, over all benchmarks together, in the order in which they were evaluated.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        Of ``single_agent/<solver>`` (the first solver serves all other systems), ``<workflow or shape>/<solver>``, and
        ``<orchestrator> <degree>/<draw>/<solver>``; every system on the same benchmarks.
    writings : mapping
        What was spent on writing, by benchmark and ``<orchestrator> <degree>/<draw>``.
    prices : mapping
        By model name; what is not there, or None, is unknown.
    """
    groups: dict[tuple[str, str], dict[str, list[Evaluation]]] = defaultdict(lambda: defaultdict(list))
    for evaluation in evaluations:
        groups[who_and_solver(evaluation.system)][evaluation.benchmark].append(evaluation)
    first = next(by_benchmark for (who, _), by_benchmark in groups.items() if who == SINGLE)
    return [_point(who, solver, own, first, writings, prices) for (who, solver), own in groups.items()]


def pareto_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Which of several points no other one beats, cheapest first.

    Parameters
    ----------
    points : sequence of (float, float)
        Cost, the less the better, and accuracy, the more the better.

    Returns
    -------
    list of int
        Indices of the points for which no other is as cheap and as good, and better in one of the two. Equal points
        stay together.
    """

    def beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
        return one != other and one[0] <= other[0] and one[1] >= other[1]

    kept = [index for index, point in enumerate(points) if not any(beats(other, point) for other in points)]
    return sorted(kept, key=lambda index: points[index])


def front(points: Sequence[CostPoint], what: Cost) -> list[CostPoint]:
    """The methods that no other method beats, cheapest first; without what knows the item, or has no number."""
    known = [(p, (cost, p.accuracy.value)) for p in points if p.accuracy and (cost := p.cost(what)) is not None]
    methods = [(point, at) for point, at in known if point.kind != "knows the item"]
    return [methods[index][0] for index in pareto_front([at for _, at in methods])]


def cost_rows(points: Sequence[CostPoint]) -> list[Row]:
    """A row a system, without times, so that equal runs give equal rows; None where a number is missing."""
    fronts = {what: front(points, what) for what in ("calls", "tokens", "usd")}
    return [
        {
            "system": point.system,
            "kind": point.kind,
            "n": point.n,
            "errors": point.errors,
            **columns("accuracy", point.accuracy),
            **columns("over_single", point.over_single),
            "calls": point.calls,
            "tokens": point.tokens,
            "writing_tokens": point.writing_tokens,
            "usd": None if point.usd is None else f"{point.usd:f}",
            "front": ", ".join(what for what, own in fronts.items() if point in own),
        }
        for point in points
    ]


def cost_reading(points: Sequence[CostPoint]) -> list[Row]:
    """The same for reading, cheapest in tokens first."""
    fronts = {what: front(points, what) for what in ("calls", "tokens", "usd", "seconds")}
    return [
        {
            "system": point.system,
            "accuracy": shown(point.accuracy),
            "gain over the single agent": shown(point.over_single),
            "calls": round(point.calls, 2),
            "tokens": round(point.tokens),
            "of these the orchestrator's": round(point.writing_tokens),
            "money": "unknown" if point.usd is None else f"{point.usd:.2g} USD",
            "on the front of": ", ".join(what for what, own in fronts.items() if point in own),
        }
        for point in sorted(points, key=lambda point: point.tokens)
    ]


def time_rows(points: Sequence[CostPoint]) -> list[Row]:
    """Seconds from question to answer, all questions of a benchmark at once; they differ from run to run."""
    return [{"system": point.system, "seconds": round(point.seconds, 3)} for point in points]


def _point(
    who: str,
    solver: str,
    by_benchmark: Mapping[str, Sequence[Evaluation]],
    first: Mapping[str, Sequence[Evaluation]],
    writings: Mapping[tuple[str, str], Writing],
    prices: Prices,
) -> CostPoint:
    evaluations = [evaluation for own in by_benchmark.values() for evaluation in own]
    errors = sum(evaluation.accuracy.errors for evaluation in evaluations)
    errors_at_first = sum(evaluation.accuracy.errors for own in first.values() for evaluation in own)
    samples = [sample for evaluation in evaluations for sample in evaluation.samples]
    written = [writings[e.benchmark, e.system.removesuffix(f"/{solver}")] for e in evaluations if _is_written(e.system)]
    usages = [usage for one in written for usage in one.usage.values()]
    scores = () if errors else _scores(by_benchmark)
    compared = scores and not errors_at_first and by_benchmark is not first
    return CostPoint(
        system=f"single agent ({solver})" if who == SINGLE else who,
        kind=_kind(who, bool(written)),
        n=sum(len(own[0].samples) for own in by_benchmark.values()),
        errors=errors,
        scores=scores,
        accuracy=accuracy(scores) if scores else None,
        over_single=paired_difference(scores, _scores(first)) if compared else None,
        calls=(sum(s.usage.calls for s in samples) + sum(usage.calls for usage in usages)) / len(samples),
        tokens=(sum(s.usage.tokens for s in samples) + sum(usage.tokens for usage in usages)) / len(samples),
        writing_tokens=sum(usage.tokens for usage in usages) / len(samples),
        usd=_usd(samples, written, prices),
        seconds=fmean(s.seconds for s in samples) + (fmean(one.seconds for one in written) if written else 0.0),
    )


def _is_written(system: str) -> bool:
    parts = system.split("/", 2)
    return len(parts) == 3 and parts[1].isdigit()


def _kind(who: str, is_written: bool) -> Kind:
    if is_written:
        return "orchestrator"
    if who == SINGLE:
        return "single agent"
    return "knows the item" if who in SHAPES else "workflow alone"


def _scores(by_benchmark: Mapping[str, Sequence[Evaluation]]) -> tuple[float, ...]:
    """Mean score of every item over all draws, benchmark after benchmark."""
    return tuple(score for draws in by_benchmark.values() for score in mean_scores(draws))


def _usd(samples: Sequence[Sample], written: Sequence[Writing], prices: Prices) -> Decimal | None:
    """Per question, from the tokens of every call; None as soon as one call's model has no known price."""
    spent = [
        (span.model or "", span.usage.prompt_tokens, span.usage.completion_tokens)
        for sample in samples
        for span in sample.trace
        if span.kind == "call"
    ]
    spent += [(one.model, u.prompt_tokens, u.completion_tokens) for one in written for u in one.usage.values()]
    total = Decimal(0)
    for model, n_prompt, n_completion in spent:
        price = prices.get(model)
        if price is None:
            return None
        total += price.of(n_prompt, n_completion)
    return total / len(samples)
