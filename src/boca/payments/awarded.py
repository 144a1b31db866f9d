"""What is awarded: who supplies what at which cost, what is bought outside, who is paid what."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np

from boca.core.errors import SolverError
from boca.core.market import Market
from boca.core.money import add_up, cost_of
from boca.core.report import Reports
from boca.core.rule import Rule
from boca.payments.buyers_rules import exactly, parts

PaymentRule = Literal["none", "offered", "vcg", "core"]


@dataclass(frozen=True, eq=False)
class Award:
    """
    Who supplies what, at which cost, and what is bought outside.

    Parameters
    ----------
    market
        Lots and suppliers, with the rules that hold.
    at_most
        Price of a unit outside, ``(num_lots,)``; infinite where there is none.
    supplied
        What each supplier's accepted offer delivers, ``(num_suppliers, num_lots)``.
    costs
        Of the accepted offers, ``(num_suppliers,)``.
    outside
        Units bought outside, ``(num_lots,)``.
    bound
        No award costs less.
    method
        Which part ended the work.
    is_proven
        Whether nothing is cheaper.
    rule
        How suppliers are paid.
    payments
        What each is paid, ``(num_suppliers,)``; None where nothing was asked for.
    vcg
        VCG payments before any cap, ``(num_suppliers,)``; None unless they were needed.
    binding
        Groups that set the core payments: members, and what the others may gain together.
    verified_by
        Name of a second solver that found the same costs.
    without
        Where VCG payments were needed: each winner, and the cheapest award without it.
    """

    market: Market
    at_most: np.ndarray
    supplied: np.ndarray
    costs: np.ndarray
    outside: np.ndarray
    bound: float
    method: str
    is_proven: bool
    rule: PaymentRule = "none"
    payments: np.ndarray | None = None
    vcg: np.ndarray | None = None
    binding: tuple[tuple[tuple[int, ...], float], ...] = ()
    verified_by: str | None = None
    without: tuple[tuple[int, "Award"], ...] = ()

    @cached_property
    def outside_cost(self) -> float:
        """What is paid outside."""
        bought = self.outside > 0
        return cost_of(self.outside[bought], self.at_most[bought])

    @cached_property
    def cost(self) -> float:
        """Cost of all accepted offers and of what is bought outside."""
        return add_up([*self.costs.tolist(), self.outside_cost])

    @property
    def winners(self) -> list[int]:
        """Suppliers with an accepted offer."""
        return [int(i) for i in np.flatnonzero(self.supplied.any(axis=1))]

    @property
    def spend(self) -> float | None:
        """What the buyer pays in all; None where no payments were asked for."""
        if self.payments is None:
            return None
        return add_up([*self.payments.tolist(), self.outside_cost])

    def explain(self) -> str:
        """Why everybody is paid what it is paid, in words."""
        if self.payments is None:
            return ""
        return "\n".join(self._explain(i) for i in self.winners)

    def _explain(self, i: int) -> str:
        assert self.payments is not None
        name, paid, cost = self.market.bidders[i].name, self.payments[i], self.costs[i]
        if self.rule == "offered" or self.vcg is None:
            return f"{name} is paid {paid:,.10g}, as offered."
        more = add_up([self.vcg[i], -cost])
        text = (
            f"{name} offered {cost:,.10g}. Without it the cheapest award would cost {more:,.10g} "
            f"more, so VCG would pay {self.vcg[i]:,.10g}."
        )
        if paid < self.vcg[i]:
            reason = (
                "a group of others could offer less"
                if self.rule == "core"
                else "outside, its lots cost no more than that"
            )
            text += f" It is paid {paid:,.10g}, because {reason}."
        return text

    def to_dict(self) -> dict[str, Any]:
        """The award as plain values, for JSON."""
        lots = [good.name for good in self.market.goods]
        rows: list[dict[str, Any]] = []
        for i in self.winners:
            units = {lots[j]: int(n) for j, n in enumerate(self.supplied[i]) if n}
            row: dict[str, Any] = {
                "supplier": self.market.bidders[i].name,
                "supplies": units,
                "cost": float(self.costs[i]),
            }
            if self.payments is not None:
                row["paid"] = float(self.payments[i])
            rows.append(row)
        return {
            "cost": self.cost,
            "bound": self.bound,
            "status": "optimal" if self.is_proven else "not proven",
            "awards": rows,
            "outside": {lots[j]: int(n) for j, n in enumerate(self.outside) if n},
            "outside_cost": self.outside_cost,
            "payment_rule": self.rule,
            **({} if self.spend is None else {"spend": self.spend}),
            **({} if self.verified_by is None else {"verified_by": self.verified_by}),
        }


def check_award(made: Award, offers: Sequence[Reports]) -> None:
    """Raises SolverError unless an award keeps every promise, recomputed from the offers alone."""
    market = made.market
    for i, report in enumerate(offers):
        if not made.supplied[i].any():
            continue
        same = (report.bundles == made.supplied[i]).all(axis=1)
        if not (same & (report.values == made.costs[i])).any():
            raise SolverError(f"The award gives '{market.bidders[i].name}' what it did not offer.")
        if market.broken_limits(i, made.supplied[i]):
            raise SolverError(f"The award exceeds a limit of '{market.bidders[i].name}'.")
    delivered = np.minimum(made.supplied, market.capacities)
    if (delivered.sum(axis=0) + made.outside < market.capacities).any():
        raise SolverError("The award does not cover every lot.")
    for rule in market.rules:
        if not holds(rule, made):
            raise SolverError(f"The award breaks the rule '{rule.title}'.")


def holds(rule: Rule, made: Award) -> bool:
    """Whether an award satisfies a rule, counted exactly."""
    market = made.market
    delivered = np.minimum(made.supplied, market.capacities)
    wins = delivered.any(axis=1)
    amounts = exactly(rule.amounts(delivered, made.costs))
    bought = made.outside > 0
    pairs = zip(made.outside[bought].tolist(), exactly(made.at_most[bought]), strict=True)
    spend = sum((n * price for n, price in pairs), sum(exactly(made.costs), Fraction(0)))
    return all(
        part.holds(
            sum((amounts[i] for i in part.members), Fraction(0)),
            bool(wins[list(part.members)].any()),
            spend,
        )
        for part in parts(rule, market.capacities, market.num_bidders)
    )
