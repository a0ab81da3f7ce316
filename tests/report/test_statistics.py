"""Intervals: known values, degenerate samples, and coverage by simulation."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masrepro.report.statistics import (
    accuracy,
    difference_of_gains,
    difference_of_means,
    mean,
    paired_difference,
    ratio_of_means,
)

scores = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=60)


def test_wilson_interval_of_a_textbook_case():
    estimate = accuracy([1.0] * 8 + [0.0] * 2)
    assert estimate.value == 0.8
    assert (round(estimate.low, 4), round(estimate.high, 4)) == (0.4902, 0.9433)


def test_bonett_price_interval_by_hand():
    # 20 pairs: 6 won, 2 lost. With one pseudo-pair a side: p12 = 7/22, p21 = 3/22.
    estimate = paired_difference([1.0] * 6 + [0.0] * 2 + [1.0] * 12, [0.0] * 6 + [1.0] * 2 + [1.0] * 12)
    centre, half = 4 / 22, 1.959963984540054 * math.sqrt((10 / 22 - (4 / 22) ** 2) / 22)
    assert estimate.value == pytest.approx(0.2)
    assert (estimate.low, estimate.high) == pytest.approx((centre - half, centre + half))


@given(scores)
def test_interval_holds_the_value_and_stays_in_range(values):
    estimate = accuracy(values)
    assert 0.0 <= estimate.low <= estimate.value <= estimate.high <= 1.0
    assert estimate.low < estimate.high


@given(scores, st.randoms())
def test_difference_is_antisymmetric_and_in_range(values, random):
    others = [random.choice([0.0, 1.0]) for _ in values]
    one, other = paired_difference(values, others), paired_difference(others, values)
    assert -1.0 <= one.low <= one.value <= one.high <= 1.0
    assert one.value == pytest.approx(-other.value)
    assert one.low == pytest.approx(-other.high)


@pytest.mark.parametrize("same", [0.0, 1.0])
def test_equal_samples_give_an_interval_and_not_nan(same):
    estimate = paired_difference([same] * 10, [same] * 10)
    assert estimate.value == 0.0
    assert estimate.low < 0.0 < estimate.high


def test_intervals_cover_at_their_level():
    rng, covered, paired, rounds = Random(3), 0, 0, 1000
    for _ in range(rounds):
        ours = [float(rng.random() < 0.7) for _ in range(50)]
        theirs = [float(rng.random() < 0.4) for _ in range(50)]
        estimate, gain = accuracy(ours), paired_difference(ours, theirs)
        covered += estimate.low <= 0.7 <= estimate.high
        paired += gain.low <= 0.3 <= gain.high
    assert 0.93 <= covered / rounds <= 0.975
    assert 0.93 <= paired / rounds <= 0.975


@pytest.mark.parametrize("bad", [[], [1.2], [-0.1], [float("nan")]])
def test_scores_out_of_range_are_refused(bad):
    with pytest.raises(ValueError):
        accuracy(bad)


def test_unpaired_scores_are_refused():
    with pytest.raises(ValueError, match="3 against 2"):
        paired_difference([1.0, 0.0, 1.0], [1.0, 0.0])


def test_a_ratio_of_costs_is_paired_and_defined_for_degenerate_samples():
    ours, theirs = [1.0, 2.0, 3.0, 4.0], [2.1, 3.9, 6.0, 8.2]
    ratio = ratio_of_means(ours, theirs)
    assert ratio.value == pytest.approx(10 / 20.2)
    assert 0.48 < ratio.low < ratio.value < ratio.high < 0.51  # paired: far narrower than the costs' own spread
    assert ratio_of_means([1.0, 2.0], [2.0, 4.0]).low == ratio_of_means([1.0, 2.0], [2.0, 4.0]).high == 0.5
    assert ratio_of_means([1.0], [2.0]).high == math.inf
    for wrong in (([], []), ([1.0], [1.0, 2.0]), ([0.0], [1.0])):
        with pytest.raises(ValueError, match="costs"):
            ratio_of_means(*wrong)


def test_a_difference_of_gains_is_paired_by_item_and_may_exceed_one():
    most = difference_of_gains(([1.0] * 9, [0.0] * 9), ([0.0] * 9, [1.0] * 9))
    assert most.value == 2.0 and most.low < 2.0
    none = difference_of_gains(([1.0, 0.0] * 8, [0.0] * 16), ([1.0, 0.0] * 8, [0.0] * 16))
    assert none.value == 0.0 and none.low < 0 < none.high
    with pytest.raises(ValueError, match="zip"):
        difference_of_gains(([1.0], [0.0]), ([1.0, 0.0], [0.0, 0.0]))


def test_mean_of_unbounded_values_by_hand():
    estimate = mean([1.0, 2.0, 6.0])
    half = 1.959963984540054 * math.sqrt((4 + 1 + 9) / 2 / 3)
    assert (estimate.value, estimate.low, estimate.high, estimate.n) == pytest.approx((3.0, 3 - half, 3 + half, 3))


def test_mean_of_one_value_has_no_ends_and_of_equal_ones_no_width():
    assert (mean([2.0]).low, mean([2.0]).high) == (-math.inf, math.inf)
    assert (mean([2.0] * 5).low, mean([2.0] * 5).high) == (2.0, 2.0)
    with pytest.raises(ValueError, match="at least one problem"):
        mean([])


def test_difference_of_means_is_paired():
    paired = difference_of_means([1.0, 5.0, 9.0], [0.0, 4.0, 8.0])
    assert (paired.value, paired.low, paired.high) == (1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="2 against 1"):
        difference_of_means([1.0, 2.0], [1.0])


def test_intervals_of_rewards_cover_at_their_level():
    rng, covered, rounds = Random(5), 0, 1000
    for _ in range(rounds):
        # A reward: 0 where the answer is wrong, else the inverse of a cost.
        values = [rng.uniform(0.5, 4.0) if rng.random() < 0.5 else 0.0 for _ in range(60)]
        covered += mean(values).low <= 1.125 <= mean(values).high
    assert 0.92 <= covered / rounds <= 0.975
