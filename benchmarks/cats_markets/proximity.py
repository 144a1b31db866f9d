"""
Goods that are worth more together the closer they are: ``regions`` and ``arbitrary``.

``regions`` (section 4.2 of the CATS paper): plots of land on a grid, where bidders want connected
ones. ``arbitrary`` (section 4.3): the same, but any two goods have some random closeness, as
collectors' items have.

Left open by the paper and chosen here: (1) a grid that is not full lacks plots in its last row;
(2) neighbours above and beside each other are connected unless a draw of ``MISSING_EDGE`` says
otherwise, diagonal ones if a draw of ``DIAGONAL_EDGE`` says so; (3) a bundle that has no
neighbours left grows by any good.
"""

import math
from dataclasses import dataclass

import numpy as np

from cats_markets.auction import Bid, CatsAuction, undominated, up_to

MISSING_EDGE = 0.05
DIAGONAL_EDGE = 0.2
MAX_GOOD_VALUE = 100.0
DEVIATION = 0.5  # private values spread by this share of the highest common value
ADDITIONAL_LOCATION = 0.9  # probability that a bundle grows by another good
JUMP = 0.05  # probability that this good may lie anywhere
ADDITIVITY = 0.2  # a bundle of n goods is worth n ** 1.2 more than their sum
BUDGET_FACTOR = 1.5
RESALE_FACTOR = 0.5
MAX_SUBSTITUTES = 5


def regions(num_goods: int, num_bids: int, rng: np.random.Generator) -> CatsAuction:
    """Plots of land on a grid; bidders want connected ones."""
    return _auction(num_bids, _grid(num_goods, rng), JUMP, rng)


def arbitrary(num_goods: int, num_bids: int, rng: np.random.Generator) -> CatsAuction:
    """Goods of which any two have a closeness of their own."""
    upper = np.triu(rng.uniform(size=(num_goods, num_goods)), k=1)
    return _auction(num_bids, upper + upper.T, 0.0, rng)


def _grid(num_goods: int, rng: np.random.Generator) -> np.ndarray:
    """Which plots are neighbours: a symmetric matrix of 0 and 1, (num_goods, num_goods)."""
    width = math.ceil(math.sqrt(num_goods))
    closeness = np.zeros((num_goods, num_goods))
    steps = ((0, 1, 1 - MISSING_EDGE), (1, 0, 1 - MISSING_EDGE))
    diagonals = ((1, 1, DIAGONAL_EDGE), (1, -1, DIAGONAL_EDGE))
    for good in range(num_goods):
        column = good % width
        for down, right, probability in steps + diagonals:
            other = good + down * width + right
            inside = 0 <= column + right < width and other < num_goods
            if inside and rng.uniform() < probability:
                closeness[good, other] = closeness[other, good] = 1.0
    return closeness


@dataclass(frozen=True)
class _Bidder:
    """
    What one bidder thinks of goods and bundles.

    Parameters
    ----------
    common
        What each good is worth to everybody.
    private
        What it is worth to this bidder on top, perhaps negative.
    closeness
        How well any two goods go together.
    jump
        Probability that a bundle grows by a good from anywhere.
    """

    common: np.ndarray
    private: np.ndarray
    closeness: np.ndarray
    jump: float

    @property
    def interest(self) -> np.ndarray:
        """Private values, moved and scaled to [0, 1]."""
        spread = DEVIATION * MAX_GOOD_VALUE
        return np.asarray((self.private + spread) / (2 * spread))

    def value(self, bundle: list[int]) -> float:
        """Common and private values, and what the bundle is worth for being one."""
        goods = float((self.common + self.private)[bundle].sum())
        return goods + len(bundle) ** (1 + ADDITIVITY)

    def grow(self, bundle: list[int], rng: np.random.Generator) -> list[int]:
        """The bundle with one more good, probably one that is close to it and liked."""
        missing = np.ones(len(self.common), dtype=bool)
        missing[bundle] = False
        weights = missing * self.interest * self.closeness[bundle].sum(axis=0)
        if rng.uniform() < self.jump or not weights.any():
            weights = missing.astype(float)
        return [*bundle, int(rng.choice(len(weights), p=weights / weights.sum()))]

    def substitutes(self, bundle: list[int], rng: np.random.Generator) -> list[list[int]]:
        """From each good of the bundle another bundle of the same size."""
        bundles = []
        for good in bundle:
            other = [good]
            while len(other) < len(bundle):
                other = self.grow(other, rng)
            bundles.append(other)
        return bundles

    def bids(self, rng: np.random.Generator) -> tuple[Bid, ...]:
        """A bid on a bundle, and bids on substitutes that it can afford and sell again."""
        interest = self.interest
        bundle = [int(rng.choice(len(interest), p=interest / interest.sum()))]
        while len(bundle) < len(interest) and rng.uniform() < ADDITIONAL_LOCATION:
            bundle = self.grow(bundle, rng)
        value = self.value(bundle)
        if value <= 0:
            return ()

        smallest_resale = RESALE_FACTOR * float(self.common[bundle].sum())
        others = [
            Bid(tuple(sorted(other)), self.value(other))
            for other in self.substitutes(bundle, rng)
            if 0 < self.value(other) <= BUDGET_FACTOR * value
            and self.common[other].sum() >= smallest_resale
        ]
        others.sort(key=lambda bid: -bid.price)
        first = Bid(tuple(sorted(bundle)), value)
        distinct = [bid for bid in dict.fromkeys(others) if bid.goods != first.goods]
        return undominated([first, *distinct[:MAX_SUBSTITUTES]])


def _auction(
    num_bids: int, closeness: np.ndarray, jump: float, rng: np.random.Generator
) -> CatsAuction:
    num_goods = len(closeness)
    common = rng.uniform(1, MAX_GOOD_VALUE, num_goods)
    spread = DEVIATION * MAX_GOOD_VALUE
    bidders: list[tuple[Bid, ...]] = []
    while sum(len(bids) for bids in bidders) < num_bids:
        private = rng.uniform(-spread, spread, num_goods)
        bids = _Bidder(common, private, closeness, jump).bids(rng)
        if bids:
            bidders.append(bids)
    return CatsAuction(num_goods, up_to(num_bids, bidders))
