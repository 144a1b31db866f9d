"""The statistics of the tables: means with confidence intervals, paired tests, power."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
POWER = 0.8
# More instances than this are as good as impossible.
MOST_INSTANCES = 100_000
# Fewer instances have intervals so wide that they overlap with everything.
FEWEST_INSTANCES = 5


@dataclass(frozen=True)
class Mean:
    """
    A mean with its confidence interval.

    Parameters
    ----------
    mean
        Mean of the sample.
    half_width
        Half the width of the 95 % confidence interval (Student's t); nan for a single value.
    num
        Number of values in the sample.
    """

    mean: float
    half_width: float
    num: int


@dataclass(frozen=True)
class PairedDifference:
    """
    How two mechanisms differ on the same instances.

    Parameters
    ----------
    difference
        Mean of second minus first, with its confidence interval.
    spread
        Standard deviation of the differences; nan for a single pair.
    p_larger
        One-sided p-value of the paired t-test: how likely a difference this large would be if the
        second were no larger than the first. nan where the differences do not vary.
    p_differs
        Two-sided p-value of the same test: how likely a difference this large, in either
        direction, would be if there were none. nan where the differences do not vary.
    num_needed
        Instances at which a true difference of this size would be called (two-sided, 5 %) with
        probability 80 %; None if that is out of reach.
    """

    difference: Mean
    spread: float
    p_larger: float
    p_differs: float
    num_needed: int | None

    @property
    def is_called(self) -> bool:
        """Whether the confidence interval leaves out zero."""
        return abs(self.difference.mean) > self.difference.half_width


def mean_with_ci(values: Sequence[float] | np.ndarray) -> Mean:
    """
    The mean and half the width of its 95 % confidence interval,

        t_{0.975, n-1} * s / sqrt(n).
    """
    sample = np.asarray(values, dtype=float)
    num = len(sample)
    if num < 2:
        return Mean(float(sample.mean()) if num else math.nan, math.nan, num)
    quantile = stats.t.ppf(0.5 + CONFIDENCE / 2, num - 1)
    half_width = quantile * sample.std(ddof=1) / math.sqrt(num)
    return Mean(float(sample.mean()), float(half_width), num)


def paired(
    first: Sequence[float] | np.ndarray, second: Sequence[float] | np.ndarray
) -> PairedDifference:
    """
    Compares two samples whose entries belong to the same instances.

    Parameters
    ----------
    first, second
        One value per instance each, in the same order.
    """
    differences = np.asarray(second, dtype=float) - np.asarray(first, dtype=float)
    mean = mean_with_ci(differences)
    if mean.num < 2:
        return PairedDifference(mean, math.nan, math.nan, math.nan, None)
    spread = float(differences.std(ddof=1))
    if spread == 0:
        return PairedDifference(mean, spread, math.nan, math.nan, None)
    statistic = mean.mean / (spread / math.sqrt(mean.num))
    return PairedDifference(
        difference=mean,
        spread=spread,
        p_larger=float(stats.t.sf(statistic, mean.num - 1)),
        p_differs=float(2 * stats.t.sf(abs(statistic), mean.num - 1)),
        num_needed=num_needed(mean.mean, spread),
    )


def unpaired(first: Mean, second: Mean) -> float:
    """
    Two-sided p-value of the hypothesis that two samples have one mean, from their intervals.

    The larger of those of Student's and Welch's t-tests. A few instances may vary little by luck,
    such as four losses of zero out of five, and Welch's test believes them; Student's test believes
    that both samples vary alike, which need not hold either.

    Both take the samples for independent ones. nan where neither varies or one has a single value.
    """
    samples = [(mean.mean, _spread(mean), mean.num) for mean in (first, second)]
    spreads = [spread for _, spread, _ in samples]
    if any(map(math.isnan, spreads)) or not any(spreads):
        return math.nan
    return max(
        float(stats.ttest_ind_from_stats(*samples[0], *samples[1], equal_var=alike).pvalue)
        for alike in (True, False)
    )


def _spread(mean: Mean) -> float:
    """The standard deviation behind a confidence interval; nan for a single value."""
    if mean.num < 2:
        return math.nan
    quantile = stats.t.ppf(0.5 + CONFIDENCE / 2, mean.num - 1)
    return float(mean.half_width / quantile * math.sqrt(mean.num))


def compare_intervals(ours: Mean, published: tuple[float, float]) -> str:
    """
    Where our confidence interval lies: ``overlaps``, ``above``, ``below`` or ``too few instances``.

    Parameters
    ----------
    ours
        Our mean with its interval.
    published
        A published mean and half the width of its interval.
    """
    if ours.num < FEWEST_INSTANCES:
        return "too few instances"
    distance = ours.mean - published[0]
    if abs(distance) <= ours.half_width + published[1]:
        return "overlaps"
    return "above" if distance > 0 else "below"


def num_needed(difference: float, spread: float) -> int | None:
    """
    The smallest number of pairs whose two-sided t-test at 5 % has a power of 80 %.

    Parameters
    ----------
    difference
        True mean of the differences.
    spread
        Their standard deviation.
    """
    low, high = 2, MOST_INSTANCES
    if difference == 0 or power(difference, spread, high) < POWER:
        return None
    while low < high:
        middle = (low + high) // 2
        if power(difference, spread, middle) >= POWER:
            high = middle
        else:
            low = middle + 1
    return low


def power(difference: float, spread: float, num: int) -> float:
    """Probability that a two-sided paired t-test at 5 % calls a difference on ``num`` pairs."""
    effect = abs(difference) / spread * math.sqrt(num)
    critical = stats.t.ppf(0.5 + CONFIDENCE / 2, num - 1)
    near = stats.nct.sf(critical, num - 1, effect)
    # Calling it with the wrong sign is as good as impossible for large effects, where scipy's
    # tail is nan.
    far = stats.nct.cdf(-critical, num - 1, effect) if effect < 5 else 0.0
    return float(near + far)
