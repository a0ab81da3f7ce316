"""What MAS² says about models that were not seen in training, with ours beside it (arXiv 2509.24323)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from masrepro.lab.table import Row
from masrepro.report.claims import Claim, verdict_on
from masrepro.report.cross_backbone import Crossing
from masrepro.report.mas2_claims import meta_verdict
from masrepro.report.published.mas2 import OURS, Crossed, cross_backbone
from masrepro.report.statistics import shown

WHERE = "MAS², cross-backbone table"


@dataclass(frozen=True, slots=True)
class PublishedGain:
    """What the paper's added members brought on a benchmark, from its table.

    Parameters
    ----------
    row : str
        What was added.
    over_base, over_best : float
        Shares: over the old pool, and over the better of the two new members alone.
    best : str
        That member.
    times : float
        Cost over its cost.
    """

    row: str
    benchmark: str
    over_base: float
    over_best: float
    best: str
    times: float


def published_gains() -> list[PublishedGain]:
    """One entry a pool with members added and benchmark, in the order of the table."""
    cells = cross_backbone()
    return [_gain(cell, cells[OURS, cell.benchmark], best) for cell in cells.values() if (best := _best(cell))]


def published_rows() -> list[Row]:
    """The paper's table: accuracies in percent and costs in US dollars; a question mark where one is in doubt."""
    cells = cross_backbone()
    benchmarks = dict.fromkeys(benchmark for _, benchmark in cells)
    return [
        {
            "row": row + (" ?" if cells[row, "MATH"].by_price else ""),
            "is": "a model alone" if cells[row, "MATH"].alone else "MAS²",
            **{
                name: f"{100 * cells[row, name].value:.1f}{'' if cells[row, name].fits else ' ?'}"
                for name in benchmarks
            },
            **{f"{name}, US dollars": f"{cells[row, name].usd:.2f}" for name in benchmarks},
        }
        for row in dict.fromkeys(row for row, _ in cells)
    ]


def cross_backbone_claims(found: Sequence[Crossing], *, trained: bool, comparable: bool = True) -> list[Claim]:
    """The paper's claim, the comparison that it lacks, and how much use is made of new members; for each pool.

    Parameters
    ----------
    trained : bool
        Whether all meta-agents were trained, without the new members.
    comparable : bool
        False for runs that are too small to conclude anything.
    """
    return [
        claim
        for one in found
        for claim in (
            _base_claim(one, trained, comparable),
            _best_claim(one, trained, comparable),
            _share_claim(one),
        )
    ]


def not_there(members: Sequence[str]) -> Claim:
    """The claim where the weights of new members are not there."""
    return Claim(
        claim="New members of the pool raise success without retraining",
        where=WHERE,
        published=_over_base(),
        ours="not measured",
        verdict=f"incomplete: {', '.join(members)} is not here",
    )


def _base_claim(one: Crossing, trained: bool, comparable: bool) -> Claim:
    return Claim(
        claim=f"New members of the pool raise success without retraining ({', '.join(one.added.members)})",
        where=WHERE,
        published=_over_base(),
        ours=f"{shown(one.point.gain)} over the old pool, to {shown(one.point.success)}",
        verdict=meta_verdict(one.point.gain, one.point.errors, trained=trained, comparable=comparable),
    )


def _best_claim(one: Crossing, trained: bool, comparable: bool) -> Claim:
    gains = published_gains()
    over = [100 * gain.over_best for gain in gains]
    times = [gain.times for gain in gains]
    return Claim(
        claim="MAS² with new members answers better than the best of them alone",
        where=f"{WHERE}; which model alone a row is was told by its price",
        published=f"{min(over):+.1f} to {max(over):+.1f} points at {min(times):.1f} to {max(times):.1f} times the cost",
        ours=f"{shown(one.over_best)} over {one.best_alone or 'none'} at {shown(one.times[False])} times the cost, "
        f"{shown(one.times[True])} with the meta-agents counted",
        verdict=meta_verdict(one.over_best, one.point.errors, trained=trained, comparable=comparable),
    )


def _share_claim(one: Crossing) -> Claim:
    return Claim(
        claim=f"Use is made of new members ({', '.join(one.added.members)})",
        where=f"{WHERE} does not say how much",
        published="",
        ours=f"{one.share} of the agents run on them" if one.share else "no valid system was made",
        verdict="not published" if one.share else verdict_on(None, one.point.errors),
    )


def _over_base() -> str:
    gains = [100 * gain.over_base for gain in published_gains()]
    return f"{min(gains):+.1f} to {max(gains):+.1f} points over the old pool, on MATH and Bamboogle"


def _best(cell: Crossed) -> Crossed | None:
    """Of the models that a row adds, the one that alone is best on its benchmark."""
    cells = cross_backbone()
    return max((cells[name, cell.benchmark] for name in cell.added), key=lambda one: one.value, default=None)


def _gain(cell: Crossed, base: Crossed, best: Crossed) -> PublishedGain:
    return PublishedGain(
        row=cell.row,
        benchmark=cell.benchmark,
        over_base=round(cell.value - base.value, 4),
        over_best=round(cell.value - best.value, 4),
        best=best.row,
        times=cell.usd / best.usd,
    )


def _cell(cell: Crossed) -> str:
    return f"{100 * cell.value:.1f}" + ("" if cell.fits else " ?")
