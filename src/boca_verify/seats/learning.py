"""
What forms and comparisons say of a student, computed again: normal distributions, and expectation
propagation with everything in one matrix.

The rules are those of docs/live_log.md; nothing is shared with the program that made the log.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erfc, exp, pi, sqrt
from statistics import NormalDist, fmean

import numpy as np

NORMAL = NormalDist()
# Points of the common scale, and the constants of the rules on it.
TOP, NOISE, DOUBT, SAME = 100.0, 20.0, 5.0, 5.0
TYPED_SHARE, PAIR_SHARE, MINOR_SHARE, NUM_HIGH = 0.15, 0.12, 0.3, 3
LEAST_WORTH, LEAST_SPREAD, LEAST_TASTE, LEAST_UNKNOWN = 1.0, 1.0, 0.5, 0.05
# Before any form is known.
NOTHING = (50.0, 25.0)
SWEEPS, CLOSE = 200, 1e-9


@dataclass(frozen=True)
class LoggedForm:
    """
    What a student said that counts.

    Parameters
    ----------
    ratings, pairs
        Points by course, and by two courses (the smaller number first).
    answers
        The better, or first, and the other schedule, and whether they are about the same.
    """

    ratings: Mapping[int, int]
    pairs: Mapping[tuple[int, int], int]
    answers: Sequence[tuple[tuple[int, ...], tuple[int, ...], bool]] = ()

    @property
    def typed(self) -> dict[int, int]:
        """Ratings above 0."""
        return {j: points for j, points in self.ratings.items() if points > 0}

    @property
    def unit(self) -> float:
        """The student's own points that make one of a hundred."""
        return max(self.typed.values(), default=TOP) / TOP


def spread_of(forms: Sequence[LoggedForm], num: int) -> tuple[float, float]:
    """Centre and spread of the ratings that would have been typed, had all been typed."""
    scaled = [[points / form.unit for points in form.typed.values()] for form in forms]
    typed = [points for row in scaled for points in row]
    if not typed:
        return NOTHING
    share = len(typed) / (len(forms) * num)
    share = min(max(share, 0.5 / num), 1 - 0.5 / num)
    cut = NORMAL.inv_cdf(1 - share)
    lift = NORMAL.pdf(cut) / share
    lowest = fmean(min(row) for row in scaled if row)
    spread = max((fmean(typed) - lowest) / (lift - cut), LEAST_SPREAD)
    return fmean(typed) - lift * spread, spread


def learned(
    form: LoggedForm, num: int, centre: float, spread: float
) -> tuple[np.ndarray, dict[tuple[int, int], float]]:
    """Worth of courses and effects of pairs in points, as form and answers say together."""
    worth, variance = _worths(form, num, centre, spread)
    pairs = [(j, k) for j in range(num) for k in range(j + 1, num)]
    means, variances = _pairs(form, worth, pairs)
    mean, spreads = np.concatenate([worth, means]), np.concatenate([variance, variances])
    rows = np.array(
        [_row(better, num, pairs) - _row(other, num, pairs) for better, other, _ in form.answers]
    )
    weights = _propagate(rows @ mean, (rows * spreads) @ rows.T, [s for _, _, s in form.answers])
    mean = (mean + spreads * (weights @ rows)) * form.unit
    return mean[:num], dict(zip(pairs, mean[num:].tolist(), strict=True))


def _worths(
    form: LoggedForm, num: int, centre: float, spread: float
) -> tuple[np.ndarray, np.ndarray]:
    taste = max(spread**2 - NOISE**2, (LEAST_TASTE * spread) ** 2)
    trust = taste / spread**2
    typed = {j: points / form.unit for j, points in form.typed.items()}
    latent, unknown = centre, spread**2
    if typed:
        cut = (min(typed.values()) - centre) / spread
        ratio = NORMAL.pdf(cut) / max(NORMAL.cdf(cut), 1e-9)
        latent = centre - spread * ratio
        unknown = max(1 - cut * ratio - ratio**2, LEAST_UNKNOWN) * spread**2
    mean = np.full(num, centre + trust * (latent - centre))
    variance = np.full(num, taste * (1 - trust) + trust**2 * unknown)
    for j, points in typed.items():
        mean[j] = centre + trust * (points - centre)
        variance[j] = taste * (1 - trust)
    return np.maximum(mean, LEAST_WORTH), variance


def _pairs(
    form: LoggedForm, worth: np.ndarray, pairs: Sequence[tuple[int, int]]
) -> tuple[np.ndarray, np.ndarray]:
    high = worth >= np.sort(worth)[-min(NUM_HIGH, len(worth))]
    means, variances = [], []
    for j, k in pairs:
        both = worth[j] + worth[k]
        stated = form.pairs.get((j, k))
        means.append(0.0 if stated is None else stated / form.unit)
        interest = 1.0 if high[j] or high[k] else MINOR_SHARE
        share = PAIR_SHARE * interest if stated is None else TYPED_SHARE
        variances.append((share * both) ** 2)
    return np.array(means), np.array(variances)


def _row(courses: Sequence[int], num: int, pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    taken = set(courses)
    single = [float(j in taken) for j in range(num)]
    return np.array(single + [float(j in taken and k in taken) for j, k in pairs])


def _propagate(mean: np.ndarray, prior: np.ndarray, same: Sequence[bool]) -> np.ndarray:
    """How far the mean moves along each answer's difference."""
    num = len(mean)
    precision = np.array([1 / SAME**2 if s else 1e-9 / max(prior[t, t], 1e-12)
                          for t, s in enumerate(same)])  # fmt: skip
    least, measured = precision.copy(), np.zeros(num)
    for _ in range(SWEEPS):
        change = 0.0
        for t in range(num):
            if same[t]:
                continue
            inverse = np.linalg.inv(prior + np.diag(1 / precision))
            covariance = prior - prior @ inverse @ prior
            now = mean + prior @ (inverse @ (measured - mean))
            variance = max(float(covariance[t, t]), 1e-12)
            cavity = max(1 / variance - precision[t], 1e-12)
            middle = (now[t] / variance - precision[t] * measured[t]) / cavity
            new_mean, new_variance = _preferred(middle, 1 / cavity)
            new = max(1 / new_variance - cavity, float(least[t]))
            measured[t] = (new_mean * (cavity + new) - middle * cavity) / new
            change = max(change, abs(new - precision[t]) / new)
            precision[t] = new
        if change < CLOSE:
            break
    return np.asarray(np.linalg.solve(prior + np.diag(1 / precision), measured - mean))


def _preferred(mean: float, variance: float) -> tuple[float, float]:
    """Mean and variance of a normal difference times the chance of preferring it."""
    total = variance + DOUBT**2
    z = mean / sqrt(total)
    below = 0.5 * erfc(-z / sqrt(2))
    # Far below, the ratio of density and distribution function is about -z.
    ratio = exp(-0.5 * z * z) / sqrt(2 * pi) / below if z > -30 else -z
    shifted = mean + variance * ratio / sqrt(total)
    return shifted, variance - variance**2 * ratio * (z + ratio) / total
