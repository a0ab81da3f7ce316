"""What systems are worth, from their runs: success, cost, what the meta-agents cost apart, and the reward of MAS².

The reward is the paper's, R = success / normalised cost (arXiv 2509.24323, section 3.2): a run's cost is divided by the
mean cost of all runs that the compared systems made of one item under one fault. Problems are the unit everywhere:
repeats and faults of one item are averaged first. Not here: tables (`mas2_main`, `mas2_ablation`, `cross_backbone`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from masrepro.lab.mas2 import Mas2Run
from masrepro.lab.mas2_record import is_error
from masrepro.report.statistics import (
    Estimate,
    accuracy,
    difference_of_means,
    mean,
    paired_difference,
    ratio_of_means,
)

Problem = tuple[str, str]
"""Benchmark and item."""


@dataclass(frozen=True, slots=True)
class SystemPoint:
    """A system over all its problems.

    Estimates are None where a run without a fault ended in an error: there is no number until it is made again. Under
    a fault an error is a failure, since the fault is what is measured. Costs are None where a price is unknown.

    Parameters
    ----------
    variant : str
    scores : mapping of (str, str) to float
        Share of right answers by problem.
    by_benchmark : mapping of str to Estimate
        Success on each.
    success : Estimate or None
    gain : Estimate or None
        Over the reference, paired by problem; None for the reference itself.
    usd, meta_usd : Estimate or None
        US dollars a problem: of the system's own calls, and of the meta-agents that made and repaired it.
    tokens, meta_tokens : float
        A problem, of both.
    reward, full_reward : Estimate or None
        R by the system's own cost, and by that with the meta-agents'. Dimensionless, 0 or more.
    reward_gain : Estimate or None
        ``reward`` over the reference's, paired by problem.
    agents, repairs : float
        A run.
    ended : str
        How runs ended, with their numbers.
    """

    variant: str
    n: int
    errors: int
    scores: Mapping[Problem, float]
    by_benchmark: Mapping[str, Estimate]
    success: Estimate | None
    gain: Estimate | None
    usd: Estimate | None
    meta_usd: Estimate | None
    tokens: float
    meta_tokens: float
    reward: Estimate | None
    full_reward: Estimate | None
    reward_gain: Estimate | None
    agents: float
    repairs: float
    ended: str

    def cost(self, *, counts_meta: bool) -> float | None:
        """US dollars a problem, with or without the meta-agents'; None where a price is unknown."""
        if self.usd is None or self.meta_usd is None:
            return None
        return self.usd.value + (self.meta_usd.value if counts_meta else 0.0)


@dataclass(frozen=True, slots=True)
class _Measured:
    """A system's values by problem, from which its point and its comparisons are made."""

    runs: Sequence[Mas2Run]
    errors: int
    scores: Mapping[Problem, float]
    usd: Mapping[Problem, float | None]
    meta_usd: Mapping[Problem, float | None]
    reward: Mapping[Problem, float | None]
    full_reward: Mapping[Problem, float | None]

    def costs(self, counts_meta: bool) -> list[float] | None:
        """US dollars of each problem; None where one is unknown."""
        known = [cost for cost in self.usd.values() if cost is not None]
        meta = [cost for cost in self.meta_usd.values() if cost is not None]
        if len(known) < len(self.usd) or (counts_meta and len(meta) < len(self.meta_usd)):
            return None
        return [one + more for one, more in zip(known, meta, strict=True)] if counts_meta else known


def system_points(runs: Sequence[Mas2Run], reference: str = "") -> list[SystemPoint]:
    """One point a system, in the order in which they come.

    Parameters
    ----------
    runs : sequence of Mas2Run
        Of all systems that are compared: they share the mean cost by which rewards are normalised.
    reference : str
        The system over which gains are; empty for none.

    Raises
    ------
    ValueError
        There is no such reference, or a system did not run on the same problems as it.
    """
    measured = _measured(runs)
    if reference and reference not in measured:
        raise ValueError(f"no runs of the reference {reference!r}; there are: {', '.join(measured)}")
    against = measured.get(reference)
    return [_point(name, own, None if own is against else against) for name, own in measured.items()]


def success_difference(runs: Sequence[Mas2Run], ours: str, theirs: Sequence[str]) -> Estimate | None:
    """Share solved by a system less that by others, whose mean counts, over the same problems.

    None where a run without a fault ended in an error.
    """
    measured = _measured(runs)
    own, others = measured[ours], [measured[name] for name in theirs]
    if any(one.errors for one in (own, *others)):
        return None
    for other in others:
        _require_same_problems(ours, own, other)
    return paired_difference(
        list(own.scores.values()), [fmean(other.scores[place] for other in others) for place in own.scores]
    )


def cost_ratio(runs: Sequence[Mas2Run], ours: str, theirs: str, *, counts_meta: bool) -> Estimate | None:
    """What a system costs over what another costs, over the same problems.

    None where a price is unknown, or one of the two costs nothing.
    """
    measured = _measured(runs)
    own, other = measured[ours], measured[theirs]
    _require_same_problems(ours, own, other)
    costs, other_costs = own.costs(counts_meta), other.costs(counts_meta)
    if costs is None or other_costs is None or not sum(costs) or not sum(other_costs):
        return None
    return ratio_of_means(costs, other_costs)


