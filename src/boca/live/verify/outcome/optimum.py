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
   looks for the smallest waste, which it decides to the unit as long as wastes are small.
3. Where they are not, they are divided and rounded down first, so that SCIP's bound stays below
   the truth. If that does not settle it, since allocations differ by a few units in many millions,
   the problem is split in two: some bid is accepted, or it is not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from boca.core.errors import SolverError
from boca.live.verify.bodies import Bundle
from boca.milp import MilpParams, Model, Status, solve

# Whole numbers up to this are decided by SCIP to the unit: its tolerance is 1e-9 of them. Wrong
# answers were seen from 5 * 10^8 on.
LARGEST_COST = 10**8
# By how much SCIP's bound on a sum of whole numbers may be off.
TOLERANCE = 0.1
# Parts of one problem after which it counts as not decided.
MOST_PARTS = 100_000


@dataclass(frozen=True)
class CheckedBid:
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
    bids: tuple[CheckedBid, ...]


def best_bids(
    bids: Sequence[CheckedBid],
    capacities: Bundle,
    start: Sequence[CheckedBid] = (),
    fits: Callable[[Sequence[CheckedBid]], bool] = lambda bids: True,
) -> Optimum:
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
    fits
        Whether bids that are within the capacities can be accepted together all the same; for rows
        with numbers that are too large for a solver.
    """
    best = Optimum(sum(bid.surplus for bid in start), tuple(start))
    parts = [Part((), tuple(bid for bid in bids if bid.surplus > 0), capacities)]
    for _ in range(MOST_PARTS):
        if not parts:
            return best
        best, rest = _looked_at(parts.pop(), best, fits)
        parts += rest
    raise SolverError(
        f"After {MOST_PARTS} steps it is not proven which allocation is best; too many are within "
        "a few units of each other."
    )


@dataclass(frozen=True)
class Part:
    """
    A part of the problem: some bids are accepted, some are left.

    Parameters
    ----------
    accepted
        Bids that are accepted.
    bids, capacities
        Bids that may be, and the copies that are left for them.
    """

    accepted: tuple[CheckedBid, ...]
    bids: tuple[CheckedBid, ...]
    capacities: Bundle

    @property
    def surplus(self) -> int:
        """What the accepted bids are worth."""
        return sum(bid.surplus for bid in self.accepted)

    def with_bid(self, bid: CheckedBid) -> "Part":
        """One bid more is accepted."""
        left = tuple(c - n for c, n in zip(self.capacities, bid.bundle, strict=True))
        fitting = tuple(b for b in self.bids if b.owner != bid.owner and _fits(b.bundle, left))
        return Part((*self.accepted, bid), fitting, left)

    def without_bid(self, bid: CheckedBid) -> "Part":
        """One bid is not accepted."""
        return replace(self, bids=tuple(b for b in self.bids if b != bid))


def _looked_at(
    part: Part, best: Optimum, fits: Callable[[Sequence[CheckedBid]], bool]
) -> tuple[Optimum, list[Part]]:
    """The best bids after a look at a part, and what of it is left to look at."""
    base = part.surplus
    if not part.bids:
        is_better = base > best.surplus and fits(part.accepted)
        return (Optimum(base, part.accepted) if is_better else best), []
    waste = Waste.at_prices(part.bids, part.capacities, _prices(part.bids, part.capacities))
    budget = base + waste.bound - best.surplus - 1
    if budget < 0:
        return best, []
    chosen = _least_waste(waste, budget)
    if chosen is None:
        return best, []
    surplus = base + sum(bid.surplus for bid in chosen)
    if surplus > best.surplus and fits((*part.accepted, *chosen)):
        best = Optimum(surplus, (*part.accepted, *chosen))
        return best, [] if budget <= LARGEST_COST else [part]
    bid = _divided(part) or (chosen or part.bids)[0]
    return best, [part.without_bid(bid), part.with_bid(bid)]


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

    bids: Sequence[CheckedBid]
    capacities: Bundle
    prices: tuple[int, ...]
    most: dict[int, int]
    of_bids: tuple[int, ...]
    bound: int

    @classmethod
    def at_prices(
        cls, bids: Sequence[CheckedBid], capacities: Bundle, prices: tuple[int, ...]
    ) -> "Waste":
        """The waste of everything at some prices."""
        profits = [bid.surplus - _cost(bid.bundle, prices) for bid in bids]
        most = dict.fromkeys((bid.owner for bid in bids), 0)
        for bid, profit in zip(bids, profits, strict=True):
            most[bid.owner] = max(most[bid.owner], profit)
        of_bids = tuple(most[bid.owner] - profit for bid, profit in zip(bids, profits, strict=True))
        bound = _cost(capacities, prices) + sum(most.values())
        return cls(bids, capacities, prices, most, of_bids, bound)


def _fits(bundle: Bundle, capacities: Bundle) -> bool:
    return all(n <= c for n, c in zip(bundle, capacities, strict=True))


def _cost(bundle: Bundle, prices: tuple[int, ...]) -> int:
    return sum(n * price for n, price in zip(bundle, prices, strict=True))


def _prices(bids: Sequence[CheckedBid], capacities: Bundle) -> tuple[int, ...]:
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


def _divided(part: Part) -> CheckedBid | None:
    """The bid that the linear relaxation divides most evenly; None if it divides none."""
    scale = max(bid.surplus for bid in part.bids)
    model = Model(maximise=True)
    values = np.array([bid.surplus / scale for bid in part.bids])
    shares = model.add_variables(len(part.bids), upper=1.0, cost=values)
    for owner in {bid.owner for bid in part.bids}:
        own = [k for k, bid in enumerate(part.bids) if bid.owner == owner]
        model.add_row(shares[own], 1.0, upper=1.0)
    for good, capacity in enumerate(part.capacities):
        wanting = [k for k, bid in enumerate(part.bids) if bid.bundle[good]]
        counts = [float(part.bids[k].bundle[good]) for k in wanting]
        model.add_row(shares[wanting], counts, upper=capacity)
    point = solve(model, MilpParams(solver="scip")).x
    if point is None:
        raise SolverError("SCIP did not solve a linear program.")
    evenness = np.minimum(point, 1 - point)
    middle = int(np.argmax(evenness))
    return part.bids[middle] if evenness[middle] > 1e-6 else None


def _least_waste(waste: Waste, budget: int) -> list[CheckedBid] | None:
    """
    Bids that waste at most the budget, or may do so; None if there are none.

    Parameters
    ----------
    waste
        The problem.
    budget
        The largest waste of interest.
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
    result = solve(model, MilpParams(solver="scip"))
    if result.status is Status.INFEASIBLE:
        return None
    if result.status is not Status.OPTIMAL or result.x is None:
        raise SolverError(f"SCIP ended as '{result.status.value}'.")
    if ceil(result.bound - TOLERANCE) > budget // divisor:
        return None
    if result.objective > budget // divisor + TOLERANCE:
        raise SolverError(f"SCIP stopped at {result.objective} with the bound {result.bound}.")
    return [waste.bids[k] for k in kept if result.x[column[k]] > 0.5]


def _left_over(model: Model, units: int, most: int, budget: int, divisor: int) -> list[int]:
    """A variable for what is not accepted or left over, if the budget allows any."""
    number = most if not units else min(most, budget // units)
    if not number:
        return []
    cost = float(units // divisor)
    left = model.add_variables(1, upper=float(number), integer=True, cost=cost)
    return [int(column) for column in left]
