"""
MRVM, the multi-region value model: three bands of identical lots in Canada's 14 regions.

A region's lots give a capacity, a capacity serves a share of the people there, and service is
worth money. Local bidders care about some regions, regional ones less the farther from home,
national ones about everything, with a discount for every region they miss.

Item ``14 * row + region`` with rows 0 and 1 unpaired, 2 and 3 low-paired, 4 to 6 high-paired.
Generic good ``14 * band + region``.
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext

import numpy as np

from boca.core.allocation import Allocation
from boca.core.goods import Good
from boca.core.market import Market
from boca.core.randomness import as_seed
from boca.lab.domains.efficient import Efficient
from boca.lab.domains.generic import OfItems
from boca.lab.domains.grouping import Grouping
from boca.lab.domains.random48 import Random48
from boca.lab.domains.sats.canada import NUM_REGIONS, POPULATIONS, SHORT_NAMES, distances
from boca.lab.domains.sats.decimals import EXACT, ceil_places, divide_away, exact, half_down_places
from boca.lab.domains.sats.mrvm_sharing import share_regions
from boca.lab.domains.sats.spectrum import SatsDomain, named_bidders

BANDS = ("unpaired", "low-paired", "high-paired")
LOTS = (2, 2, 3)
CAPACITY_INTERVALS = ((0.5, 1.0), (3.0, 4.0), (1.5, 2.5))
BAND_SYNERGY = (Decimal(1), Decimal(1), Decimal("1.2"), Decimal("1.1"))  # by number of lots
TYPES = ("local",) * 3 + ("regional",) * 4 + ("national",) * 3
ALPHA = {"local": (60.0, 100.0), "regional": (500.0, 840.0), "national": (700.0, 1200.0)}
BETA = {"local": (0.05, 0.12), "regional": (0.04, 0.1), "national": (0.08, 0.22)}
# 2^(-1.25 d) at distance d, to five decimals.
REGIONAL_DISCOUNT = (
    "1",
    "0.42045",
    "0.17678",
    "0.07433",
    "0.03125",
    "0.01314",
    "0.00552",
    "0.00232",
)

ROW_BANDS = tuple(band for band, lots in enumerate(LOTS) for _ in range(lots))  # of the 7 rows
GROUPING = Grouping(
    tuple(NUM_REGIONS * band + region for band in ROW_BANDS for region in range(NUM_REGIONS)),
    tuple(f"{region} {band}" for band in BANDS for region in SHORT_NAMES),
)


@dataclass(frozen=True)
class MrvmBidder:
    """
    What is drawn for one bidder.

    Parameters
    ----------
    alpha
        Worth of a fully served customer.
    beta
        Share of the people who become customers, by region.
    discounts
        Factor on the value of each region.
    coverage
        Factor on the whole value when no region, one, or more regions are missed.
    """

    alpha: Decimal
    beta: tuple[Decimal, ...]
    discounts: tuple[Decimal, ...] = (Decimal(1),) * NUM_REGIONS
    coverage: tuple[Decimal, ...] = (Decimal(1),) * 3


def draw_capacities(master: Random48) -> tuple[Decimal, ...]:
    """Capacity of one lot of each band; the world's three children."""
    master.child()  # the map: nothing is left to chance there
    master.child()  # the populations: likewise
    child = master.child()
    capacities = []
    for interval in CAPACITY_INTERVALS:
        child.next_int(1)  # the number of lots: one outcome, but it takes a step
        capacities.append(exact(child.uniform(*interval)))
    return tuple(capacities)


def draw_bidder(kind: str, child: Random48) -> MrvmBidder:
    """Draws one bidder from its child generator."""
    alpha = exact(child.uniform(*ALPHA[kind]))
    beta = tuple(exact(child.uniform(*BETA[kind])) for _ in range(NUM_REGIONS))
    if kind == "local":
        count = 3 + child.next_int(5)
        regions = child.child().shuffle(list(range(NUM_REGIONS)))[:count]
        return MrvmBidder(alpha, beta, tuple(Decimal(r in regions) for r in range(NUM_REGIONS)))
    if kind == "regional":
        home = child.next_int(NUM_REGIONS)
        return MrvmBidder(
            alpha, beta, tuple(Decimal(REGIONAL_DISCOUNT[d]) for d in distances(home))
        )
    b = child.uniform(0.1, 0.3)
    coverage = tuple(half_down_places(exact(1 - (k * b) ** 2), 5) for k in range(3))
    return MrvmBidder(alpha, beta, coverage=coverage)


def region_capacities(capacities: tuple[Decimal, ...]) -> list[Decimal]:
    """Capacity of a region by counts of lots, the last count fastest; 36 numbers."""
    return [
        sum(
            (n * cap * BAND_SYNERGY[n] for n, cap in zip(counts, capacities, strict=True)),
            start=Decimal(0),
        )
        for counts in np.ndindex(*(lots + 1 for lots in LOTS))
    ]


