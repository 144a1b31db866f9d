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

from boca_verify.bodies import Bundle
from boca_verify.errors import Undecided
from boca_verify.solver import Program

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
    raise Undecided(
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
    program = Program(maximise=False)
    prices = [program.variable(float(capacity)) for capacity in capacities]
    most = {owner: program.variable(1.0) for owner in owners}
    for bid in bids:
        wanted = [(prices[j], float(n)) for j, n in enumerate(bid.bundle) if n]
        program.row([(most[bid.owner], 1.0), *wanted], lower=bid.surplus / scale)
    solution = program.solve()
    if solution.point is None:
        raise Undecided(f"SCIP found no prices: {solution.how}.")
    return tuple(max(0, int(solution.point[price] * scale)) for price in prices)


def _divided(part: Part) -> CheckedBid | None:
    """The bid that the linear relaxation divides most evenly; None if it divides none."""
    scale = max(bid.surplus for bid in part.bids)
    program = Program(maximise=True)
    shares = [program.variable(bid.surplus / scale, upper=1.0) for bid in part.bids]
    for owner in {bid.owner for bid in part.bids}:
        own = [shares[k] for k, bid in enumerate(part.bids) if bid.owner == owner]
        program.row([(share, 1.0) for share in own], upper=1.0)
    for good, capacity in enumerate(part.capacities):
        counts = [(shares[k], float(bid.bundle[good])) for k, bid in enumerate(part.bids)]
        program.row([(share, n) for share, n in counts if n], upper=float(capacity))
    point = program.solve().point
    if point is None:
        raise Undecided("SCIP did not solve a linear program.")
    evenness = [min(share, 1 - share) for share in point]
    middle = evenness.index(max(evenness))
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
    program = Program(maximise=False)
    accepted = {
        k: program.variable(float(waste.of_bids[k] // divisor), upper=1.0, is_whole=True)
        for k in kept
    }
    for owner, units in waste.most.items():
        own = [(accepted[k], 1.0) for k in kept if waste.bids[k].owner == owner]
        own += _left_over(program, units, 1, budget, divisor)
        program.row(own, 1.0, 1.0)
    for good, (capacity, price) in enumerate(zip(waste.capacities, waste.prices, strict=True)):
        wanting = [k for k in kept if waste.bids[k].bundle[good]]
        copies = [(accepted[k], float(waste.bids[k].bundle[good])) for k in wanting]
        copies += _left_over(program, price, capacity, budget, divisor)
        program.row(copies, float(capacity), float(capacity))
    solution = program.solve()
    if solution.how == "infeasible":
        return None
    if solution.how != "optimal" or solution.point is None:
        raise Undecided(f"SCIP ended as '{solution.how}'.")
    if ceil(solution.bound - TOLERANCE) > budget // divisor:
        return None
    if solution.objective > budget // divisor + TOLERANCE:
        raise Undecided(f"SCIP stopped at {solution.objective} with the bound {solution.bound}.")
    return [waste.bids[k] for k in kept if solution.point[accepted[k]] > 0.5]


def _left_over(
    program: Program, units: int, most: int, budget: int, divisor: int
) -> list[tuple[int, float]]:
    """A variable for what is not accepted or left over, if the budget allows any."""
    number = most if not units else min(most, budget // units)
    if not number:
        return []
    cost = float(units // divisor)
    return [(program.variable(cost, upper=float(number), is_whole=True), 1.0)]
