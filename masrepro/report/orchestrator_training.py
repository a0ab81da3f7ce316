"""An orchestrator's training and what it was worth: curves, shapes, time, and held-out items beside base and bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from masrepro.lab.evaluate import Evaluation
from masrepro.lab.table import Row
from masrepro.report.axes import columns, mean_scores
from masrepro.report.claims import Claim, direction, incomplete
from masrepro.report.figures import N_STYLES, Figure, Panel, Series
from masrepro.report.published import figure_3, figure_3_axes
from masrepro.report.statistics import Estimate, accuracy, paired_difference, shown
from masrepro.train.history import Step

SYSTEMS = ("single_agent", "base", "trained", "oracle")
_SIZES = ("1", "2", "3", "4", "5")
_SMOOTHED = 5


@dataclass(frozen=True, slots=True)
class Worth:
    """What one training was worth; missing where a sample ended in an error, or what it is compared with is not there.

    Parameters
    ----------
    accuracy, over_base, over_single : Estimate or None
        Of its systems; their gain over the untrained orchestrator's; and over the single agent.
    """

    accuracy: Estimate | None = None
    over_base: Estimate | None = None
    over_single: Estimate | None = None


@dataclass(frozen=True, slots=True)
class HeldOut:
    """All systems on one benchmark at one degree of MAS, paired by item; several draws of an item count as their mean.

    Estimates are missing where a sample ended in an error: there is no number until the run is resumed.

    Parameters
    ----------
    systems : mapping of str to Estimate
        Accuracy of the single agent, the untrained (``base``) and trained orchestrator, and the oracle.
    trained : Worth
        Of the training that is looked at.
    repeats : mapping of str to Worth
        Of the same training with other seeds, by ``seed-<seed>``.
    valid, agents : mapping of str to float
        Of what ``base`` and ``trained`` wrote: share of valid systems, and mean agents of these.
    """

    benchmark: str
    dom: str
    n: int
    errors: int
    systems: Mapping[str, Estimate]
    trained: Worth
    repeats: Mapping[str, Worth]
    valid: Mapping[str, float]
    agents: Mapping[str, float]


def held_out(evaluations: Sequence[Evaluation], dom: str) -> list[HeldOut]:
    """One entry a benchmark.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        Of ``single_agent``, ``oracle``, and of ``<who> <dom>/<draw>``: ``base``, ``trained``, and every repeat's name.
    dom : str
        Degree of MAS whose draws count.
    """
    groups: dict[str, dict[str, list[Evaluation]]] = defaultdict(lambda: defaultdict(list))
    for evaluation in evaluations:
        who, _, degree = evaluation.system.partition("/")[0].partition(" ")
        if degree in ("", dom):
            groups[evaluation.benchmark][who].append(evaluation)
    return [_held_out(benchmark, dom, draws) for benchmark, draws in groups.items()]


def held_out_rows(points: Sequence[HeldOut]) -> list[Row]:
    """A row a point, all columns numeric but benchmark and degree; None where a number is missing."""
    return [
        {
            "benchmark": point.benchmark,
            "dom": point.dom,
            "n": point.n,
            "errors": point.errors,
            **{key: value for who in SYSTEMS for key, value in columns(who, point.systems.get(who)).items()},
            **columns("over_base", point.trained.over_base),
            **columns("over_single", point.trained.over_single),
            **{f"{who}_valid": point.valid.get(who) for who in ("base", "trained")},
            **{f"{who}_agents": point.agents.get(who) for who in ("base", "trained")},
        }
        for point in points
    ]


def held_out_reading(points: Sequence[HeldOut]) -> list[Row]:
    """The same for reading: estimates with their 95 % intervals."""
    return [
        {
            "benchmark": point.benchmark,
            "DoM": point.dom,
            "n": point.n,
            **{who.replace("_", " "): shown(point.systems.get(who)) for who in SYSTEMS},
            "trained - base": shown(point.trained.over_base),
            "trained - single": shown(point.trained.over_single),
        }
        for point in points
    ]


def repeat_rows(points: Sequence[HeldOut]) -> list[Row]:
    """A row a benchmark, degree and training, where there are repeats; estimates with their intervals."""
    return [
        {
            "benchmark": point.benchmark,
            "DoM": point.dom,
            "training": who,
            "accuracy": shown(worth.accuracy),
            "- base": shown(worth.over_base),
            "- single": shown(worth.over_single),
        }
        for point in points
        if point.repeats
        for who, worth in {"trained": point.trained, **point.repeats}.items()
    ]


def repeats_figure(trainings: Mapping[str, Sequence[Step]], *, note: str = "") -> Figure:
    """Reward of the same training with several seeds, a curve each: means of five steps, up to each step."""
    series = []
    for style, (name, steps) in enumerate(trainings.items()):
        rewards = [step.reward for step in steps]
        means = [fmean(rewards[max(0, end - _SMOOTHED) : end]) for end in range(1, len(rewards) + 1)]
        series.append(
            Series(name, tuple(float(s.step) for s in steps), tuple(means), style=style % N_STYLES, marked=False)
        )
    ends = (f"{one.label} {one.y[min(_SMOOTHED, len(one.y)) - 1]:.2f} to {one.y[-1]:.2f}" for one in series if one.y)
    return Figure(
        title="Reward with several seeds",
        y_label=f"reward, mean of {_SMOOTHED} steps",
        panels=(Panel("Training questions", "step", tuple(series)),),
        alt=f"Mean reward of the first and of the last {_SMOOTHED} steps: {', '.join(ends)}.",
        note=note,
        y_range=(0.0, 1.2 * max((y for one in series for y in one.y), default=0.0) or 1.0),
    )


def reward_figure(steps: Sequence[Step], *, note: str = "") -> Figure:
    """Reward, validity and the share of groups without variance, step by step."""
    what: dict[str, Callable[[Step], float | None]] = {
        "reward": lambda step: step.reward,
        "valid systems": lambda step: step.valid,
        "groups without variance": lambda step: step.zero_variance,
    }
    ends = f"{steps[0].reward:.2f} to {steps[-1].reward:.2f}" if steps else "no step"
    return Figure(
        title="Reward while training",
        y_label="share of the batch",
        panels=(Panel("Training questions", "step", _curves(steps, what)),),
        alt=f"Mean reward of the batch by step: {ends}.",
        note=note,
    )


def systems_figure(steps: Sequence[Step], *, note: str = "") -> Figure:
    """What the systems look like, step by step: their sizes, and what they hand on (figures C.2, D.1)."""
    sizes: dict[str, Callable[[Step], float | None]] = {
        f"{size} agent{'s' if size != '1' else ''}": partial(_share, sizes=(size,)) for size in _SIZES
    }
    sizes["more"] = _share_of_larger
    kinds: dict[str, Callable[[Step], float | None]] = {
        "direct answer": lambda step: step.direct,
        "whole question handed on": lambda step: step.whole,
        "sink asked the question": lambda step: step.sink_asks,
        "sink gathers": lambda step: step.sink_gathers,
    }
    return Figure(
        title="What is written while training",
        y_label="share of valid systems",
        panels=(
            Panel("Size", "step", _curves(steps, _seen(steps, sizes))),
            Panel("Kind", "step", _curves(steps, _seen(steps, kinds))),
        ),
        alt=f"Systems by size and kind. {_shape_said(steps)}",
        note=note,
    )


def shape_figure(steps: Sequence[Step], *, note: str = "") -> Figure:
    """Mean agents, longest chain and width of valid systems, step by step."""
    what: dict[str, Callable[[Step], float | None]] = {
        "agents": lambda step: step.mean_agents,
        "longest chain": lambda step: step.longest_chain,
        "width": lambda step: step.width,
    }
    most = max((step.mean_agents or 0.0 for step in steps), default=0.0)
    return Figure(
        title="Shape of the systems while training",
        y_label="agents",
        panels=(Panel("Mean of valid systems", "step", _curves(steps, what)),),
        alt=_shape_said(steps),
        note=note,
        y_range=(0.0, most + 1.0),
    )


def step_rows(steps: Sequence[Step]) -> list[Row]:
    """A row a step, all columns numeric but the reasons of rejection."""
    return [
        {
            "step": step.step,
            "reward": step.reward,
            "zero_variance": step.zero_variance,
            "valid": step.valid,
            "rejected": ", ".join(f"{reason} {n}" for reason, n in step.rejected.items()),
            "agents": step.mean_agents,
            "longest_chain": step.longest_chain,
            "width": step.width,
            "plan_tokens": step.plan_tokens,
            "turns": step.turns,
            "calls": step.calls,
            "drawn_calls": step.drawn_calls,
            "prompt_tokens": step.prompt_tokens,
            "reply_tokens": step.reply_tokens,
            **{name: step.learning.get(name) for name in ("loss", "entropy", "kl", "grad_norm")},
        }
        for step in steps
    ]


def time_rows(steps: Sequence[Step]) -> list[Row]:
    """Where the time of a step goes: mean seconds and share by part."""
    if not steps:
        return []
    spent = {part: sum(step.seconds[part] for step in steps) for part in ("sampling", "execution", "update", "waiting")}
    total = spent["sampling"] + spent["execution"] + spent["update"]
    parts = {
        "sampling systems": spent["sampling"],
        "sub-agents' replies": spent["waiting"],
        "parsing, running, scoring": spent["execution"] - spent["waiting"],
        "update": spent["update"],
    }
    return [
        {"part": part, "seconds a step": round(seconds / len(steps), 3), "share": f"{seconds / total:.1%}"}
        for part, seconds in parts.items()
    ]


def training_claims(points: Sequence[HeldOut], *, comparable: bool = True) -> list[Claim]:
    """What the paper says of training, with ours, a benchmark at a time.

    Parameters
    ----------
    comparable : bool
        False for runs that are too small to conclude anything.
    """
    return [claim for point in points for claim in (_over_base(point, comparable), _over_single(point, comparable))]


def _over_base(point: HeldOut, comparable: bool) -> Claim:
    ends = " to ".join(shown(point.systems.get(who)) for who in ("base", "trained"))
    return Claim(
        claim=f"Training raises the reward on held-out items of {point.benchmark} (DoM {point.dom})",
        where="MAS-Orchestra, appendix C: training goes on until it converges",
        published="no value for the untrained orchestrator",
        ours=f"{ends}; difference {shown(point.trained.over_base)}{_elsewhere(point, lambda one: one.over_base)}",
        verdict=_verdict(point, point.trained.over_base, comparable),
    )


def _over_single(point: HeldOut, comparable: bool) -> Claim:
    _, axis, value, *_ = (*point.benchmark.split("/"), "", "")
    known = figure_3(axis) if axis in figure_3_axes() else {}
    at = {system: p.value for (system, number), p in known.items() if f"{number}" == value}
    paper = f"{at['sas']:.3f} to {at['mas']:.3f}" if at else ""
    ends = " to ".join(shown(point.systems.get(who)) for who in ("single_agent", "trained"))
    return Claim(
        claim=f"The trained orchestrator beats the single agent on {point.benchmark} (DoM {point.dom})",
        where="MAS-Orchestra, figure 3 (Qwen2.5-7B sub-agents)",
        published=paper,
        ours=f"{ends}; difference {shown(point.trained.over_single)}{_elsewhere(point, lambda one: one.over_single)}",
        verdict=_verdict(point, point.trained.over_single, comparable),
    )


def _elsewhere(point: HeldOut, gain: Callable[[Worth], Estimate | None]) -> str:
    """The same difference with other seeds; nothing where there are none."""
    gains = ", ".join(shown(gain(one)) for one in point.repeats.values())
    return f"; with other seeds {gains}" if gains else ""


def _verdict(point: HeldOut, gain: Estimate | None, comparable: bool) -> str:
    if gain is None:
        return incomplete(point.errors)
    return direction(gain) if comparable else "not comparable: too few items and steps"


def _held_out(benchmark: str, dom: str, draws: Mapping[str, Sequence[Evaluation]]) -> HeldOut:
    errors = sum(evaluation.accuracy.errors for own in draws.values() for evaluation in own)
    scores = {} if errors else {who: mean_scores(own) for who, own in draws.items()}
    worth = {who: _worth(who, scores) for who in draws if who not in ("single_agent", "base", "oracle")}
    written = {who: [s for e in own for s in e.samples] for who, own in draws.items() if who in ("base", "trained")}
    valid = {who: [s for s in samples if s.orchestration is not None] for who, samples in written.items()}
    return HeldOut(
        benchmark=benchmark,
        dom=dom,
        n=max(len({sample.item_id for sample in own[0].samples}) for own in draws.values()),
        errors=errors,
        systems={who: accuracy(own) for who, own in scores.items()},
        trained=worth.pop("trained", Worth()),
        repeats=worth,
        valid={who: len(valid[who]) / len(samples) for who, samples in written.items()},
        agents={who: sum(s.n_agents for s in own) / len(own) for who, own in valid.items() if own},
    )


def _worth(who: str, scores: Mapping[str, Sequence[float]]) -> Worth:
    own = scores.get(who)
    if own is None:
        return Worth()
    gains = [paired_difference(own, scores[other]) if other in scores else None for other in ("base", "single_agent")]
    return Worth(accuracy(own), *gains)


def _seen(
    steps: Sequence[Step], what: Mapping[str, Callable[[Step], float | None]]
) -> dict[str, Callable[[Step], float | None]]:
    """Without what no step shows, which would only crowd a figure of shares."""
    return {label: value for label, value in what.items() if any(map(value, steps))}


def _curves(steps: Sequence[Step], what: Mapping[str, Callable[[Step], float | None]]) -> tuple[Series, ...]:
    series = []
    for style, (label, value) in enumerate(what.items()):
        known = [(float(step.step), y) for step in steps if (y := value(step)) is not None]
        if known:
            xs, ys = zip(*known, strict=True)
            series.append(Series(label, xs, ys, style=style, marked=False))
    return tuple(series)


def _share(step: Step, sizes: Collection[str]) -> float | None:
    """Share of valid systems that have one of these numbers of agents."""
    n_systems = sum(step.agents.values())
    return sum(step.agents.get(size, 0) for size in sizes) / n_systems if n_systems else None


def _share_of_larger(step: Step) -> float | None:
    return _share(step, step.agents.keys() - {"0", *_SIZES})


def _shape_said(steps: Sequence[Step]) -> str:
    ends = [step for step in (*steps[:1], *steps[-1:]) if step.mean_agents is not None]
    if not ends:
        return "No valid system was written at the ends of the training."
    said = (f"{s.mean_agents:.1f} agents, longest chain {s.longest_chain:.1f}, width {s.width:.1f}" for s in ends)
    return f"From the first to the last step: {'; then '.join(said)}."
