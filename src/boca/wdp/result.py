"""What is known once a problem has been solved: an allocation, or one bidder's best bundles."""

from dataclasses import dataclass

import numpy as np

from boca.core import Allocation
from boca.wdp.problem import WelfareProblem


@dataclass(frozen=True)
class WelfareResult:
    """
    An allocation that was checked, its value, and how much better any other could be.

    Parameters
    ----------
    allocation
        A feasible allocation without excluded bundles.
    welfare
        Its value by the functions themselves.
    bound
        No allocation is worth more. Infinite where no proof was wanted or found in time.
    method, bound_method
        Which part found the allocation, and which the bound; the latter is ``none`` without one.
    seconds
        Wall-clock time.
    """

    allocation: Allocation
    welfare: float
    bound: float
    method: str
    bound_method: str
    seconds: float

    @property
    def gap(self) -> float:
        """``(bound - welfare) / |welfare|``, never negative; infinite without a bound."""
        return relative_gap(self.welfare, self.bound)

    def summary(self) -> str:
        """One line for people."""
        proof = "no bound" if np.isinf(self.bound) else f"bound {self.bound:.6g} ({self.gap:.3%})"
        return f"welfare {self.welfare:.6g} by {self.method}, {proof}, {self.seconds:.2f} s"

    @classmethod
    def checked(
        cls,
        problem: WelfareProblem,
        bundles: np.ndarray,
        bound: float,
        method: str,
        bound_method: str,
        seconds: float,
    ) -> "WelfareResult":
        """
        A result whose allocation is checked and valued by the functions themselves.

        A bound below the value found is rounding in the part that computed it, and is raised.
        """
        allocation = Allocation(bundles)
        problem.check(allocation)
        welfare = problem.welfare(allocation)
        return cls(allocation, welfare, max(bound, welfare), method, bound_method, seconds)


def relative_gap(welfare: float, bound: float) -> float:
    """How far a bound is above a value, relative to the value."""
    if not np.isfinite(bound):
        return np.inf
    difference = max(0.0, bound - welfare)
    size = abs(welfare) or 1.0
    return 0.0 if difference <= 1e-12 * size else difference / size


@dataclass(frozen=True, eq=False)
class Demand:
    """
    A bidder's answer to prices.

    Parameters
    ----------
    bundle
        The best bundle found ``(num_goods,)``.
    utility
        Its value less its price, by the function itself.
    bound
        No allowed bundle has a larger utility; infinite without proof.
    seconds
        Wall-clock time.
    """

    bundle: np.ndarray
    utility: float
    bound: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Favourite:
    """
    One bidder's answer to prices.

    Parameters
    ----------
    bundles
        Its best bundles at these prices, ``(num_bundles, num_goods)``, best first.
    values
        Their values ``(num_bundles,)``.
    bound
        No bundle's value minus its price is larger; infinite if nothing is proven.
    """

    bundles: np.ndarray
    values: np.ndarray
    bound: float
