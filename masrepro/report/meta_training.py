"""The training of MAS²'s meta-agents (arXiv 2509.24323, section 3.2): which trees and pairs there are, and how it went.

Not here: what it was worth on held-out items (`meta_worth`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from masrepro.lab.table import Row
from masrepro.report.figures import Figure, Panel, Series
from masrepro.train.cto import TrainedRole
from masrepro.train.cto_history import PairStep
from masrepro.train.preference import Preference
from masrepro.train.tree import ROLES, Role, Tree

Trainings = Mapping[Role, Sequence[TrainedRole]]
"""By role, a training for each seed."""


def forest_rows(trees: Sequence[Tree]) -> list[Row]:
    """A row a benchmark and fault: trees, ways, the share that ends right, and what a way costs."""
    groups = dict.fromkeys((tree.benchmark, tree.fault) for tree in trees)
    rows: list[Row] = []
    for benchmark, fault in groups:
        own = [tree for tree in trees if (tree.benchmark, tree.fault) == (benchmark, fault)]
        ways = [way for tree in own for way in tree.trajectories]
        rows.append(
            {
                "benchmark": benchmark,
                "fault": fault,
                "trees": len(own),
                "ways": len(ways),
                "right": fmean(way.success for way in ways),
                "all fail": sum(not any(way.success for way in tree.trajectories) for tree in own),
                "all right": sum(all(way.success for way in tree.trajectories) for tree in own),
                "USD per 1,000 ways": 1000 * fmean(float(way.cost_usd) for way in ways),
                "meta-agents' USD per 1,000 ways": 1000 * fmean(float(way.meta_usd) for way in ways),
            }
        )
    return rows


def pair_rows(trees: Sequence[Tree], pairs: Sequence[Preference]) -> list[Row]:
    """A row a role: decisions, those that differ from all siblings before, those not readable, and pairs.

    ``mean dV`` is None where there is no pair.
    """
    rows: list[Row] = []
    for role in ROLES:
        nodes = [(tree.item_id, node) for tree in trees for node in tree.nodes if node.role == role]
        own = [pair for pair in pairs if pair.role == role]
        rows.append(
            {
                "role": role,
                "decisions": len(nodes),
                "different": len({(item, node.prompt, node.text) for item, node in nodes}),
                "unreadable": sum(bool(node.flaw) for _, node in nodes),
                "pairs": len(own),
                "questions with pairs": len({pair.item_id for pair in own}),
                "mean dV": fmean(pair.delta for pair in own) if own else None,
            }
        )
    return rows


def loss_figure(trainings: Trainings, *, note: str = "") -> Figure:
    """Loss by step, over the mean dV of the step's pairs, by which it is scaled: a panel a role, a curve a seed.

    Before anything is learned it is ln 2.
    """
    most = max((_over_delta(step) for own in trainings.values() for one in own for step in one.steps), default=1.0)
    return _curves(
        trainings,
        _over_delta,
        title="Loss while training, for each unit of ΔV",
        y_label="loss / ΔV, in nats",
        y_range=(0.0, 1.05 * most),
        note=note,
    )


def margin_figure(trainings: Trainings, *, note: str = "") -> Figure:
    """By how much better actions have gained on worse ones, by step: a panel a role, a curve a seed."""
    margins = [step.margin for own in trainings.values() for one in own for step in one.steps] or [0.0]
    room = 0.05 * (max(margins) - min(margins) or 1.0)
    return _curves(
        trainings,
        lambda step: step.margin,
        title="What better actions gain on worse ones while training",
        y_label="margin, in nats",
        y_range=(min(margins) - room, max(margins) + room),
        note=note,
    )


def step_rows(trainings: Trainings) -> list[Row]:
    """A row a step of each training."""
    return [
        {
            "role": role,
            "training": number,
            "step": step.step,
            "loss": step.loss,
            "margin": step.margin,
            "gained": step.gained,
            "delta": step.delta,
            "grad_norm": step.grad_norm,
            "learning_rate": step.learning_rate,
        }
        for role, own in trainings.items()
        for number, one in enumerate(own, start=1)
        for step in one.steps
    ]


def ranking_rows(trainings: Trainings) -> list[Row]:
    """A row a training: the share of pairs ranked right before and after, of those learned from and of others.

    None where no pair was held out.
    """
    return [
        {
            "role": role,
            "training": number,
            "steps": len(one.steps),
            "pairs": one.learned.n_pairs,
            "before": one.learned.before,
            "after": one.learned.after,
            "other pairs": one.held_out.n_pairs if one.held_out else 0,
            "others before": one.held_out.before if one.held_out else None,
            "others after": one.held_out.after if one.held_out else None,
            "margin on others": one.held_out.margin if one.held_out else None,
        }
        for role, own in trainings.items()
        for number, one in enumerate(own, start=1)
    ]


def _over_delta(step: PairStep) -> float:
    return step.loss / step.delta


def _curves(
    trainings: Trainings,
    value: Callable[[PairStep], float],
    *,
    title: str,
    y_label: str,
    y_range: tuple[float, float],
    note: str,
) -> Figure:
    panels, ends = [], []
    for role, own in trainings.items():
        series = []
        for number, one in enumerate(own, start=1):
            points = [(float(step.step), value(step)) for step in one.steps]
            if points:
                xs, ys = zip(*points, strict=True)
                series.append(Series(f"training {number}", xs, ys, style=number - 1, marked=len(points) == 1))
        if series:
            panels.append(Panel(role, "step", tuple(series)))
            first, last = series[0].y[0], series[0].y[-1]
            ends.append(f"{role} {first:.3f} to {last:.3f}")
    return Figure(
        title=title,
        y_label=y_label,
        panels=tuple(panels),
        alt=f"{title}, first training of each role: {'; '.join(ends)}.",
        note=note,
        y_range=y_range,
    )
