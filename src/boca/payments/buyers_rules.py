"""
A buyer's rule in one place: whose sums it bounds, and by how much.

:func:`parts` says it once. Offers that break a rule by themselves, rows of the problem and the
check of an award all come from it. Everything is counted exactly: bounds as they were written,
money in whole units or as it was written.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from boca.core.rule import Rule, as_written


@dataclass(frozen=True)
class Part:
    """
    One sum that a rule bounds.

    Parameters
    ----------
    members
        Whose amounts are added up.
    least, most
        Bounds of the sum; None for none. Of a share of spend they are shares of all that is spent.
    is_of_spend
        Whether they are.
    unless_idle
        Whether ``least`` holds only if one of the members wins something.
    is_alone
        Whether each offer of its only member decides by itself if it holds.
    """

    members: tuple[int, ...]
    least: Fraction | None
    most: Fraction | None
    is_of_spend: bool
    unless_idle: bool
    is_alone: bool

    def holds(self, amount: Fraction, wins: bool, spend: Fraction = Fraction(0)) -> bool:
        """
        Whether it does.

        Parameters
        ----------
        amount
            What the members' offers count together.
        wins
            Whether one of them supplies anything.
        spend
            What everything costs.
        """
        whole = spend if self.is_of_spend else 1
        if self.most is not None and amount > self.most * whole:
            return False
        is_excused = self.unless_idle and not wins
        return self.least is None or is_excused or amount >= self.least * whole

    def rows(
        self,
        amounts: Sequence[Fraction],
        costs: Sequence[Fraction],
        is_idle: Sequence[bool],
        most_spend: Fraction,
    ) -> Iterator[tuple[np.ndarray, Fraction]]:
        """
        The same as rows: of each the coefficients of all options, and the most of their sum.

        Parameters
        ----------
        amounts
            What each option counts, 0 unless its owner is a member, ``(num_options,)``.
        costs
            What each costs, units from outside included.
        is_idle
            Whether taking it excuses the members.
        most_spend
            No choice costs more.
        """
        counted, paid = np.array(amounts, dtype=object), np.array(costs, dtype=object)
        for bound, sign in ((self.most, 1), (self.least, -1)):
            if bound is None:
                continue
            share = bound if self.is_of_spend else Fraction(0)
            row = sign * (counted - share * paid)
            if sign < 0 and self.unless_idle:
                # Whoever is idle is excused by as much as could be asked of it at all.
                row[np.flatnonzero(is_idle)] -= bound * (most_spend if self.is_of_spend else 1)
            yield row, Fraction(0) if self.is_of_spend else sign * bound


def parts(
    rule: Rule, needed: np.ndarray, num_suppliers: int, units_of_money: int = 1
) -> Iterator[Part]:
    """
    The sums that a rule bounds, in what it counts.

    Parameters
    ----------
    rule
        The rule.
    needed
        Units of each lot, ``(num_lots,)``.
    num_suppliers
        How many there are.
    units_of_money
        How many of the units in which spend is counted make one of the money that is written.
    """
    is_of_spend = rule.counts == "spend" and rule.share
    factor = 1
    if rule.counts == "spend":
        factor = 1 if rule.share else units_of_money
    elif rule.share:
        factor = rule.whole(needed)
    least, most = (None if bound is None else bound * factor for bound in rule.bounds)
    members = rule.members(num_suppliers)
    for group in [(i,) for i in members] if rule.each else [members]:
        is_alone = rule.each and not is_of_spend
        yield Part(tuple(group), least, most, is_of_spend, rule.if_any, is_alone)


def exactly(numbers: np.ndarray) -> list[Fraction]:
    """Numbers as they were written, so that their sums are exact."""
    return [as_written(number) for number in numbers.tolist()]
