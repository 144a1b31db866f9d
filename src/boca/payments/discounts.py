"""
How an exchange shares out its gains: VCG where it can be afforded, else less of it, exactly.

All rules choose the same trades, worth V, and give every participant a discount d_i >= 0, its
utility, on what its trade is worth to it. VCG gives D_i = V - V(without i), which together are
mostly more than V; somebody else would have to pay the difference. The others give at most D_i and
at most V in all (Parkes, Kalagnanam, Eso 2001, "Achieving budget-balance with Vickrey-based payment
schemes in exchanges"):

- threshold: max(0, D_i - C) with the smallest C >= 0; of all such discounts these have the smallest
  largest D_i - d_i, what anybody could gain by not telling the truth.
- proportional: D_i V / sum D.
- small: the smallest discounts in full, one after another, until V is used up.

Amounts are whole units of money. Fractions of a unit that a rule leaves go, a unit each, to those
with the largest fractions, and among equal ones to the first.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Literal

# With "none", nobody pays anything.
DiscountRule = Literal["vcg", "threshold", "proportional", "small", "none"]


def threshold(discounts: Sequence[int], worth: int) -> list[Fraction]:
    """VCG discounts less one amount that is the same for all, but never below 0."""
    sums = accumulate(sorted(discounts, reverse=True))
    # What the k largest must give up each if only they do. Too few of them, or some who have less
    # than that, leave too little for the others: the right number of them gives up most.
    cuts = [Fraction(total - worth, k) for k, total in enumerate(sums, start=1)]
    cut = max([Fraction(0), *cuts])
    return [max(Fraction(0), d - cut) for d in discounts]


def proportional(discounts: Sequence[int], worth: int) -> list[Fraction]:
    """The same share of every VCG discount."""
    whole = max(sum(discounts), worth, 1)
    return [Fraction(d * worth, whole) for d in discounts]


def small(discounts: Sequence[int], worth: int) -> list[Fraction]:
    """The smallest VCG discounts in full, until nothing is left."""
    left, shares = worth, {}
    for i in sorted(range(len(discounts)), key=lambda i: discounts[i]):
        shares[i] = Fraction(min(discounts[i], left))
        left -= int(shares[i])
    return [shares[i] for i in range(len(discounts))]


def vcg(discounts: Sequence[int], worth: int) -> list[Fraction]:
    """The VCG discounts, whoever pays for them."""
    return [Fraction(d) for d in discounts]


RULES: dict[DiscountRule, Callable[[Sequence[int], int], list[Fraction]]] = {
    "vcg": vcg,
    "threshold": threshold,
    "proportional": proportional,
    "small": small,
}


def in_whole_units(shares: Sequence[Fraction]) -> list[int]:
    """Shares of at least 0 in whole units, nobody's by a unit more or less, with the same sum."""
    units = [int(share) for share in shares]
    left = int(sum(shares, Fraction(0))) - sum(units)
    by_fraction = sorted(range(len(shares)), key=lambda i: units[i] - shares[i])
    for i in by_fraction[:left]:
        units[i] += 1
    return units
