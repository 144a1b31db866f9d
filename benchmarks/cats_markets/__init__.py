"""
Auctions from the published CATS distributions, drawn from a seed and written as CATS files.

Kevin Leyton-Brown, Mark Pearson and Yoav Shoham (2000), "Towards a Universal Test Suite for
Combinatorial Auction Algorithms", Proceedings of the 2nd ACM Conference on Electronic Commerce,
66-76. Written from the paper's description, so that a seed here is not a seed of the authors' own
program; where the description leaves something open, the module says what was chosen.
"""

from collections.abc import Callable

import numpy as np

from boca.core.randomness import Seeds
from cats_markets.auction import CatsAuction
from cats_markets.legacy import LEGACY, legacy_auction
from cats_markets.paths import paths
from cats_markets.proximity import arbitrary, regions
from cats_markets.timing import matching, scheduling

Generator = Callable[[int, int, np.random.Generator], CatsAuction]

_STRUCTURED: dict[str, Generator] = {
    "arbitrary": arbitrary,
    "matching": matching,
    "paths": paths,
    "regions": regions,
    "scheduling": scheduling,
}
DISTRIBUTIONS = (*_STRUCTURED, *LEGACY)


def draw_auction(name: str, num_goods: int, num_bids: int, seed: int) -> CatsAuction:
    """
    An auction of a published distribution.

    Parameters
    ----------
    name
        One of ``DISTRIBUTIONS``.
    num_goods
        Goods, without dummy goods. ``matching`` needs a multiple of four, ``paths`` at least 16.
    num_bids
        Bids, after dominated ones are left out.
    seed
        Whole number; the same one gives the same auction, and a different one in each distribution
        and size.
    """
    rng = Seeds(seed).child("cats", name, num_goods, num_bids).generator()
    if name in LEGACY:
        return legacy_auction(LEGACY[name], num_goods, num_bids, rng)
    return _STRUCTURED[name](num_goods, num_bids, rng)
