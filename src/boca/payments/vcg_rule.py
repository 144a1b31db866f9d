"""
VCG payments: everyone pays the harm that its presence does to the others.

    p_i = w(N \\ {i}) - (w(N) - v_i(a_i)),

where w(S) is the largest reported welfare of the bidders S and a the welfare-maximising allocation
(Vickrey 1961, Clarke 1971, Groves 1973). With reserve prices the seller takes part as one more
bidder, who values every copy that it keeps at its reserve price: w is then surplus, value less
reserve prices, and the reserve prices of what a bidder receives are added to its payment.
"""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from boca.core.allocation import Allocation, check_feasible
from boca.core.market import Market
from boca.core.report import Reports
from boca.payments import explanation
from boca.payments.accepted import total
from boca.payments.bids import as_reserve
from boca.payments.effort import Effort, Progress
from boca.payments.explanation import Explanation, PricedOutcome
from boca.payments.options import places_of
from boca.payments.sales import sale
from boca.payments.settlement import Settlement, settle


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
    settled = settle(sale(reports, market, reserve), "vcg", effort, verify)
    assert settled is not None  # nobody has to win anything
    return PricedOutcome(rule="VCG", **sold(settled, reports, reserve, effort))


def sold(
    settled: Settlement,
    reports: Sequence[Reports],
    reserve: np.ndarray | Sequence[float] | None,
    effort: Effort,
) -> dict[str, Any]:
    """What every outcome of a sale says, recounted from the reports; by field."""
    problem, best = settled.problem, settled.best
    market, prices = problem.market, as_reserve(reserve, problem.market)
    allocation = Allocation(settled.bundles)
    check_feasible(allocation, market)
    values = np.array(
        [
            report.value_of(row) if row.any() else 0.0
            for report, row in zip(reports, settled.bundles, strict=True)
        ]
    )
    terms = explain(settled, prices)
    # In the core nobody pays less than its VCG payment.
    harms = [term.harm if settled.rule == "core" else 0.0 for term in terms]
    lower = np.array([term.reserve + harm for term, harm in zip(terms, harms, strict=True)])
    return {
        "market": market,
        "allocation": allocation,
        "values": values,
        "payments": explanation.settle(
            settled.payments, lower, values, problem.money(problem.largest)
        ),
        "explanations": terms,
        "reserve": prices,
        "bound": problem.money(best.bound),
        "method": best.method,
        "seconds": perf_counter() - effort.began,
        "verified_by": settled.verified_by,
        "is_proven": best.is_proven,
    }


def explain(settled: Settlement, prices: np.ndarray) -> tuple[Explanation, ...]:
    """
    The terms of every VCG payment.

    Parameters
    ----------
    settled
        A sale.
    prices
        Reserve prices, ``(num_goods,)``.
    """
    problem, best = settled.problem, settled.best
    made = problem.options.packing()
    assert made is not None  # nothing fits always
    packing, numbers = made
    accepted = places_of(best.options, numbers)
    terms = []
    for i in range(problem.num_participants):
        # Without somebody who wins nothing, nothing changes.
        without = settled.without.get(i, best)
        others = accepted[packing.owners[accepted] != i]
        terms.append(
            Explanation(
                bidder=i,
                reserve=packing.written(float(settled.bundles[i] @ prices)),
                others_with=packing.money(total(packing, others)),
                others_without=packing.money(without.worth),
                num_bidders=problem.num_participants,
                packing=packing,
                bids_without=places_of(without.options, numbers),
                bound_without=packing.money(without.bound),
                is_proven=without.is_proven and best.is_proven,
            )
        )
    return tuple(terms)
