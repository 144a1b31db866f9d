"""
LSVM, the local synergy value model: licences on a grid of 3 rows and 6 columns.

Item ``6 * row + column``. A bundle splits into connected pieces; a piece is worth its base
values times a factor that grows with its size. Regional bidders see only what is near them.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from boca.core.allocation import Allocation
from boca.core.goods import Good
from boca.core.market import Market
from boca.core.randomness import as_seed
from boca.lab.domains.efficient import Efficient
from boca.lab.domains.random48 import Random48
from boca.lab.domains.sats.spectrum import SatsDomain, named_bidders
from boca.lab.domains.sharing import share_subsets, subset_masks
from boca.lab.domains.value_tables import SubsetTable, subset_sizes, subset_sums, without_value

NUM_ROWS, NUM_COLUMNS = 3, 6
NUM_ITEMS = NUM_ROWS * NUM_COLUMNS
TYPES = ("national",) + ("regional",) * 5
NATIONAL = 0  # the national bidder
BASE_VALUES = {"national": (3.0, 9.0), "regional": (3.0, 20.0)}
SYNERGY = {"national": (320, 10), "regional": (160, 4)}  # a, b


@dataclass(frozen=True)
class LsvmBidder:
    """
    What is drawn for one bidder.

    Parameters
    ----------
    centre
        Where a regional bidder sits; None for the national one.
    base_values
        Base value of each item in reach, in the order in which they are drawn.
    """

    centre: int | None
    base_values: dict[int, float]


def neighbours(item: int) -> list[int]:
    """Items one step up, right, down and left, in this order, within the grid."""
    row, column = divmod(item, NUM_COLUMNS)
    steps = [(row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)]
    return [NUM_COLUMNS * r + c for r, c in steps if 0 <= r < NUM_ROWS and 0 <= c < NUM_COLUMNS]


def proximity(centre: int) -> tuple[int, ...]:
    """Items within distance 2 of a centre, layer by layer: the order of the draws."""
    reached = [centre]
    layer = [centre]
    for _ in range(2):
        # Keys of a dictionary: each once, in the order of arrival.
        nearby = dict.fromkeys(near for item in layer for near in neighbours(item))
        layer = [item for item in nearby if item not in reached]
        reached += layer
    return tuple(reached)


def draw_bidders(seed: int) -> tuple[LsvmBidder, ...]:
    """Centre and base values of every bidder."""
    master = Random48(seed)
    master.child()  # the world: nothing is left to chance there
    bidders = []
    for kind in TYPES:
        place = master.child()  # also made for the national bidder, which has no use for it
        centre, items = None, tuple(range(NUM_ITEMS))
        if kind == "regional":
            centre = NUM_COLUMNS * place.next_int(NUM_ROWS) + place.next_int(NUM_COLUMNS)
            items = proximity(centre)
        child = master.child()
        bidders.append(LsvmBidder(centre, {j: child.uniform(*BASE_VALUES[kind]) for j in items}))
    return tuple(bidders)


@lru_cache(maxsize=1)
def lowest_components() -> np.ndarray:
    """For every mask of items the connected component with its lowest item; ``(2 ** 18,)``."""
    masks = np.arange(2**NUM_ITEMS, dtype=np.int32)
    row = sum(1 << (NUM_COLUMNS * r) for r in range(NUM_ROWS))
    not_first, not_last = ~np.int32(row), ~np.int32(row << (NUM_COLUMNS - 1))
    component: np.ndarray = masks & -masks
    while True:
        sideways = ((component & not_last) << 1) | ((component & not_first) >> 1)
        grown = component | sideways | (component << NUM_COLUMNS) | (component >> NUM_COLUMNS)
        grown &= masks
        if np.array_equal(grown, component):
            component.flags.writeable = False
            return component
        component = grown


def value_table(kind: str, base_values: dict[int, float]) -> np.ndarray:
    """Value of every subset of the items in reach; bit k stands for the k-th of them."""
    items = tuple(base_values)
    a, b = SYNERGY[kind]
    factor = np.array([1 + a / (100 * (1 + math.exp(b - size))) for size in range(NUM_ITEMS + 1)])
    connected = factor[subset_sizes(len(items))] * subset_sums(list(base_values.values()))

    # Components are masks over all items; `position` finds them among the subsets in reach.
    remaining = subset_masks(items)
    position = np.zeros(2**NUM_ITEMS, dtype=np.int64)
    position[remaining] = np.arange(len(remaining))
    values = np.zeros(len(remaining))
    rows = np.flatnonzero(remaining)
    while len(rows):
        component = lowest_components()[remaining[rows]]
        values[rows] += connected[position[component]]
        remaining[rows] ^= component
        rows = rows[remaining[rows] > 0]
    return values


class Lsvm(SatsDomain):
    """An instance of LSVM: 18 items, a national bidder and five regional ones."""

    def __init__(self, seed: int):
        seed = as_seed(seed)
        goods = tuple(
            Good(f"row {r} column {c}") for r in range(NUM_ROWS) for c in range(NUM_COLUMNS)
        )
        super().__init__("lsvm", seed, Market(goods, named_bidders(TYPES), "lsvm"))
        self.bidders = draw_bidders(seed)

    def build_function(self, bidder: int) -> SubsetTable:
        base = self.bidders[bidder].base_values
        return SubsetTable(NUM_ITEMS, tuple(base), value_table(TYPES[bidder], base))

    def solve(self, absent: frozenset[int] = frozenset()) -> Efficient:
        functions = [
            without_value(function) if i in absent else function
            for i, function in enumerate(map(self.build_function, range(len(TYPES))))
        ]
        bound, bundles = share_subsets(functions, last=NATIONAL)
        bundles[list(absent)] = 0
        allocation = Allocation(bundles)
        method = "dynamic programming over subsets of items"
        return Efficient(self.welfare(allocation), allocation, bound, method)
