"""The bids of an economy that win, and what is known about them."""

from dataclasses import dataclass

import numpy as np

from boca.payments.bids import Packing

# A solver's proof is good up to this share of the largest bid.
SOLVER_ERROR = 1e-6


@dataclass(frozen=True, eq=False)
class Accepted:
    """
    A set of bids that can win together.

    Parameters
    ----------
    bids
        Their indices in the packing problem, ascending.
    surplus
        What they are worth together.
    bound
        No other set has a larger surplus: exactly so where surpluses are whole numbers. Otherwise
        the search over bidders gives up to ``TIE`` of the largest surplus away for breaking ties,
        and a set can be worth more than the bound by less than that.
    method
        Which part ended the work: ``search``, ``branching`` or ``milp``.
    is_proven
        Whether nothing is better: by less than a unit where surpluses are whole numbers, by a
        part in a million of the largest bid (what solvers promise) otherwise.
    """

    bids: np.ndarray
    surplus: float
    bound: float
    method: str
    is_proven: bool

    @classmethod
    def of(cls, packing: Packing, bids: np.ndarray, bound: float, method: str) -> "Accepted":
        """
        Bids valued by the packing problem itself.

        A bound below their surplus is rounding; one of whole numbers is a whole number.
        """
        surplus = total(packing, bids)
        step = SOLVER_ERROR * packing.scale
        if packing.is_whole:
            bound, step = float(np.floor(bound)), 1.0
        is_proven = bool(bound - surplus < step)
        return cls(np.sort(bids), surplus, max(bound, surplus), method, is_proven)


@dataclass(frozen=True, eq=False)
class Solved:
    """
    What branching or a solver found out about an economy.

    Parameters
    ----------
    bids
        The best compatible bids.
    bound
        No compatible bids have a larger surplus; infinite where nothing was proven.
    is_finished
        Whether it came to its end, within the gap; False where time or nodes ran out.
    """

    bids: np.ndarray
    bound: float
    is_finished: bool


def total(packing: Packing, bids: np.ndarray) -> float:
    """Surplus of accepted bids."""
    return float(packing.surplus[bids].sum())


def relative_gap(surplus: float, bound: float) -> float:
    """How far a bound is above a surplus, relative to the surplus."""
    if bound <= surplus:
        return 0.0
    return (bound - surplus) / surplus if surplus > 0 else np.inf
