"""Who gets what, and whether that is possible."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from boca.core.bundle import as_counts
from boca.core.economy import Economy
from boca.core.errors import InfeasibleAllocation
from boca.core.frozen import read_only, set_fields
from boca.core.market import Market


@dataclass(frozen=True, eq=False)
class Allocation:
    """
    One bundle per bidder.

    Parameters
    ----------
    bundles
        Integer matrix ``(num_bidders, num_goods)``; bidders outside an economy have empty rows.
    """

    bundles: np.ndarray

    def __post_init__(self) -> None:
        set_fields(self, bundles=read_only(as_counts(self.bundles, "an allocation")))

    @classmethod
    def empty(cls, market: Market) -> "Allocation":
        """Nobody gets anything."""
        return cls(np.zeros((market.num_bidders, market.num_goods), dtype=np.int64))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Allocation) and np.array_equal(self.bundles, other.bundles)

    def unsold(self, market: Market) -> np.ndarray:
        """Copies of each good that nobody gets."""
        left: np.ndarray = market.capacities - self.bundles.sum(axis=0)
        return left


def violations(allocation: Allocation, market: Market, economy: Economy | None = None) -> list[str]:
    """Every way in which an allocation is infeasible, in words; empty if it is feasible."""
    bundles = allocation.bundles
    expected = (market.num_bidders, market.num_goods)
    if bundles.shape != expected:
        return [f"the allocation has shape {bundles.shape}, expected {expected}"]

    problems = []
    for i, j in np.argwhere(bundles < 0):
        problems.append(
            f"bidder '{market.bidders[i].name}' gets {bundles[i, j]} copies of "
            f"'{market.goods[j].name}'"
        )

    # Of what is bought, more than is needed may be delivered.
    totals = bundles.sum(axis=0) if market.sense == "sell" else 0 * market.capacities
    for j in np.flatnonzero(totals > market.capacities):
        problems.append(
            f"good '{market.goods[j].name}' is given away {totals[j]} times, "
            f"but there are {market.capacities[j]}"
        )

    for i, bidder in enumerate(market.bidders):
        for limit in market.broken_limits(i, bundles[i]):
            total = float(np.dot(limit.coefficients, bundles[i]))
            problems.append(
                f"bidder '{bidder.name}' exceeds its limit '{limit.name}': "
                f"{total:g} > {limit.bound:g}"
            )

    if economy is not None:
        for i in range(market.num_bidders):
            if i not in economy and bundles[i].any():
                problems.append(f"bidder '{market.bidders[i].name}' gets goods without taking part")
    return problems


def check_feasible(
    allocation: Allocation | ArrayLike, market: Market, economy: Economy | None = None
) -> None:
    """
    Raises InfeasibleAllocation unless the allocation is in the feasible set.

    Feasible means: no good is given away more often than it exists, every bundle obeys its
    bidder's limits, and bidders outside the economy get nothing. Where the market buys, more than
    is needed may be supplied; rules across suppliers are for awards (:mod:`boca.payments.awards`).
    """
    if not isinstance(allocation, Allocation):
        allocation = Allocation(np.asarray(allocation))
    problems = violations(allocation, market, economy)
    if problems:
        raise InfeasibleAllocation("The allocation is not feasible: " + "; ".join(problems) + ".")
