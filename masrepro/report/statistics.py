"""Intervals for accuracies, paired differences and ratios of costs. Problems are the unit: repeats of one problem are
averaged first.

Every interval is closed-form and defined for degenerate samples (all right, all wrong, all equal), never NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval over ``n`` problems."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def shown(estimate: Estimate | None) -> str:
    """An estimate for people; what could not be measured is ``missing``."""
    return str(estimate) if estimate else "missing"


def accuracy(scores: Sequence[float]) -> Estimate:
    """Mean score with the Wilson interval.

    Parameters
    ----------
    scores : sequence of float
        One score a problem, in [0, 1]: the mean over its repeats. For scores between 0 and 1 the interval is
        conservative, since no such variable varies more than a Bernoulli variable of the same mean.

    Raises
    ------
    ValueError
        There are no scores, or one lies outside [0, 1].

    Notes
    -----
    Wilson (1927), JASA 22, 209-212.
    """
    n = len(scores)
    if n == 0:
        raise ValueError("an accuracy needs at least one problem")
    if not all(0.0 <= score <= 1.0 for score in scores):
        raise ValueError("scores must lie in [0, 1]")
    mean = math.fsum(scores) / n
    shrink = 1 + Z95**2 / n
    centre = (mean + Z95**2 / (2 * n)) / shrink
    half = Z95 / shrink * math.sqrt(mean * (1 - mean) / n + Z95**2 / (4 * n**2))
    # At the ends the bound equals the mean; rounding must not push it past.
    return Estimate(mean, min(mean, max(0.0, centre - half)), max(mean, min(1.0, centre + half)), n)


def paired_difference(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """Mean of ``ours - theirs`` over the same problems, with the Bonett-Price interval.

    Two pseudo-problems, one won by each side, are added to the interval, as in the adjusted Wald interval for paired
    proportions; scores between 0 and 1 (means over repeats) are treated alike.

    Raises
    ------
    ValueError
        The two do not cover the same number of problems, or none.

    Notes
    -----
    Bonett and Price (2012), Journal of Educational and Behavioral Statistics 37, 479-488.
    """
    if len(ours) != len(theirs):
        raise ValueError(f"paired scores must cover the same problems: {len(ours)} against {len(theirs)}")
    n = len(ours)
    if n == 0:
        raise ValueError("a difference needs at least one problem")
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    mean = math.fsum(differences) / n
    adjusted = [*differences, 1.0, -1.0]
    centre = math.fsum(adjusted) / (n + 2)
    variance = math.fsum(d * d for d in adjusted) / (n + 2) - centre**2
    half = Z95 * math.sqrt(variance / (n + 2))
    return Estimate(mean, min(mean, max(-1.0, centre - half)), max(mean, min(1.0, centre + half)), n)


def difference_of_gains(
    more: tuple[Sequence[float], Sequence[float]], less: tuple[Sequence[float], Sequence[float]]
) -> Estimate:
    """How much larger one gain is than another over the same problems, in [-2, 2]; interval as `paired_difference`.

    Parameters
    ----------
    more, less : pair of sequences of float
        Scores of a system, and of the one over which it gains, both in [0, 1].

    Raises
    ------
    ValueError
        They do not all cover the same number of problems, or none.
    """
    (gained, base), (other, other_base) = more, less
    # Half of it is a difference of two scores in [0, 1].
    ours = [(a + b) / 2 for a, b in zip(gained, other_base, strict=True)]
    theirs = [(a + b) / 2 for a, b in zip(base, other, strict=True)]
    half = paired_difference(ours, theirs)
    return Estimate(2 * half.value, 2 * half.low, 2 * half.high, half.n)


def ratio_of_means(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """Mean of ``ours`` over mean of ``theirs``, for costs of the same problems, with an interval of the logarithm.

    Parameters
    ----------
    ours, theirs : sequence of float
        One cost a problem, each 0 or more; both means above 0.

    Raises
    ------
    ValueError
        The two do not cover the same number of problems, or none, or a mean is 0.

    Notes
    -----
    The delta method: log(x/y) varies as the mean of x_i/x - y_i/y. One problem says nothing of the variance, and gets
    an interval from 0 to infinity.
    """
    if len(ours) != len(theirs):
        raise ValueError(f"paired costs must cover the same problems: {len(ours)} against {len(theirs)}")
    n = len(ours)
    if n == 0 or math.fsum(ours) <= 0 or math.fsum(theirs) <= 0:
        raise ValueError("a ratio of costs needs at least one problem, and costs above 0 on both sides")
    mean, other = math.fsum(ours) / n, math.fsum(theirs) / n
    if n == 1:
        return Estimate(mean / other, 0.0, math.inf, n)
    spread = [a / mean - b / other for a, b in zip(ours, theirs, strict=True)]
    half = Z95 * math.sqrt(math.fsum(d * d for d in spread) / (n - 1) / n)
    return Estimate(mean / other, mean / other * math.exp(-half), mean / other * math.exp(half), n)


def mean(values: Sequence[float]) -> Estimate:
    """Mean of values without a bound, such as rewards, one a problem, with the normal interval.

    Raises
    ------
    ValueError
        There are no values.

    Notes
    -----
    Where all values are equal the interval is that value alone. One problem says nothing of the variance, and gets an
    interval without ends.
    """
    n = len(values)
    if n == 0:
        raise ValueError("a mean needs at least one problem")
    centre = math.fsum(values) / n
    if n == 1:
        return Estimate(centre, -math.inf, math.inf, n)
    half = Z95 * math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (n - 1) / n)
    return Estimate(centre, centre - half, centre + half, n)


def difference_of_means(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """Mean of ``ours - theirs`` over the same problems, for values without a bound; interval as of `mean`.

    Raises
    ------
    ValueError
        The two do not cover the same number of problems, or none.
    """
    if len(ours) != len(theirs):
        raise ValueError(f"paired values must cover the same problems: {len(ours)} against {len(theirs)}")
    return mean([a - b for a, b in zip(ours, theirs, strict=True)])
