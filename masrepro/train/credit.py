"""What the ends of a decision tree are worth, and so each decision on the way: MAS² (arXiv 2509.24323), section 3.2.

R(tau) = 1[success] / C_norm(tau) with C_norm(tau) = C(tau) / mean C, and V(v), the mean of R over the trajectories
through v. A tree that was saved can be scored again with another `Credit`; no model is asked.

The paper leaves open over which trajectories the mean goes, whether it counts failures, whether C has in it what the
meta-agents cost, and what a path is worth that cost nothing; it sets R no upper bound. Here the mean goes over one
tree, so that a hard question weighs as much as an easy one; the rest is `Credit`'s, and a cost of nothing counts as
the least that any path of the tree cost. Where no path cost anything, all count alike, and R is the success.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from masrepro.train.tree import Trajectory, Tree

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Credit:
    """The choices that the paper leaves open.

    Parameters
    ----------
    failures_in_mean : bool
        Whether the mean cost is that of all the tree's paths, or of those that succeed.
    counts_meta : bool
        Whether a path's cost has in it what its meta-agents cost.
    cap : float or None
        The highest reward, dimensionless; None sets no bound, as in the paper.

    Raises
    ------
    ValueError
        The cap is not a positive number.
    """

    failures_in_mean: bool = True
    counts_meta: bool = False
    cap: float | None = None

    def __post_init__(self) -> None:
        if self.cap is not None and not 0 < self.cap < math.inf:
            raise ValueError(f"cap is {self.cap}; the highest reward must be a positive number, or None for no bound")


def rewards(tree: Tree, credit: Credit = Credit()) -> dict[Path, float]:
    """R(tau), dimensionless and never negative, by path."""
    return {path: float(reward) for path, reward in exact_rewards(tree, credit).items()}


def values(tree: Tree, credit: Credit = Credit()) -> dict[str, float]:
    """V(v) by node id: the mean reward of the trajectories that pass through it."""
    by_path = exact_rewards(tree, credit)
    return {node.id: float(mean_reward(tree.through(node.id), by_path)) for node in tree.nodes}


def exact_rewards(tree: Tree, credit: Credit) -> dict[Path, Fraction]:
    """`rewards` without rounding, so that decisions of equal worth compare as equal."""
    costs = {one.path: _cost(one, credit) for one in tree.trajectories}
    least = min((cost for cost in costs.values() if cost), default=Fraction(1))
    counted = [costs[one.path] for one in tree.trajectories if one.success or credit.failures_in_mean]
    mean = _mean(counted) or least  # where nothing was paid, all count alike
    highest = None if credit.cap is None else Fraction(credit.cap)

    def worth(trajectory: Trajectory) -> Fraction:
        if not trajectory.success:
            return Fraction(0)
        reward = mean / (costs[trajectory.path] or least)
        return reward if highest is None else min(reward, highest)

    return {one.path: worth(one) for one in tree.trajectories}


def mean_reward(trajectories: Iterable[Trajectory], by_path: Mapping[Path, Fraction]) -> Fraction:
    """The exact mean reward of some trajectories; 0 of none."""
    return _mean([by_path[trajectory.path] for trajectory in trajectories])


def _cost(trajectory: Trajectory, credit: Credit) -> Fraction:
    return Fraction(trajectory.cost_usd) + (Fraction(trajectory.meta_usd) if credit.counts_meta else 0)


def _mean(numbers: Collection[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0)) / len(numbers) if numbers else Fraction(0)
