"""What each part of MAS² is worth, and what its settings change (arXiv 2509.24323, ablation table).

The paper puts an untrained model in the place of generator or implementer, and takes the rectifier away. Here each of
the three is both untrained and replaced by a rule or left out, and the controls stand beside them that the paper lacks:
all untrained; backbones at random, cheapest, or all on one. Claims are in `ablation_claims`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from masrepro.lab.mas2 import Mas2Run
from masrepro.lab.mas2_systems import FULL, Change
from masrepro.lab.table import Row
from masrepro.report.axes import columns
from masrepro.report.figures import Figure, Panel, Series
from masrepro.report.mas2_main import thousand
from masrepro.report.mas2_points import SystemPoint, success_difference, system_points
from masrepro.report.published.mas2 import worth_of
from masrepro.report.statistics import Estimate, shown

_MEASURED_SO = {"generator": "untrained", "implementer": "untrained", "rectifier": "left out"}
"""How the paper takes each part away."""


@dataclass(frozen=True, slots=True)
class Ablated:
    """The full system changed in one way.

    Parameters
    ----------
    point : SystemPoint
        Its gains are over the full system.
    change : Change or None
        None for the full system.
    """

    point: SystemPoint
    change: Change | None

    @property
    def published(self) -> float | None:
        """What the paper's system loses by that change, a share, as a mean over its three benchmarks."""
        if self.change is None or _MEASURED_SO.get(self.change.part) != self.change.how:
            return None
        return fmean(worth_of(self.change.part).values())


@dataclass(frozen=True, slots=True)
class Swept:
    """The full system at one value of a setting, which is ``K``, ``N``, ``beta`` or ``theta_C``."""

    setting: str
    value: float
    point: SystemPoint


Best = tuple[str, Estimate | None]
"""The best of the systems with all agents on one model, and the full system's gain over it."""


def ablated(runs: Sequence[Mas2Run], changes: Mapping[str, Change]) -> list[Ablated]:
    """One entry a system, the full one first.

    Parameters
    ----------
    runs : sequence of Mas2Run
        Of ``FULL`` and of its changed forms.
    changes : mapping of str to Change
        By system.
    """
    return [Ablated(point, changes.get(point.variant)) for point in system_points(runs, FULL)]


def swept(runs: Sequence[Mas2Run], settings: Mapping[str, tuple[str, float]]) -> list[Swept]:
    """One entry a value of a setting, by setting and value.

    Parameters
    ----------
    runs : sequence of Mas2Run
        Of ``FULL``, over which gains are, and of the system at each value.
    settings : mapping of str to (str, float)
        Setting and value by system.
    """
    found = [Swept(*settings[p.variant], p) for p in system_points(runs, FULL) if p.variant in settings]
    return sorted(found, key=lambda one: (one.setting, one.value))


def best_single(runs: Sequence[Mas2Run], changes: Mapping[str, Change]) -> Best | None:
    """The best single backbone, chosen on these very items; None where none was measured."""
    points = {point.variant: point for point in system_points(runs)}
    names = [name for name, change in changes.items() if change.how.startswith("all on ") and name in points]
    solved = {name: success.value for name in names if (success := points[name].success)}
    if not solved:
        return None
    best = max(solved, key=solved.__getitem__)
    return best, success_difference(runs, FULL, [best])


def ablation_rows(found: Sequence[Ablated]) -> list[Row]:
    """A row a system, all columns numeric but system, part and how; None where a number is missing."""
    return [
        {
            "system": one.point.variant,
            "part": one.change.part if one.change else "",
            "how": one.change.how if one.change else "",
            "n": one.point.n,
            "errors": one.point.errors,
            **columns("success", one.point.success),
            **columns("gain", one.point.gain),
            **columns("usd", one.point.usd),
            **columns("meta_usd", one.point.meta_usd),
            **columns("reward", one.point.reward),
            **columns("reward_gain", one.point.reward_gain),
            "agents": one.point.agents,
            "repairs": one.point.repairs,
            "paper_loss": one.published,
        }
        for one in found
    ]


def ablation_reading(found: Sequence[Ablated]) -> list[Row]:
    """The same for reading: what changes against the full system, and what the paper's loses by the same change."""
    return [
        {
            "part": one.change.part if one.change else "all three",
            "which is": one.change.how if one.change else "as in MAS²",
            "success": shown(one.point.success),
            "change": "" if one.change is None else shown(one.point.gain),
            "R": shown(one.point.reward),
            "change of R": "" if one.change is None else shown(one.point.reward_gain),
            "USD per 1,000": thousand(one.point.usd),
            "meta-agents' USD per 1,000": thousand(one.point.meta_usd),
            "paper": "" if one.published is None else f"{-one.published:+.3f}",
        }
        for one in found
    ]


def sweep_rows(found: Sequence[Swept]) -> list[Row]:
    """A row a value of a setting, changes against the full system; one row that says so where none was given."""
    return [
        {
            "setting": one.setting,
            "value": one.value,
            "n": one.point.n,
            "success": shown(one.point.success),
            "change": shown(one.point.gain),
            "R": shown(one.point.reward),
            "change of R": shown(one.point.reward_gain),
            "USD per 1,000": thousand(one.point.usd),
            "repairs": round(one.point.repairs, 2),
        }
        for one in found
    ] or [{"setting": "none: the params name no other values"}]


def ablation_figure(found: Sequence[Ablated], *, note: str = "") -> Figure:
    """Success of the full system and of each changed one, with what the paper's would have after the same change."""
    full = next(one.point for one in found if one.change is None)
    parts = dict.fromkeys(one.change.part for one in found if one.change)
    return Figure(
        title="What each part of MAS² is worth",
        y_label="share of items solved",
        panels=tuple(
            _panel(part, [one for one in found if one.change and one.change.part == part], full) for part in parts
        ),
        alt="Success after each change, against the full system's: "
        + "; ".join(f"{one.change.part} {one.change.how} {shown(one.point.success)}" for one in found if one.change),
        note=note,
    )


def _panel(part: str, found: Sequence[Ablated], full: SystemPoint) -> Panel:
    """Changed systems from left to right by name, the full one as a line across."""
    known = [(float(place), one, one.point.success) for place, one in enumerate(found, start=1) if one.point.success]
    changed = Series.of("changed", [(place, success) for place, _, success in known], joined=False)
    names = tuple(one.change.how for _, one, _ in known if one.change)
    series = [replace(changed, names=names)] if known else []
    if full.success:
        value = full.success.value
        series.append(Series("full system", (0.0, len(found) + 1.0), (value,) * 2, style=6, marked=False))
        less = [(place, max(0.0, value - one.published)) for place, one, _ in known if one.published is not None]
        if less:
            xs, ys = zip(*less, strict=True)
            label = "full system less the paper's loss"
            series.append(Series(label, xs, ys, style=1, published=True, joined=False))
    return Panel(part, "changes, from left to right", tuple(series))
