"""
One bidder's next query from one economy (BOCA, Appendix A, Algorithm 1).

Deviations from the pseudocode, all of them the paper's own adaptations or the order of its code:

1. Bidders are trained once per round, not once per economy; the acquisitions arrive as an argument.
2. Every query must be new, also among those of its own round.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from boca.core.bundle import bundle_key, bundle_keys
from boca.core.economy import Economy
from boca.core.market import Market
from boca.core.query import Query, Reason
from boca.core.report import Reports
from boca.functions.value_function import ValueFunction
from boca.wdp import WelfareProblem, WelfareResult

# Solves one winner-determination problem; None where no allocation obeys the exclusions.
Solve = Callable[[WelfareProblem], WelfareResult | None]


@dataclass
class _Asked:
    """Bundles that a bidder must not be asked about, growing through the round."""

    bundles: list[np.ndarray]
    keys: set[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.keys = set(bundle_keys(np.array(self.bundles)))

    def add(self, bundle: np.ndarray) -> None:
        self.bundles.append(bundle)
        self.keys.add(bundle_key(bundle))


class NextQuery:
    """
    Finds new queries of one round, one bidder and one economy at a time.

    Parameters
    ----------
    market
        Goods and bidders.
    acquisitions
        The function of a bundle that queries maximise, one per bidder.
    known
        What each bidder has reported.
    declined
        Bundles each bidder has refused to value, ``(num_declined, num_goods)`` per bidder.
    solve
        The winner-determination call.
    """

    def __init__(
        self,
        market: Market,
        acquisitions: Sequence[ValueFunction],
        known: Sequence[Reports],
        declined: Sequence[np.ndarray],
        solve: Solve,
    ):
        self._market = market
        self._acquisitions = list(acquisitions)
        self._solve = solve
        # The empty bundle is worth nothing, so asking about it teaches nothing.
        empty = np.zeros(market.num_goods, dtype=np.int64)
        self._asked = [
            _Asked([empty, *reports.bundles, *refused])
            for reports, refused in zip(known, declined, strict=True)
        ]
        self._best: dict[Economy, WelfareResult | None] = {}
        self.num_solved = 0
        self.num_displaced = 0

    def best(self, economy: Economy) -> WelfareResult | None:
        """The best allocation of an economy (line 2), solved once and kept for all bidders."""
        if economy not in self._best:
            self.num_solved += 1
            self._best[economy] = self._solve(
                WelfareProblem(self._market, self._acquisitions, economy)
            )
        return self._best[economy]

    def __call__(self, bidder: int, economy: Economy, source: str) -> Query | None:
        """
        One bidder's new query from one economy (lines 3 to 7).

        None if the bidder has been asked about every bundle it can be given.
        """
        asked = self._asked[bidder]
        result = self.best(economy)
        if result is None:
            return None

        bundle = result.allocation.bundles[bidder]
        displaced = bundle_key(bundle) in asked.keys  # line 4
        if displaced:
            # The optimum teaches us nothing new about this bidder, so look for the best
            # allocation that gives it an unasked bundle; the others are free to change.
            result = self._solve_without(bidder, economy)  # lines 5 and 6
            if result is None:
                return None
            bundle = result.allocation.bundles[bidder]  # line 7

        asked.add(bundle)
        predicted = float(self._acquisitions[bidder](bundle[None, :])[0])
        return Query(
            bidder, bundle, Reason(source, economy.describe(self._market), displaced, predicted)
        )

    def _solve_without(self, bidder: int, economy: Economy) -> WelfareResult | None:
        """The best allocation that gives one bidder a bundle it was not asked about."""
        self.num_solved += 1
        self.num_displaced += 1
        excluded = {bidder: np.array(self._asked[bidder].bundles)}
        return self._solve(WelfareProblem(self._market, self._acquisitions, economy, excluded))
