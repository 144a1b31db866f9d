"""
SRVM, the single region value model: three bands of identical lots.

Only the number of lots of each band matters. A band's value grows quickly up to a threshold,
then like a logarithm; whoever holds at least two bands gets a little more for everything.
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
from boca.lab.domains.sats.decimals import EXACT, ceil_log, ceil_places, exact
from boca.lab.domains.sats.spectrum import SatsDomain, named_bidders
from boca.lab.domains.sharing import share_counts, trace_counts
from boca.lab.domains.value_tables import CountTable

BANDS = ("A", "B", "C")
LOTS = (6, 14, 9)
THRESHOLDS = (4, 2, 2)
TYPES = ("small", "small", "high_frequency", "secondary", "secondary", "primary", "primary")
MEANS = {
    "small": (0, 0, 8),
    "high_frequency": (0, 70, 15),
    "secondary": (200, 70, 15),
    "primary": (300, 70, 15),
}
USUAL_SYNERGY = (1.75, 2.25)
PRIMARY_SYNERGY_A = (3.75, 4.25)  # a primary bidder's, in band A

GROUPING = Grouping(
    tuple(band for band, lots in enumerate(LOTS) for _ in range(lots)),
    tuple(f"band {band}" for band in BANDS),
)


@dataclass(frozen=True)
class SrvmBidder:
    """
    What is drawn for one bidder.

    Parameters
    ----------
    strength
        Scales all base values.
    base_values
        Worth of one lot of each band.
    within
        Synergy within each band.
    across
        Factor on everything for holding at least two bands.
    """

    strength: Decimal
    base_values: tuple[Decimal, ...]
    within: tuple[Decimal, ...]
    across: Decimal


def draw_bidder(kind: str, master: Random48) -> SrvmBidder:
    """Draws one bidder; every bidder makes five children, read or not."""
    master.child()  # the thresholds: constants
    strength = exact(master.child().uniform(0.75, 1.25))
    child = master.child()
    base_values = []
    for mean in MEANS[kind]:
        influence = exact(child.uniform(0.75, 1.25))
        base_values.append(EXACT.multiply(EXACT.multiply(Decimal(mean), strength), influence))
    child = master.child()
    within = []
    for band in BANDS:
        interval = PRIMARY_SYNERGY_A if (kind, band) == ("primary", "A") else USUAL_SYNERGY
        within.append(exact(child.uniform(*interval)))
    across = exact(master.child().uniform(1.0, 1.2))
    return SrvmBidder(strength, tuple(base_values), tuple(within), across)


def draw_bidders(seed: int) -> tuple[SrvmBidder, ...]:
    """All bidders of an instance."""
    master = Random48(seed)
    master.child()  # the world: nothing is left to chance there
    return tuple(draw_bidder(kind, master) for kind in TYPES)


def band_value(count: int, threshold: int, within: Decimal, base_value: Decimal) -> Decimal:
    """Worth of some lots of one band. The two roundings are part of the model."""
    if count == 0:
        return Decimal(0)
    first = min(count, threshold)
    fraction = ceil_places(Decimal(first - 1) / first, 5)
    beyond = count - threshold + 1
    logarithm = ceil_log(beyond) if beyond > 1 else Decimal(0)
    return (first + fraction * within + logarithm) * base_value


def value_table(bidder: SrvmBidder) -> np.ndarray:
    """Value by counts, ``(7, 15, 10)``."""
    table = np.zeros([lots + 1 for lots in LOTS])
    with localcontext(EXACT):
        bands = [
            [
                band_value(n, THRESHOLDS[b], bidder.within[b], bidder.base_values[b])
                for n in range(lots + 1)
            ]
            for b, lots in enumerate(LOTS)
        ]
        for counts in np.ndindex(*table.shape):
            total = sum(band[count] for band, count in zip(bands, counts, strict=True))
            # Bands count as held even where the bidder's base value is zero.
            held = sum(count > 0 for count in counts)
            table[counts] = float(total * bidder.across if held >= 2 else total)
    return table


class Srvm(SatsDomain):
    """An instance of SRVM: 29 items in three bands, seven bidders of four types."""

    grouping = GROUPING

    def __init__(self, seed: int):
        seed = as_seed(seed)
        goods = tuple(
            Good(f"band {band} lot {k + 1}")
            for band, lots in zip(BANDS, LOTS, strict=True)
            for k in range(lots)
        )
        super().__init__("srvm", seed, Market(goods, named_bidders(TYPES), "srvm"))
        self.bidders = draw_bidders(seed)

    def build_function(self, bidder: int) -> OfItems:
        return OfItems(CountTable(value_table(self.bidders[bidder])), GROUPING)

    def solve(self, absent: frozenset[int] = frozenset()) -> Efficient:
        tables = [value_table(b) * (i not in absent) for i, b in enumerate(self.bidders)]
        stages = share_counts(tables, len(BANDS))
        counts = Allocation(trace_counts(tables, stages))
        allocation = GROUPING.allocation_to_items(counts)
        bound = float(stages[-1].flat[-1])
        method = "dynamic programming over counts of lots"
        return Efficient(self.welfare(allocation), allocation, bound, method)
