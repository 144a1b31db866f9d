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
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from boca.core.market import Market
from boca.core.report import Reports
from boca.payments.core_shares import Group
from boca.payments.effort import Effort, Progress
from boca.payments.explanation import PricedOutcome
from boca.payments.sales import sale
from boca.payments.settlement import Settlement, settle
from boca.payments.vcg_rule import sold


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
    settled = settle(sale(reports, market, reserve), "core", effort, verify)
    assert settled is not None  # nobody has to win anything
    return CoreOutcome(
        rule="core",
        coalitions=tuple(_coalition(settled, group) for group in settled.groups),
        binding=tuple(_coalition(settled, group) for group in settled.binding),
        is_in_core=settled.is_in_core,
        **sold(settled, reports, reserve, effort),
    )


def _coalition(settled: Settlement, group: Group) -> Coalition:
    """A group as a sale tells of it: what those outside pay, and not what they may keep."""
    worth = settled.problem.options.worth[settled.best.options]
    together = sum((Fraction(float(worth[i])) for i in group.others), Fraction(0))
    return Coalition(group.members, group.others, settled.problem.money(together - group.room))
