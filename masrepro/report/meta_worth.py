"""What the training of MAS²'s meta-agents is worth on held-out items: reward, success and cost, paired by problem.

The reward is the one that was learned from (arXiv 2509.24323, section 3.2), over the runs of both trios; see
`mas2_points`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from masrepro.lab.mas2 import Mas2Run
from masrepro.lab.mas2_systems import FULL, UNTRAINED
from masrepro.lab.table import Row
from masrepro.report.axes import columns
from masrepro.report.claims import TOO_FEW, Claim, verdict_on
from masrepro.report.mas2_main import thousand
from masrepro.report.mas2_points import SystemPoint, cost_ratio, system_points
from masrepro.report.published.mas2 import worth_of
from masrepro.report.statistics import Estimate, shown
from masrepro.train.tree import ROLES, Role

ALL = "all"
NOT_TRAINED = "not comparable: no role had a pair to learn from, so nothing was trained"


def held_out_rows(runs: Sequence[Mas2Run]) -> list[Row]:
    """A row a fault and one for all: both trios, and the paired gains; numeric but the fault, None where missing."""
    return [
        {
            "fault": fault,
            "n": trained.n,
            "errors": untrained.errors + trained.errors,
            **columns("untrained_reward", untrained.reward),
            **columns("trained_reward", trained.reward),
            **columns("reward_gain", trained.reward_gain),
            **columns("untrained_success", untrained.success),
            **columns("trained_success", trained.success),
            **columns("success_gain", trained.gain),
            **columns("cost_ratio", cost_ratio(own, FULL, UNTRAINED, counts_meta=False)),
            **columns("full_cost_ratio", cost_ratio(own, FULL, UNTRAINED, counts_meta=True)),
            "untrained_invalid": _invalid(own, UNTRAINED),
            "trained_invalid": _invalid(own, FULL),
        }
        for fault, own, untrained, trained in _compared(runs)
    ]


def held_out_reading(runs: Sequence[Mas2Run]) -> list[Row]:
    """The same for reading: estimates with their 95 % intervals over problems."""
    return [
        {
            "fault": fault,
            "meta-agents": who,
            "n": point.n,
            "R": shown(point.reward),
            "success": shown(point.success),
            "USD per 1,000": thousand(point.usd),
            "meta-agents' USD per 1,000": thousand(point.meta_usd),
            "agents": round(point.agents, 2),
            "repairs": round(point.repairs, 2),
            "invalid": f"{_invalid(own, name):.2f}",
            "R gained": "" if name == UNTRAINED else shown(point.reward_gain),
            "success gained": "" if name == UNTRAINED else shown(point.gain),
        }
        for fault, own, untrained, trained in _compared(runs)
        for who, name, point in (("untrained", UNTRAINED, untrained), ("trained", FULL, trained))
    ]


def repeat_reading(runs: Sequence[Mas2Run]) -> list[Row]:
    """A row a training, the first one and its repeats, each against the untrained trio; under all faults together."""
    return [
        {
            "training": name,
            "n": point.n,
            "R": shown(point.reward),
            "success": shown(point.success),
            "agents": round(point.agents, 2),
            "R gained": shown(point.reward_gain),
            "success gained": shown(point.gain),
        }
        for name, point in _repeated(runs).items()
    ]


def meta_training_claims(runs: Sequence[Mas2Run], trained: Sequence[Role], *, comparable: bool = True) -> list[Claim]:
    """What training is worth, by reward, success and cost; the paper publishes parts of it.

    Parameters
    ----------
    trained : sequence of str
        Roles that were trained; the others are untrained on both sides.
    comparable : bool
        False for runs that are too small to conclude anything.
    """
    _, own, untrained, point = _compared(runs)[-1]
    errors = untrained.errors + point.errors
    others = [one for name, one in _repeated(runs).items() if name != FULL]
    cost, full = (cost_ratio(own, FULL, UNTRAINED, counts_meta=counts) for counts in (False, True))
    parts = "; ".join(
        f"{role} " + ", ".join(f"{name} {100 * gain:+.1f}" for name, gain in worth_of(role).items())
        for role in ("generator", "implementer")
    )

    def verdict(usual: str) -> str:
        return usual if trained else NOT_TRAINED

    return [
        Claim(
            claim="Trained meta-agents earn more reward on held-out items than their untrained selves",
            where="MAS², section 3.2, the reward that CTO learns from; no table has it",
            published="",
            ours=f"R {shown(untrained.reward)} to {shown(point.reward)}, by {shown(point.reward_gain)} more"
            + _also([one.reward_gain for one in others]),
            verdict=verdict(verdict_on(point.reward_gain, errors, comparable=comparable)),
        ),
        Claim(
            claim="Trained meta-agents solve more held-out items than their untrained selves",
            where="MAS², ablation table, in points: one part untrained, the others trained; never all three",
            published=parts,
            ours=f"{shown(untrained.success)} to {shown(point.success)}, by {shown(point.gain)} more"
            + _also([one.gain for one in others]),
            verdict=verdict(verdict_on(point.gain, errors, comparable=comparable)),
        ),
        Claim(
            claim="What systems of trained meta-agents cost over those of untrained ones",
            where="MAS², figure 3 has costs of the trained ones alone",
            published="",
            ours=f"{shown(cost)} times; {shown(full)} times with the meta-agents counted",
            verdict=verdict("not published" if comparable else TOO_FEW),
        ),
    ]


def seen(runs: Sequence[Mas2Run], trained: Sequence[Role]) -> str:
    """What came out, in a sentence."""
    if not trained:
        return "Nothing was trained, so both sides are the same."
    _, own, untrained, point = _compared(runs)[-1]
    untrained_roles = [role for role in ROLES if role not in trained]
    left = f" (the {' and '.join(untrained_roles)} untrained)" if untrained_roles else ""
    gain = point.reward_gain
    if gain is None:
        return "Some runs ended in errors; the same command again resumes."
    how = "earns more" if gain.low > 0 else "earns less" if gain.high < 0 else "may earn as much"
    return (
        f"After training{left} a system {how}: R {shown(untrained.reward)} before and {shown(point.reward)} after, "
        f"paired difference {shown(gain)}; success {shown(untrained.success)} and {shown(point.success)}. What cannot "
        f"be read or run: {_invalid(own, UNTRAINED):.0%} of the runs before, {_invalid(own, FULL):.0%} after."
    )


def _also(gains: Sequence[Estimate | None]) -> str:
    return f"; with other seeds by {', '.join(map(shown, gains))}" if gains else ""


def _repeated(runs: Sequence[Mas2Run]) -> dict[str, SystemPoint]:
    """Every training's trio beside the untrained one alone, so that a reward does not depend on the other trainings."""
    names = [name for name in dict.fromkeys(run.variant for run in runs) if name != UNTRAINED]
    pairs = {name: [run for run in runs if run.variant in (UNTRAINED, name)] for name in names}
    return {name: _compared([_as_full(run, name) for run in own])[-1][-1] for name, own in pairs.items()}


def _as_full(run: Mas2Run, name: str) -> Mas2Run:
    return replace(run, variant=FULL) if run.variant == name else run


def _compared(runs: Sequence[Mas2Run]) -> list[tuple[str, list[Mas2Run], SystemPoint, SystemPoint]]:
    """Both trios under each fault, and under all together where there are several; without repeats."""
    runs = [run for run in runs if run.variant in (UNTRAINED, FULL)]
    faults = list(dict.fromkeys(run.fault for run in runs))
    groups = [(str(fault), [run for run in runs if run.fault == fault]) for fault in faults]
    if len(groups) > 1:
        groups.append((ALL, list(runs)))
    compared = []
    for fault, own in groups:
        points = {point.variant: point for point in system_points(own, UNTRAINED)}
        compared.append((fault, own, points[UNTRAINED], points[FULL]))
    return compared


def _invalid(runs: Sequence[Mas2Run], variant: str) -> float:
    """Share of a trio's runs that ended with a text that cannot be read or run."""
    return fmean(run.outcome == "invalid" for run in runs if run.variant == variant)
