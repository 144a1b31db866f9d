"""What is to be settled: everybody's offer, of whatever kind of market."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from boca.core.market import Market
from boca.payments.options import Options
from boca.payments.program import Chosen


@dataclass(frozen=True, eq=False)
class Problem:
    """
    Options of everybody, and what they mean.

    Parameters
    ----------
    market
        Goods and participants.
    options
        Everybody's, the participants' first, in the order of the market; then those of owners who
        are nobody, such as the outside option of a purchase.
    bundles
        What the owner of an option receives, holds or supplies, ``(num_options, num_goods)``.
    said
        What was said for an option, in units, ``(num_options,)``: what its owner pays before any
        share. It is the worth and, in a sale, the reserve prices on top.
    no_deal
        The option of each participant without a deal, ``(num_participants,)``; -1 where a rule
        forbids that.
    stage
        What progress reports call the search for the best choice.
    most
        The most of a participant's VCG share in a choice, in units; None for no limit.
    start
        A choice of some options to begin with where time is short, or None.
    needs_proof
        Whether shares of choices that are not proven are refused.
    unpayable
        Why shares have no meaning here; empty where they have.
    """

    market: Market
    options: Options
    bundles: np.ndarray
    said: np.ndarray
    no_deal: np.ndarray
    stage: str
    most: Callable[[Chosen, int], Fraction | None] = lambda chosen, i: None
    start: Callable[[Options], np.ndarray | None] = lambda options: None
    needs_proof: bool = False
    unpayable: str = ""

    @property
    def num_participants(self) -> int:
        return self.market.num_bidders

    @property
    def is_whole(self) -> bool:
        """Whether money is counted in whole units."""
        return self.options.decimals is not None

    @cached_property
    def largest(self) -> float:
        """What tolerances are relative to."""
        return float(np.abs(self.options.worth).max(initial=0.0)) or 1.0

    def dealers(self, chosen: Chosen) -> list[int]:
        """Who does not take what it has without a deal."""
        taken = chosen.options[: self.num_participants]
        return [int(i) for i in np.flatnonzero(taken != self.no_deal)]

    def worth(self, chosen: Chosen) -> Fraction:
        """Of a choice, exactly, in units."""
        return sum(map(Fraction, self.options.worth[chosen.options].tolist()), Fraction(0))

    def money(self, units: Fraction | float) -> float:
        """An amount of units as money: of whole units, the number that people write."""
        return float(units) / 10.0 ** (self.options.decimals or 0)
