"""What is believed of a student's utility after some comparisons: expectation propagation."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import erfcx, ndtr

from boca.core.comparison import Comparison, Comparisons
from boca.core.errors import InputError
from boca.core.frozen import read_only
from boca.functions import Quadratic
from boca.surrogates.pairwise.params import PairwiseParams
from boca.surrogates.pairwise.prior import Prior

# Sweeps end when no answer's precision changes by more than this share; a tenth of the sweeps
# allowed is usual.
CLOSE = 1e-5
MOST_SWEEPS = 100
# An answer's precision that is as good as none, as a share of that of its difference.
LEAST_PRECISION = 1e-9


@dataclass(frozen=True, eq=False)
class Belief:
    """
    A normal distribution of the worth of courses and the effects of pairs.

    The utility of a schedule is the sum of the worths of its courses and of the effects of its
    pairs. "The first rather than the second" has the likelihood Phi(d / doubt), where d is the
    difference of the two utilities; "about the same" that of measuring d to be 0 with the standard
    deviation ``same_within``. The posterior is approximated by expectation propagation (Minka 2001;
    Rasmussen and Williams 2006, section 3.6) on the differences alone: with T answers nothing is
    larger than T x T. It depends on prior and answers only, not on the way they came about.

    Parameters
    ----------
    prior
        What was believed before.
    comparisons
        The student's answers.
    params
        How far answers are believed.
    """

    prior: Prior
    comparisons: Comparisons = field(default_factory=Comparisons)
    params: PairwiseParams = field(default_factory=PairwiseParams)

    def __post_init__(self) -> None:
        for comparison in self.comparisons:
            if len(comparison.first) != self.prior.num_goods:
                raise InputError(
                    f"Received a comparison of bundles of {len(comparison.first)} courses; "
                    f"expected {self.prior.num_goods}."
                )

    def tell(self, comparison: Comparison) -> "Belief":
        """The belief with one more answer."""
        return Belief(self.prior, self.comparisons.add(comparison), self.params)

    @cached_property
    def mean(self) -> Quadratic:
        """The expected utility, a frozen function of schedules."""
        worth, pairs = self._shifted(self.prior.mean, self.prior.pairs, self._fit.weights)
        return Quadratic(pairs / 2, worth)

    def differences(
        self, bundles: np.ndarray, against: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """
        Mean and variance of how much better bundles are than another one.

        Parameters
        ----------
        bundles
            0/1 rows ``(num_bundles, num_goods)``.
        against
            The other one ``(num_goods,)``.
        """
        rows = np.atleast_2d(bundles)
        means = self.mean(rows) - self.mean(against[None])
        common = rows * against
        variances = (
            self._prior_variance(rows)
            + self._prior_variance(against[None])
            - 2 * self._prior_variance(common)
        )
        if len(self.comparisons):
            shared = self._with_answers(rows) - self._with_answers(against[None])
            variances = variances - ((shared @ self._fit.precision) * shared).sum(axis=1)
        return means, np.maximum(variances, 0.0)

    def chance(self, first: np.ndarray, second: np.ndarray) -> float:
        """How probable it is that a student who prefers one of two schedules prefers the first."""
        mean, variance = self.differences(np.atleast_2d(first), np.asarray(second))
        doubt = self.params.doubt * self.prior.unit
        return float(ndtr(mean[0] / math.sqrt(variance[0] + doubt**2)))

    def sample(self, rng: np.random.Generator) -> Quadratic:
        """One utility function that the student may have, drawn from the belief."""
        prior = self.prior
        worth = prior.mean + np.sqrt(prior.variance) * rng.standard_normal(prior.num_goods)
        noise = np.triu(rng.standard_normal(prior.pairs.shape), 1)
        pairs = prior.pairs + np.sqrt(prior.pair_variance) * (noise + noise.T)
        if len(self.comparisons):
            # A draw from the prior, moved by what the answers would have taught about it.
            fit = self._fit
            drawn = self._answers @ worth + (self._answer_pairs * pairs).sum(axis=(1, 2)) / 2
            seen = drawn + rng.standard_normal(len(drawn)) / np.sqrt(fit.precisions)
            weights = fit.precision @ (fit.measured - seen)
            worth, pairs = self._shifted(worth, pairs, weights)
        return Quadratic(pairs / 2, worth)

    def _shifted(
        self, worth: np.ndarray, pairs: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Worths and effects moved along the answers' differences."""
        if not len(weights):
            return worth, pairs
        prior = self.prior
        return (
            worth + prior.variance * (weights @ self._answers),
            pairs + prior.pair_variance * np.tensordot(weights, self._answer_pairs, 1),
        )

    @cached_property
    def _answers(self) -> np.ndarray:
        """Better less worse bundle of every answer ``(num_answers, num_goods)``."""
        rows = [np.subtract(*c.better_first) for c in self.comparisons]
        return np.array(rows, dtype=float).reshape(len(rows), self.prior.num_goods)

    @cached_property
    def _answer_pairs(self) -> np.ndarray:
        """Pairs of the better less those of the worse bundle ``(num_answers, goods, goods)``."""
        pairs = [
            np.outer(better, better) - np.outer(worse, worse)
            for better, worse in (c.better_first for c in self.comparisons)
        ]
        return np.array(pairs, dtype=float)

    def _prior_variance(self, rows: np.ndarray) -> np.ndarray:
        x = rows.astype(float)
        result: np.ndarray = (
            x @ self.prior.variance + ((x @ self.prior.pair_variance) * x).sum(1) / 2
        )
        return result

    def _with_answers(self, rows: np.ndarray) -> np.ndarray:
        """Prior covariances of utilities and answered differences ``(num_rows, num_answers)``."""
        prior = self.prior
        result: np.ndarray = rows @ (prior.variance * self._answers).T
        for t, comparison in enumerate(self.comparisons):
            # Only pairs within one of the two bundles count.
            courses = np.flatnonzero(comparison.first | comparison.second)
            at = np.ix_(courses, courses)
            some = rows[:, courses].astype(float)
            pairs = prior.pair_variance[at] * self._answer_pairs[t][at]
            result[:, t] += ((some @ pairs) * some).sum(axis=1) / 2
        return result

    @cached_property
    def _fit(self) -> "_Fit":
        prior = self.prior
        if not len(self.comparisons):
            return _Fit(np.zeros(0), np.zeros((0, 0)), np.zeros(0), np.zeros(0))
        flat = self._answer_pairs.reshape(len(self._answers), -1)
        covariance = (self._answers * prior.variance) @ self._answers.T
        covariance += (flat * prior.pair_variance.ravel()) @ flat.T / 2
        mean = self._answers @ prior.mean + flat @ prior.pairs.ravel() / 2
        answers = [c.answer for c in self.comparisons]
        return _propagate(
            mean,
            covariance,
            (self.params.doubt * prior.unit) ** 2,
            (self.params.same_within * prior.unit) ** 2,
            [answer == "same" for answer in answers],
        )


