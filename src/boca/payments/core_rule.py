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

Money is counted in whole units (:attr:`boca.payments.bids.Packing.decimals`) and payments are
fractions of them, so a group that could offer a hundredth of a unit more counts like any other.

With reserve prices the seller is one more member of every group, who values what it keeps: all
terms are then surplus, and the reserve prices of what a bidder receives are added to its payment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from time import perf_counter
from typing import Any

import numpy as np

from boca.core.economy import Economy
from boca.core.market import Market
from boca.core.money import MOST_EXACT, in_units
from boca.core.report import Reports
from boca.payments.accepted import total
from boca.payments.bids import MOST_TOGETHER, Packing, as_reserve
from boca.payments.effort import Effort, Progress
from boca.payments.explanation import PricedOutcome, settle
from boca.payments.projection import CheapestPoint
from boca.payments.vcg_rule import compare, explain, solve_economies
from boca.payments.winners import WinnerDetermination

# Where amounts are not whole units of money, groups are found up to the solvers' tolerances: one
# that would gain less than this share of the largest bid does not count as blocking.
BLOCKING = 1e-8
# They are counted in units of the largest bid / 2^44, far below what counts as blocking.
FINEST = 2**44


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
        The groups that had to be considered.
    binding
        Those of them that are just kept from blocking, which set the payments.
    is_in_core
        Whether it is proven that no group blocks; False only where a gap was allowed or time ran
        out.
    """

    coalitions: tuple[Coalition, ...] = ()
    binding: tuple[Coalition, ...] = ()
    is_in_core: bool = True

    @property
    def status(self) -> str:
        """As for VCG, or ``core not proven`` where time ran out before the last group was found."""
        status = super().status
        return status if self.is_in_core or status != "optimal" else "core not proven"

    def explain(self) -> str:
        """The VCG terms of every winner, then the groups that ask for more."""
        names = [bidder.name for bidder in self.market.bidders]
        lines = [super().explain()]
        for coalition in self.binding:
            members = ", ".join(names[i] for i in coalition.members)
            payers = " and ".join(names[i] for i in coalition.payers)
            lines.append(
                f"So that {members} cannot offer the seller more, {payers} must pay at least "
                f"{self.explanations[0].packing.in_words(coalition.least)} together."
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
        As for :func:`boca.payments.vcg_rule.vcg`.
    verify
        Whether a second solver solves every economy again, and every search for a group that
        blocks; what it cannot confirm is not verified, as for VCG.
    """
    effort = Effort(max_seconds, gap, progress)
    economies = solve_economies(reports, market, reserve, verify, effort)
    prices = as_reserve(reserve, market)
    explanations = explain(economies, market, prices)
    packing, won = economies.packing, economies.main.bids
    core = _CorePoint(packing, market, won, effort, economies.verified_by)
    harms = [
        without.surplus - _others(packing, won, i) for i, without in enumerate(economies.marginal)
    ]
    base = np.array([term.reserve for term in explanations])
    due = core.payments(harms, base)
    least = np.array([term.harm for term in explanations])
    payments = settle(due, base + least, economies.result.values, packing.money(packing.scale))
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
        binding=core.binding,
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
        effort: Effort,
        verifier: str | None,
    ):
        self.packing = packing
        self.market = market
        self.won = won
        self.winners: list[int] = packing.owners[won].tolist()
        self.effort = effort
        self.verifier = verifier
        # Everything below is counted in whole grains: units of money where bids have them.
        self.grain = 1.0 if packing.is_whole else packing.scale / FINEST
        self.nothing = 0 if packing.is_whole else int(BLOCKING * FINEST)
        self.worth = self._grains(packing.surplus)
        self.surplus = dict.fromkeys(range(market.num_bidders), 0)
        self.surplus |= {int(packing.owners[bid]): self.worth[bid] for bid in won.tolist()}
        self.coalitions: list[Coalition] = []
        self.binding: tuple[Coalition, ...] = ()
        self.is_proven = True

    def _grains(self, units: np.ndarray) -> list[int]:
        return [round(amount) for amount in (units / self.grain).tolist()]

    def _money(self, grains: float | Fraction) -> float:
        return self.packing.money(float(grains) * self.grain)

    def payments(self, harms: Sequence[float], base: np.ndarray) -> np.ndarray:
        """
        Core payments ``(num_bidders,)``, in money.

        Parameters
        ----------
        harms
            VCG payments above reserve prices, in units ``(num_bidders,)``: nobody pays less.
        base
            Reserve prices of what each bidder receives, in money ``(num_bidders,)``.
        """
        least = self._grains(np.array(harms))
        least = [min(max(amount, 0), self.surplus[i]) for i, amount in enumerate(least)]
        paid = [Fraction(amount) for amount in least]
        cheapest = CheapestPoint([self.surplus[i] - least[i] for i in self.winners])
        asked: list[int] = []
        while self.winners:
            coalition, needed = self._most_blocking(paid)
            gain = needed - sum(paid[i] for i in coalition.payers)
            if gain <= self.nothing:
                break
            is_late = perf_counter() >= self.effort.deadline
            if not coalition.payers or coalition in self.coalitions or is_late:
                # A group that nobody can pay off knows a better allocation than the chosen one.
                self.is_proven = False
                break
            self.coalitions.append(coalition)
            asked.append(needed)
            places = [self.winners.index(i) for i in coalition.payers]
            cheapest.require(places, needed - sum(least[i] for i in coalition.payers))
            for place, i in enumerate(self.winners):
                paid[i] = least[i] + cheapest.point[place]
        self.binding = tuple(
            coalition
            for coalition, needed in zip(self.coalitions, asked, strict=True)
            if sum(paid[i] for i in coalition.payers) - needed <= self.nothing
        )
        reserves = self._grains(in_units(base, self.packing.decimals))
        return np.array([self._money(a + b) for a, b in zip(paid, reserves, strict=True)])

    def _most_blocking(self, paid: list[Fraction]) -> tuple[Coalition, int]:
        """
        The group with the most to gain, and what its payers must pay together, in grains.

        Winner determination with profits off the bids.
        """
        packing = self.packing
        lowered, unit = self._lowered(paid)
        positive = np.flatnonzero(lowered > 0)
        reduced = replace(packing.keep(positive), surplus=lowered[positive])
        everybody = Economy.main(self.market.num_bidders)
        start = np.flatnonzero(np.isin(positive, self.won))
        effort = self.effort.in_units(unit)
        accepted = WinnerDetermination(reduced, effort).accept(
            everybody, "blocking groups", [start]
        )
        self.is_proven &= accepted.is_proven
        if self.verifier is not None and not compare(
            reduced, everybody, accepted, self.verifier, effort, self.market
        ):
            self.verifier = None

        bids = positive[accepted.bids].tolist()
        members = sorted({int(packing.owners[bid]) for bid in bids})
        needed = sum(self.worth[bid] for bid in bids) - sum(self.surplus[i] for i in members)
        payers = tuple(i for i in self.winners if i not in members)
        return Coalition(tuple(members), payers, self._money(needed)), needed

    def _lowered(self, paid: list[Fraction]) -> tuple[np.ndarray, float]:
        """
        Each bid less its bidder's profit, ``(num_bids,)``, and the unit they are in.

        Of whole units of money this is so small a part that payments are whole too, or, where that
        would be too small for exact sums, the smallest part that is not.
        """
        packing = self.packing
        profits = [self.surplus[i] - amount for i, amount in enumerate(paid)]
        if not packing.is_whole:
            off = np.array([float(profit) * self.grain for profit in profits])
            return packing.surplus - off[packing.owners], 1.0
        most = min(MOST_EXACT, MOST_TOGETHER / packing.num_bidders) / packing.scale
        parts = lcm(*(amount.denominator for amount in paid))
        if parts > most:
            parts = 1 << (int(most).bit_length() - 1)
        off = np.array([float(round(profit * parts)) for profit in profits])
        return packing.surplus * parts - off[packing.owners], 1.0 / parts


def _others(packing: Packing, won: np.ndarray, bidder: int) -> float:
    """Surplus of all others, in units."""
    return total(packing, won[packing.owners[won] != bidder])
