"""The statistics, against scipy's own tests, tables and simulation."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from boca.lab.reports.statistics import (
    Mean,
    compare_intervals,
    mean_with_ci,
    num_needed,
    paired,
    power,
    unpaired,
)

SAMPLE = [0.2, 0.0, 1.1, 0.4, 0.0, 2.3]
OTHER = [0.5, 0.1, 1.0, 0.9, 0.4, 2.6]


def test_mean_by_hand():
    """Tests the interval on numbers that can be done on paper."""
    mean = mean_with_ci([1, 2, 3])  # s = 1, t_{0.975, 2} = 4.3027

    assert mean.mean == 2
    assert mean.half_width == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)
    assert mean.num == 3


def test_interval_agrees_with_scipy():
    """Tests the interval against scipy's for a one-sample t-test."""
    mean = mean_with_ci(SAMPLE)
    interval = stats.ttest_1samp(SAMPLE, 0).confidence_interval(0.95)

    assert mean.mean - mean.half_width == pytest.approx(interval.low)
    assert mean.mean + mean.half_width == pytest.approx(interval.high)


def test_one_value_has_no_interval():
    """Tests that a single run does not pretend to be precise."""
    assert math.isnan(mean_with_ci([5.0]).half_width)
    assert mean_with_ci([5.0]).mean == 5.0
    assert math.isnan(mean_with_ci([]).mean)


def test_unpaired_test_agrees_with_scipy():
    """Tests that means and intervals alone give the tests that whole samples would."""
    second = [*OTHER, 7.5]
    ours = unpaired(mean_with_ci(SAMPLE), mean_with_ci(second))
    tests = [stats.ttest_ind(SAMPLE, second, equal_var=alike).pvalue for alike in (True, False)]

    assert ours == pytest.approx(max(tests))
    assert unpaired(mean_with_ci(second), mean_with_ci(SAMPLE)) == pytest.approx(ours)
    assert math.isnan(unpaired(mean_with_ci([1.0]), mean_with_ci(SAMPLE)))
    assert math.isnan(unpaired(Mean(0.0, 0.0, 50), mean_with_ci([0.0, 0.0])))


def test_a_few_equal_losses_prove_little():
    """Tests that five instances which hardly vary do not count as a precise measurement."""
    published, ours = Mean(0.18, 0.04, 50), mean_with_ci([0.0, 0.0, 0.0, 0.05, 0.0])

    assert unpaired(published, ours) > 0.005  # by Welch's test alone 5e-10


def test_paired_test_agrees_with_scipy():
    """Tests the one-sided p-value and the interval of the difference."""
    ours = paired(SAMPLE, OTHER)
    theirs = stats.ttest_rel(OTHER, SAMPLE, alternative="greater")
    interval = stats.ttest_rel(OTHER, SAMPLE).confidence_interval(0.95)

    assert ours.p_larger == pytest.approx(theirs.pvalue)
    assert ours.p_differs == pytest.approx(stats.ttest_rel(OTHER, SAMPLE).pvalue)
    assert paired(OTHER, SAMPLE).p_differs == pytest.approx(ours.p_differs)
    assert ours.difference.mean - ours.difference.half_width == pytest.approx(interval.low)
    assert ours.is_called == (theirs.pvalue < 0.025)


@pytest.mark.parametrize(
    ("mean", "expected"), [(5.0, "overlaps"), (6.4, "overlaps"), (6.6, "above"), (3.4, "below")]
)
def test_intervals_are_compared(mean, expected):
    """Tests intervals of half widths 1 and 0.5 around 5."""
    assert compare_intervals(Mean(mean, 1.0, 10), (5.0, 0.5)) == expected
    assert compare_intervals(Mean(mean, 1.0, 4), (5.0, 0.5)) == "too few instances"


def test_direction():
    """Tests that the p-value is small where the second is larger, and large where it is smaller."""
    assert paired(SAMPLE, OTHER).p_larger < 0.05
    assert paired(OTHER, SAMPLE).p_larger > 0.95


def test_no_variation_has_no_p_value():
    """Tests that identical differences give neither certainty nor an error."""
    same = paired([1, 2, 3], [1, 2, 3])
    assert math.isnan(same.p_larger)
    assert same.num_needed is None
    assert not same.is_called

    single = paired([1], [2])
    assert single.difference.mean == 1
    assert math.isnan(single.p_larger)


@pytest.mark.parametrize(("effect", "expected"), [(0.2, 199), (0.5, 34), (0.8, 15), (1.0, 10)])
def test_instances_needed_agree_with_tables(effect, expected):
    """Tests the sample sizes that textbooks list for a paired t-test (5 %, power 80 %)."""
    assert num_needed(effect, 1.0) == expected
    assert num_needed(-10 * effect, 10.0) == expected


def test_power_agrees_with_simulation():
    """Tests the power at the number of instances that is recommended."""
    generator = np.random.default_rng(0)
    differences = generator.normal(0.5, 1.0, size=(20_000, 34))
    p_values = stats.ttest_1samp(differences, 0, axis=1).pvalue

    assert np.mean(p_values < 0.05) == pytest.approx(power(0.5, 1.0, 34), abs=0.01)


@pytest.mark.parametrize("effect", [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 100])
def test_power_grows_with_instances(effect):
    """
    Tests that the power is a number everywhere and grows, because the search for the smallest
    sample relies on it and scipy's far tail is not a number.
    """
    powers = [power(effect, 1.0, num) for num in (2, 3, 5, 10, 50, 200, 448, 1000, 10_000, 100_000)]

    assert all(0 <= value <= 1 + 1e-12 for value in powers)
    assert all(a <= b + 1e-9 for a, b in pairwise(powers))


def test_out_of_reach():
    """Tests that no number is given where none would do."""
    assert num_needed(0.0, 1.0) is None
    assert num_needed(1e-4, 1.0) is None