def run_rewards(runs: Sequence[Mas2Run], *, counts_meta: bool = False) -> list[float | None]:
    """R of every run, in the order given.

    Parameters
    ----------
    counts_meta : bool
        Whether a run's cost has in it what its meta-agents cost; the paper does not say.

    Returns
    -------
    list of float or None
        None where the cost of one of the runs that it is normalised by is unknown, or where a run without a fault
        ended in an error. A cost of nothing counts as the least that any of these runs cost; where none cost anything,
        R is the success.

    Notes
    -----
    MAS² (arXiv 2509.24323), section 3.2; as `masrepro.train.credit` has it for the paths of one tree, failures in the
    mean.
    """
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for index, run in enumerate(runs):
        if not is_error(run):
            groups[run.benchmark, run.item_id, run.fault].append(index)
    rewards: list[float | None] = [None] * len(runs)
    for indices in groups.values():
        costs = [_usd(runs[index], counts_meta) for index in indices]
        known = [cost for cost in costs if cost is not None]
        if len(known) < len(costs):
            continue
        least = min((cost for cost in known if cost > 0), default=1.0)
        average = fmean(known) or least
        for index, cost in zip(indices, known, strict=True):
            rewards[index] = average / (cost or least) if runs[index].outcome == "correct" else 0.0
    return rewards


def _measured(runs: Sequence[Mas2Run]) -> dict[str, _Measured]:
    rewards, full_rewards = run_rewards(runs), run_rewards(runs, counts_meta=True)
    own = [_usd(run, False) for run in runs]
    meta = [None if run.meta_usage.cost_usd is None else float(run.meta_usage.cost_usd) for run in runs]
    solved: list[float | None] = [float(run.outcome == "correct") for run in runs]
    measured = {}
    for name in dict.fromkeys(run.variant for run in runs):
        own_runs = [run for run in runs if run.variant == name]
        scores = {place: score for place, score in _by_problem(runs, name, solved).items() if score is not None}
        measured[name] = _Measured(
            runs=own_runs,
            errors=sum(map(is_error, own_runs)),
            scores=scores,
            usd=_by_problem(runs, name, own),
            meta_usd=_by_problem(runs, name, meta),
            reward=_by_problem(runs, name, rewards),
            full_reward=_by_problem(runs, name, full_rewards),
        )
    return measured


def _by_problem(runs: Sequence[Mas2Run], variant: str, values: Sequence[float | None]) -> dict[Problem, float | None]:
    """Mean value of each problem, problems in one order for all systems; None where one of its values is."""
    groups: dict[Problem, list[float | None]] = defaultdict(list)
    for run, value in zip(runs, values, strict=True):
        if run.variant == variant:
            groups[run.benchmark, run.item_id].append(value)
    return {place: _mean_or_none(groups[place]) for place in sorted(groups)}


def _mean_or_none(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None


def _point(name: str, own: _Measured, against: _Measured | None) -> SystemPoint:
    if against is not None:
        _require_same_problems(name, own, against)
    complete = not own.errors
    compared = against if complete and against is not None and not against.errors else None
    gain = paired_difference(list(own.scores.values()), list(compared.scores.values())) if compared else None
    return SystemPoint(
        variant=name,
        n=len(own.scores),
        errors=own.errors,
        scores=own.scores,
        by_benchmark=_by_benchmark(own.scores) if complete else {},
        success=accuracy(list(own.scores.values())) if complete else None,
        gain=gain,
        usd=_mean_of(own.usd),
        meta_usd=_mean_of(own.meta_usd),
        tokens=fmean(run.usage.tokens for run in own.runs),
        meta_tokens=fmean(run.meta_usage.tokens for run in own.runs),
        reward=_mean_of(own.reward),
        full_reward=_mean_of(own.full_reward),
        reward_gain=_difference(own.reward, compared.reward) if compared else None,
        agents=fmean(run.n_agents for run in own.runs),
        repairs=fmean(run.n_repairs for run in own.runs),
        ended=_ended(own.runs),
    )


def _ended(runs: Sequence[Mas2Run]) -> str:
    return ", ".join(f"{outcome} {n}" for outcome, n in Counter(run.outcome for run in runs).most_common())


def _by_benchmark(scores: Mapping[Problem, float]) -> dict[str, Estimate]:
    benchmarks = dict.fromkeys(benchmark for benchmark, _ in scores)
    return {name: accuracy([score for (own, _), score in scores.items() if own == name]) for name in benchmarks}


def _mean_of(values: Mapping[Problem, float | None]) -> Estimate | None:
    known = [value for value in values.values() if value is not None]
    return mean(known) if len(known) == len(values) else None


def _difference(ours: Mapping[Problem, float | None], theirs: Mapping[Problem, float | None]) -> Estimate | None:
    pairs = [(ours[place], theirs[place]) for place in ours]
    known = [(one, other) for one, other in pairs if one is not None and other is not None]
    if len(known) < len(pairs):
        return None
    return difference_of_means(*map(list, zip(*known, strict=True)))


def _require_same_problems(name: str, own: _Measured, other: _Measured) -> None:
    if list(own.scores) != list(other.scores):
        missing = set(own.scores) ^ set(other.scores)
        raise ValueError(
            f"{name!r} and {other.runs[0].variant!r} did not run on the same problems; {len(missing)} are in one only, "
            f"such as {min(missing)}"
        )


def _usd(run: Mas2Run, counts_meta: bool) -> float | None:
    costs = [run.usage.cost_usd, *([run.meta_usage.cost_usd] if counts_meta else [])]
    known = [float(cost) for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
