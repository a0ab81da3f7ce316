"""The fault bench's tables, figure and claims: what each policy is worth under each kind of fault, and at what cost.

Problems are the unit: where several faults are pooled, those of one item are averaged first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean

from masrepro.lab.fault_bench import NO_REPAIR, RESTART, RESUME, RETRY, FaultRun
from masrepro.lab.table import Row
from masrepro.report.claims import Claim
from masrepro.report.figures import Figure, Panel, Series
from masrepro.report.published.mas2 import worth_of
from masrepro.report.statistics import Estimate, accuracy, paired_difference, ratio_of_means

ALL = "all faults"
_NO_FAULT = "none"
_PANELS = {"back-end": "Back-ends", "tool": "Tools", "": "Replies and budgets"}


def fault_rows(runs: Sequence[FaultRun]) -> list[Row]:
    """A row a fault and policy: share solved, cost over the fault-free run's, calls, repairs, and how runs ended."""
    return [
        {
            "fault": fault,
            "policy": policy,
            "n": len(own),
            "solved": str(_solved(own)),
            "cost": fmean(run.cost_ratio for run in own),
            "calls": fmean(run.usage.calls for run in own),
            "repairs": fmean(run.n_repairs for run in own),
            "ended": ", ".join(f"{how} {n}" for how, n in Counter(run.ended for run in own).most_common()),
        }
        for (fault, policy), own in _grouped(runs).items()
    ]


def reading(runs: Sequence[FaultRun]) -> list[Row]:
    """A row a fault, a column a policy: share solved, at which cost over the fault-free run's."""
    rows: dict[str, dict[str, str | int | float | None]] = {}
    for (fault, policy), own in _grouped(runs).items():
        row = rows.setdefault(fault, {"fault": fault})
        row[policy] = f"{_solved(own).value:.2f} at {fmean(run.cost_ratio for run in own):.2f}"
    return list(rows.values())


def comparison_rows(runs: Sequence[FaultRun], ours: str = RESUME, theirs: str = RESTART) -> list[Row]:
    """A policy against another, paired by item: difference in share solved, and ratio of costs, by fault and pooled."""
    faults = list(dict.fromkeys(run.fault for run in runs))
    pooled = [run for run in runs if run.fault != _NO_FAULT]
    groups = [(fault, [run for run in runs if run.fault == fault]) for fault in faults]
    return [
        {
            "fault": fault,
            "ours": ours,
            "theirs": theirs,
            "n": len(_by_item(own, ours)),
            "solved, difference": str(solved_difference(own, ours, theirs)),
            "cost, ratio": str(cost_ratio(own, ours, theirs)),
        }
        for fault, own in [*groups, (ALL, pooled)]
        if own
    ]


def solved_difference(runs: Sequence[FaultRun], ours: str, theirs: str) -> Estimate:
    """Share solved by a policy less that by another, over the same items; those of one item are averaged first."""
    return paired_difference(*_paired(runs, ours, theirs, "solved"))


def cost_ratio(runs: Sequence[FaultRun], ours: str, theirs: str) -> Estimate:
    """Cost of a policy over that of another, over the same items."""
    return ratio_of_means(*_paired(runs, ours, theirs, "cost"))


def fault_figure(runs: Sequence[FaultRun], *, note: str = "") -> Figure:
    """Share solved against cost: a point a fault and policy, a panel a family of faults. Upper left is better."""
    policies = list(dict.fromkeys(run.policy for run in runs))
    groups = _grouped([run for run in runs if run.fault != _NO_FAULT])
    panels = []
    for prefix, title in _PANELS.items():
        series = []
        for style, policy in enumerate(policies):
            points = [
                (fmean(run.cost_ratio for run in own), _solved(own))
                for (fault, who), own in groups.items()
                if who == policy and _family(fault) == prefix
            ]
            if points:
                series.append(Series.of(policy, points, style=style, joined=False))
        if series:
            panels.append(Panel(title, "cost over the run without faults", tuple(series)))
    return Figure(
        title="What is solved under a fault, and at what cost",
        y_label="share of items solved",
        panels=tuple(panels),
        alt="Share of items solved against cost, a point for each kind of fault and policy. " + _alt(runs),
        note=note,
    )


