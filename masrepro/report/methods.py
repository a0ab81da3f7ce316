"""Holistic against sequential orchestration at one budget: accuracy by benchmark, and what either costs.

The comparison that MAS-Orchestra (arXiv 2601.14652) leaves open: its table 3 sets a holistic orchestrator of its own
training beside ToolOrchestra's released sequential one, which had another training, other tools and another size. Here
both are trained on the same data with the same reward, sub-agents and tokens. What the orchestrators themselves read
and write is counted apart from what their agents do. Claims and the paper's values are in `method_claims`.
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
from masrepro.models.model import Usage
from masrepro.report.axes import SINGLE, columns, mean_scores
from masrepro.report.figures import Figure, Panel, Series
from masrepro.report.statistics import Estimate, accuracy, paired_difference, shown
from masrepro.runtime.growing import BUILDER
from masrepro.train.history import Step

HOLISTIC = "holistic"
SEQUENTIAL = "sequential"
_LABELS = {SINGLE: "single agent", HOLISTIC: "holistic", SEQUENTIAL: "sequential"}


@dataclass(frozen=True, slots=True)
class MethodCost:
    """What an orchestrator's systems cost, each a mean over questions and draws.

    Parameters
    ----------
    valid : float
        Share of valid systems.
    agents : float or None
        Of these.
    calls, tokens : float
        The sub-agents', prompts included.
    own_calls, own_tokens : float
        The orchestrator's.
    rounds : float
        Calls that have to wait for one another: the longest chain and the writing; for a sequential orchestrator every
        turn and every agent.
    """

    valid: float
    agents: float | None
    calls: float
    tokens: float
    own_calls: float
    own_tokens: float
    rounds: float

    @property
    def all_tokens(self) -> float:
        """The orchestrator's and the sub-agents'."""
        return self.tokens + self.own_tokens


@dataclass(frozen=True, slots=True)
class MethodPoint:
    """Both methods on one benchmark, paired by item; several draws of an item count as their mean.

    Estimates are missing where a sample ended in an error, or where a method was not measured.

    Parameters
    ----------
    systems : mapping of str to Estimate
        Accuracy of ``single_agent``, ``holistic`` and ``sequential``.
    scores : mapping of str to sequence of float
        Of every item, from which these come.
    gain : Estimate or None
        Holistic minus sequential.
    costs : mapping of str to MethodCost
        Of ``holistic`` and ``sequential``.
    """

    benchmark: str
    n: int
    errors: int
    systems: Mapping[str, Estimate]
    scores: Mapping[str, Sequence[float]]
    gain: Estimate | None
    costs: Mapping[str, MethodCost]


def method_points(evaluations: Sequence[Evaluation], writings: Mapping[tuple[str, str], Writing]) -> list[MethodPoint]:
    """One point a benchmark, in the order in which they were evaluated.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        Of ``single_agent``, and of ``holistic <degree>/<draw>`` and ``sequential <degree>/<draw>``.
    writings : mapping
        What was spent on writing, by benchmark and holistic system. A sequential system's samples hold it themselves.
    """
    groups: dict[str, dict[str, list[Evaluation]]] = defaultdict(lambda: defaultdict(list))
    for evaluation in evaluations:
        groups[evaluation.benchmark][evaluation.system.partition(" ")[0]].append(evaluation)
    return [_point(benchmark, draws, writings) for benchmark, draws in groups.items()]


def pooled_gain(points: Sequence[MethodPoint]) -> Estimate | None:
    """Holistic minus sequential over the items of all benchmarks; None where one is missing."""
    if not points or any(point.gain is None for point in points):
        return None
    both = [[score for point in points for score in point.scores[who]] for who in (HOLISTIC, SEQUENTIAL)]
    return paired_difference(*both)


def pooled_cost(points: Sequence[MethodPoint], who: str) -> MethodCost | None:
    """Mean cost over all benchmarks, each counted by its items; None where it was not measured."""
    own = [(point.costs[who], point.n) for point in points if who in point.costs]
    if not own:
        return None
    n = sum(size for _, size in own)
    means = {
        name: sum(getattr(cost, name) * size for cost, size in own) / n
        for name in ("valid", "calls", "tokens", "own_calls", "own_tokens", "rounds")
    }
    agents = [(cost.agents, size) for cost, size in own if cost.agents is not None]
    mean_agents = sum(k * size for k, size in agents) / sum(size for _, size in agents) if agents else None
    return MethodCost(agents=mean_agents, **means)


def accuracy_rows(points: Sequence[MethodPoint]) -> list[Row]:
    """A row a benchmark, all columns numeric but its name; None where a number is missing."""
    return [
        {
            "benchmark": point.benchmark,
            "n": point.n,
            "errors": point.errors,
            **{key: value for who in _LABELS for key, value in columns(who, point.systems.get(who)).items()},
            **columns("gain", point.gain),
        }
        for point in points
    ]


def accuracy_reading(points: Sequence[MethodPoint]) -> list[Row]:
    """The same for reading: estimates with their 95 % intervals."""
    return [
        {
            "benchmark": point.benchmark,
            "n": point.n,
            **{label: shown(point.systems.get(who)) for who, label in _LABELS.items()},
            "holistic - sequential": shown(point.gain),
        }
        for point in points
    ]


def method_cost_rows(points: Sequence[MethodPoint]) -> list[Row]:
    """A row a benchmark and method: what a question costs."""
    return [
        {
            "benchmark": point.benchmark,
            "method": who,
            "valid": cost.valid,
            "agents": cost.agents,
            "sub-agents' calls": cost.calls,
            "sub-agents' tokens": cost.tokens,
            "orchestrator's calls": cost.own_calls,
            "orchestrator's tokens": cost.own_tokens,
            "rounds": cost.rounds,
        }
        for point in points
        for who, cost in point.costs.items()
    ]


def training_rows(trainings: Mapping[str, Sequence[Step]]) -> list[Row]:
    """What each training took, a row a method: whether the budgets were equal.

    Parameters
    ----------
    trainings : mapping of str to sequence of Step
        History by method.
    """
    return [
        {
            "method": who,
            "steps": len(steps),
            "minutes": sum(step.seconds[part] for step in steps for part in ("sampling", "execution", "update")) / 60,
            "systems": sum(sum(step.outcomes.values()) for step in steps),
            "turns a system": fmean(step.turns for step in steps),
            "tokens written": round(sum(step.plan_tokens * sum(step.outcomes.values()) for step in steps)),
            "sub-agents' calls": sum(step.calls for step in steps),
            "of these drawn": sum(step.drawn_calls for step in steps),
            "sub-agents' tokens": sum(step.prompt_tokens + step.reply_tokens for step in steps),
            "reward at the end": fmean(step.reward for step in steps[-5:]),
        }
        for who, steps in trainings.items()
        if steps
    ]


def method_figure(points: Sequence[MethodPoint], *, note: str = "") -> Figure:
    """Accuracy by axis value, a panel an axis, both methods and the single agent."""
    axes = list(dict.fromkeys(_cell(point)[0] for point in points))
    panels = tuple(_panel(axis, [point for point in points if _cell(point)[0] == axis]) for axis in axes)
    return Figure(
        title="Accuracy at one budget: whole systems at once, and an agent a turn",
        y_label="share of items solved",
        panels=panels,
        alt=f"Holistic minus sequential over all items: {shown(pooled_gain(points))}.",
        note=note,
    )


def _point(
    benchmark: str, draws: Mapping[str, Sequence[Evaluation]], writings: Mapping[tuple[str, str], Writing]
) -> MethodPoint:
    errors = sum(evaluation.accuracy.errors for own in draws.values() for evaluation in own)
    scores = {} if errors else {who: mean_scores(own) for who, own in draws.items()}
    both = HOLISTIC in scores and SEQUENTIAL in scores
    return MethodPoint(
        benchmark=benchmark,
        n=max(len({sample.item_id for sample in own[0].samples}) for own in draws.values()),
        errors=errors,
        systems={who: accuracy(own) for who, own in scores.items()},
        scores=scores,
        gain=paired_difference(scores[HOLISTIC], scores[SEQUENTIAL]) if both else None,
        costs={who: _cost(draws[who], writings) for who in (HOLISTIC, SEQUENTIAL) if who in draws},
    )


def _cost(draws: Sequence[Evaluation], writings: Mapping[tuple[str, str], Writing]) -> MethodCost:
    spent = [
        (sample, *_spent(sample, writings.get((draw.benchmark, draw.system))))
        for draw in draws
        for sample in draw.samples
    ]
    valid = [sample for sample, _, _ in spent if sample.orchestration is not None]
    return MethodCost(
        valid=len(valid) / len(spent),
        agents=fmean(sample.n_agents for sample in valid) if valid else None,
        calls=fmean(agents.calls for _, agents, _ in spent),
        tokens=fmean(agents.tokens for _, agents, _ in spent),
        own_calls=fmean(own.calls for _, _, own in spent),
        own_tokens=fmean(own.tokens for _, _, own in spent),
        rounds=fmean(_rounds(sample, own) for sample, _, own in spent),
    )


def _spent(sample: Sample, writing: Writing | None) -> tuple[Usage, Usage]:
    """What the sub-agents spent on a sample, and the orchestrator."""
    if writing is not None:
        return sample.usage, writing.usage[sample.item_id]
    own = sample.trace.usage_of(BUILDER)
    return Usage(
        sample.usage.calls - own.calls,
        sample.usage.prompt_tokens - own.prompt_tokens,
        sample.usage.completion_tokens - own.completion_tokens,
    ), own


def _rounds(sample: Sample, own: Usage) -> int:
    acts = sum(span.kind == "agent" for span in sample.trace)
    is_sequential = any(span.agent == BUILDER for span in sample.trace)
    return own.calls + (acts if is_sequential else sample.longest_chain)


def _cell(point: MethodPoint) -> tuple[str, int]:
    _, axis, value, *_ = point.benchmark.split("/")
    return axis, int(value)


def _panel(axis: str, points: Sequence[MethodPoint]) -> Panel:
    series = []
    for style, (who, label) in enumerate(_LABELS.items()):
        own = [(float(_cell(point)[1]), point.systems[who]) for point in points if who in point.systems]
        if own:
            series.append(Series.of(label, own, style=style))
    return Panel(axis.capitalize(), f"{axis} of the question", tuple(series))
