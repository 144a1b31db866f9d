"""How an auction ends."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boca.core.allocation import Allocation
from boca.core.bundle import format_bundle
from boca.core.market import Market
from boca.core.money import add_up
from boca.core.wording import amount


@dataclass(frozen=True, eq=False)
class Outcome:
    """
    A final allocation with what everybody reported and pays for it.

    Parameters
    ----------
    market
        The market that was shared out.
    allocation
        One bundle per bidder.
    values
        Reported value of each bidder for its bundle, ``(num_bidders,)``.
    payments
        What each bidder pays, ``(num_bidders,)``.
    rule
        Name of the payment rule.
    before
        Reported value of what each held before, ``(num_bidders,)``; None unless it is an exchange.
    outside_cost
        What a buyer pays outside for what nobody supplies.

    Where the market buys, ``allocation`` is what everybody supplies, ``values`` are costs, and
    ``payments`` are received.
    """

    market: Market
    allocation: Allocation
    values: np.ndarray
    payments: np.ndarray
    rule: str
    before: np.ndarray | None = field(default=None, kw_only=True)
    outside_cost: float = field(default=0.0, kw_only=True)

    @property
    def is_purchase(self) -> bool:
        """Whether bundles are supplied and values are costs."""
        return self.market.sense == "buy"

    @property
    def welfare(self) -> float:
        """Sum of the reported values of what is received; minus what a purchase costs."""
        total = add_up([*self.values.tolist(), self.outside_cost])
        return -total if self.is_purchase else total

    @property
    def revenue(self) -> float:
        """Sum of what is paid; minus what a buyer pays in all."""
        total = add_up([*self.payments.tolist(), self.outside_cost])
        return -total if self.is_purchase else total

    @property
    def utilities(self) -> np.ndarray:
        """
        Reported value less payment, ``(num_bidders,)``; payment less cost of a supplier, and of an
        exchange the reported value of what was held before taken off.
        """
        before = np.zeros(len(self.values)) if self.before is None else self.before
        rows = zip(self.values.tolist(), self.payments.tolist(), before.tolist(), strict=True)
        sign = -1.0 if self.is_purchase else 1.0
        return np.array([sign * add_up((value, -paid, -held)) + 0.0 for value, paid, held in rows])

    def rows(self) -> list[dict[str, Any]]:
        """One row per bidder, for tables."""
        names = [good.name for good in self.market.goods]
        return [
            {
                "bidder": bidder.name,
                "bundle": format_bundle(self.allocation.bundles[i], names),
                "value": float(self.values[i]),
                "payment": float(self.payments[i]),
                "utility": float(self.utilities[i]),
            }
            for i, bidder in enumerate(self.market.bidders)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain values, for JSON."""
        names = [good.name for good in self.market.goods]
        rows = zip(self.rows(), self.allocation.bundles, strict=True)
        return {
            "rule": self.rule,
            "welfare": self.welfare,
            "revenue": self.revenue,
            "bidders": [
                {
                    "bidder": row["bidder"],
                    "bundle": {n: int(c) for n, c in zip(names, bundle, strict=True) if c},
                    "value": row["value"],
                    "payment": row["payment"],
                }
                for row, bundle in rows
            ],
        }

    def summary(self) -> str:
        """The outcome in a few lines."""
        lines = [f"welfare {amount(self.welfare)}, revenue {amount(self.revenue)} ({self.rule})"]
        if self.is_purchase:
            paid = f"paid {amount(-self.revenue)}" if self.rule != "none" else "nothing paid"
            lines = [f"cost {amount(-self.welfare)}, {paid} ({self.rule})"]
        worth = "cost" if self.is_purchase else "value"
        lines += [
            f"{row['bidder']}: {row['bundle']} for {amount(row['payment'])} "
            f"({worth} {amount(row['value'])})"
            for row in self.rows()
        ]
        return "\n".join(lines)
