"""
The combinatorial clock auction (Ausubel, Cramton and Milgrom, 2006), as ask / tell / close.

1. Clock: prices are announced, every bidder names the bundle it wants, and the price of every good
   that is wanted more often than it exists rises, until none is or the rounds are used up.
2. Raised bids: bidders say what the bundles that they wanted are worth to them.
3. Profit-maximising bids: bidders name the most profitable bundles at the final prices, and what
   those are worth.

A wanted bundle is a bid of its price. There are no activity rules: simulated bidders are truthful,
and people would be told to be.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from boca.core.bundle import as_bundles
from boca.core.demand import DemandQuery, Demands
from boca.core.errors import InputError
from boca.core.query import Query, Reason
from boca.core.report import Reports
from boca.mechanism.auction import Auction
from boca.mechanism.callbacks import Callback
from boca.mechanism.record import RoundRecord
from boca.mechanism.state import AuctionState
from boca.mechanism.stopping import StoppingRule

CLOCK, RAISED, PROFIT = "clock", "raised", "profit-max"


class ClockAuction(Auction):
    """
    A combinatorial clock auction, driven from outside.

    ``ask`` gives demand queries and value queries; ``tell_demand`` answers the former, ``tell`` the
    latter. What comes next follows from the state alone, so that it saves and loads like any other.

    Parameters
    ----------
    state, callbacks, rules
        As in :class:`Auction`; ``state.params.clock`` holds prices and increment.
    """

    def __init__(
        self,
        state: AuctionState,
        callbacks: Sequence[Callback] = (),
        rules: Sequence[StoppingRule] = (),
    ):
        super().__init__(state, callbacks, rules=rules)
        given = state.params.clock.start_prices
        if len(given) != state.market.num_goods:
            raise InputError(
                f"A clock auction received {len(given)} start prices; expected one for each of "
                f"the {state.market.num_goods} goods."
            )
        if not state.demands:
            nothing = Demands.empty(state.market.num_goods)
            self.state = replace(state, demands=(nothing,) * state.market.num_bidders)

    def ask(self) -> tuple[Query | DemandQuery, ...]:  # type: ignore[override]
        """The queries that wait for an answer; empty when the auction has stopped."""
        if self.state.closed or self.state.stopped:
            return ()
        while not self._open():
            if self.state.current is not None:
                self._finish_round(self.state.current)
            for rule in self._rules[1:]:  # the first one counts value queries
                reason = rule(self.state)
                if reason is not None:
                    self.stop(reason)
                    return ()
            if not self._next_round():
                self.stop("all supplementary bids are in")
                return ()
        return self._open()

    def tell_demand(self, bidder: int, bundles: Any) -> None:
        """
        Takes the answer to a bidder's demand query: one bundle, or several, the best first.

        An empty bundle says that the bidder wants nothing at these prices.
        """
        query = next((q for q in self.state.pending_demands if q.bidder == bidder), None)
        if query is None:
            raise InputError(f"Bidder {bidder} has no open demand query.")
        rows = as_bundles(bundles, self.state.market.capacities)
        if len(rows) > query.num_bundles:
            raise InputError(
                f"Bidder {bidder} named {len(rows)} bundles; expected at most {query.num_bundles}."
            )
        if not self.state.market.allows(bidder, rows).all():
            raise InputError(f"Bidder {bidder} wants a bundle that its limits forbid.")
        left = tuple(q for q in self.state.pending_demands if q.bidder != bidder)
        self.state = replace(self.state, pending_demands=left)
        if query.num_bundles == 1:
            demands = list(self.state.demands)
            demands[bidder] = demands[bidder].add(query.prices, rows[0])
            self.state = replace(self.state, demands=tuple(demands))
        else:
            self._ask_values({bidder: rows}, PROFIT)

    def bids(self) -> tuple[Reports, ...]:
        """Every report, and for wanted bundles without one their price."""
        return tuple(
            combine(reports, demands.bids())
            for reports, demands in zip(self.state.reports, self.state.demands, strict=True)
        )

    @property
    def prices(self) -> np.ndarray:
        """The prices of the next clock round, or the final ones once the clock has stopped."""
        demands = self.state.demands[0]
        if not len(demands):
            return np.array(self.state.params.clock.start_prices)
        rise = self.state.params.clock.increment * (self.excess() > 0)
        return demands.prices[-1] * (1 + rise)

    def excess(self) -> np.ndarray:
        """Copies of each good wanted beyond those there are, in the last clock round."""
        wanted = sum(demands.bundles[-1] for demands in self.state.demands)
        return wanted - self.state.market.capacities

    def _open(self) -> tuple[Query | DemandQuery, ...]:
        return (*self.state.pending_demands, *self.state.pending)

    def _next_round(self) -> bool:
        """Puts the next queries, if there are any left; False when the auction is over."""
        last = self.state.history[-1].phase if self.state.history else ""
        num_rounds = len(self.state.demands[0])
        params = self.state.params
        if last in ("", CLOCK):
            if num_rounds == 0 or (num_rounds < params.num_total and (self.excess() > 0).any()):
                self._ask_demands(1, CLOCK)
            else:
                wanted = {i: own.bids().bundles for i, own in enumerate(self.state.demands)}
                self._begin(RAISED)
                self._ask_values(wanted, RAISED)
            return True
        if last == RAISED and params.clock.num_profit_bids:
            self._ask_demands(params.clock.num_profit_bids, PROFIT)
            return True
        return False

    def _begin(self, phase: str) -> None:
        self.state = replace(self.state, current=RoundRecord(0, 0, 0, 0.0, phase=phase))

    def _ask_demands(self, num_bundles: int, phase: str) -> None:
        prices = tuple(self.prices.tolist())
        bidders = range(self.state.market.num_bidders)
        queries = tuple(DemandQuery(i, prices, num_bundles) for i in bidders)
        self._begin(phase)
        asked = tuple(count + 1 for count in self.state.num_asked)
        self.state = replace(self.state, pending_demands=queries, num_asked=asked)
        for callback in self.callbacks:
            callback.on_asked(self.state, queries)  # type: ignore[arg-type]

    def _ask_values(self, bundles: dict[int, np.ndarray], phase: str) -> None:
        """Asks for the values of bundles that are not known yet."""
        queries = tuple(
            Query(i, tuple(row.tolist()), Reason(phase))
            for i, rows in bundles.items()
            for row in rows
            if row.any() and row not in self.state.reports[i]
        )
        if not queries:
            return
        counts = list(self.state.num_asked)
        for query in queries:
            counts[query.bidder] += 1
        pending = self.state.pending + queries
        self.state = replace(self.state, pending=pending, num_asked=tuple(counts))
        for callback in self.callbacks:
            callback.on_asked(self.state, queries)


def combine(reports: Reports, bids: Reports) -> Reports:
    """Reports, and bids for bundles that were never reported."""
    new = [row for row, bundle in enumerate(bids.bundles) if bundle not in reports]
    return reports.add(bids.bundles[new], bids.values[new])
