"""Amounts of money: how many decimals they have, and sums of them as people write them."""

from collections.abc import Iterable
from decimal import Decimal
from math import fsum

import numpy as np

# Whole units up to this are counted exactly, in sums of some bidders too.
MOST_EXACT = 2e14
# Decimals up to which amounts are counted in whole units: no currency has more. More would make
# units so small that proofs to the unit take long.
MOST_DECIMALS = 4


def common_decimals(amounts: np.ndarray) -> int | None:
    """
    How many decimals amounts of money have, so that all are whole units.

    None where they have more than ``MOST_DECIMALS``, or too many units for exact sums.
    """
    for decimals in range(MOST_DECIMALS + 1):
        if (np.abs(amounts) * 10**decimals > MOST_EXACT).any():
            return None
        if (np.round(amounts * 10**decimals) / 10**decimals == amounts).all():
            return decimals
    return None


def in_units(amounts: np.ndarray, decimals: int | None) -> np.ndarray:
    """Amounts in whole units of ``10 ** -decimals``; as they are where there are none."""
    units: np.ndarray = np.round(amounts * 10**decimals) if decimals else amounts
    return units


def num_decimals(amounts: Iterable[float]) -> int:
    """Decimals with which the amounts are written, the most of any; below 0 for round numbers."""
    exponents = [Decimal(repr(float(amount))).normalize().as_tuple().exponent for amount in amounts]
    return max((-e for e in exponents if isinstance(e, int)), default=0)


def add_up(amounts: Iterable[float]) -> float:
    """The sum of amounts with no more decimals than they have: 0.1 and 0.2 are 0.3."""
    numbers = [float(amount) for amount in amounts]
    return round(fsum(numbers), num_decimals(numbers))


def cost_of(units: Iterable[float], prices: Iterable[float]) -> float:
    """What units cost together, with no more decimals than prices have: three at 0.1 are 0.3."""
    pairs = [(float(number), float(price)) for number, price in zip(units, prices, strict=True)]
    return add_up(round(number * price, num_decimals([price])) for number, price in pairs)