def fault_claims(runs: Sequence[FaultRun]) -> list[Claim]:
    """What the paper says of its rectifier, with ours; and what it does not measure."""
    faulty = [run for run in runs if run.fault != _NO_FAULT]
    solved, cost = solved_difference(faulty, RESUME, RESTART), cost_ratio(faulty, RESUME, RESTART)
    published = ", ".join(f"{name} +{100 * gain:.1f} points" for name, gain in worth_of("rectifier").items())
    return [
        Claim(
            claim="The rectifier raises accuracy",
            where="MAS², ablation table: with the rectifier less without",
            published=published,
            ours=f"{solved_difference(faulty, RESUME, NO_REPAIR)} of all items, where each run meets one fault",
            verdict="not comparable: faults on a schedule, one a run; the paper does not say how often its runs failed",
        ),
        Claim(
            claim="Resuming costs less than starting over, and solves as much",
            where="not in the paper, which says that runs resume, and whose tracebacks show runs that start over",
            published="",
            ours=f"cost {cost} times, solved {solved}",
            verdict="not published",
        ),
    ]


def seen(runs: Sequence[FaultRun]) -> list[str]:
    """What came out, in sentences."""
    faulty = [run for run in runs if run.fault != _NO_FAULT]
    solved, cost = solved_difference(faulty, RESUME, RESTART), cost_ratio(faulty, RESUME, RESTART)
    cheaper = "costs less than" if cost.high < 1 else "costs more than" if cost.low > 1 else "may cost as much as"
    equal = "solves as much" if solved.low <= 0 <= solved.high else "solves another share"
    faults = dict.fromkeys(run.fault for run in faulty)
    best = [fault for fault in faults if _cheapest_of_best(runs, fault) == RETRY]
    retried = f"Trying again solves as much as anything, for least, after: {', '.join(best)}." if best else ""
    return [
        f"Resuming after the same repairs {cheaper} starting over ({cost} times) and {equal} ({solved}).",
        *([retried] if retried else []),
    ]


def _cheapest_of_best(runs: Sequence[FaultRun], fault: str) -> str:
    """Of the policies under a fault that solve as much as the one that solves most, as far as can be told, the
    cheapest.
    """
    own = [run for run in runs if run.fault == fault]
    policies = list(dict.fromkeys(run.policy for run in own))
    best = max(policies, key=lambda policy: sum(run.correct for run in own if run.policy == policy))
    equal = [policy for policy in policies if solved_difference(own, best, policy).low <= 0]
    return min(equal, key=lambda policy: sum(run.cost_ratio for run in own if run.policy == policy))


def _grouped(runs: Sequence[FaultRun]) -> dict[tuple[str, str], list[FaultRun]]:
    groups: dict[tuple[str, str], list[FaultRun]] = defaultdict(list)
    for run in runs:
        groups[run.fault, run.policy].append(run)
    return groups


def _solved(runs: Sequence[FaultRun]) -> Estimate:
    return accuracy([float(run.correct) for run in runs])


def _by_item(runs: Sequence[FaultRun], policy: str) -> dict[str, list[FaultRun]]:
    own: dict[str, list[FaultRun]] = defaultdict(list)
    for run in runs:
        if run.policy == policy:
            own[run.item_id].append(run)
    return own


def _paired(runs: Sequence[FaultRun], ours: str, theirs: str, what: str) -> tuple[list[float], list[float]]:
    """The mean of each item under two policies, items in the same order."""
    one, other = _by_item(runs, ours), _by_item(runs, theirs)

    def mean(own: Sequence[FaultRun]) -> float:
        return fmean(float(run.correct) if what == "solved" else run.cost_ratio for run in own)

    return [mean(one[item]) for item in one], [mean(other[item]) for item in one]


def _family(fault: str) -> str:
    return next((prefix for prefix in _PANELS if prefix and prefix in fault), "")


def _alt(runs: Sequence[FaultRun]) -> str:
    means = [f"{row['fault']}: {row.get(RESUME)} resumed, {row.get(RESTART)} restarted" for row in reading(runs)]
    return "; ".join(means)
