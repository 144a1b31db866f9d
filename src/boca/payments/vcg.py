"""
VCG payments: everyone pays the harm that its presence does to the others.

    p_i = w(N \\ {i}) - (w(N) - v_i(a_i)),

where w(S) is the largest reported welfare of the bidders S and a the welfare-maximising allocation
(Vickrey 1961, Clarke 1971, Groves 1973). With reserve prices the seller takes part as one more
bidder, who values every copy that it keeps at its reserve price: w is then surplus, value less
reserve prices, and the reserve prices of what a bidder receives are added to its payment.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from boca.core.allocation import Allocation
from boca.core.economy import Economy
from boca.core.errors import MissingExtra, SolverError
from boca.core.market import Market
from boca.core.report import Reports
from boca.milp import installed
from boca.payments.allocate import Accepted, AllocationResult, accept, to_result, total
from boca.payments.bids import Packing, as_reserve
from boca.payments.explanation import TOLERANCE, Explanation, PricedOutcome, settle

# Solvers that can check HiGHS and our own search, in the order they are tried.
SECOND_SOLVERS = ("scip", "gurobi")


@dataclass(frozen=True, eq=False)
class Economies:
    """
    The main economy and every marginal one, solved to optimality.

    Parameters
    ----------
    packing
        The bids that can win.
    main
        What is accepted when everybody takes part.
    marginal
        What is accepted without each bidder, in the order of the market.
    result
        The main economy's allocation.
    verified_by
        The second solver that agreed on every economy; None if none was asked.
    """

    packing: Packing
    main: Accepted
    marginal: tuple[Accepted, ...]
    result: AllocationResult
    verified_by: str | None


def vcg(
    reports: Sequence[Reports],
    market: Market,
    reserve: np.ndarray | Sequence[float] | None = None,
    verify: bool = False,
) -> PricedOutcome:
    """
    The welfare-maximising allocation of the reports, with VCG payments.

    Individual rationality and no deficit are checked on every outcome.

    Parameters
    ----------
    reports
        One Reports object a bidder; read as XOR bids.
    market
        Capacities and limits.
    reserve
        Price of one copy of each good, ``(num_goods,)``, below which the seller keeps it; None
        means 0. Nobody pays less than the reserve prices of what it receives.
    verify
        Whether to solve every economy again with a second solver and compare.
    """
    began = perf_counter()
    economies = solve_economies(reports, market, reserve, verify)
    explanations = explain(economies, market, as_reserve(reserve, market))
    lower = np.array([term.reserve for term in explanations])
    payments = settle(
        np.array([term.payment for term in explanations]),
        lower,
        economies.result.values,
        economies.packing.scale,
    )
    return PricedOutcome(
        market=market,
        allocation=economies.result.allocation,
        values=economies.result.values,
        payments=payments,
        rule="VCG",
        explanations=explanations,
        reserve=as_reserve(reserve, market),
        bound=economies.result.bound,
        method=economies.result.method,
        seconds=perf_counter() - began,
        verified_by=economies.verified_by,
    )


def solve_economies(
    reports: Sequence[Reports],
    market: Market,
    reserve: np.ndarray | Sequence[float] | None = None,
    verify: bool = False,
) -> Economies:
    """
    The main economy, then each marginal one, started from the main economy's winners.

    An economy without a bidder who wins nothing has the main economy's solution.
    """
    began = perf_counter()
    packing = Packing.from_reports(reports, market, reserve)
    everybody = Economy.main(market.num_bidders)
    main = accept(packing, everybody)
    winners = set(packing.owners[main.bids].tolist())
    marginal = tuple(
        accept(packing, Economy.without(i, market.num_bidders), start=main.bids)
        if i in winners
        else main
        for i in range(market.num_bidders)
    )
    second = _verify(packing, market, main, marginal) if verify else None
    result = to_result(packing, main, reports, market, everybody, perf_counter() - began)
    return Economies(packing, main, marginal, result, second)


def explain(economies: Economies, market: Market, reserve: np.ndarray) -> tuple[Explanation, ...]:
    """The terms of every VCG payment."""
    packing, accepted = economies.packing, economies.main.bids
    explanations = []
    for i, without in enumerate(economies.marginal):
        bundles = np.zeros((market.num_bidders, market.num_goods), dtype=np.int64)
        bundles[packing.owners[without.bids]] = packing.bundles[without.bids]
        others = accepted[packing.owners[accepted] != i]
        explanations.append(
            Explanation(
                bidder=i,
                reserve=float(economies.result.allocation.bundles[i] @ reserve),
                others_with=total(packing, others),
                others_without=total(packing, without.bids),
                allocation_without=Allocation(bundles),
            )
        )
    return tuple(explanations)


def second_solver() -> str:
    """The solver that checks the first; MissingExtra if there is none."""
    for name in SECOND_SOLVERS:
        if name in installed():
            return name
    raise MissingExtra("pyscipopt", "scip", "Verification with a second solver")


def _verify(packing: Packing, market: Market, main: Accepted, marginal: Sequence[Accepted]) -> str:
    """Solves every economy with a second solver; an error if one disagrees."""
    solver = second_solver()
    num = market.num_bidders
    economies = [Economy.main(num), *(Economy.without(i, num) for i in range(num))]
    for economy, first in zip(economies, (main, *marginal), strict=True):
        compare(packing, economy, first, solver)
    return solver


def compare(packing: Packing, economy: Economy, first: Accepted, solver: str) -> None:
    """Raises SolverError unless another solver finds the same surplus in an economy."""
    # Our solution is only a start: the other solver still has to prove that nothing is better.
    second = accept(packing, economy, start=first.bids, solver=solver)
    ours, theirs = total(packing, first.bids), total(packing, second.bids)
    if abs(ours - theirs) > TOLERANCE * packing.scale:
        raise SolverError(
            f"Verification failed in the economy of bidders {economy.bidders}: we found "
            f"{ours:.12g}, the solver '{solver}' found {theirs:.12g}. Please "
            "report this with the bids."
        )
