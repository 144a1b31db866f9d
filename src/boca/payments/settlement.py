"""
What everybody gets and pays, in every kind of market.

    payment_i = said_i - share_i        share = rule(D, V)        D_i = V - V_i

``said`` is the bid, minus the cost, or the gain of a trade: the worth and, in a sale, the reserve
prices on top. Everything is a fraction until it is written down.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from boca.core.errors import InputError
from boca.payments.bids import ROUNDING
from boca.payments.core_shares import Group, core_shares
from boca.payments.economies import Economies, second_solver
from boca.payments.effort import Effort
from boca.payments.problem import Problem
from boca.payments.program import Chosen
from boca.payments.shares import RULES, in_whole_units

# Rules for which nobody's presence counts.
WITHOUT_SHARES = ("none", "offered")


@dataclass(frozen=True, eq=False)
class Settlement:
    """
    The best choice of a problem, and everybody's share of what it is worth.

    Parameters
    ----------
    problem
        What was settled.
    rule
        Name of the rule of shares; ``none`` where nobody pays.
    best
        What everybody takes.
    without
        What everybody takes without each dealer, where that was needed.
    shares
        By dealer, in units; none where somebody's is 0.
    groups, binding, is_in_core
        Of core shares: groups that were met, those that set the shares, whether none blocks.
    verified_by
        Name of the second solver that confirmed what was decided.
    """

    problem: Problem
    rule: str
    best: Chosen
    without: Mapping[int, Chosen] = field(default_factory=dict)
    shares: Mapping[int, Fraction] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()
    binding: tuple[Group, ...] = ()
    is_in_core: bool = True
    verified_by: str | None = None

    @cached_property
    def V(self) -> Fraction:
        """What the best choice is worth, in units."""
        return self.problem.worth(self.best)

    @cached_property
    def D(self) -> dict[int, Fraction]:
        """``V - V_i`` of every dealer, in units; what is rounding of floats is 0."""
        differences = {i: self.V - self.problem.worth(own) for i, own in self.without.items()}
        least = Fraction(0 if self.problem.is_whole else ROUNDING * self.problem.largest)
        return {i: d if d > least else Fraction(0) for i, d in differences.items()}

    @property
    def bundles(self) -> np.ndarray:
        """What everybody receives, holds or supplies, ``(num_participants, num_goods)``."""
        taken = self.best.options[: self.problem.num_participants]
        bundles: np.ndarray = self.problem.bundles[taken]
        return bundles

    @property
    def outside(self) -> np.ndarray:
        """What owners who are nobody supply, ``(num_goods,)``."""
        taken = self.best.options[self.problem.num_participants :]
        supplied: np.ndarray = self.problem.bundles[taken].sum(axis=0)
        return supplied

    def said(self, i: int) -> Fraction:
        """What was said for what a participant gets or supplies, in units."""
        return Fraction(float(self.problem.said[self.best.options[i]]))

    @property
    def payments(self) -> np.ndarray:
        """What each pays, negative for what it is paid, in money, ``(num_participants,)``."""
        num = self.problem.num_participants
        if self.rule == "none":
            return np.zeros(num)
        units = [self.said(i) - self.shares.get(i, Fraction(0)) for i in range(num)]
        return np.array([self.problem.money(amount) for amount in units])


class Unpayable(InputError):
    """
    Raised where there is a choice, and the rule of shares has no meaning for it.

    Parameters
    ----------
    message
        Why; empty where ``dealer`` or ``made`` say it.
    made
        The choice, without shares.
    dealer
        Who is indispensable: without it there is no choice.
    """

    def __init__(self, message: str, made: Settlement, dealer: int | None = None):
        super().__init__(message)
        self.made, self.dealer = made, dealer


def settle(problem: Problem, rule: str, effort: Effort, verify: bool = False) -> Settlement | None:
    """
    The best choice and everybody's share; None if nothing can be chosen under the rules.

    Parameters
    ----------
    problem
        Everybody's offers.
    rule
        One of ``none``, ``core`` and :data:`boca.payments.shares.RULES`.
    effort
        When to stop.
    verify
        Whether a second solver has to confirm what is decided.
    """
    economies = Economies(problem, effort, second_solver() if verify else None)
    needs_shares = rule not in WITHOUT_SHARES
    solved = economies.solve(needs_shares and not problem.unpayable)
    if solved is None:
        return None
    best, without = solved
    made = Settlement(problem, rule, best, verified_by=economies.verifier)
    if not needs_shares:
        return made
    present = _checked(made, without)
    made = _shared_out(replace(made, without=present), economies)
    return replace(made, verified_by=economies.verifier)


def _checked(made: Settlement, without: Mapping[int, Chosen | None]) -> dict[int, Chosen]:
    """Everybody's absence, or the reason why it says nothing about shares."""
    problem, plain = made.problem, replace(made, rule="none")
    if problem.unpayable:
        raise Unpayable(problem.unpayable, plain)
    if problem.needs_proof and not made.best.is_proven:
        raise Unpayable("", plain)
    present: dict[int, Chosen] = {}
    for i, own in without.items():
        if own is None:
            raise Unpayable("", plain, i)
        if problem.needs_proof and not own.is_proven:
            raise Unpayable("", plain)
        present[i] = own
    return present


def _shared_out(made: Settlement, economies: Economies) -> Settlement:
    problem = made.problem
    if made.rule == "core":
        found = core_shares(economies, made.best, made.D)
        return replace(
            made,
            shares=found.shares,
            groups=found.groups,
            binding=found.binding,
            is_in_core=found.is_proven,
        )
    everybody = range(problem.num_participants)
    shares = RULES[made.rule]([made.D.get(i, Fraction(0)) for i in everybody], made.V)
    if problem.is_whole:
        shares = [Fraction(units) for units in in_whole_units(shares)]
    if made.rule == "vcg":
        limits = [problem.most(made.best, i) for i in everybody]
        shares = [s if m is None else min(s, m) for s, m in zip(shares, limits, strict=True)]
    return replace(made, shares={i: share for i, share in enumerate(shares) if share})
