"""
Values of all bidders in, the functions that one Gaussian process expects of them out.

A bidder's function is its level times the sum of one that all share and one of its own, both with
the kernels of :mod:`boca.functions.process`. Levels and the variances of the parts are the most
probable ones (Rasmussen and Williams 2006, section 5.4), so that the answers themselves say how
much dearer one is than another, how much they have in common and how much pairs of goods matter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_solve
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from boca.core.demand import Demands
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.functions.process import NUM_PARTS, Process, parts
from boca.surrogates.arguments import params_of, reach, reporting
from boca.surrogates.fitted import Fitted
from boca.surrogates.goodness import goodness
from boca.surrogates.process.params import ProcessParams

# Variances, relative to the mean square of what is learned: at first, and the range that is tried.
FIRST, LEAST, MOST = 0.1, 1e-8, 1e3
# Levels are within a factor of e of what a bidder says per good.
FURTHEST = 1.0
# Variance of the noise at first, as a multiple of the least.
FIRST_NOISE = 10.0


def fit(
    reports: Sequence[Reports],
    demands: Sequence[Demands],
    market: Market,
    params: Mapping[str, ProcessParams],
    seeds: Seeds,
) -> dict[int, Fitted]:
    """
    Learns about every bidder that has reported a positive value.

    Parameters
    ----------
    reports
        What each bidder has said, one entry per bidder of the market.
    demands
        Not used: only values are learned from.
    market
        Goods and bidders.
    params
        Settings; those of the first bidder's type count.
    seeds
        Not used: nothing is random.
    """
    known = {i: own for i, own in reporting(reports, market).items() if own.values.any()}
    if not known:
        return {}
    with threadpool_limits(1, user_api="blas"):  # small products, the same on any machine
        evidence = Evidence.of(known, market, params_of(market.bidders[0].type, params))
        return {i: evidence.fitted(i, rows, market) for i, rows in known.items()}


@dataclass(frozen=True, eq=False)
class Evidence:
    """
    What is known of all bidders together.

    Parameters
    ----------
    bundles
        ``(num, num_goods)``, in ``units``; none of them empty.
    owners
        Whose they are ``(num,)``, bidders of the market.
    values
        What was reported ``(num,)``.
    units
        Copies of each good that count as 1, so that a usual bundle has the length 1.
    params
        Settings.
    """

    bundles: np.ndarray
    owners: np.ndarray
    values: np.ndarray
    units: np.ndarray
    params: ProcessParams

    @classmethod
    def of(cls, known: Mapping[int, Reports], market: Market, params: ProcessParams) -> "Evidence":
        """The evidence of reports."""
        held = np.max([reach(market, i) for i in range(market.num_bidders)], axis=0)
        bundles = np.concatenate([own.bundles for own in known.values()])
        owners = np.concatenate([np.full(len(own), i) for i, own in known.items()])
        values = np.concatenate([own.values for own in known.values()])
        is_some = bundles.any(axis=1)
        bundles, owners, values = bundles[is_some] / held, owners[is_some], values[is_some]
        length = np.sqrt((bundles**2).sum(axis=1).mean())
        return cls(bundles / length, owners, values, held * length, params)

    @cached_property
    def _parts(self) -> np.ndarray:
        return parts(self.bundles, self.bundles)

    @cached_property
    def _same(self) -> np.ndarray:
        """Where two values are of the same bidder, ``(num, num)``."""
        return np.asarray(self.owners[:, None] == self.owners)

    @cached_property
    def _bidders(self) -> np.ndarray:
        return np.unique(self.owners)

    @cached_property
    def _first_levels(self) -> np.ndarray:
        """What each bidder says per good, relative to what it would say of a usual bundle."""
        sizes = self.bundles.sum(axis=1)
        sums = [
            self.values[self.owners == i].sum() / sizes[self.owners == i].sum()
            for i in self._bidders
        ]
        return np.asarray(np.array(sums) * np.sqrt((sizes**2).mean()))

    def _levelled(self, levels: np.ndarray) -> np.ndarray:
        """The values in units of their bidders' levels."""
        return np.asarray(self.values / levels[np.searchsorted(self._bidders, self.owners)])

    @cached_property
    def most_probable(self) -> tuple[np.ndarray, np.ndarray]:
        """Variances of common parts, own parts and noise; levels, one per bidder that is known."""
        least_noise = self.params.noise**2
        variances = np.append(np.full(2 * NUM_PARTS, FIRST), FIRST_NOISE * least_noise)
        levels = np.log(self._first_levels)
        bounds = [(np.log(LEAST), np.log(MOST))] * (2 * NUM_PARTS) + [(np.log(least_noise), 0.0)]
        bounds += [(level - FURTHEST, level + FURTHEST) for level in levels]
        best = minimize(
            self.improbability,
            np.append(np.log(variances), levels),
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": self.params.steps},
        )
        variances, levels = np.split(np.exp(best.x), [2 * NUM_PARTS + 1])
        return variances, levels

    def covariance(self, variances: np.ndarray) -> np.ndarray:
        """Of the values in units of the levels, ``(num, num)``."""
        common, own, noise = np.split(variances, [NUM_PARTS, 2 * NUM_PARTS])
        covariance = np.tensordot(common, self._parts, 1)
        covariance += np.tensordot(own, self._parts, 1) * self._same
        covariance[np.diag_indices_from(covariance)] += noise
        return np.asarray(covariance)

    def improbability(self, logarithms: np.ndarray) -> tuple[float, np.ndarray]:
        """
        Minus the logarithm of the density of the values but a constant, and its slopes.

        Parameters
        ----------
        logarithms
            Of variances and levels, as in :attr:`most_probable`, one after the other.
        """
        variances, levels = np.split(np.exp(logarithms), [2 * NUM_PARTS + 1])
        values = self._levelled(levels)
        root = np.linalg.cholesky(self.covariance(variances))
        inverse = cho_solve((root, True), np.eye(len(root)))
        weights = inverse @ values
        change = inverse - np.outer(weights, weights)
        slopes = np.tensordot(self._parts, change, 2)
        own_slopes = np.tensordot(self._parts, change * self._same, 2)
        counts = np.array([(self.owners == i).sum() for i in self._bidders])
        moved = np.array([(values * weights)[self.owners == i].sum() for i in self._bidders])
        size = 0.5 * values @ weights + np.log(np.diag(root)).sum() + counts @ np.log(levels)
        of_variances = 0.5 * variances * np.concatenate([slopes, own_slopes, [np.trace(change)]])
        return float(size), np.append(of_variances, counts - moved)

    @cached_property
    def _coefficients(self) -> np.ndarray:
        variances, levels = self.most_probable
        return np.asarray(np.linalg.solve(self.covariance(variances), self._levelled(levels)))

    def fitted(self, bidder: int, reports: Reports, market: Market) -> Fitted:
        """What is expected of one bidder."""
        variances, levels = self.most_probable
        common, own, _ = np.split(variances, [NUM_PARTS, 2 * NUM_PARTS])
        weights = self._coefficients * (common[:, None] + np.outer(own, self.owners == bidder))
        level = float(levels[np.searchsorted(self._bidders, bidder)])
        mean = Process(self.bundles, weights, self.units, level, market.capacities)
        return Fitted(mean, diagnostics=goodness("mean", mean(reports.bundles), reports.values))
