"""Pools with members that no meta-agent saw in training: what they add, and how much use is made of them.

MAS² (arXiv 2509.24323, cross-backbone table) adds two such models to its pool and sets the result beside its old pool
and beside single models. Here it also stands beside the best of the new members alone, on the same items. Claims are in
`cross_backbone_claims`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from masrepro.lab.mas2 import Mas2Run
from masrepro.lab.mas2_pools import Added
from masrepro.lab.table import Row
from masrepro.report.axes import columns
from masrepro.report.mas2_main import thousand
from masrepro.report.mas2_points import Problem, SystemPoint, cost_ratio, success_difference, system_points
from masrepro.report.statistics import Estimate, accuracy, shown


@dataclass(frozen=True, slots=True)
class Crossing:
    """What added members brought.

    Parameters
    ----------
    point : SystemPoint
        On the larger pool; its gains are over the pool as it was.
    best_alone : str
        The new member that alone answers best, on these very items.
    over_best : Estimate or None
        Success over it.
    times : mapping of bool to Estimate or None
        Cost over it, without and with the meta-agents'.
    share : Estimate or None
        Of the agents, those on new members; a mean over problems. None where there were no agents.
    """

    added: Added
    point: SystemPoint
    best_alone: str
    over_best: Estimate | None
    times: Mapping[bool, Estimate | None]
    share: Estimate | None


def crossings(runs: Sequence[Mas2Run], added: Sequence[Added]) -> list[Crossing]:
    """One entry a pool with members added, in the order given."""
    return [_crossing(runs, one) for one in added]


def share_of(runs: Sequence[Mas2Run], members: Sequence[str]) -> Estimate | None:
    """Share of the agents that run on some models: a mean over problems, each a mean over its runs that had agents."""
    shares: dict[Problem, list[float]] = {}
    for run in runs:
        n_agents = sum(run.backbones.values())
        if n_agents:
            of_members = sum(n for name, n in run.backbones.items() if name in members)
            shares.setdefault((run.benchmark, run.item_id), []).append(of_members / n_agents)
    return accuracy([fmean(own) for own in shares.values()]) if shares else None


def backbone_rows(runs: Sequence[Mas2Run]) -> list[Row]:
    """A row a system: how many agents it has, and the share of them on each model."""
    names = dict.fromkeys(name for run in runs for name in run.backbones)
    return [
        {
            "system": variant,
            "agents": round(fmean(run.n_agents for run in own), 2),
            **{name: shown(share_of(own, [name])) for name in names},
        }
        for variant in dict.fromkeys(run.variant for run in runs)
        if (own := [run for run in runs if run.variant == variant])
    ]


def crossing_rows(found: Sequence[Crossing]) -> list[Row]:
    """A row a pool, all columns numeric but names; None where a number is missing."""
    return [
        {
            "system": one.added.system,
            "base": one.added.base,
            "n": one.point.n,
            "errors": one.point.errors,
            **columns("success", one.point.success),
            **columns("gain", one.point.gain),
            "best_alone": one.best_alone,
            **columns("over_best", one.over_best),
            **columns("times_the_cost", one.times[False]),
            **columns("times_the_full_cost", one.times[True]),
            **columns("share_of_agents", one.share),
            **columns("reward_gain", one.point.reward_gain),
        }
        for one in found
    ]


def crossing_reading(found: Sequence[Crossing]) -> list[Row]:
    """The same for reading."""
    return [
        {
            "system": one.added.system,
            "success": shown(one.point.success),
            "over the old pool": shown(one.point.gain),
            "best new member alone": one.best_alone,
            "over it": shown(one.over_best),
            "times its cost": shown(one.times[False]),
            "meta-agents counted": shown(one.times[True]),
            "agents on new members": shown(one.share),
            "USD per 1,000": thousand(one.point.usd),
        }
        for one in found
    ]


def _crossing(runs: Sequence[Mas2Run], added: Added) -> Crossing:
    solved = {
        point.variant: point.success.value
        for point in system_points(runs)
        if point.variant in added.alone and point.success
    }
    best = max(solved, key=solved.__getitem__, default="")
    point = next(point for point in system_points(runs, added.base) if point.variant == added.system)
    return Crossing(
        added=added,
        point=point,
        best_alone=best,
        over_best=success_difference(runs, added.system, [best]) if best else None,
        times={
            counts: cost_ratio(runs, added.system, best, counts_meta=counts) if best else None
            for counts in (False, True)
        },
        share=share_of([run for run in runs if run.variant == added.system], added.members),
    )
