"""The bundle that leaves a bidder most at announced prices, for values that can only be asked."""

from collections.abc import Callable, Mapping
from itertools import product
from math import prod

import numpy as np

from boca.core.market import Market

# Up to so many bundles, all are looked at; beyond, the best one that a search meets is taken.
MOST_LISTED = 4096
Amount = Callable[[Mapping[str, int]], float]


def best_choice(
    amount: Amount, market: Market, bidder: int, prices: Mapping[str, str]
) -> dict[str, int]:
    """
    The bundle with the largest value less cost; may be empty.

    Parameters
    ----------
    amount
        The value of a bundle by the names of its goods.
    market, bidder
        Whose copies and limits hold.
    prices
        Of one copy of each good, decimal strings.
    """
    names = [good.name for good in market.goods]
    costs = [float(prices[name]) for name in names]

    def left(bundle: tuple[int, ...]) -> float:
        if not market.allows(bidder, np.array(bundle))[0]:
            return -float("inf")
        cost = sum(n * price for n, price in zip(bundle, costs, strict=True))
        return amount(dict(zip(names, bundle, strict=True))) - cost

    counts = [range(good.capacity + 1) for good in market.goods]
    if prod(map(len, counts)) <= MOST_LISTED:
        best = max(product(*counts), key=left)
    else:
        full = tuple(market.capacities.tolist())
        best = max((climb((0,) * len(names), counts, left), climb(full, counts, left)), key=left)
    return {name: n for name, n in zip(names, best, strict=True) if n}


def climb(
    start: tuple[int, ...], counts: list[range], left: Callable[[tuple[int, ...]], float]
) -> tuple[int, ...]:
    """Changes the copies of one good at a time, as long as that leaves more."""
    best = start
    while True:
        before = best
        for j, choices in enumerate(counts):
            best = max((best[:j] + (n,) + best[j + 1 :] for n in choices), key=left)
        if left(best) <= left(before):
            return before
