"""Exact decimal arithmetic, in which the value models SRVM and MRVM are defined."""

import math
from decimal import ROUND_CEILING, ROUND_HALF_DOWN, ROUND_UP, Context, Decimal

#: Sums and products of a few drawn numbers fit into this many digits without rounding.
EXACT = Context(prec=150)


def exact(number: float) -> Decimal:
    """The decimal number of the shortest digit string that reads back as the double."""
    return Decimal(repr(float(number)))


def ceil_places(number: Decimal, places: int) -> Decimal:
    """Rounded towards plus infinity to some decimal places."""
    return number.quantize(Decimal(1).scaleb(-places), ROUND_CEILING, EXACT)


def half_down_places(number: Decimal, places: int) -> Decimal:
    """Rounded to the nearest with some decimal places, ties towards zero."""
    return number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_DOWN, EXACT)


def ceil_log(number: int) -> Decimal:
    """The natural logarithm as a double, rounded towards plus infinity to 5 significant digits."""
    return Context(prec=5, rounding=ROUND_CEILING).plus(Decimal(math.log(number)))


def divide_away(numerator: Decimal, denominator: Decimal, digits: int) -> Decimal:
    """A quotient rounded away from zero to some significant digits."""
    return Context(prec=digits, rounding=ROUND_UP).divide(numerator, denominator)
