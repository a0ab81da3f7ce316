"""What MAS² says its parts are worth, with ours beside it (arXiv 2509.24323, ablation table)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from masrepro.lab.mas2 import Mas2Run
from masrepro.lab.mas2_systems import FULL, Change
from masrepro.report.claims import Claim
from masrepro.report.mas2_ablation import Ablated, Best, ablated, best_single
from masrepro.report.mas2_claims import meta_verdict, own_verdict
from masrepro.report.mas2_points import success_difference
from masrepro.report.published.mas2 import worth_of
from masrepro.report.statistics import shown

WHERE = "MAS², ablation table"


def ablation_claims(
    runs: Sequence[Mas2Run], changes: Mapping[str, Change], *, trained: bool, comparable: bool = True
) -> list[Claim]:
    """What each part is worth: by the paper's way to take it away, then by those that it lacks.

    Parameters
    ----------
    runs, changes
        As for `masrepro.report.mas2_ablation.ablated`.
    trained : bool
        Whether all meta-agents of the full system were trained.
    comparable : bool
        False for runs that are too small to conclude anything.
    """
    found = [one for one in ablated(runs, changes) if one.change]
    errors = sum(one.point.errors for one in found)
    claims = [
        _part_claim(runs, one, one.change, errors, trained, comparable)
        for one in sorted(found, key=lambda one: one.published is None)
        if one.change
    ]
    best = best_single(runs, changes)
    if best:
        claims.append(_best_claim(best, errors, comparable))
    return claims


def seen(found: Sequence[Ablated], best: Best | None = None) -> list[str]:
    """What came out, in sentences."""
    said = []
    for one in found:
        if one.change and one.point.gain:
            gain = one.point.gain
            how = "loses" if gain.high < 0 else "gains" if gain.low > 0 else "changes by what may be nothing:"
            said.append(f"With {one.change}, success {how} {gain}.")
    if best:
        said.append(f"The best single backbone is {best[0]}; the full system gains {shown(best[1])} over it.")
    return said


def _part_claim(
    runs: Sequence[Mas2Run], one: Ablated, change: Change, errors: int, trained: bool, comparable: bool
) -> Claim:
    gain = success_difference(runs, FULL, [one.point.variant])
    published = "" if one.published is None else _published(change.part)
    measured = meta_verdict(gain, errors, trained=trained, comparable=comparable)
    reward = "" if one.point.reward_gain is None else f"; R changes by {one.point.reward_gain} without it"
    worth = "Training is worth its cost" if change.part == "all three" else f"The {change.part} is worth its place"
    return Claim(
        claim=f"{worth}: MAS² answers better than with {change}",
        where=WHERE if published else f"{WHERE} has no such row",
        published=published,
        ours=f"{shown(gain)}{reward}",
        verdict=measured if published else own_verdict(gain, errors, comparable=comparable),
    )


def _best_claim(best: Best, errors: int, comparable: bool) -> Claim:
    name, gain = best
    return Claim(
        claim="The implementer beats the best single backbone for all agents",
        where=f"{WHERE} has no such row",
        published="",
        ours=f"{shown(gain)} over {name}, which is the best on these very items",
        verdict=own_verdict(gain, errors, comparable=comparable),
    )


def _published(part: str) -> str:
    return ", ".join(f"{name} +{100 * gain:.1f} points" for name, gain in worth_of(part).items())
