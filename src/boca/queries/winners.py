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
        What each has bid for it, ``(num_bidders,)``.
    """

    bundles: np.ndarray
    values: np.ndarray

    @property
    def welfare(self) -> float:
        """The sum of the winning bids."""
        return float(self.values.sum())

    def largest(self, num: int) -> list[int]:
        """The bidders with the largest winning bids, largest first; losers are left out."""
        order = np.argsort(-self.values, kind="stable")[:num]
        return [int(i) for i in order if self.values[i] > 0]
