"""What a buyer's rule allows, said once: rows of the program and the check of an award call it."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from boca_verify.bodies import Bundle
from boca_verify.market import LoggedRule
from boca_verify.rules import LoggedSetup


@dataclass(frozen=True)
class Promise:
    """
    One sum that a rule bounds.

    Parameters
    ----------
    rule
        The rule.
    who
        Whose offers are counted.
    least, most
        Bounds of the sum, spend in units of money; None for none. Shares of spend are bounded by
        these shares of all that is spent.
    """

    rule: LoggedRule
    who: tuple[int, ...]
    least: Fraction | None
    most: Fraction | None

    @property
    def is_of_spend(self) -> bool:
        """Whether bounds are shares of all that is spent."""
        return self.rule.counts == "spend" and self.rule.share

    @property
    def is_alone(self) -> bool:
        """Whether one offer decides by itself if it is kept."""
        return self.rule.each and not self.is_of_spend

    def is_kept(self, amount: int, wins: bool, spend: int) -> bool:
        """
        Whether an award keeps it.

        Parameters
        ----------
        amount
            What its offers count together.
        wins
            Whether one of them supplies anything.
        spend
            What everything costs.
        """
        whole = spend if self.is_of_spend else 1
        if self.most is not None and amount > self.most * whole:
            return False
        if self.least is None or (self.rule.if_any and not wins):
            return True
        return amount >= self.least * whole

    def uses(self, amount: int, is_idle: bool, cost: int, most_spend: int) -> list[int]:
        """
        What an option uses of its rows, the upper bound's first, in whole numbers.

        Parameters
        ----------
        amount
            What it counts; 0 if it is nobody's whom this is about.
        is_idle
            Whether its owner is one of those and supplies nothing.
        cost
            What it costs.
        most_spend
            Nothing that can be chosen costs more in all.
        """
        uses = []
        for sign, bound in self._sides():
            share = bound if self.is_of_spend else Fraction(0)
            used = sign * (share.denominator * amount - share.numerator * cost)
            if sign < 0 and self.rule.if_any and is_idle:
                # Whoever supplies nothing is excused by as much as could be asked of it.
                used -= share.numerator * most_spend
            uses.append(used)
        return uses

    def bounds(self) -> list[int]:
        """The most that may be used of each of these rows."""
        if self.is_of_spend:
            return [0 for _ in self._sides()]
        # Amounts are whole: so the parts of a unit in a bound are of no use to anybody.
        return [floor(sign * bound) for sign, bound in self._sides()]

    def _sides(self) -> Iterator[tuple[int, Fraction]]:
        if self.most is not None:
            yield 1, self.most
        if self.least is not None:
            yield -1, self.least


def promises(rule: LoggedRule, setup: LoggedSetup) -> Iterator[Promise]:
    """The sums that a rule bounds."""
    places = range(setup.num_goods) if rule.lots is None else rule.lots
    whole = Fraction(1)
    if rule.counts == "spend":
        whole = Fraction(1) if rule.share else 1 / Fraction(str(setup.unit))
    elif rule.share:
        needed = sum(setup.full[j] for j in places)
        whole = Fraction(needed if rule.counts == "units" else len(places))
    least, most = (None if bound is None else bound * whole for bound in rule.bounds)
    members = rule.members(setup.num_bidders)
    for who in [(i,) for i in members] if rule.each else [members]:
        yield Promise(rule, tuple(who), least, most)


def counted_in(rule: LoggedRule, setup: LoggedSetup, bundle: Bundle, cost: int) -> int:
    """What one offer counts in a rule."""
    places = range(setup.num_goods) if rule.lots is None else rule.lots
    units = [min(bundle[j], setup.full[j]) for j in places]
    match rule.counts:
        case "spend":
            return cost
        case "units":
            return sum(units)
        case "lots":
            return sum(1 for n in units if n)
        case _:
            return 1 if any(units) else 0
