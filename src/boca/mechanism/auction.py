"""The auction as a state machine: ``ask``, ``tell``, ``close``."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from boca.core.bundle import as_bundles, bundle_key, bundle_keys
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.outcome import Outcome
from boca.core.query import Query, Reason
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.mechanism.callbacks import Callback
from boca.mechanism.params import AuctionParams
from boca.mechanism.record import RoundRecord
from boca.mechanism.round import plan
from boca.mechanism.state import AuctionState
from boca.mechanism.stopping import (
    BudgetUsed,
    NoImprovement,
    ProvenEfficient,
    StoppingRule,
    TimeUsed,
    first_reason,
)
from boca.payments import allocate, quadratic_core, vcg
from boca.queries.initial import independent


class Auction:
    """
    One auction, driven from outside.

    ``ask`` gives the queries that are open, ``tell`` takes a report, ``close`` gives the outcome.
    Whatever was decided is in ``state``, an immutable value that saves to one file; the same
    state continues in the same way on the same machine.

    Parameters
    ----------
    state
        Where to start from; see :meth:`start` and :meth:`load`.
    callbacks
        Who listens.
    first_bundles
        Initial bundles of each bidder ``(num_initial, num_goods)``, instead of random ones.
    rules
        Further stopping rules. An experiment that knows the true optimum stops the auction here;
        the auction itself never sees it.
    """

    def __init__(
        self,
        state: AuctionState,
        callbacks: Sequence[Callback] = (),
        first_bundles: Sequence[np.ndarray] | None = None,
        rules: Sequence[StoppingRule] = (),
    ):
        if state.params.acquisition == "full":
            raise InputError(
                f"The mechanism '{state.params.mechanism}' knows all values and asks nothing; "
                "it exists in simulation only. Choose another for an auction."
            )
        self.state = state
        self.callbacks = list(callbacks)
        self._first_bundles = first_bundles
        self._started = time.monotonic()
        self._rules = [*self._stopping_rules(), *rules]

    @classmethod
    def start(
        cls,
        market: Market,
        params: AuctionParams,
        callbacks: Sequence[Callback] = (),
        first_bundles: Sequence[np.ndarray] | None = None,
        rules: Sequence[StoppingRule] = (),
    ) -> "Auction":
        """A new auction."""
        return cls(AuctionState.start(market, params), callbacks, first_bundles, rules)

    @classmethod
    def load(
        cls,
        path: Path | str,
        callbacks: Sequence[Callback] = (),
        rules: Sequence[StoppingRule] = (),
    ) -> "Auction":
        """An auction that goes on from a saved state."""
        return cls(AuctionState.load(path), callbacks, rules=rules)

    def save(self, path: Path | str) -> None:
        """Writes the state to one JSON file."""
        self.state.save(path)

    def ask(self) -> tuple[Query, ...]:
        """
        The queries that wait for an answer; empty when the auction has stopped.

        While any query of a round is open, the same ones come back. Once all are answered or
        declined, the next round is planned, which takes seconds.
        """
        if self.state.closed or self.state.stopped:
            return ()
        if self.state.pending:
            return self.state.pending

        if max(self.state.num_asked) == 0:
            self._put(self._initial_queries(), RoundRecord(0, 0, 0, 0.0))
            if self.state.pending:
                return self.state.pending

        if self.state.current is not None:
            self._finish_round(self.state.current)
        reason = first_reason(self._rules, self.state)
        if reason is None:
            self._plan_round()
            if self.state.pending:
                return self.state.pending
            reason = "every bundle has been asked about"
        self.stop(reason)
        return ()

    def tell(self, bidder: int, bundle: Any, value: float) -> None:
        """
        Takes one report.

        It may answer an open query, correct an earlier report, or be one that nobody asked for
        (a push bid); pushed reports do not count against the budget.
        """
        row = self._check(bidder, bundle)
        self.state = self.state.report(bidder, row, float(value))

    def decline(self, bidder: int, bundle: Any) -> None:
        """Takes a bidder's word that it will not value a bundle; it is not asked again."""
        row = self._check(bidder, bundle)
        if row in self.state.reports[bidder]:
            raise InputError(
                f"Bidder {bidder} declined a bundle that it has reported before; "
                "tell another value to correct the report."
            )
        self.state = self.state.decline(bidder, row)

    def decline_open(self) -> None:
        """Declines every open query, so that the auction goes on without the missing answers."""
        for query in self.state.pending:
            self.decline(query.bidder, query.bundle)

    def stop(self, reason: str) -> None:
        """Ends the asking; reports are still taken until :meth:`close`."""
        self.state = replace(self.state, stopped=reason, pending=())
        for callback in self.callbacks:
            callback.on_stopped(self.state, reason)

    def close(self) -> Outcome:
        """The final allocation and payments, from all reports so far."""
        rule = quadratic_core if self.state.params.payment_rule == "core" else vcg
        outcome = rule(self.bids(), self.state.market)
        if not self.state.closed:
            self.state = replace(self.state, closed=True, pending=())
            for callback in self.callbacks:
                callback.on_closed(self.state, outcome)
        return outcome

    def bids(self) -> tuple[Reports, ...]:
        """What decides allocation and payments: the reports."""
        return self.state.reports

    def _check(self, bidder: int, bundle: Any) -> np.ndarray:
        market = self.state.market
        if self.state.closed:
            raise InputError("The auction is closed; no further report can be taken.")
        if not 0 <= bidder < market.num_bidders:
            raise InputError(
                f"Received a report of bidder {bidder}; expected 0 to {market.num_bidders - 1}."
            )
        return as_bundles(bundle, market.capacities)[0]

    def _stopping_rules(self) -> list[StoppingRule]:
        stopping = self.state.params.stopping
        rules: list[StoppingRule] = [BudgetUsed()]
        if stopping.max_seconds is not None:
            rules.append(TimeUsed(stopping.max_seconds, lambda: time.monotonic() - self._started))
        if stopping.patience is not None:
            rules.append(NoImprovement(stopping.patience, stopping.min_gain))
        if stopping.when_proven:
            rules.append(ProvenEfficient())
        return rules

    def _initial_queries(self) -> tuple[Query, ...]:
        market, params = self.state.market, self.state.params
        queries = []
        for i in range(market.num_bidders):
            known = set(bundle_keys(self.state.reports[i].bundles))
            if self._first_bundles is None:
                generator = Seeds(params.seed).child("initial", i).generator()
                bundles = independent(market, i, params.num_initial, generator, known)
            else:
                given = as_bundles(self._first_bundles[i], market.capacities)
                bundles = np.array([row for row in given if bundle_key(row) not in known])
            queries += [Query(i, tuple(row.tolist()), Reason("initial")) for row in bundles]
        return tuple(queries)

    def _put(self, queries: tuple[Query, ...], record: RoundRecord) -> None:
        self.state = self.state.asking(queries, record)
        for callback in self.callbacks:
            callback.on_asked(self.state, queries)

    def _finish_round(self, current: RoundRecord) -> None:
        """Records the round whose queries have all been dealt with."""
        state = self.state
        best = allocate(self.bids(), state.market)
        record = replace(
            current,
            round=state.round,
            num_queries=max(state.num_asked),
            num_reports=sum(map(len, state.reports)),
            welfare=best.welfare,
            allocation=tuple(tuple(row) for row in best.allocation.bundles.tolist()),
        )
        self.state = replace(state, history=state.history + (record,), current=None)
        for callback in self.callbacks:
            callback.on_round(self.state, record)

    def _plan_round(self) -> None:
        queries, use, record = plan(self.state, self.callbacks)
        self.state = replace(self.state, use=use)
        if queries:
            self._put(queries, record)