@dataclass(frozen=True, eq=False)
class _Fit:
    """
    Answers as if their differences had been measured with normal errors.

    Parameters
    ----------
    weights
        How far the mean moves along each answer's difference ``(num_answers,)``.
    precision
        Inverse of the covariance of the measurements ``(num_answers, num_answers)``.
    measured, precisions
        The measurements and the precision of their errors ``(num_answers,)``.
    """

    weights: np.ndarray
    precision: np.ndarray
    measured: np.ndarray
    precisions: np.ndarray


def _propagate(
    prior_mean: np.ndarray,
    prior: np.ndarray,
    doubt: float,
    same: float,
    is_same: Iterable[bool],
) -> _Fit:
    """
    Expectation propagation for differences with a normal prior.

    Parameters
    ----------
    prior_mean, prior
        Mean and covariance of the differences.
    doubt, same
        Variances of the errors of an answer with a preference, and of one without.
    is_same
        Which answers are without.
    """
    num = len(prior_mean)
    least = LEAST_PRECISION / np.maximum(np.diag(prior), 1e-12)
    # "About the same" is a measurement with a normal error: exact, and never changed.
    fixed = np.array(list(is_same), dtype=bool)
    precisions = np.where(fixed, 1 / same, least)
    shifts = np.zeros(num)  # precision times measurement
    for _ in range(MOST_SWEEPS):
        # Started from scratch in every sweep, so that errors of rank-one updates do not add up.
        covariance = prior - prior @ np.linalg.solve(prior + np.diag(1 / precisions), prior)
        largest = 0.0
        for t in np.flatnonzero(~fixed):
            row = covariance[t]
            variance = max(float(row[t]), 1e-12)
            mean = float(prior_mean[t] + row @ (shifts - precisions * prior_mean))
            cavity = max(1 / variance - precisions[t], 1e-12)
            cavity_mean = (mean / variance - shifts[t]) / cavity
            new_mean, new_variance = _prefer(cavity_mean, 1 / cavity, doubt)
            new = max(1 / new_variance - cavity, float(least[t]))
            change = new - precisions[t]
            largest = max(largest, abs(change) / new)
            precisions[t] = new
            shifts[t] = new_mean * (cavity + new) - cavity_mean * cavity
            covariance = covariance - change / (1 + change * variance) * np.outer(row, row)
        if largest < CLOSE:
            break
    precision = np.linalg.inv(prior + np.diag(1 / precisions))
    measured = shifts / precisions
    return _Fit(precision @ (measured - prior_mean), precision, read_only(measured), precisions)


def _prefer(mean: float, variance: float, doubt: float) -> tuple[float, float]:
    """Mean and variance of a normal difference times Phi(difference / doubt)."""
    total = variance + doubt
    z = mean / math.sqrt(total)
    # Density over distribution function of the standard normal, without underflow.
    ratio = math.sqrt(2 / math.pi) / float(erfcx(-z / math.sqrt(2)))
    new_mean = mean + variance * ratio / math.sqrt(total)
    return new_mean, variance - variance**2 * ratio * (z + ratio) / total
