"""The best allocation on what bidders have bid so far."""

from typing import NamedTuple

import numpy as np


class Winners(NamedTuple):
    """
    Who would get what if the auction closed now.

    Parameters
    ----------
    bundles
        One bundle per bidder, ``(num_bidders, num_goods)``; nothing for bidders outside the
        economy.
    values
        What each has bid for it, ``(num_bidders,)``; where the market buys, what each asks for it.
    less_costs
        The welfare where that is not the sum of the values: of a purchase, minus what it costs.
    """

    bundles: np.ndarray
    values: np.ndarray
    less_costs: float | None = None

    @property
    def welfare(self) -> float:
        """The sum of the winning bids; of a purchase, minus what it costs."""
        return float(self.values.sum()) if self.less_costs is None else self.less_costs

    def largest(self, num: int) -> list[int]:
        """The bidders with the largest winning bids, largest first; losers are left out."""
        order = np.argsort(-self.values, kind="stable")[:num]
        return [int(i) for i in order if self.values[i] > 0]
