"""
The best allocation of what was reported, proven optimal.

Reports are XOR bids, and accepting them is set packing. Two exact methods share the work: a branch
and bound that knows who owns which bid (:mod:`boca.payments.branch_and_bound`), and, where that
one gives up, a mixed-integer program that starts from its best solution.

Ties are broken by a stated rule. Allocations whose surplus differs by less than ``TIE`` of the
largest bid are tied; of these, the one that gives away the fewest copies wins; of those, the one
with the largest sum of lottery numbers, fixed numbers computed from bidder and bundle. The rule is
guaranteed where the result's method is ``search``; where it is ``milp``, the choice among tied
allocations is the solver's (deterministic, but not by this rule).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from boca.core.allocation import Allocation, check_feasible
from boca.core.economy import Economy
from boca.core.errors import SolverError
from boca.core.market import Market
from boca.core.report import Reports
from boca.milp import MasterLP, MilpParams, Model, Status, solve
from boca.payments.bids import TIE, Packing
from boca.payments.branch_and_bound import search

# Nodes after which the search leaves the field to the solver, by the number of bidders who bid:
# about ten seconds where the search is strong (and solvers need minutes), one or two where there
# are many bidders, none where there are so many that its bound says little.
NODE_LIMITS = ((12, 1_000_000), (48, 200_000))


@dataclass(frozen=True, eq=False)
class AllocationResult:
    """
    An optimal allocation of an economy on the reports.

    Parameters
    ----------
    allocation
        Who gets what; every bundle is one that its bidder reported, or empty.
    values
        Reported value of each bidder for its bundle, ``(num_bidders,)``.
    surplus
        Reported values less the reserve prices of what is given away; equal to the welfare
        without reserve prices. This is what is maximised.
    bound
        No allocation of the economy has a larger surplus.
    method
        ``search`` or ``milp``, whichever completed the proof.
    seconds
        Wall-clock time.
    """

    allocation: Allocation
    values: np.ndarray
    surplus: float
    bound: float
    method: str
    seconds: float

    @property
    def welfare(self) -> float:
        """Sum of the reported values of what is received."""
        return float(self.values.sum())

    @property
    def gap(self) -> float:
        """``(bound - surplus) / surplus``."""
        return (self.bound - self.surplus) / self.surplus if self.surplus > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Accepted:
    """
    An optimal set of bids of a packing problem.

    Parameters
    ----------
    bids
        Their indices in the problem, ascending.
    bound
        No other set has a larger surplus.
    method
        ``search`` or ``milp``.
    """

    bids: np.ndarray
    bound: float
    method: str


def allocate(
    reports: Sequence[Reports],
    market: Market,
    economy: Economy | None = None,
    reserve: np.ndarray | Sequence[float] | None = None,
    solver: str | None = None,
) -> AllocationResult:
    """
    The allocation with the largest reported welfare, with proof.

    A bidder receives a bundle that it reported, or nothing. Reports beyond the bidder's limits
    never win.

    Parameters
    ----------
    reports
        One Reports object a bidder.
    market
        Capacities and limits.
    economy
        Who takes part; everybody if None.
    reserve
        Price of one copy of each good, ``(num_goods,)``, below which it is kept; None means 0.
    solver
        Name of a MILP solver that shall do all the work; None for the search first.
    """
    began = perf_counter()
    economy = Economy.main(market.num_bidders) if economy is None else economy
    packing = Packing.from_reports(reports, market, reserve)
    accepted = accept(packing, economy, solver=solver)
    return to_result(packing, accepted, reports, market, economy, perf_counter() - began)


def to_result(
    packing: Packing,
    accepted: Accepted,
    reports: Sequence[Reports],
    market: Market,
    economy: Economy,
    seconds: float,
) -> AllocationResult:
    """Accepted bids as an allocation, checked and valued again from the reports themselves."""
    bundles = np.zeros((market.num_bidders, market.num_goods), dtype=np.int64)
    values = np.zeros(market.num_bidders)
    for bid in accepted.bids.tolist():
        owner = int(packing.owners[bid])
        bundles[owner] = packing.bundles[bid]
        values[owner] = reports[owner].value_of(packing.bundles[bid])
    allocation = Allocation(bundles)
    check_feasible(allocation, market, economy)
    surplus = total(packing, accepted.bids)
    return AllocationResult(
        allocation, values, surplus, max(accepted.bound, surplus), accepted.method, seconds
    )


def total(packing: Packing, bids: np.ndarray) -> float:
    """Surplus of accepted bids."""
    return float(packing.surplus[bids].sum())


def accept(
    packing: Packing,
    economy: Economy,
    start: np.ndarray | None = None,
    solver: str | None = None,
) -> Accepted:
    """
    The bids of an economy that win.

    Parameters
    ----------
    packing
        The bids of all bidders.
    economy
        Who takes part.
    start
        Compatible bids to begin with, such as the winners of another economy; those of bidders
        who do not take part are left out.
    solver
        Name of a MILP solver that shall do all the work; None for the search first.
    """
    taking_part = np.flatnonzero(np.isin(packing.owners, economy.bidders))
    own = packing.keep(taking_part)
    if not len(own):
        return Accepted(np.zeros(0, dtype=np.int64), 0.0, "search")
    known = np.zeros(0, dtype=np.int64)
    if start is not None:
        known = np.flatnonzero(np.isin(taking_part, start))

    if solver is not None:
        found, bound = _by_milp(own, known, solver)
        return Accepted(taking_part[found], bound, "milp")
    node_limit = _node_limit(own)
    if node_limit:
        result = search(own, [dual_prices(own)], known, node_limit)
        known = result.accepted
        if result.complete:
            # Nothing exceeds the incumbent by more than the ties that the weights break.
            return Accepted(taking_part[known], total(own, known), "search")

    found, bound = _by_milp(own, known, "highs")
    if total(own, found) <= total(own, known) + TIE * own.scale:
        found = known
    return Accepted(taking_part[found], bound, "milp")


def _node_limit(packing: Packing) -> int:
    num_bidders = len(np.unique(packing.owners))
    return next((limit for most, limit in NODE_LIMITS if num_bidders <= most), 0)


def dual_prices(packing: Packing) -> np.ndarray:
    """Prices of the goods from the linear relaxation, in units of weight, ``(num_goods,)``."""
    bidders = np.unique(packing.owners)
    relaxation = MasterLP(np.concatenate([np.ones(len(bidders)), packing.capacities]))
    wins = bidders[:, None] == packing.owners[None, :]
    relaxation.add_columns(packing.weights, np.concatenate([wins, packing.bundles.T]))
    result = relaxation.solve()
    if result.duals is None:
        raise SolverError(f"The linear relaxation of the bids ended as '{result.status.value}'.")
    prices: np.ndarray = np.maximum(result.duals[len(bidders) :], 0.0)
    return prices


def _by_milp(packing: Packing, start: np.ndarray, solver: str) -> tuple[np.ndarray, float]:
    """Accepted bids and bound from a solver: one binary per bid, rows of bidders and goods."""
    model = Model(maximise=True)
    accepted = model.add_variables(
        len(packing), upper=1.0, integer=True, cost=packing.surplus / packing.scale
    )
    for bidder in np.unique(packing.owners):
        model.add_row(accepted[packing.owners == bidder], 1.0, upper=1.0)
    for good, capacity in enumerate(packing.capacities.tolist()):
        wanting = np.flatnonzero(packing.bundles[:, good])
        if len(wanting):
            model.add_row(accepted[wanting], packing.bundles[wanting, good], upper=capacity)

    known = np.zeros(len(packing))
    known[start] = 1.0
    result = solve(model, MilpParams(solver=solver), known)
    if result.x is None or result.status is not Status.OPTIMAL:
        raise SolverError(
            f"The solver '{solver}' did not solve the bids to optimality: {result.status.value}."
        )
    return np.flatnonzero(result.x > 0.5), result.bound * packing.scale
