"""Bundles that a surrogate itself wants to know about."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from boca.core.bundle import bundle_key
from boca.core.query import Query, Reason
from boca.core.randomness import Seeds
from boca.core.settings import check_at_least, check_types
from boca.queries.planner import Plan, Planner, Situation, known_keys, register_planner
from boca.queries.random_bundles import draw_bundles
from boca.surrogates.fitted import Fitted


@register_planner
@dataclass(frozen=True)
class SuggestedBundles(Planner):
    """
    Asks for the values that each bidder's surrogate would learn most from.

    Where a surrogate has no further suggestion, random bundles take their place.

    Parameters
    ----------
    num_per_round
        Questions per bidder and round.
    """

    name: ClassVar[str] = "suggested"
    num_per_round: int = 4

    def __post_init__(self) -> None:
        check_types(self)
        check_at_least(1, num_per_round=self.num_per_round)

    @property
    def per_round(self) -> int:
        return self.num_per_round

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        queries: list[Query] = []
        for i in range(situation.market.num_bidders):
            known = known_keys(situation, i)
            suggestions = self._unasked(situation, i, fitted.get(i), known)
            queries += suggestions
            known |= {bundle_key(query.bundle) for query in suggestions}
            generator = seeds.child("random", i).generator()
            missing = self.num_per_round - len(suggestions)
            drawn = draw_bundles(situation.market, i, missing, generator, known)
            queries += [Query(i, row, Reason("random")) for row in drawn]
        return Plan(tuple(queries), situation.use)

    def _unasked(
        self, situation: Situation, bidder: int, fitted: Fitted | None, known: set[bytes]
    ) -> list[Query]:
        """The first suggestions that the bidder may be given and was not asked about."""
        if fitted is None or fitted.suggestions is None:
            return []
        rows = fitted.suggestions
        rows = rows[situation.market.allows(bidder, rows) & rows.any(axis=1)]
        unasked = [row for row in rows if bundle_key(row) not in known]
        return [Query(bidder, row, Reason("suggested")) for row in unasked[: self.num_per_round]]
