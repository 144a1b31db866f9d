"""
The best allocation of what was reported, with proof.

Reports are XOR bids, and accepting them is set packing; :mod:`boca.payments.winners` says how it is
solved.

Ties are broken by a stated rule. Allocations whose surplus differs by less than ``TIE`` of the
largest bid are tied, or, where all values and reserve prices are whole units of money (up to four
decimals and 2 * 10^14 units), by less than one unit. Of these, the one that gives away the fewest
copies wins; of those, the one with the largest sum of lottery numbers, fixed numbers computed from
bidder and bundle. The rule is guaranteed where the result's method is ``search``; where it is
``branching`` or ``milp``, the choice among tied allocations is always the same, but not by this
rule.

The guarantee ends where a copy is lost in rounding. Copies are counted as long as

    copies * (winners + 1)^2 <= 10^6,

with the copies in the market or, where these are more than 10,000, those that the largest bids of
all bidders ask for together, if they are fewer; where values are whole numbers and the largest, v,
is above 5 * 10^8, as long as the product is at most 5 * 10^14 / v. Lottery numbers are a smaller
part of the sums: they decide for values up to 10^9.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from boca.core.allocation import Allocation, check_feasible
from boca.core.economy import Economy
from boca.core.market import Market
from boca.core.money import add_up
from boca.core.report import Reports
from boca.payments.accepted import Accepted, Solved, relative_gap
from boca.payments.bids import Packing
from boca.payments.effort import Effort, Progress
from boca.payments.winners import WinnerDetermination, by_milp


@dataclass(frozen=True, eq=False)
class AllocationResult:
    """
    The best known allocation of an economy on the reports.

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
        No allocation of the economy has a larger surplus, up to what counts as a tie: nothing where
        values and reserve prices are whole numbers, ``TIE`` of the largest bid otherwise.
    method
        Which part ended the work: ``search``, ``branching`` or ``milp``.
    seconds
        Wall-clock time.
    is_proven
        Whether nothing is better; False only where a gap was allowed or time ran out.
    """

    allocation: Allocation
    values: np.ndarray
    surplus: float
    bound: float
    method: str
    seconds: float
    is_proven: bool = True

    @property
    def welfare(self) -> float:
        """Sum of the reported values of what is received."""
        return add_up(self.values)

    @property
    def gap(self) -> float:
        """``(bound - surplus) / surplus``; infinite where there is a bound and no surplus."""
        return relative_gap(self.surplus, self.bound)

    @property
    def status(self) -> str:
        """``optimal``, or ``not proven`` where a gap was allowed or time ran out."""
        return "optimal" if self.is_proven else "not proven"


def allocate(
    reports: Sequence[Reports],
    market: Market,
    economy: Economy | None = None,
    reserve: np.ndarray | Sequence[float] | None = None,
    solver: str | None = None,
    max_seconds: float | None = None,
    gap: float = 0.0,
    progress: Callable[[Progress], None] | None = None,
) -> AllocationResult:
    """
    The allocation with the largest reported welfare, with proof.

    A bidder receives a bundle that it reported, or nothing. Reports beyond the bidder's limits
    never win.

    Parameters
    ----------
    reports
        One Reports object per bidder.
    market
        Capacities and limits.
    economy
        Who takes part; everybody if None.
    reserve
        Price of one copy of each good, ``(num_goods,)``, below which it is kept; None means 0.
    solver
        Name of a MILP solver that does all the work; None for our own methods first.
    max_seconds
        Wall-clock time after which the best allocation so far is returned with its bound; None
        for as long as it takes.
    gap
        How far the bound may be above the surplus, relative to it.
    progress
        Called from time to time with how far the work is; None to tell nobody.
    """
    effort = Effort(max_seconds, gap, progress)
    return _allocate(reports, market, economy, reserve, solver, effort)


def allocate_quickly(
    reports: Sequence[Reports],
    market: Market,
    economy: Economy | None = None,
    reserve: np.ndarray | Sequence[float] | None = None,
) -> AllocationResult:
    """
    The allocation that the next round of an auction is planned from.

    The same as that of :func:`allocate` wherever nodes and iterations that take a few seconds
    prove it, as in all markets of a dozen bidders that we know of; in larger ones a good one. The
    same bids give the same answer on every machine.

    Parameters
    ----------
    reports, market, economy, reserve
        As in :func:`allocate`.
    """
    effort = Effort.quick(market.num_bidders)
    return _allocate(reports, market, economy, reserve, None, effort)


def _allocate(
    reports: Sequence[Reports],
    market: Market,
    economy: Economy | None,
    reserve: np.ndarray | Sequence[float] | None,
    solver: str | None,
    effort: Effort,
) -> AllocationResult:
    economy = Economy.main(market.num_bidders) if economy is None else economy
    packing = Packing.from_reports(reports, market, reserve)
    if solver is None:
        accepted = WinnerDetermination(packing, effort).accept(economy)
    else:
        answer = ask_solver(packing, economy, solver, effort)
        accepted = Accepted.of(packing, answer.bids, answer.bound, "milp")
    seconds = perf_counter() - effort.began
    return to_result(packing, accepted, reports, market, economy, seconds)


def ask_solver(
    packing: Packing,
    economy: Economy,
    solver: str,
    effort: Effort,
    start: np.ndarray | None = None,
) -> Solved:
    """
    The bids of an economy that win, by a MILP solver alone.

    Parameters
    ----------
    packing
        The bids of all bidders.
    economy
        Who takes part.
    solver
        Name of the solver.
    effort
        When to stop.
    start
        Compatible bids to begin with; those of bidders who do not take part are left out.
    """
    is_open = np.isin(packing.owners, economy.bidders)
    best = np.zeros(0, dtype=np.int64) if start is None else start[is_open[start]]
    seconds = effort.deadline - perf_counter()
    return by_milp(packing, is_open, best, solver, effort.gap, seconds)


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
    return AllocationResult(
        allocation,
        values,
        packing.money(accepted.surplus),
        packing.money(accepted.bound),
        accepted.method,
        seconds,
        accepted.is_proven,
    )
