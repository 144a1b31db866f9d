"""
The queries of one round (BOCA, Appendix A, Algorithms 1 and 2).

Deviations from the pseudocode, all of them the paper's own adaptations or the order of its code:

1. Bidders are trained once a round, not once an economy; the acquisitions arrive as an argument.
2. Marginal economies are chosen globally and balanced, see :mod:`boca.queries.economies`.
3. Marginal queries come first for all bidders, then the main economy's. Every query must be new,
   also among those of its own round.
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
from boca.queries.economies import MarginalUse
from boca.wdp import WelfareProblem, WelfareResult

# Solves one winner-determination problem; None where no allocation obeys the exclusions.
Solve = Callable[[WelfareProblem], WelfareResult | None]


@dataclass(frozen=True)
class RoundPlan:
    """
    What a round asks, and how it came about.

    Parameters
    ----------
    queries
        The queries, in the order they were found.
    use
        How often marginal economies have been used, this round included.
    main
        The best allocation of the main economy; None where no bidder has an acquisition.
    num_solved
        Winner-determination problems solved, and how many of them were re-solves.
    """

    queries: tuple[Query, ...]
    use: MarginalUse
    main: WelfareResult | None
    num_solved: int = 0
    num_displaced: int = 0


@dataclass
class _Asked:
    """Bundles that a bidder must not be asked about, growing through the round."""

    bundles: list[np.ndarray]
    keys: set[bytes] = field(init=False)

    def __post_init__(self):
        self.keys = set(bundle_keys(np.array(self.bundles)))

    def add(self, bundle: np.ndarray) -> None:
        self.bundles.append(bundle)
        self.keys.add(bundle_key(bundle))


class RoundPlanner:
    """
    Finds the queries of one round.

    Parameters
    ----------
    market
        Goods and bidders.
    acquisitions
        The function of a bundle that queries maximise, one a bidder.
    known
        What each bidder has reported.
    declined
        Bundles each bidder has refused to value, ``(num_declined, num_goods)`` a bidder.
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
        """The best allocation of an economy, solved on first use and kept for all bidders."""
        if economy not in self._best:
            self.num_solved += 1
            self._best[economy] = self._solve(
                WelfareProblem(self._market, self._acquisitions, economy)
            )
        return self._best[economy]

    def next_query(self, bidder: int, economy: Economy, source: str) -> Query | None:
        """
        One bidder's new query from one economy (Algorithm 1, lines 2 to 7).

        None if the bidder has been asked about every bundle it can be given.
        """
        asked = self._asked[bidder]
        result = self.best(economy)
        if result is None:
            return None

        bundle = result.allocation.bundles[bidder]
        displaced = bundle_key(bundle) in asked.keys
        if displaced:
            # The optimum teaches us nothing new about this bidder, so look for the best
            # allocation that gives it an unasked bundle; the others are free to change.
            self.num_solved += 1
            self.num_displaced += 1
            excluded = {bidder: np.array(asked.bundles)}
            result = self._solve(
                WelfareProblem(self._market, self._acquisitions, economy, excluded)
            )
            if result is None:
                return None
            bundle = result.allocation.bundles[bidder]

        asked.add(bundle)
        predicted = float(self._acquisitions[bidder](bundle[None, :])[0])
        reason = Reason(source, economy.name, displaced, predicted)
        return Query(bidder, tuple(bundle.tolist()), reason)


def plan_round(
    planner: RoundPlanner,
    market: Market,
    use: MarginalUse,
    num_per_round: int,
    generator: np.random.Generator,
    bidders: Sequence[int] | None = None,
    main_only: bool = False,
) -> RoundPlan:
    """
    All queries of one round (Algorithm 2, lines 4 to 11).

    Parameters
    ----------
    planner
        Finds single queries and remembers what was asked.
    market
        Goods and bidders.
    use
        How often marginal economies have been used before.
    num_per_round
        Queries a bidder: one from the main economy, the others from marginal economies, or more
        from the main economy where there are too few bidders for that many marginal economies.
    generator
        Breaks ties between equally used economies.
    bidders
        Who is asked, ascending; everybody if not given.
    main_only
        Whether all queries come from the main economy.
    """
    n = market.num_bidders
    asked = range(n) if bidders is None else bidders
    num_marginal = 0 if main_only else num_per_round - 1
    # With one bidder the marginal economy is empty; with num_per_round = 1 only the main counts.
    num_global = min(num_per_round, n) if num_marginal and n > 1 else 0
    chosen, use = use.choose_global(num_global, generator)

    queries: list[Query | None] = []
    num_main = [num_per_round] * n
    for i in asked:
        mine, use = use.choose_for(i, chosen, num_marginal, generator)
        num_main[i] -= len(mine)
        queries += [planner.next_query(i, Economy.without(j, n), "marginal") for j in mine]

    main = Economy.main(n)
    for i in asked:
        queries += [planner.next_query(i, main, "main") for _ in range(num_main[i])]

    found = tuple(query for query in queries if query is not None)
    best = planner.best(main) if asked else None
    return RoundPlan(found, use, best, planner.num_solved, planner.num_displaced)