def service_values(
    reached: list[Decimal], alpha: Decimal, beta: Decimal, population: int
) -> list[Decimal]:
    """Worth of the service a customer gets from each capacity; piecewise linear, with roundings."""
    largest = reached[-1]
    customers = population * beta
    low = divide_away(Decimal("0.01") * largest, customers, 10) * customers
    high = min(Decimal(1), beta + Decimal("0.3")) * largest
    ends = [low, high, largest]
    heights = [Decimal(0), Decimal("0.27") * alpha, Decimal("0.73") * alpha, alpha]
    pieces = []
    for k, (start, end) in enumerate(zip([Decimal(0), low, high], ends, strict=True)):
        slope = ceil_places((heights[k + 1] - heights[k]) / (end - start), 10)
        pieces.append((end, slope, heights[k] - start * slope))

    values = []
    for capacity in reached:
        slope, intercept = next((s, i) for end, s, i in pieces if end >= capacity)
        values.append(capacity * slope + intercept)
    return values


def region_table(bidder: MrvmBidder, capacities: tuple[Decimal, ...]) -> np.ndarray:
    """Value of each region by counts of lots, before coverage; ``(14, 36)``."""
    table = np.zeros((NUM_REGIONS, int(np.prod(np.array(LOTS) + 1))))
    with localcontext(EXACT):
        reached = region_capacities(capacities)
        for region, population in enumerate(POPULATIONS):
            beta, discount = bidder.beta[region], bidder.discounts[region]
            services = service_values(reached, bidder.alpha, beta, population)
            table[region] = [float(sv * beta * population * discount) for sv in services]
    return table


@dataclass(frozen=True, eq=False)
class RegionValues:
    """
    A sum over regions, times a factor for coverage: a function of the 42 generic goods.

    Parameters
    ----------
    table
        Value of each region by counts of lots, the last band's count fastest; ``(14, 36)``.
    coverage
        Factor when no region, one, or more regions are missed.
    """

    table: np.ndarray
    coverage: tuple[float, ...]

    @property
    def capacities(self) -> np.ndarray:
        return GROUPING.capacities

    def __call__(self, bundles: np.ndarray) -> np.ndarray:
        counts = np.atleast_2d(bundles).astype(np.int64, copy=False)
        bands = counts.reshape(len(counts), len(BANDS), NUM_REGIONS)
        index = bands[:, 0] * 12 + bands[:, 1] * 4 + bands[:, 2]  # (num_bundles, num_regions)
        values: np.ndarray = self.table[np.arange(NUM_REGIONS), index].sum(axis=1)
        if set(self.coverage) == {1.0}:
            return values
        missed = np.minimum((index == 0).sum(axis=1), 2)
        covered: np.ndarray = values * np.array(self.coverage)[missed]
        return covered


class Mrvm(SatsDomain):
    """An instance of MRVM: 98 items, three local, four regional and three national bidders."""

    grouping = GROUPING

    def __init__(self, seed: int):
        seed = as_seed(seed)
        rows = [(band, k + 1) for band, lots in zip(BANDS, LOTS, strict=True) for k in range(lots)]
        goods = tuple(
            Good(f"{region} {band} {lot}") for band, lot in rows for region in SHORT_NAMES
        )
        super().__init__("mrvm", seed, Market(goods, named_bidders(TYPES), "mrvm"))
        master = Random48(seed)
        self.lot_capacities = draw_capacities(master)
        self.bidders = tuple(draw_bidder(kind, master.child()) for kind in TYPES)

    def region_values(self, bidder: int) -> RegionValues:
        """A bidder's values by counts."""
        draws = self.bidders[bidder]
        coverage = tuple(float(factor) for factor in draws.coverage)
        return RegionValues(region_table(draws, self.lot_capacities), coverage)

    def build_function(self, bidder: int) -> OfItems:
        return OfItems(self.region_values(bidder), GROUPING)

    def solve(self, absent: frozenset[int] = frozenset()) -> Efficient:
        functions = [self.region_values(i) for i in range(len(TYPES))]
        shape = (NUM_REGIONS, *(lots + 1 for lots in LOTS))
        bound, shares = share_regions(
            [f.table.reshape(shape) * (i not in absent) for i, f in enumerate(functions)],
            [function.coverage for function in functions],
        )  # shares: (num_bidders, num_regions, num_bands)
        shares[list(absent)] = 0
        counts = shares.transpose(0, 2, 1).reshape(len(TYPES), -1)
        allocation = GROUPING.allocation_to_items(Allocation(counts))
        method = "dynamic programming over regions and coverage classes"
        return Efficient(self.welfare(allocation), allocation, bound, method)
