"""
Core-selecting payments: as little as possible, but so much that no group of losers can complain.

A group of bidders S blocks an outcome when the seller and S would all do better by themselves.
Payments are in the core when no group does: for every S,

    sum_{winners i not in S} p_i >= w(S) - sum_{winners i in S} v_i,

with w(S) the largest surplus of S. Of all core payments we take those with the least revenue, and
of these the ones nearest to VCG in the Euclidean sense (Day and Cramton 2012, "Quadratic
core-selecting payment rules for combinatorial auctions"). There are too many groups to list, so
they are found one at a time: the group that blocks most at the current payments is the solution of
one more winner determination, in which every winner's bids are lowered by its current profit (Day
and Raghavan 2007, section 4).

With reserve prices the seller is one more member of every group, who values what it keeps: all
terms are then surplus, and the reserve prices of what a bidder receives are added to its payment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np

from boca.core.economy import Economy
from boca.core.errors import SolverError
from boca.core.market import Market
from boca.core.report import Reports
from boca.milp import Model, solve_lp
from boca.payments.accepted import total
from boca.payments.bids import Packing, as_reserve
from boca.payments.effort import Effort, Progress
from boca.payments.explanation import PricedOutcome, settle
from boca.payments.projection import nearest_point
from boca.payments.vcg import compare, explain, solve_economies
from boca.payments.winners import WinnerDetermination

# A group that would gain less than this share of the largest bid does not count as blocking.
BLOCKING = 1e-8
# The same where all bids are whole units.
LEAST_UNITS = 0.25
# Room above the smallest revenue, as a share of the largest bid, tried until there is a point.
ROOMS = (0.0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8)
# How far the projected point lies below VCG for everybody; on a face with one sum this changes
# nothing but the arithmetic, which now and then fails for one of them.
SHIFTS = (0.0, 1.0, 3.0)
# By how much rounding may miss a row or a bound.
MISSED = 1e-10


@dataclass(frozen=True)
class Coalition:
    """
    A group of bidders, and what the winners outside it must pay together to keep it from blocking.

    Parameters
    ----------
    members
        Indices of the bidders.
    payers
        Indices of the winners outside the group.
    least
        Their smallest joint payment above reserve prices.
    """

    members: tuple[int, ...]
    payers: tuple[int, ...]
    least: float


@dataclass(frozen=True, eq=False)
class CoreOutcome(PricedOutcome):
    """
    An outcome with core payments.

    Parameters
    ----------
    coalitions
        The groups that had to be considered; those that ``binding`` names set the payments.
    is_in_core
        Whether it is proven that no group blocks; False only where a gap was allowed or time ran
        out.
    """

    coalitions: tuple[Coalition, ...] = ()
    is_in_core: bool = True

    @property
    def status(self) -> str:
        """As for VCG, or ``core not proven`` where time ran out before the last group was found."""
        status = super().status
        return status if self.is_in_core or status != "optimal" else "core not proven"

    @property
    def binding(self) -> tuple[Coalition, ...]:
        """The groups that are just kept from blocking."""
        above = self.payments - self.allocation.bundles @ self.reserve
        near = 1e-6 * max(float(self.values.max()), 1e-300)
        return tuple(c for c in self.coalitions if above[list(c.payers)].sum() - c.least <= near)

    def explain(self) -> str:
        """The VCG terms of every winner, then the groups that ask for more."""
        names = [bidder.name for bidder in self.market.bidders]
        lines = [super().explain()] if self.explanations else []
        for coalition in self.binding:
            members = ", ".join(names[i] for i in coalition.members) or "the seller alone"
            payers = " and ".join(names[i] for i in coalition.payers)
            lines.append(
                f"So that {members} cannot offer the seller more, {payers} must pay at least "
                f"{coalition.least:,.6g} together."
            )
        return "\n".join(line for line in lines if line)

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain values, for JSON."""
        names = [bidder.name for bidder in self.market.bidders]
        groups = [
            {
                "members": [names[i] for i in c.members],
                "payers": [names[i] for i in c.payers],
                "least": c.least,
            }
            for c in self.binding
        ]
        return super().to_dict() | {"binding_coalitions": groups}


def quadratic_core(
    reports: Sequence[Reports],
    market: Market,
    reserve: np.ndarray | Sequence[float] | None = None,
    verify: bool = False,
    max_seconds: float | None = None,
    gap: float = 0.0,
    progress: Callable[[Progress], None] | None = None,
) -> CoreOutcome:
    """
    The welfare-maximising allocation with minimum-revenue core payments nearest to VCG.

    Individual rationality and no deficit are checked on every outcome, and nobody pays less than
    its VCG payment.

    Parameters
    ----------
    reports, market, reserve, max_seconds, gap, progress
        As for :func:`boca.payments.vcg.vcg`.
    verify
        Whether a second solver solves every economy again, and every search for a group that
        blocks; what it cannot confirm is not verified, as for VCG.
    """
    effort = Effort(max_seconds, gap, progress)
    economies = solve_economies(reports, market, reserve, verify, effort)
    prices = as_reserve(reserve, market)
    explanations = explain(economies, market, prices)
    packing, won = economies.packing, economies.main.bids
    surplus = np.zeros(market.num_bidders)
    surplus[packing.owners[won]] = packing.surplus[won]
    least = np.clip([t.others_without - t.others_with for t in explanations], 0.0, surplus)

    core = _CorePoint(packing, market, won, surplus, least, effort, economies.verified_by)
    above = core.payments()
    base = np.array([term.reserve for term in explanations])
    payments = settle(base + above, base + least, economies.result.values, packing.scale)
    return CoreOutcome(
        market=market,
        allocation=economies.result.allocation,
        values=economies.result.values,
        payments=payments,
        rule="core",
        explanations=explanations,
        reserve=prices,
        bound=economies.result.bound,
        method=economies.result.method,
        seconds=perf_counter() - effort.began,
        verified_by=core.verifier,
        is_proven=economies.main.is_proven,
        coalitions=tuple(core.coalitions),
        is_in_core=core.is_proven,
    )


