"""What is proven about the welfare of every allocation."""

from dataclasses import dataclass

import numpy as np

from boca.core.frozen import read_only, set_fields


@dataclass(frozen=True, eq=False)
class Certificate:
    """
    A bound on the welfare of every allocation, if bidders answered truthfully.

    Parameters
    ----------
    bound
        No allocation has a larger welfare; infinite where the answers prove nothing.
    prices
        Prices of the goods ``(num_goods,)`` that prove it; None where they are not kept.
    """

    bound: float
    prices: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.prices is not None:
            set_fields(self, prices=read_only(np.array(self.prices, dtype=float)))

    def missing(self, welfare: float) -> float:
        """
        The largest share of the optimal welfare that an allocation of this welfare can lack.

        1 where nothing is proven. Answers that contradict each other can put the bound below the
        welfare; then nothing is proven either.
        """
        if not np.isfinite(self.bound) or self.bound < welfare * (1 - 1e-9):
            return 1.0
        return max(0.0, 1 - welfare / self.bound) if self.bound > 0 else 0.0
