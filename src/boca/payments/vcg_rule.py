"""
VCG payments: everyone pays the harm that its presence does to the others.

    p_i = w(N \\ {i}) - (w(N) - v_i(a_i)),

where w(S) is the largest reported welfare of the bidders S and a the welfare-maximising allocation
(Vickrey 1961, Clarke 1971, Groves 1973). With reserve prices the seller takes part as one more
bidder, who values every copy that it keeps at its reserve price: w is then surplus, value less
reserve prices, and the reserve prices of what a bidder receives are added to its payment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from boca.core.economy import Economy
from boca.core.errors import MissingExtra, SolverError
from boca.core.market import Market
from boca.core.report import Reports
from boca.milp import installed
from boca.payments.accepted import Accepted, total
from boca.payments.allocating import AllocationResult, ask_solver, to_result
from boca.payments.bids import Packing, as_reserve
from boca.payments.effort import Effort, Progress
from boca.payments.explanation import TOLERANCE, Explanation, PricedOutcome, settle
from boca.payments.winners import WinnerDetermination

# Solvers that can check HiGHS and our own methods, in the order they are tried.
SECOND_SOLVERS = ("scip", "gurobi")

# Share of the time that the main economy may use; marginal economies share the rest.
MAIN_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class Economies:
    """
    The main economy and every marginal one, solved.

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
        The second solver that came to its end in every economy and agreed; None if none was asked,
        or if time or an allowed gap kept it from that.
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
    max_seconds: float | None = None,
    gap: float = 0.0,
    progress: Callable[[Progress], None] | None = None,
) -> PricedOutcome:
    """
    The welfare-maximising allocation of the reports, with VCG payments.

    Individual rationality and no deficit are checked on every outcome. Where a gap is allowed or
    time runs out, payments can rest on economies that are not proven; the outcome says which.

    Parameters
    ----------
    reports
        One Reports object per bidder; read as XOR bids.
    market
        Capacities and limits.
    reserve
        Price of one copy of each good, ``(num_goods,)``, below which the seller keeps it; None
        means 0. Nobody pays less than the reserve prices of what it receives.
    verify
        Whether to solve every economy again with a second solver and compare. A disagreement is an
        error. Where time runs out before it has its own proof, or a gap leaves it something better,
        nothing is verified, and the outcome's ``verified_by`` is None.
    max_seconds
        Wall-clock time for all economies together; None for as long as it takes.
    gap
        How far bounds may be above surpluses, relative to them.
    progress
        Called from time to time with how far the work is; None to tell nobody.
    """
    effort = Effort(max_seconds, gap, progress)
    economies = solve_economies(reports, market, reserve, verify, effort)
    explanations = explain(economies, market, as_reserve(reserve, market))
    lower = np.array([term.reserve for term in explanations])
    payments = settle(
        np.array([term.payment for term in explanations]),
        lower,
        economies.result.values,
        economies.packing.money(economies.packing.scale),
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
        seconds=perf_counter() - effort.began,
        verified_by=economies.verified_by,
        is_proven=economies.main.is_proven,
    )


def solve_economies(
    reports: Sequence[Reports],
    market: Market,
    reserve: np.ndarray | Sequence[float] | None,
    verify: bool,
    effort: Effort,
) -> Economies:
    """
    The main economy, then each marginal one, started from everything that is known.

    An economy without a bidder who wins nothing has the main economy's solution. What time does
    not suffice for keeps the best known bids and a bound that holds.
    """
    packing = Packing.from_reports(reports, market, reserve)
    num_bidders = market.num_bidders
    everybody = Economy.main(num_bidders)
    determination = WinnerDetermination(packing, effort)
    main_deadline = np.inf
    if effort.max_seconds is not None:
        main_deadline = effort.began + MAIN_SHARE * effort.max_seconds
    main = determination.accept(everybody, "main economy", deadline=main_deadline)

    winners = sorted(set(packing.owners[main.bids].tolist()))
    marginal: dict[int, Accepted] = {}
    if main.method == "branching" and main.is_proven:
        marginal = determination.accept_without(winners, num_bidders, effort.deadline)
    rest = [i for i in winners if i not in marginal]
    for place, i in enumerate(rest):
        now = perf_counter()
        share = (effort.deadline - now) / (len(rest) - place)
        economy = Economy.without(i, num_bidders)
        stage = f"without {market.bidders[i].name}"
        marginal[i] = determination.accept(economy, stage, deadline=now + share)

    main = _improved(determination, main, np.ones(len(packing), dtype=bool))
    affected = {*marginal, *packing.owners[main.bids].tolist()}
    without = tuple(
        _improved(determination, marginal.get(i, main), packing.owners != i)
        if i in affected
        else main
        for i in range(num_bidders)
    )
    second = _verify(packing, market, main, without, effort) if verify else None
    seconds = perf_counter() - effort.began
    result = to_result(packing, main, reports, market, everybody, seconds)
    return Economies(packing, main, without, result, second)


