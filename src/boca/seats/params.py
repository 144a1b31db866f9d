"""How prices are searched for."""

from dataclasses import dataclass

import numpy as np

from boca.core.errors import InputError
from boca.core.settings import check_types


@dataclass(frozen=True)
class SeatParams:
    """
    The settings of the search for prices.

    Effort is counted in attempts, so that a seed gives the same assignment on any machine; the time
    limit is a bound besides.

    Parameters
    ----------
    budget_spread
        The student who is first in the order of tie-breaking has this much more than the last one,
        whose budget is 1. At least 0. Envy stays within one course as long as
        (1 + budget_spread + budget_moves) / (1 - budget_moves) <= k / (k - 1) with k courses each.
    budget_moves
        By how much a budget may be moved for seats to be neither over- nor undersold, in [0, 0.1].
    num_ranked
        Schedules that are listed per student at first, best first. Positive; more are added where
        a student can afford none of these.
    num_attempts
        Starts of the search, each from the best prices so far with a little noise. Positive.
    num_rounds
        Rounds in which prices follow demand, in the first attempt. Positive.
    patience
        Steps of the tabu search without a smaller error before it ends. Positive.
    keep_order
        Whether budgets are moved only such that nobody envies a student further back in the order.
    """

    budget_spread: float = 0.04
    budget_moves: float = 0.01
    num_ranked: int = 2048
    num_attempts: int = 60
    num_rounds: int = 120
    patience: int = 12
    keep_order: bool = True

    def __post_init__(self) -> None:
        check_types(self)
        if not (np.isfinite(self.budget_spread) and self.budget_spread >= 0):
            raise InputError(
                f"Received the budget spread {self.budget_spread}; expected a number of at least 0."
            )
        if not 0 <= self.budget_moves <= 0.1:
            raise InputError(
                f"Received budget moves of {self.budget_moves}; expected a number from 0 to 0.1."
            )
        for name in ("num_ranked", "num_attempts", "num_rounds", "patience"):
            if getattr(self, name) < 1:
                raise InputError(f"Received {name} = {getattr(self, name)}; expected at least 1.")
