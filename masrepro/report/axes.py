"""Accuracy by axis value: points and tables of MAS-Orchestra's figure 3 (Robustness: C.1), from evaluations.

Published values stand beside ours. Who is compared is told by name: ours are a single agent, the oracle, an upper
bound, and the systems of the orchestrators that a run names; the paper's are a single agent (SAS) and the systems of a
trained orchestrator (MAS). Figure and claims are in `axis_claims`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.table import Row
from masrepro.report.claims import incomplete
from masrepro.report.published import Published, by_value
from masrepro.report.statistics import Estimate, accuracy, paired_difference, shown

SINGLE = "single_agent"
SHAPES = ("star", "oracle")
"""Systems built from what an item is, which no method can see."""
WEAKER, STRONGER = "Qwen2.5-7B-Instruct", "GPT-OSS-120B (low)"
"""The paper's sub-agents in figure 3."""
NOT_COMPARABLE = (
    "not comparable: items and sub-agents of our own, and an oracle where the paper has a trained orchestrator"
)


@dataclass(frozen=True, slots=True)
class AxisPoint:
    """All systems at one value of one axis with one sub-agents' model; several draws of an item count as their mean.

    Estimates and scores are missing where a sample ended in an error: there is no number until the run is resumed.

    Parameters
    ----------
    solver : str
        The sub-agents' model; empty where evaluations do not name one.
    systems : mapping of str to Estimate
        Accuracy by system.
    scores : mapping of str to tuple of float
        Share of right answers of every item, from which these come.
    gains : mapping of str to Estimate
        Every other system minus the single agent, paired by item.
    published : mapping of str to Published
        ``sas`` and ``mas`` of the paper's sub-agent that stands beside this one; see `beside`.
    """

    axis: str
    value: int
    solver: str
    n: int
    errors: int
    systems: Mapping[str, Estimate]
    scores: Mapping[str, tuple[float, ...]]
    gains: Mapping[str, Estimate]
    published: Mapping[str, Published]

    @property
    def verdict(self) -> str:
        """What may be concluded from this point against the paper."""
        if self.errors:
            return incomplete(self.errors)
        return NOT_COMPARABLE if self.published else "not published"


def axis_points(evaluations: Sequence[Evaluation]) -> list[AxisPoint]:
    """One point an axis, value and sub-agents' model, in the order in which they were evaluated.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        On benchmarks named ``masbench/<axis>/<value>``, of systems named as `who_and_solver` reads them.
    """
    groups: dict[tuple[str, str], dict[str, list[Evaluation]]] = defaultdict(lambda: defaultdict(list))
    for evaluation in evaluations:
        who, solver = who_and_solver(evaluation.system)
        groups[evaluation.benchmark, solver][who].append(evaluation)
    solvers = list(dict.fromkeys(solver for _, solver in groups))
    return [_point(benchmark, solver, draws, beside(solver, solvers)) for (benchmark, solver), draws in groups.items()]


def who_and_solver(system: str) -> tuple[str, str]:
    """A system and its sub-agents' model, from ``<who>/<solver>`` or, of written systems, ``<who>/<draw>/<solver>``."""
    who, _, rest = system.partition("/")
    draw, _, solver = rest.partition("/")
    return (who, solver) if draw.isdigit() else (who, rest)


def beside(solver: str, solvers: Sequence[str]) -> tuple[str, ...]:
    """The paper's sub-agents whose values stand beside those of one of ours.

    Itself, where it is one of them. Else the weaker one stands beside the first of ours, the stronger one beside the
    last; where there is but one of ours, the stronger one comes in where the weaker one has no values.
    """
    for model, published in (("qwen2.5-7b-instruct", WEAKER), ("gpt-oss-120b", STRONGER)):
        if solver.lower().endswith(model):
            return (published,)
    return (WEAKER,) * (solver == solvers[0]) + (STRONGER,) * (solver == solvers[-1])


def systems_of(points: Sequence[AxisPoint]) -> list[str]:
    """Every system that was measured, the single agent first."""
    return list(dict.fromkeys((SINGLE, *(who for point in points for who in point.systems))))


