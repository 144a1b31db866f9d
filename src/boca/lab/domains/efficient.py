"""The best that a market can do, as an observer who knows all values sees it."""

from dataclasses import dataclass

from boca.core.allocation import Allocation


@dataclass(frozen=True)
class Efficient:
    """
    An efficient allocation.

    Parameters
    ----------
    welfare
        Sum of the true values of what everybody gets.
    allocation
        One bundle per bidder. There may be others with the same welfare.
    bound
        No feasible allocation has a larger welfare than this; infinite where nothing is proven.
        Losses are then relative to the best that is known.
    method
        How the allocation was found, in a few words.
    """

    welfare: float
    allocation: Allocation
    bound: float
    method: str

    @property
    def gap(self) -> float:
        """Distance of the bound from the welfare, relative to the welfare."""
        return max(0.0, self.bound - self.welfare) / max(abs(self.welfare), 1e-300)

    @property
    def proven(self) -> bool:
        """Whether the bound shows that nothing is better, up to rounding of doubles."""
        return self.gap <= 1e-9
