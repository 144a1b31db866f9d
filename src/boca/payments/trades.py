"""
Exchanges: the trades with the largest gain on what participants reported, and what each pays.

Participants hold something before (:attr:`boca.core.market.Bidder.endowment`) and report values of
what they might hold afterwards. To hold nothing is worth 0; to keep what one has is the option of
whoever does not trade, and its value must be known. A trade is worth its value less that of the
endowment, and "without i" means that i keeps what it has.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from boca.core.allocation import Allocation, check_feasible
from boca.core.bundle import format_bundle
from boca.core.errors import SolverError
from boca.core.market import Market
from boca.core.money import add_up
from boca.core.report import Reports
from boca.core.settings import check_choice
from boca.payments.effort import Effort, Progress
from boca.payments.exchanges import exchange_problem
from boca.payments.settlement import settle
from boca.payments.shares import EXCHANGE_RULES, DiscountRule


@dataclass(frozen=True, eq=False)
class Trades:
    """
    Who holds what after an exchange, and what everybody pays.

    Parameters
    ----------
    market
        Goods, participants and their endowments.
    allocation
        What everybody holds afterwards.
    gains
        Value of that less the value of the endowment, as reported, ``(num_participants,)``.
    payments
        What each pays, ``(num_participants,)``; negative for what it is paid.
    vcg_discounts
        V less V without the participant, ``(num_participants,)``.
    rule
        How the gains were shared out.
    bound
        No trades gain more.
    method, is_proven
        Which part ended the work, and whether nothing is better.
    verified_by
        Name of a second solver that found the same gain.
    without
        Each participant that trades, and what everybody holds after the best trades without it.
    """

    market: Market
    allocation: Allocation
    gains: np.ndarray
    payments: np.ndarray
    vcg_discounts: np.ndarray
    rule: DiscountRule
    bound: float
    method: str
    is_proven: bool
    verified_by: str | None = None
    without: tuple[tuple[int, Allocation], ...] = ()

    @cached_property
    def gain(self) -> float:
        """What all trades gain together."""
        return add_up(self.gains.tolist())

    @cached_property
    def surplus(self) -> float:
        """What is left with the exchange; negative where somebody outside has to pay it."""
        return add_up(self.payments.tolist())

    @property
    def moves(self) -> np.ndarray:
        """What everybody receives, and with a minus gives, ``(num_participants, num_goods)``."""
        moves: np.ndarray = self.allocation.bundles - self.market.endowments
        return moves

    def explain(self) -> str:
        """What everybody gives, receives and pays, and why, in words."""
        lines = [self._explain(i) for i in range(self.market.num_bidders) if self.moves[i].any()]
        if self.surplus < 0:
            lines.append(
                f"These payments need {-self.surplus:,.10g} from outside the exchange, as VCG "
                "mostly does; threshold needs nothing."
            )
        elif self.rule not in ("vcg", "none"):
            lines.append(
                "Nobody pays more than its trade is worth to it, and what is paid is received; "
                "in return, telling the truth is not always the best answer."
            )
        return "\n".join(lines)

    def _explain(self, i: int) -> str:
        goods = [good.name for good in self.market.goods]
        gets, gives = np.maximum(self.moves[i], 0), np.maximum(-self.moves[i], 0)
        parts = []
        if gives.any():
            parts.append(f"gives {format_bundle(gives, goods)}")
        if gets.any():
            parts.append(f"gets {format_bundle(gets, goods)}")
        paid = float(self.payments[i])
        parts.append(f"pays {paid:,.10g}" if paid >= 0 else f"receives {-paid:,.10g}")
        discount = add_up([self.gains[i], -paid])
        gain = float(self.gains[i])
        worth = f"is worth {gain:,.10g} to it" if gain >= 0 else f"costs it {-gain:,.10g}"
        return (
            f"{self.market.bidders[i].name} {' and '.join(parts)}. The trade {worth}; it gains "
            f"{discount:,.10g}, where all together would gain {self.vcg_discounts[i]:,.10g} less "
            "without it."
        )

    def to_dict(self) -> dict[str, Any]:
        """The trades as plain values, for JSON."""
        goods = [good.name for good in self.market.goods]
        rows = [
            {
                "participant": bidder.name,
                "holds": {goods[j]: int(n) for j, n in enumerate(bundle) if n},
                "moves": {goods[j]: int(n) for j, n in enumerate(move) if n},
                "gain": float(gain),
                "pays": float(paid),
            }
            for bidder, bundle, move, gain, paid in zip(
                self.market.bidders,
                self.allocation.bundles,
                self.moves,
                self.gains,
                self.payments,
                strict=True,
            )
        ]
        return {
            "gain": self.gain,
            "bound": self.bound,
            "status": "optimal" if self.is_proven else "not proven",
            "payment_rule": self.rule,
            "surplus": self.surplus,
            "participants": rows,
            **({} if self.verified_by is None else {"verified_by": self.verified_by}),
        }


def exchange(
    reports: Sequence[Reports],
    market: Market,
    payments: DiscountRule = "threshold",
    verify: bool = False,
    max_seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    keeping: Sequence[int] = (),
) -> Trades:
    """
    The trades with the largest gain, with proof, and what everybody pays.

    Parameters
    ----------
    reports
        One Reports object per participant: values of what it might hold. The value of its
        endowment must be among them.
    market
        Goods with all copies there are, participants with limits and endowments.
    payments
        How the gains are shared out; ``none`` where nobody pays anything.
    verify
        Whether a second solver has to find the same gain.
    max_seconds, progress
        As for :func:`boca.payments.allocate`.
    keeping
        Participants who keep what they hold, and need not have said what it is worth.
    """
    check_choice((*EXCHANGE_RULES, "none"), payments=payments)
    problem = exchange_problem(reports, market, keeping)
    settled = settle(problem, payments, Effort(max_seconds, progress=progress), verify)
    if settled is None:
        raise SolverError("No trades were found, not even that everybody keeps what it has.")
    allocation = Allocation(settled.bundles)
    check_feasible(allocation, market)
    everybody, best = range(market.num_bidders), settled.best
    return Trades(
        market,
        allocation,
        np.array([problem.money(settled.said(i)) for i in everybody]),
        settled.payments,
        np.array([problem.money(settled.D.get(i, Fraction(0))) for i in everybody]),
        payments,
        problem.money(best.bound),
        best.method,
        best.is_proven,
        settled.verified_by,
        tuple((i, Allocation(problem.bundles[own.options])) for i, own in settled.without.items()),
    )