def _improved(
    determination: WinnerDetermination, accepted: Accepted, is_open: np.ndarray
) -> Accepted:
    """
    The best known bids of an economy, if another economy knew better ones.

    Without proof, the bids without a bidder can be better than those with it; they are bids of the
    main economy as well.
    """
    packing = determination.packing
    best = determination.best_known(is_open)
    own = accepted.bids[is_open[accepted.bids]]
    step = 0.5 if packing.is_whole else 1e-12 * packing.scale
    if total(packing, best) > total(packing, own) + step:
        return Accepted.of(packing, best, accepted.bound, accepted.method)
    if len(own) < len(accepted.bids):
        return Accepted.of(packing, own, accepted.bound, accepted.method)
    return accepted


def explain(economies: Economies, market: Market, reserve: np.ndarray) -> tuple[Explanation, ...]:
    """The terms of every VCG payment."""
    packing, accepted = economies.packing, economies.main.bids
    explanations = []
    for i, without in enumerate(economies.marginal):
        others = accepted[packing.owners[accepted] != i]
        explanations.append(
            Explanation(
                bidder=i,
                reserve=packing.written(float(economies.result.allocation.bundles[i] @ reserve)),
                others_with=packing.money(total(packing, others)),
                others_without=packing.money(without.surplus),
                num_bidders=market.num_bidders,
                packing=packing,
                bids_without=without.bids,
                bound_without=packing.money(without.bound),
                is_proven=without.is_proven and economies.main.is_proven,
            )
        )
    return tuple(explanations)


def second_solver() -> str:
    """The solver that checks the first; MissingExtra if there is none."""
    for name in SECOND_SOLVERS:
        if name in installed():
            return name
    raise MissingExtra("pyscipopt", "scip", "Verification with a second solver")


def _verify(
    packing: Packing,
    market: Market,
    main: Accepted,
    marginal: Sequence[Accepted],
    effort: Effort,
) -> str | None:
    """
    Solves every economy with a second solver; an error if one disagrees.

    An economy without somebody who wins nothing and is decided like the main one needs no second
    look: its bids are there, and whatever it could do, the main economy could do as well.

    Returns its name, or None if it could not confirm them all.
    """
    solver = second_solver()
    num = market.num_bidders
    economies = [(Economy.main(num), main)]
    economies += [(Economy.without(i, num), w) for i, w in enumerate(marginal) if w is not main]
    for economy, first in economies:
        if not compare(packing, economy, first, solver, effort, market):
            return None
    return solver


def compare(
    packing: Packing,
    economy: Economy,
    first: Accepted,
    solver: str,
    effort: Effort,
    market: Market,
) -> bool:
    """
    Whether another solver confirms the bids of an economy; SolverError if it contradicts them.

    It confirms them if it came to its end and has nothing better; where a gap is allowed, it ends
    within the gap. It contradicts them if it has something better although they are proven, or
    above their bound, or if its own bound is below them. Where all surpluses are whole numbers, one
    unit more is better; bounds of solvers are as good as their tolerances.
    """
    # Our solution is only a start: the other solver still has to prove that nothing is better.
    answer = ask_solver(packing, economy, solver, effort, first.bids)
    surplus = total(packing, answer.bids)
    step = 1.0 if packing.is_whole else TOLERANCE * packing.scale
    most = first.surplus if first.is_proven else first.bound
    is_beyond = surplus - most >= step
    is_below = first.surplus - answer.bound > TOLERANCE * packing.scale
    if is_beyond or is_below:
        raise SolverError(
            f"Verification failed in the economy '{economy.describe(market)}': we found "
            f"{packing.money(first.surplus):.15g}, the solver '{solver}' found "
            f"{packing.money(surplus if is_beyond else answer.bound):.15g}. "
            "Please report this with the bids."
        )
    return answer.is_finished and surplus - first.surplus < step
