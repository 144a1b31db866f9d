"""Additive values with pairwise synergies, as a market file can state them."""

from dataclasses import dataclass

import numpy as np

from boca.functions.relu_net import ReluNet


@dataclass(frozen=True, eq=False)
class AdditiveValues:
    r"""
    Every copy is worth something by itself, and every pair of two goods something on top.

    .. math:: v(x) = \sum_j a_j x_j + \sum_{j<k} s_{jk} \min(x_j, x_k)

    Two copies of A and three of B hold two pairs, so :math:`\min` counts pairs. A synergy may be
    negative (A and B replace each other). The value never falls when a copy is added as long as
    :math:`a_j + \sum_k \min(s_{jk}, 0) \ge 0` for every good j: one more copy of j completes at
    most one pair with each other good.

    Parameters
    ----------
    capacities
        Copies of each good, ``(num_goods,)``.
    per_copy
        Value :math:`a_j` of one copy, ``(num_goods,)``.
    pairs
        The two goods of each synergy, ``(num_synergies, 2)``.
    per_pair
        Value :math:`s_{jk}` of one pair, ``(num_synergies,)``.
    """

    capacities: np.ndarray
    per_copy: np.ndarray
    pairs: np.ndarray
    per_pair: np.ndarray

    def __call__(self, bundles: np.ndarray) -> np.ndarray:
        bundles = np.atleast_2d(bundles)  # (num_bundles, num_goods)
        num_pairs = np.minimum(bundles[:, self.pairs[:, 0]], bundles[:, self.pairs[:, 1]])
        values: np.ndarray = bundles @ self.per_copy + num_pairs @ self.per_pair  # (num_bundles,)
        return values

    def least_gains(self) -> np.ndarray:
        """What one more copy of each good adds in the worst case, ``(num_goods,)``."""
        gains = self.per_copy.copy()
        losses = np.minimum(self.per_pair, 0.0)
        np.add.at(gains, self.pairs[:, 0], losses)
        np.add.at(gains, self.pairs[:, 1], losses)
        return gains

    def as_net(self) -> ReluNet:
        r"""
        The same function as a network with one hidden layer, which winner determination knows.

        One neuron per good of interest passes its count on, and one per pair gives the second
        half of :math:`\min(x_j, x_k) = x_j - \max(0, x_j - x_k)`.
        """
        first, second = self.pairs[:, 0], self.pairs[:, 1]
        per_copy = self.per_copy.copy()
        np.add.at(per_copy, first, self.per_pair)
        goods = np.flatnonzero(per_copy)
        # The net's input is bundle / capacities.
        weights = np.zeros((len(self.capacities), len(goods) + len(self.pairs)))
        weights[goods, np.arange(len(goods))] = self.capacities[goods]
        differences = len(goods) + np.arange(len(self.pairs))
        weights[first, differences] = self.capacities[first]
        weights[second, differences] = -self.capacities[second]
        output = np.concatenate([per_copy[goods], -self.per_pair])
        return ReluNet([weights], [np.zeros(len(output))], output, 0.0, self.capacities)
