"""
How large may be what people write down: far above real auctions, far below what hurts a machine.

``docs/market_files.md`` lists these numbers.
"""

from boca.core.errors import InputError

# TOML is read by Python itself, about a megabyte per second.
MOST_BYTES_OF_MARKET = 2_000_000
MOST_BYTES_OF_BIDS = 10_000_000
MOST_GOODS = 5_000
MOST_BIDDERS = 20_000
MOST_BIDS = 100_000
# Of one bidder in a market file: each is compared with each.
MOST_BIDS_OF_BIDDER = 2_000
# Goods times bids, and goods times bidders: the matrices that hold them.
MOST_CELLS = 10_000_000
# Goods times limits, summed over bidders.
MOST_COEFFICIENTS = 10_000_000
# Of one good. Far below where sums of copies could overflow.
MOST_COPIES = 1_000_000
# Of all goods.
MOST_COPIES_IN_TOTAL = 500_000_000
# Whole numbers up to 10^12 are told apart to the unit; beyond this, sums lose their units.
LARGEST_VALUE = 1e15
# Positive values below this vanish next to any other, and their reciprocals overflow.
SMALLEST_VALUE = 1e-12
# Of a number, with its point and exponent.
MOST_DIGITS = 400
MOST_LETTERS_OF_NAME = 200
# Reading a key such as a.b.c takes time that grows with the square of its dots, so their squares
# are added up.
MOST_SQUARED_DOTS = 1_000_000


def check_size(number: int, most: int, what: str, where: str) -> None:
    """
    Raises where there is more of something than can be handled.

    Parameters
    ----------
    number
        How many there are.
    most
        How many there may be.
    what
        What is counted, in the plural.
    where
        The file, and the place in it.
    """
    if number > most:
        # A count of thousands of digits cannot even be written out.
        many = f"{number:,}" if number < 10**18 else "far too many"
        raise InputError.at(where, f"found {many} {what}; expected at most {most:,}.")
