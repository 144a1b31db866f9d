"""
How what a deal is worth is shared out, exactly.

V is the best sum of worths, V_i the best without a deal of i, and D_i = V - V_i. A rule gives every
dealer a share d_i of at least 0 and at most D_i; what it pays is what it said less its share.

- offered: nothing. Everybody pays what it bid, or is paid what it asked for.
- vcg: D_i. In an exchange these are mostly more than V together; somebody else would have to pay
  the difference. The next three give at most V in all (Parkes, Kalagnanam, Eso 2001, "Achieving
  budget-balance with Vickrey-based payment schemes in exchanges").
- threshold: max(0, D_i - C) with the smallest C >= 0; of all such shares these have the smallest
  largest D_i - d_i, what anybody could gain by not telling the truth.
- proportional: D_i V / sum D.
- small: the smallest D_i in full, one after another, until V is used up.
- core: the largest that no group blocks, of these the nearest to D
  (:mod:`boca.payments.core_shares`).

Amounts are whole units of money. Fractions of a unit that a rule leaves go, a unit each, to those
with the largest fractions, and among equal ones to the first.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Literal

# The rules of an exchange. With "none", nobody pays anything.
DiscountRule = Literal["vcg", "threshold", "proportional", "small", "none"]
Amounts = Sequence[int] | Sequence[Fraction]


def offered(most: Amounts, worth: int | Fraction) -> list[Fraction]:
    """Nothing."""
    return [Fraction(0)] * len(most)


def vcg(most: Amounts, worth: int | Fraction) -> list[Fraction]:
    """All that everybody's presence is worth, whoever pays for it."""
    return [Fraction(d) for d in most]


def threshold(most: Amounts, worth: int | Fraction) -> list[Fraction]:
    """D less one amount that is the same for all, but never below 0."""
    sums = accumulate(sorted(map(Fraction, most), reverse=True))
    # What the k largest must give up each if only they do. Too few of them, or some who have less
    # than that, leave too little for the others: the right number of them gives up most.
    cuts = [(total - worth) / k for k, total in enumerate(sums, start=1)]
    cut = max([Fraction(0), *cuts])
    return [max(Fraction(0), d - cut) for d in most]


def proportional(most: Amounts, worth: int | Fraction) -> list[Fraction]:
    """The same part of every D."""
    whole = max(sum(map(Fraction, most), Fraction(0)), Fraction(worth))
    return [d * worth / whole if whole else Fraction(0) for d in map(Fraction, most)]


def small(most: Amounts, worth: int | Fraction) -> list[Fraction]:
    """The smallest D in full, until nothing is left."""
    left, shares = Fraction(worth), [Fraction(0)] * len(most)
    for i in sorted(range(len(most)), key=lambda i: most[i]):
        shares[i] = min(Fraction(most[i]), left)
        left -= shares[i]
    return shares


Rule = Callable[[Amounts, int | Fraction], list[Fraction]]
EXCHANGE_RULES: dict[str, Rule] = {
    "vcg": vcg,
    "threshold": threshold,
    "proportional": proportional,
    "small": small,
}
RULES: dict[str, Rule] = {"offered": offered, **EXCHANGE_RULES}


def in_whole_units(shares: Sequence[Fraction]) -> list[int]:
    """Shares of at least 0 in whole units, nobody's by a unit more or less, with the same sum."""
    units = [int(share) for share in shares]
    left = int(sum(shares, Fraction(0))) - sum(units)
    by_fraction = sorted(range(len(shares)), key=lambda i: units[i] - shares[i])
    for i in by_fraction[:left]:
        units[i] += 1
    return units
