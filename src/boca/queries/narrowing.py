"""Values of ranges that matter: asked again where they may decide who wins or who pays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boca.core.bundle import bundle_key, bundle_keys
from boca.core.economy import Economy
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.query import Query, Reason
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.functions import XorTable
from boca.functions.revealed import RevealedBound, lower_bids
from boca.queries.planner import Plan, Planner, Prediction, Situation, register_planner
from boca.surrogates.fitted import Fitted
from boca.wdp import WelfareProblem, maximise_welfare


@register_planner
@dataclass(frozen=True)
class Narrowing(Planner):
    """
    Asks for the values of bundles that were given as ranges, where they matter.

    A range matters if its bundle is in the best allocation on what was bid, the least of every
    range, or in the best one on the most that answers leave open, as far as a search finds it. Once
    neither holds a range, no allocation of the bundles that were asked about is better than the
    first, whatever the other values are. The main economy comes first, then those without one of
    the winners, which payments depend on. Whoever will not narrow a range keeps it.
    """

    name: ClassVar[str] = "narrowing"

    def check(self, market: Market) -> None:
        if market.sense == "buy":
            raise InputError("Costs are not given as ranges; leave the planner narrowing out.")

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        over = "no range is left that could decide anything"
        if not any(reports.has_ranges for reports in situation.reports):
            return Plan((), situation.use, over=over)
        market = situation.market
        main = Economy.main(market.num_bidders)
        economies = [main]
        if not market.is_exchange and market.num_bidders > 1:
            winners = situation.winners(main).largest(market.num_bidders)
            economies += [Economy.without(i, market.num_bidders) for i in winners]
        most = [most_of(situation, i) for i in range(market.num_bidders)]
        for solved, economy in enumerate(economies, start=1):
            possible = possible_winners(situation, economy, most, seeds)
            winning = situation.winners(economy).bundles
            queries = [
                Query(i, bundle, Reason("narrow", economy.describe(market)))
                for i in economy.bidders
                for bundle in _open(situation, i, winning[i], possible[i])
            ]
            if queries:
                return Plan(tuple(queries), situation.use, Prediction(num_solved=solved))
        return Plan((), situation.use, over=over)


def most_of(situation: Situation, bidder: int) -> Reports:
    """What a bidder has bid on, at the most that its answers leave open."""
    reports, demands = situation.reports[bidder], situation.demands[bidder]
    bound = RevealedBound.from_answers(reports, demands, situation.market, bidder)
    proven = lower_bids(reports, demands, situation.market, bidder)
    bundles = np.concatenate([reports.bundles, proven.bundles])
    least = np.concatenate([reports.values, proven.values])
    most = np.concatenate([reports.highs, np.full(len(proven), np.inf)])
    if bound is not None:
        within = situation.market.allows(bidder, bundles)  # beyond limits, choices say nothing
        most = np.where(within, np.minimum(most, bound(bundles)), most)
    # What nothing bounds, nobody was asked about: it counts with what is proven.
    return Reports(bundles, np.where(np.isfinite(most), np.maximum(most, least), least))


def possible_winners(
    situation: Situation, economy: Economy, most: list[Reports], seeds: Seeds
) -> np.ndarray:
    """The best allocation where everything is worth the most, ``(num_bidders, num_goods)``."""
    market = situation.market
    tables = [XorTable.from_reports(reports, market.capacities) for reports in most]
    problem = WelfareProblem(market, tables, economy)
    seed = seeds.child("narrowing", economy.describe(market)).integer(31)
    return maximise_welfare(problem, seed=seed).allocation.bundles


def _open(situation: Situation, bidder: int, *bundles: np.ndarray) -> list[np.ndarray]:
    """The first of some bundles whose value is a range that the bidder may still narrow."""
    reports = situation.reports[bidder]
    ranges = set(bundle_keys(reports.bundles[reports.ranged]))
    ranges -= set(bundle_keys(situation.declined[bidder]))
    return [bundle for bundle in bundles if bundle_key(bundle) in ranges][:1]
