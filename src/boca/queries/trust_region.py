"""
Value queries near the best allocation so far.

Networks are right about small changes of a bundle and wrong about large ones, and the allocation
that maximises their sum is where they err most. So most rounds look for improvements within a few
copies of the best allocation on bids; one in a few looks everywhere, which leads out of a valley;
and one in a few asks in an economy without one of the winners, since payments depend on it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np

from boca.core.bundle import bundle_key
from boca.core.economy import Economy
from boca.core.errors import InputError
from boca.core.query import Query, Reason
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.core.settings import (
    check_at_least,
    check_choice,
    check_number,
    check_positive,
    check_types,
)
from boca.functions import XorTable
from boca.functions.near import Near
from boca.functions.value_function import ValueFunction
from boca.queries.planner import (
    Plan,
    Planner,
    Prediction,
    Situation,
    known_keys,
    register_planner,
)
from boca.queries.random_bundles import random_queries
from boca.surrogates.fitted import AcquisitionKind, Fitted
from boca.wdp import WelfareProblem, WelfareResult
from boca.wdp.improve import improve_welfare
from boca.wdp.search.local_search import Effort

EVERYWHERE = Effort(chains=16, steps=200)
NEARBY = Effort(chains=8, steps=60)


@register_planner
@dataclass(frozen=True)
class TrustRegion(Planner):
    """
    Asks everybody about its bundle in the best allocation within a distance of the incumbent.

    The incumbent is the best allocation on bids of the economy that the round looks at. A bidder
    whose bundle is known already is not asked, which spares those who hardly matter.

    Parameters
    ----------
    acquisition
        What is maximised: ``mean``, ``upper``, or ``bounded``, the smaller of upper and envelope.
    distance
        Copies by which each bidder's bundle may differ from the incumbent's; twice as many in
        economies without a winner.
    penalty
        What every further copy costs, as a share of the bidder's largest value that is known of.
    global_every
        One round of the main economy in so many looks everywhere; 1 for all, 0 for none.
    marginal_every
        One round in so many looks at an economy without one of the winners, in turn; 0 for none.
    num_winners
        Winners that are left out in turn, those with the largest bids.
    num_per_round
        Allocations that a round asks about, all found by the same networks; each gives every
        bidder at most one question, and never one that the round has asked already.
    design
        Whoever has no new bundle is asked about its share of the best allocation with this share
        of the goods changed by a copy, which teaches what small changes are worth; 0 for nobody.
    """

    name: ClassVar[str] = "trust-region"
    acquisition: AcquisitionKind = "mean"
    distance: int = 3
    penalty: float = 0.05
    global_every: int = 4
    marginal_every: int = 3
    num_winners: int = 4
    num_per_round: int = 1
    design: float = 0.0

    def __post_init__(self) -> None:
        check_types(self)
        check_choice(get_args(AcquisitionKind), acquisition=self.acquisition)
        check_at_least(1, distance=self.distance, num_winners=self.num_winners)
        check_at_least(1, num_per_round=self.num_per_round)
        check_at_least(0, global_every=self.global_every, marginal_every=self.marginal_every)
        check_positive(penalty=self.penalty)
        check_number(design=self.design)
        if not 0 <= self.design <= 1:
            raise InputError(f"Received design = {self.design}; expected a share from 0 to 1.")

    @property
    def per_round(self) -> int:
        return self.num_per_round

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        """The questions of as many allocations as a round has."""
        queries, prediction = self.propose(situation, fitted, seeds)
        for turn in range(1, self.num_per_round if queries else 1):
            more, _ = self.propose(situation, fitted, seeds, turn, queries)
            queries += more
        if queries:
            return Plan(queries, situation.use, prediction)
        over = "the best allocations hold no bundle that was not asked about"
        return Plan((), situation.use, over=over)

    def propose(
        self,
        situation: Situation,
        fitted: Mapping[int, Fitted],
        seeds: Seeds,
        turn: int = 0,
        asked: Sequence[Query] = (),
        persistent: bool = True,
    ) -> tuple[tuple[Query, ...], Prediction]:
        """
        Questions from the first economy that has a new one, by what the turn is for.

        Parameters
        ----------
        situation, fitted, seeds
            As in :meth:`plan`.
        turn
            How many allocations of this round were looked at before.
        asked
            Their questions.
        persistent
            Whether to look at other economies where the turn's own has no new question.
        """
        seeds = seeds.child("turn", turn) if turn else seeds
        attempts = self.attempts(situation, seeds, turn)
        for economy, nearby in attempts if persistent else attempts[:1]:
            queries, prediction = self.ask(situation, fitted, economy, nearby, seeds, asked)
            queries += self.designed(situation, (*asked, *queries), turn, seeds)
            if queries:
                break
        return queries, prediction

    def attempts(
        self, situation: Situation, seeds: Seeds, turn: int = 0
    ) -> list[tuple[Economy, bool]]:
        """
        Economies to look at, each everywhere or nearby: the turn's own, then others in case it has
        no new question.
        """
        n = situation.market.num_bidders
        k = situation.rounds_in_phase * self.num_per_round + turn
        main = Economy.main(n)
        winners = situation.winners(main).largest(self.num_winners) if n > 1 else []
        marginal = self.marginal_every > 0 and k % self.marginal_every == self.marginal_every - 1
        everywhere = self.global_every > 0 and k % self.global_every == self.global_every - 1
        place = k // self.marginal_every if self.marginal_every else 0
        place %= len(winners) or 1
        winners = winners[place:] + winners[:place]
        coin = bool(seeds.child("nearby").generator().random() < 0.5)

        without = [Economy.without(j, n) for j in winners]
        first = (without[0], coin) if marginal and without else (main, not everywhere)
        others = [(main, True), (main, False), *((economy, False) for economy in without)]
        return [first, *(other for other in others if other != first)]

    def ask(
        self,
        situation: Situation,
        fitted: Mapping[int, Fitted],
        economy: Economy,
        nearby: bool,
        seeds: Seeds,
        asked: Sequence[Query] = (),
    ) -> tuple[tuple[Query, ...], Prediction]:
        """
        New questions from the best allocation of one economy, and what it is predicted to bring.

        Parameters
        ----------
        situation, fitted, seeds
            As in :meth:`plan`.
        economy
            Whose allocation.
        nearby
            Whether to stay near the incumbent.
        asked
            Questions of this round; nobody gets a bundle again that it is being asked about.
        """
        market = situation.market
        functions = self.functions(situation, fitted)
        excluded = {
            i: np.array([query.bundle for query in asked if query.bidder == i])
            for i in economy.bidders
        }
        result = self.improve(situation, functions, economy, nearby, seeds, excluded)
        if result is None:
            return (), Prediction(num_solved=1)

        whole = economy == Economy.main(market.num_bidders)
        bundles = result.allocation.bundles
        queries = []
        for i in economy.bidders:
            known = known_keys(situation, i)
            if i in fitted and bundles[i].any() and bundle_key(bundles[i]) not in known:
                predicted = float(functions[i](bundles[i][None])[0])
                source = "nearby" if nearby else "main" if whole else "marginal"
                reason = Reason(source, economy.describe(market), False, predicted)
                queries.append(Query(i, bundles[i], reason))
        silent = [i for i in economy.bidders if i not in fitted]
        keys = {query.key for query in asked}
        queries += [q for q in random_queries(situation, silent, 1, seeds) if q.key not in keys]
        return tuple(queries), Prediction(welfare=result.welfare, num_solved=1)

    def improve(
        self,
        situation: Situation,
        functions: Sequence[ValueFunction],
        economy: Economy,
        nearby: bool,
        seeds: Seeds,
        excluded: Mapping[int, np.ndarray] | None = None,
    ) -> WelfareResult | None:
        """
        The best allocation of one economy that a search from the incumbent finds; None if every
        one has an excluded bundle.

        Parameters
        ----------
        situation, economy, nearby, seeds
            As in :meth:`ask`. Nearby, welfare is less the price of the distance.
        functions
            What is maximised, one function per bidder.
        excluded
            Bundles that a bidder must not get, by bidder.
        """
        market = situation.market
        incumbent = self.incumbent(situation, economy)
        if nearby:
            whole = economy == Economy.main(market.num_bidders)
            distance = self.distance if whole else 2 * self.distance
            functions = [
                Near(function, incumbent[i], distance, self.penalty * scale_of(situation, i))
                for i, function in enumerate(functions)
            ]
        effort = NEARBY if nearby else EVERYWHERE
        starts = [incumbent] * (effort.chains if nearby else 1)
        seed = seeds.child("search", economy.describe(market), int(nearby)).integer(31)
        problem = WelfareProblem(market, functions, economy, excluded)
        return improve_welfare(problem, starts, effort, seed)

    def incumbent(self, situation: Situation, economy: Economy) -> np.ndarray:
        """
        The best allocation on bids, ``(num_bidders, num_goods)``.

        Of what is supplied beyond what is needed, the last suppliers' units are left out; the
        search moves them to where they cost least.
        """
        bundles, market = situation.winners(economy).bundles, situation.market
        if market.sense == "sell":
            return bundles
        before = np.cumsum(bundles, axis=0) - bundles
        trimmed: np.ndarray = np.clip(market.capacities - before, 0, bundles)
        return trimmed

    def designed(
        self, situation: Situation, asked: Sequence[Query], turn: int, seeds: Seeds
    ) -> tuple[Query, ...]:
        """Random changes of the best allocation for those who are behind with their questions."""
        if not self.design:
            return ()
        market = situation.market
        incumbent = self.incumbent(situation, Economy.main(market.num_bidders))
        queries = []
        for i in range(market.num_bidders):
            bundles = [query.bundle for query in asked if query.bidder == i]
            if len(bundles) > turn:
                continue
            rng = seeds.child("design", i).generator()
            changed = rng.random(market.num_goods) < self.design
            step = np.where(rng.random(market.num_goods) < 0.5, 1, -1) * changed
            bundle = np.clip(incumbent[i] + step, 0, market.capacities)
            known = known_keys(situation, i) | set(map(bundle_key, bundles))
            allowed = market.allows(i, bundle)[0] and bundle.any()
            if allowed and bundle_key(bundle) not in known:
                queries.append(Query(i, bundle, Reason("design")))
        return tuple(queries)

    def functions(self, situation: Situation, fitted: Mapping[int, Fitted]) -> list[ValueFunction]:
        """What is maximised, one function per bidder; 0 for those who said nothing."""
        market = situation.market
        nothing = XorTable.from_reports(Reports.empty(market.num_goods), market.capacities)
        return [
            fitted[i].acquisition(self.acquisition) if i in fitted else nothing
            for i in range(market.num_bidders)
        ]


def scale_of(situation: Situation, bidder: int) -> float:
    """The largest value of a bidder that is known of: reported, or shown by a choice."""
    demands = situation.demands[bidder]
    spent = (demands.prices * demands.bundles).sum(axis=1)
    reported = situation.reports[bidder].values
    return float(max(reported.max(initial=0.0), spent.max(initial=0.0)))
