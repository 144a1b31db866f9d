"""
GSVM, the global synergy value model: licences on two circles.

Items 0 to 11 are the national circle, 12 to 17 the regional one. A bundle is worth the base
values of its items of interest, times 1.2 for the second item, 1.4 with the third, and so on.
Regional bidders can win at most four items, the national bidder none of the regional circle.
"""

from dataclasses import replace

import numpy as np

from boca.core.allocation import Allocation
from boca.core.goods import Good, Limit
from boca.core.market import Bidder, Market
from boca.core.randomness import as_seed
from boca.lab.domains.efficient import Efficient
from boca.lab.domains.random48 import Random48
from boca.lab.domains.sats.spectrum import SatsDomain, named_bidders
from boca.lab.domains.sharing import share_subsets
from boca.lab.domains.value_tables import SubsetTable, subset_sizes, subset_sums, without_value

NUM_NATIONAL, NUM_REGIONAL = 12, 6
NUM_ITEMS = NUM_NATIONAL + NUM_REGIONAL
TYPES = ("regional",) * 6 + ("national",)
NATIONAL = 6  # the national bidder
MAX_ITEMS = 4  # that a regional bidder can win


def items_of_interest(bidder: int) -> tuple[int, ...]:
    """The items that a bidder values, in the order in which their base values are drawn."""
    if bidder == NATIONAL:
        return tuple(range(NUM_NATIONAL))
    national = sorted((2 * bidder + k) % NUM_NATIONAL for k in range(4))
    regional = sorted(NUM_NATIONAL + (bidder + k) % NUM_REGIONAL for k in range(2))
    return (*national, *regional)


def upper_bound(bidder: int, item: int) -> float:
    """Base values are drawn from zero to this; positions 4 to 7 are the valuable ones."""
    ordinary = 10.0 if bidder == NATIONAL else 20.0
    return 2 * ordinary if 4 <= item <= 7 else ordinary


def draw_base_values(seed: int) -> tuple[dict[int, float], ...]:
    """Base value of each item of interest, one mapping per bidder."""
    master = Random48(seed)
    master.child()  # the world: nothing is left to chance there
    base_values = []
    for bidder in range(len(TYPES)):
        child = master.child()
        base_values.append(
            {
                item: child.uniform(0.0, upper_bound(bidder, item))
                for item in items_of_interest(bidder)
            }
        )
    return tuple(base_values)


def limited(bidder: Bidder) -> Bidder:
    """The bidder with the limits on what it can win."""
    if bidder.type == "national":
        outside = (0.0,) * NUM_NATIONAL + (1.0,) * NUM_REGIONAL
        return replace(bidder, limits=(Limit(outside, 0.0, "national circle only"),))
    everything = (1.0,) * NUM_ITEMS
    return replace(bidder, limits=(Limit(everything, MAX_ITEMS, f"at most {MAX_ITEMS} items"),))


class Gsvm(SatsDomain):
    """An instance of GSVM: 18 items, six regional bidders and a national one."""

    def __init__(self, seed: int):
        seed = as_seed(seed)
        names = [f"national {p}" for p in range(NUM_NATIONAL)]
        names += [f"regional {q}" for q in range(NUM_REGIONAL)]
        goods = tuple(Good(name) for name in names)
        bidders = tuple(limited(bidder) for bidder in named_bidders(TYPES))
        super().__init__("gsvm", seed, Market(goods, bidders, "gsvm"))
        self.base_values = draw_base_values(seed)

    def build_function(self, bidder: int) -> SubsetTable:
        base = self.base_values[bidder]
        synergy = 1.0 + 0.2 * (subset_sizes(len(base)) - 1)
        return SubsetTable(NUM_ITEMS, tuple(base), subset_sums(list(base.values())) * synergy)

    def sample(self, bidder: int, num: int, seed: int) -> np.ndarray:
        """Uniform over the bundles that the bidder's limit allows, items of no interest too."""
        generator = Random48(seed)
        bundles = np.zeros((num, NUM_ITEMS), dtype=np.int64)
        if self.market.bidders[bidder].type == "national":
            numbers = generator.next_doubles(num * NUM_NATIONAL).reshape(num, NUM_NATIONAL)
            bundles[:, :NUM_NATIONAL] = numbers >= 0.5
            return bundles

        allowed = np.flatnonzero(subset_sizes(NUM_ITEMS) <= MAX_ITEMS)  # 4048 masks
        masks = [allowed[generator.next_int(len(allowed))] for _ in range(num)]
        return (np.array(masks, dtype=np.int64)[:, None] >> np.arange(NUM_ITEMS)) & 1

    def solve(self, absent: frozenset[int] = frozenset()) -> Efficient:
        tables = []
        for bidder, kind in enumerate(TYPES):
            function = self.build_function(bidder)
            if kind == "regional":
                allowed = subset_sizes(len(function.items)) <= MAX_ITEMS
                function = replace(function, table=np.where(allowed, function.table, -np.inf))
            tables.append(without_value(function) if bidder in absent else function)
        bound, bundles = share_subsets(tables, last=NATIONAL)
        bundles[list(absent)] = 0
        allocation = Allocation(bundles)
        method = "dynamic programming over subsets of items"
        return Efficient(self.welfare(allocation), allocation, bound, method)
