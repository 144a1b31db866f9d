"""The linear relaxation of a packing problem, solved again and again with some bids decided."""

import numpy as np

from boca.core.errors import SolverError
from boca.milp import MasterLP, Status
from boca.payments.bids import Packing

# What the largest bid costs in the program. Solvers stop at reduced costs below 1e-10; at this size
# that is 1e-14 of the largest bid.
LARGEST_COST = 1e4
# Cells of a matrix of bids that are handed over at once.
MOST_CELLS = 2_000_000


class PackingLP:
    """
    All bids with shares between 0 and 1: one row per good and per bidder with several bids.

    Each solve starts from the last basis, so that a few bids more or fewer cost a few pivots.

    Parameters
    ----------
    packing
        The bids; all economies use the same program.
    """

    def __init__(self, packing: Packing):
        # A bidder with a single bid needs no row: a share is at most 1 in any case.
        bidders, num_bids = np.unique(packing.owners, return_counts=True)
        bidders = bidders[num_bids > 1]
        self.num_bidders = len(bidders)
        self.price_unit = max(packing.scale / LARGEST_COST, float(np.finfo(float).tiny))
        self.num_iterations = 0
        self._program = MasterLP(
            np.concatenate([np.ones(len(bidders)), packing.capacities]), tolerance=1e-10
        )
        self._columns = np.arange(len(packing))
        width = max(1, MOST_CELLS // (len(bidders) + len(packing.capacities)))
        for start in range(0, len(packing), width):
            part = slice(start, start + width)
            wins = bidders[:, None] == packing.owners[None, part]
            self._program.add_columns(
                packing.surplus[part] / self.price_unit,
                np.concatenate([wins, packing.bundles[part].T]),
            )

    def solve(self, is_won: np.ndarray, is_open: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """
        Shares of the bids ``(num_bids,)`` and prices of the goods ``(num_goods,)``, at least 0.

        Parameters
        ----------
        is_won, is_open
            Which bids are accepted and which may be, boolean ``(num_bids,)``; all others lose.
        """
        self._program.change_column_bounds(
            self._columns, is_won.astype(float), np.where(is_won | is_open, 1.0, 0.0)
        )
        result = self._program.solve()
        if result.status is not Status.OPTIMAL or result.x is None or result.duals is None:
            raise SolverError(
                f"The linear relaxation of the bids ended as '{result.status.value}'."
            )
        self.num_iterations += result.iterations
        prices = np.maximum(result.duals[self.num_bidders :], 0.0) * self.price_unit
        return result.x, prices
