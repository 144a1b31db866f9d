"""Prices as they are announced: whole units."""

from collections.abc import Sequence

# Differences below this, relative to a price, are rounding of the planner's floats.
NOISE = 1e-9


def in_units(prices: Sequence[float], before: Sequence[int] | None, most: int) -> list[int]:
    """
    The prices of a planner in whole units; bidders answer to exactly these.

    Each is rounded to the nearest unit, with three exceptions. A price that the planner has
    changed changes by at least one unit, since a clock that rises by 5 % would otherwise stand
    still at low prices. A positive price is at least one unit, since nothing brings a price back
    from 0. No price exceeds the largest value, above which nobody can want a copy.

    Parameters
    ----------
    prices
        Price of one copy of each good, in units with decimals.
    before
        The prices that were announced last; None before the first.
    most
        The largest value of the rules, in units.
    """
    last = before if before is not None else [None] * len(prices)
    return [_in_units(price, units, most) for price, units in zip(prices, last, strict=True)]


def _in_units(price: float, before: int | None, most: int) -> int:
    units = round(price)
    if before is not None:
        noise = NOISE * max(before, 1)
        if price > before + noise:
            units = max(units, before + 1)
        elif price < before - noise:
            units = min(units, before - 1)
        else:
            units = before
    return min(max(units, 1 if price > 0 else 0), most)
