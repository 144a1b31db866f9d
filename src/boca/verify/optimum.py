"""
The best way to accept bids, at most one per bidder and within the capacities, in exact integers.

Solvers calculate with floating point, and here one unit of money decides. So the sums that count
are whole numbers of Python throughout, and SCIP answers questions whose numbers are small:

1. SCIP finds prices of the goods, which are rounded down to whole units p >= 0. With u_i the
   largest surplus that bidder i could have at these prices,

       bound = sum_j p_j c_j + sum_i u_i

   is at least the value of every allocation, whatever the prices (weak duality); this is a sum of
   integers. An allocation is worth the bound less its waste: u_i less the surplus of the accepted
   bid for each bidder, and p_j for every copy that is left over.
2. Only an allocation whose waste is smaller than that of the best known one could beat it. SCIP
   looks for the smallest waste. Wastes above 10^7 units are divided and rounded down, so that
   SCIP's bound stays below the truth; whatever it finds is added up exactly, and if it is no
   better, it is forbidden and SCIP looks again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from boca.core.errors import SolverError
from boca.milp import MilpParams, Model, Status, solve
from boca.verify.bodies import Bundle

# Whole numbers up to this are decided by SCIP to the unit: its tolerance is 1e-9 of them.
LARGEST_COST = 10**7
# By how much SCIP's bound on a sum of whole numbers may be off.
TOLERANCE = 0.1
# Allocations within a few units of each other that are looked at one by one.
MOST_TIES = 1000


@dataclass(frozen=True)
class Bid:
    """
    One bid that can be accepted.

    Parameters
    ----------
    owner, bundle
        Whose it is, and for what.
    surplus
        Its value above reserve prices, in units; positive.
    """

    owner: int
    bundle: Bundle
    surplus: int


@dataclass(frozen=True)
class Optimum:
    """
    The best bids that can be accepted together.

    Parameters
    ----------
    surplus
        What they are worth; nothing is worth more.
    bids
        The bids.
    """

    surplus: int
    bids: tuple[Bid, ...]


def best_bids(bids: Sequence[Bid], capacities: Bundle, start: Sequence[Bid] = ()) -> Optimum:
    """
    The bids with the largest surplus, proven.

    Parameters
    ----------
    bids
        What can be accepted.
    capacities
        Copies of each good.
    start
        Compatible bids that are known; any, but good ones save work.
    """
    useful = [bid for bid in bids if bid.surplus > 0]
    best = Optimum(sum(bid.surplus for bid in start), tuple(start))
    if not useful:
        return best
    waste = Waste.at_prices(useful, capacities, _prices(useful, capacities))
    forbidden: list[set[int]] = []
    while (budget := waste.bound - best.surplus - 1) >= 0:
        chosen = _least_waste(waste, budget, forbidden)
        if chosen is None:
            return best
        accepted = tuple(useful[k] for k in chosen)
        surplus = sum(bid.surplus for bid in accepted)
        if surplus > best.surplus:
            best = Optimum(surplus, accepted)
        else:
            forbidden.append(set(chosen))
        if len(forbidden) > MOST_TIES:
            raise SolverError(
                f"More than {MOST_TIES} allocations are within a few units of each other; the best "
                "of them was not proven."
            )
    return best


@dataclass(frozen=True)
class Waste:
    """
    By how much an allocation misses a bound that no allocation can exceed.

    Parameters
    ----------
    bids, capacities
        The problem.
    prices
        Of one copy of each good: what a copy that is left over wastes.
    most
        The largest surplus at these prices of each bidder: what accepting none of its bids wastes.
    of_bids
        What accepting each bid wastes.
    bound
        Sum of all prices and ``most``.
    """

    bids: Sequence[Bid]
    capacities: Bundle
    prices: tuple[int, ...]
    most: dict[int, int]
    of_bids: tuple[int, ...]
    bound: int

    @classmethod
    def at_prices(cls, bids: Sequence[Bid], capacities: Bundle, prices: tuple[int, ...]) -> "Waste":
        """The waste of everything at some prices."""
        profits = [bid.surplus - _cost(bid.bundle, prices) for bid in bids]
        most = dict.fromkeys((bid.owner for bid in bids), 0)
        for bid, profit in zip(bids, profits, strict=True):
            most[bid.owner] = max(most[bid.owner], profit)
        of_bids = tuple(most[bid.owner] - profit for bid, profit in zip(bids, profits, strict=True))
        bound = _cost(capacities, prices) + sum(most.values())
        return cls(bids, capacities, prices, most, of_bids, bound)


def _cost(bundle: Bundle, prices: tuple[int, ...]) -> int:
    return sum(n * price for n, price in zip(bundle, prices, strict=True))


def _prices(bids: Sequence[Bid], capacities: Bundle) -> tuple[int, ...]:
    """Prices with a small bound: the dual of the linear relaxation, rounded down to units."""
    scale = max(bid.surplus for bid in bids)
    owners = sorted({bid.owner for bid in bids})
    model = Model(maximise=False)
    prices = model.add_variables(len(capacities), cost=np.array(capacities, dtype=float))
    most = dict(zip(owners, model.add_variables(len(owners), cost=1.0).tolist(), strict=True))
    for bid in bids:
        wanted = np.flatnonzero(bid.bundle)
        columns = [most[bid.owner], *prices[wanted].tolist()]
        counts = [1.0, *(float(bid.bundle[j]) for j in wanted)]
        model.add_row(columns, counts, lower=bid.surplus / scale)
    result = solve(model, MilpParams(solver="scip"))
    if result.x is None:
        raise SolverError(f"SCIP found no prices: {result.status.value}.")
    return tuple(max(0, int(price * scale)) for price in result.x[prices].tolist())


def _least_waste(waste: Waste, budget: int, forbidden: Sequence[set[int]]) -> list[int] | None:
    """
    Bids of an allocation that wastes at most the budget, or may do so; None if there is none.

    Parameters
    ----------
    waste
        The problem.
    budget
        The largest waste of interest.
    forbidden
        Sets of bids that are known.
    """
    divisor = -(-budget // LARGEST_COST) or 1
    # What alone wastes more than the budget cannot be part of an answer.
    kept = [k for k, units in enumerate(waste.of_bids) if units <= budget]
    model = Model(maximise=False)
    costs = np.array([waste.of_bids[k] // divisor for k in kept], dtype=float)
    accepted = model.add_variables(len(kept), upper=1.0, integer=True, cost=costs)
    column = dict(zip(kept, accepted.tolist(), strict=True))
    for owner, units in waste.most.items():
        own = [column[k] for k in kept if waste.bids[k].owner == owner]
        own += _left_over(model, units, 1, budget, divisor)
        model.add_row(own, 1.0, 1.0, 1.0)
    for good, (capacity, price) in enumerate(zip(waste.capacities, waste.prices, strict=True)):
        wanting = [k for k in kept if waste.bids[k].bundle[good]]
        left = _left_over(model, price, capacity, budget, divisor)
        columns = [column[k] for k in wanting] + left
        counts = [float(waste.bids[k].bundle[good]) for k in wanting] + [1.0] * len(left)
        model.add_row(columns, counts, capacity, capacity)
    for chosen in forbidden:
        if chosen <= column.keys():
            signs = [-1.0 if k in chosen else 1.0 for k in kept]
            model.add_row(accepted, signs, lower=1.0 - len(chosen))

    result = solve(model, MilpParams(solver="scip"))
    if result.status is Status.INFEASIBLE:
        return None
    if result.status is not Status.OPTIMAL or result.x is None:
        raise SolverError(f"SCIP ended as '{result.status.value}'.")
    if ceil(result.bound - TOLERANCE) > budget // divisor:
        return None
    if result.objective > budget // divisor + TOLERANCE:
        raise SolverError(f"SCIP stopped at {result.objective} with the bound {result.bound}.")
    return [k for k in kept if result.x[column[k]] > 0.5]


def _left_over(model: Model, units: int, most: int, budget: int, divisor: int) -> list[int]:
    """A variable for what is not accepted or left over, if the budget allows any."""
    number = most if not units else min(most, budget // units)
    if not number:
        return []
    cost = float(units // divisor)
    left = model.add_variables(1, upper=float(number), integer=True, cost=cost)
    return [int(column) for column in left]
