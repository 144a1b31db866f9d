"""Additive values with pairwise synergies, as a market file can state them."""

from dataclasses import dataclass

import numpy as np

from boca.functions.relu_net import ReluNet
from boca.markets.sections import Section, shown

SYNERGY_EXAMPLE = 'synergies = [{ goods = ["A", "B"], value = 5 }]'


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
        return bundles @ self.per_copy + num_pairs @ self.per_pair  # (num_bundles,)

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

        One neuron a good passes its count on, and one a pair gives the second half of
        :math:`\min(x_j, x_k) = x_j - \max(0, x_j - x_k)`.
        """
        num_goods, num_pairs = len(self.capacities), len(self.per_pair)
        first, second = self.pairs[:, 0], self.pairs[:, 1]
        weights = np.zeros((num_goods, num_goods + num_pairs))
        np.fill_diagonal(weights, self.capacities)  # the net's input is bundle / capacities
        differences = num_goods + np.arange(num_pairs)
        weights[first, differences] = self.capacities[first]
        weights[second, differences] = -self.capacities[second]

        output = np.concatenate([self.per_copy, -self.per_pair])
        np.add.at(output, first, self.per_pair)
        return ReluNet([weights], [np.zeros(len(output))], output, 0.0, self.capacities)


def read_values(section: Section, goods: list[str], capacities: list[int]) -> AdditiveValues:
    """The keys ``values`` and ``synergies`` of one of ``[[bidders]]``."""
    per_copy = np.zeros(len(goods))
    values = section.section("values", "a value for each good, such as values = { A = 10 }")
    for name in values.table:
        good = values.good(name, name, goods)
        per_copy[good] = values.number(name, advice="Leave out a good that is worth nothing.")

    pairs, per_pair = _read_synergies(section, goods)
    function = AdditiveValues(
        capacities=np.array(capacities, dtype=np.int64),
        per_copy=per_copy,
        pairs=np.array(pairs, dtype=np.int64).reshape(-1, 2),
        per_pair=np.array(per_pair, dtype=float),
    )
    gains = function.least_gains()
    worst = int(np.argmin(gains))
    if gains[worst] < -1e-9 * max(1.0, float(per_copy.max())):
        section.fail(
            "synergies",
            f"the value falls by up to {-gains[worst]:g} when '{goods[worst]}' is added, because "
            f"its negative synergies together exceed its own value of {per_copy[worst]:g}. "
            "Raise that value or weaken the synergies.",
        )
    if not per_copy.any() and not np.any(function.per_pair > 0):
        section.fail("values", "this bidder values nothing; give a value or leave the bidder out.")
    return function


def _read_synergies(
    section: Section, goods: list[str]
) -> tuple[list[tuple[int, int]], list[float]]:
    """The two goods and the value of each synergy."""
    pairs: list[tuple[int, int]] = []
    per_pair: list[float] = []
    if "synergies" not in section:
        return pairs, per_pair

    given = section.table["synergies"]
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        section.fail("synergies", f"found {shown(given)}; expected {SYNERGY_EXAMPLE}.")
    for number, table in enumerate(given, 1):
        synergy = Section(section.file, f"{section.where}, synergies number {number}", table)
        synergy.only("goods", "value")
        names = synergy.required("goods", 'two goods, such as goods = ["A", "B"]')
        found = synergy.goods("goods", names, goods, least=2)
        if len(found) != 2:
            synergy.fail("goods", f"found {len(found)} goods; a synergy is between two goods.")
        pair = (min(found), max(found))
        if pair in pairs:
            synergy.fail(
                "goods",
                f"the synergy of '{goods[pair[0]]}' and '{goods[pair[1]]}' is given twice; "
                "keep one of them.",
            )
        pairs.append(pair)
        per_pair.append(synergy.number("value", negative=True))
    return pairs, per_pair
