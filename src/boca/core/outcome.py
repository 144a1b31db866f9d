"""How an auction ends."""

from dataclasses import dataclass
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
    """

    market: Market
    allocation: Allocation
    values: np.ndarray
    payments: np.ndarray
    rule: str

    @property
    def welfare(self) -> float:
        """Sum of the reported values of what is received."""
        return add_up(self.values)

    @property
    def revenue(self) -> float:
        return add_up(self.payments)

    @property
    def utilities(self) -> np.ndarray:
        """Reported value less payment, ``(num_bidders,)``."""
        pairs = zip(self.values.tolist(), self.payments.tolist(), strict=True)
        return np.array([add_up((value, -payment)) for value, payment in pairs])

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
        lines += [
            f"{row['bidder']}: {row['bundle']} for {amount(row['payment'])} "
            f"(value {amount(row['value'])})"
            for row in self.rows()
        ]
        return "\n".join(lines)
