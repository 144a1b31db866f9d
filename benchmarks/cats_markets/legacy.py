"""
The legacy distributions L1 to L8, which CATS collected from earlier papers (section 2 there).

A bundle's size and its price are drawn from simple laws; its goods are any. Every bid is a bidder
of its own, and dominated bids are left out until there are enough.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cats_markets.auction import Bid, CatsAuction

Size = Callable[[int, np.random.Generator], int]
Price = Callable[[int, np.random.Generator], float]

# L1 can run dry: single goods with high prices come to dominate almost everything.
MOST_DRAWS_PER_BID = 2_000


@dataclass(frozen=True)
class Legacy:
    """
    A law of bundle sizes with a law of prices.

    Parameters
    ----------
    size
        Draws how many goods a bid asks for, given how many there are.
    price
        Draws the price, given how many goods the bid asks for.
    """

    size: Size
    price: Price


def uniform_size(num_goods: int, rng: np.random.Generator) -> int:
    """Every size is as likely as any other."""
    return int(rng.integers(1, num_goods, endpoint=True))


def constant_size(size: int) -> Size:
    """The same size for all bids."""
    return lambda num_goods, rng: min(size, num_goods)


def decay_size(alpha: float) -> Size:
    """One good, and another one as long as a coin of weight alpha says so."""
    return lambda num_goods, rng: min(int(rng.geometric(1 - alpha)), num_goods)


def normal_size(mean: float, deviation: float) -> Size:
    """A rounded normal number, drawn anew until it is a size."""
    return lambda num_goods, rng: _redraw(lambda: round(rng.normal(mean, deviation)), num_goods)


def exponential_size(scale: float) -> Size:
    """Size n with a probability in proportion to exp(-n / scale)."""

    def draw(num_goods: int, rng: np.random.Generator) -> int:
        sizes = np.arange(1, num_goods + 1)
        weights = np.exp(-sizes / scale)
        return int(rng.choice(sizes, p=weights / weights.sum()))

    return draw


def binomial_size(probability: float) -> Size:
    """Each good is asked for with the same probability; none at all is drawn anew."""
    return lambda num_goods, rng: _redraw(
        lambda: int(rng.binomial(num_goods, probability)), num_goods
    )


def fixed_price(low: float, high: float) -> Price:
    """Uniform, whatever the size."""
    return lambda size, rng: float(rng.uniform(low, high))


def linear_price(low: float, high: float) -> Price:
    """Uniform, between bounds that grow with the size."""
    return lambda size, rng: float(rng.uniform(low * size, high * size))


def normal_price(mean: float, deviation: float) -> Price:
    """Normal, whatever the size; never below zero."""
    return lambda size, rng: max(float(rng.normal(mean, deviation)), 0.0)


def quadratic_price(size: int, rng: np.random.Generator) -> float:
    """Values of the goods, uniform in [0, 1], and for each pair of goods their product."""
    values = rng.uniform(size=size)
    pairs = (values.sum() ** 2 - (values**2).sum()) / 2
    return float(values.sum() + pairs)


# Sandholm (1999): L1 to L4; Boutilier, Goldszmidt and Sabata (1999): L5; Fujishima, Leyton-Brown
# and Shoham (1999): L6, L7; de Vries and Vohra (2000): L8.
LEGACY: dict[str, Legacy] = {
    "L1": Legacy(uniform_size, fixed_price(0, 1)),
    "L2": Legacy(uniform_size, linear_price(0, 1)),
    "L3": Legacy(constant_size(3), fixed_price(0, 1)),
    "L4": Legacy(decay_size(0.55), linear_price(0, 1)),
    "L5": Legacy(normal_size(4, 1), normal_price(16, 3)),
    "L6": Legacy(exponential_size(5), linear_price(0.5, 1.5)),
    "L7": Legacy(binomial_size(0.2), linear_price(0.5, 1.5)),
    "L8": Legacy(constant_size(3), quadratic_price),
}


def legacy_auction(
    law: Legacy, num_goods: int, num_bids: int, rng: np.random.Generator
) -> CatsAuction:
    """
    Bids by a legacy law, none of them dominated by another one.

    Parameters
    ----------
    law
        Sizes and prices.
    num_goods, num_bids
        How many there are in the end.
    rng
        Source of all draws.
    """
    # Goods as bits of a whole number make "asks for no other goods" one operation.
    kept: list[tuple[int, Bid]] = []
    for _ in range(MOST_DRAWS_PER_BID * num_bids):
        if len(kept) == num_bids:
            return CatsAuction(num_goods, tuple((bid,) for _, bid in kept))
        size = law.size(num_goods, rng)
        chosen = np.sort(rng.choice(num_goods, size, replace=False)).tolist()
        bid = Bid(tuple(chosen), law.price(size, rng))
        bits = sum(1 << good for good in chosen)
        if any(rival.price >= bid.price and not other & ~bits for other, rival in kept):
            continue
        kept = [(other, rival) for other, rival in kept if bits & ~other or rival.price > bid.price]
        kept.append((bits, bid))
    raise ValueError(
        f"Expected {num_bids} bids on {num_goods} goods, none dominated, but found only "
        f"{len(kept)}; ask for fewer bids or more goods."
    )


def _redraw(draw: Callable[[], int], largest: int) -> int:
    """Draws until the number is a size."""
    while True:
        size = draw()
        if 1 <= size <= largest:
            return size