class _CorePoint:
    """
    The search for core payments, one blocking group after another.

    Parameters
    ----------
    packing, market
        The bids, and whose they are.
    won
        The bids that are accepted.
    surplus
        What each bidder's accepted bid is above reserve prices, ``(num_bidders,)``.
    least
        VCG payments above reserve prices ``(num_bidders,)``: nobody pays less.
    effort
        When to stop.
    verifier
        The second solver that confirms each group; None for none, and as soon as there is a group
        that it cannot confirm.
    """

    def __init__(
        self,
        packing: Packing,
        market: Market,
        won: np.ndarray,
        surplus: np.ndarray,
        least: np.ndarray,
        effort: Effort,
        verifier: str | None,
    ):
        self.packing = packing
        self.market = market
        self.won = won
        self.winners = packing.owners[won]
        self.surplus = surplus
        self.least = least
        self.effort = effort
        self.verifier = verifier
        self.coalitions: list[Coalition] = []
        self.is_proven = True

    def payments(self) -> np.ndarray:
        """Payments above reserve prices ``(num_bidders,)``."""
        payments = self.least.copy()
        # Where money is whole units, one unit is a reason to complain.
        nothing = BLOCKING * self.packing.scale
        if self.packing.is_whole:
            nothing = min(nothing, LEAST_UNITS)
        while len(self.won):
            coalition = self._most_blocking(payments)
            gain = coalition.least - payments[list(coalition.payers)].sum()
            if gain <= nothing or coalition in self.coalitions:
                break
            if not coalition.payers or perf_counter() >= self.effort.deadline:
                # A group that nobody can pay off knows a better allocation than the chosen one.
                self.is_proven = False
                break
            self.coalitions.append(coalition)
            payments[self.winners] = self._cheapest()
        return payments

    def _cheapest(self) -> np.ndarray:
        scale = self.packing.scale
        rows = np.array([np.isin(self.winners, c.payers) for c in self.coalitions], dtype=float)
        needed = np.array([c.least for c in self.coalitions])
        if not self.is_proven:
            # Without proof a group may ask for more than the others offer.
            needed = np.minimum(needed, rows @ self.surplus[self.winners])
        return scale * nearest_cheapest(
            self.least[self.winners] / scale,
            self.surplus[self.winners] / scale,
            rows,
            needed / scale,
        )

    def _most_blocking(self, payments: np.ndarray) -> Coalition:
        """The group with the most to gain: winner determination with profits off the bids."""
        packing, surplus = self.packing, self.surplus
        lowered = packing.surplus - (surplus - payments)[packing.owners]
        positive = np.flatnonzero(lowered > 0)
        reduced = replace(packing.keep(positive), surplus=lowered[positive])
        everybody = Economy.main(len(surplus))
        start = np.flatnonzero(np.isin(positive, self.won))
        accepted = WinnerDetermination(reduced, self.effort).accept(
            everybody, "blocking groups", [start]
        )
        self.is_proven &= accepted.is_proven
        if self.verifier is not None and not compare(
            reduced, everybody, accepted, self.verifier, self.effort, self.market
        ):
            self.verifier = None

        bids = positive[accepted.bids]
        members = set(packing.owners[bids].tolist())
        winners = self.winners.tolist()
        satisfied = float(sum(surplus[i] for i in winners if i in members))
        payers = tuple(i for i in winners if i not in members)
        return Coalition(tuple(sorted(members)), payers, total(packing, bids) - satisfied)


def nearest_cheapest(
    lower: np.ndarray, upper: np.ndarray, rows: np.ndarray, least: np.ndarray
) -> np.ndarray:
    """
    Of all x with the smallest sum, the one nearest to ``lower``.

    Subject to ``lower <= x <= upper`` and ``rows @ x >= least``; numbers of about 1.

    The linear program tells the smallest sum; with it as one more row, the nearest point is a
    projection. The row gets a little room, since the smallest sum is known to some digits only; a
    point that misses a row or a bound is a failure of the arithmetic and never an answer.
    """
    model = Model(maximise=False)
    x = model.add_variables(len(lower), lower=lower, upper=upper, cost=1.0)
    model.add_rows(np.tile(x, (len(rows), 1)), rows, lower=least)
    cheapest = solve_lp(model)
    if cheapest.x is None:
        raise SolverError(f"The core program ended as '{cheapest.status.value}'.")

    unit = np.eye(len(lower))
    normals = np.concatenate([rows, unit, -unit, -np.ones((1, len(lower)))])
    offsets = np.concatenate([least, lower, -upper])
    for shift, room in product(SHIFTS, ROOMS):
        limits = np.append(offsets, -cheapest.objective - room)
        try:
            point = nearest_point(lower - shift, normals, limits)
        except SolverError:
            continue
        if (normals @ point >= limits - MISSED).all():
            payments: np.ndarray = np.clip(point, lower, upper)
            return payments
    raise SolverError(
        f"No core payments with the smallest revenue {cheapest.objective:.9g} were found."
    )