def numbers(points: Sequence[AxisPoint]) -> list[Row]:
    """A row a point, all columns numeric but axis, solver and verdict; None where a number is missing."""
    systems = systems_of(points)
    return [
        {
            "axis": point.axis,
            "value": point.value,
            "solver": point.solver,
            "n": point.n,
            **{key: value for who in systems for key, value in columns(who, point.systems.get(who)).items()},
            **{
                key: value for who in systems[1:] for key, value in columns(f"{who}_gain", point.gains.get(who)).items()
            },
            "paper_sas": _published(point, "sas"),
            "paper_mas": _published(point, "mas"),
            "verdict": point.verdict,
        }
        for point in points
    ]


def reading(points: Sequence[AxisPoint]) -> list[Row]:
    """The same for reading: the single agent, every other system's gain over it, and the paper's SAS and MAS."""
    return [
        {
            "axis": point.axis,
            "value": point.value,
            "solver": point.solver,
            "n": point.n,
            "single agent": shown(point.systems.get(SINGLE)),
            **{f"{who} - single agent": shown(point.gains.get(who)) for who in systems_of(points)[1:]},
            "paper: SAS to MAS": " to ".join(f"{one.value:.3f}" for one in point.published.values()),
            "paper's sub-agent": point.published["sas"].sub_agent if point.published else "",
        }
        for point in points
    ]


def pooled_gain(points: Sequence[AxisPoint], who: str = "oracle") -> Estimate | None:
    """A system's gain over all of these points, each weighted by its items; None if one is missing.

    The interval combines those of the points as independent samples.
    """
    gains = [gain for point in points if (gain := point.gains.get(who))]
    if not gains or len(gains) < len(points):
        return None
    total = sum(gain.n for gain in gains)
    mean = sum(gain.value * gain.n for gain in gains) / total
    below = sum(((gain.value - gain.low) * gain.n) ** 2 for gain in gains) ** 0.5 / total
    above = sum(((gain.high - gain.value) * gain.n) ** 2 for gain in gains) ** 0.5 / total
    return Estimate(mean, mean - below, mean + above, total)


def item_scores(evaluation: Evaluation) -> list[float]:
    """Share of right answers of every item, in the items' order."""
    right: dict[str, list[bool]] = defaultdict(list)
    for sample in evaluation.samples:
        right[sample.item_id].append(sample.outcome == "correct")
    return [sum(answers) / len(answers) for answers in right.values()]


def mean_scores(draws: Sequence[Evaluation]) -> tuple[float, ...]:
    """Mean score of every item over all draws, in the items' order."""
    return tuple(fmean(of_item) for of_item in zip(*map(item_scores, draws), strict=True))


def columns(name: str, estimate: Estimate | None) -> dict[str, float | None]:
    """An estimate and its interval as three columns of a table; None where there is none."""
    return {
        name: estimate.value if estimate else None,
        f"{name}_low": estimate.low if estimate else None,
        f"{name}_high": estimate.high if estimate else None,
    }


def _point(
    benchmark: str, solver: str, draws: Mapping[str, Sequence[Evaluation]], sub_agents: Sequence[str]
) -> AxisPoint:
    _, axis, value = benchmark.split("/")
    errors = sum(evaluation.accuracy.errors for own in draws.values() for evaluation in own)
    scores = {} if errors else {who: mean_scores(own) for who, own in draws.items()}
    single = scores.get(SINGLE)
    published = [own for sub_agent in sub_agents if (own := by_value(axis, sub_agent))]
    return AxisPoint(
        axis=axis,
        value=int(value),
        solver=solver,
        n=max(len(item_scores(own[0])) for own in draws.values()),
        errors=errors,
        systems={who: accuracy(own) for who, own in scores.items()},
        scores=scores,
        gains={who: paired_difference(own, single) for who, own in scores.items() if who != SINGLE} if single else {},
        published={who: p for (who, at), p in published[0].items() if at == int(value)} if published else {},
    )


def _published(point: AxisPoint, system: str) -> float | None:
    return point.published[system].value if point.published else None
