"""The auction as a state machine: ``ask``, ``tell``, ``close``."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from boca.core.bundle import as_bundles
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.outcome import Outcome
from boca.core.query import DemandQuery, Query, Question
from boca.core.report import Reports
from boca.mechanism.callbacks import Callback
from boca.mechanism.deciding import outcome as decided
from boca.mechanism.params import AuctionParams
from boca.mechanism.record import Planning
from boca.mechanism.state import AuctionState
from boca.mechanism.step import Step
from boca.mechanism.stepping import next_step
from boca.mechanism.stopping import StoppingRule, stopping_rules
from boca.payments import Progress
from boca.queries.first import INITIAL


class Auction:
    """
    One auction, driven from outside.

    ``ask`` gives the questions that are open; ``tell``, ``tell_demand`` and ``decline`` take the
    answers; ``close`` gives the outcome. Whatever was decided is in ``state``, an immutable value
    that saves to one file; the same state continues in the same way on the same machine.

    Parameters
    ----------
    state
        Where to start from; see :meth:`start` and :meth:`load`.
    callbacks
        Who listens.
    rules
        Further stopping rules. An experiment that knows the true optimum stops the auction here;
        the auction itself never sees it.
    """

    def __init__(
        self,
        state: AuctionState,
        callbacks: Sequence[Callback] = (),
        rules: Sequence[StoppingRule] = (),
    ):
        self.state = state
        self.callbacks = list(callbacks)
        started = time.monotonic()

        def elapsed() -> float:
            return time.monotonic() - started

        self._rules = [*stopping_rules(state.params, elapsed), *rules]

    @classmethod
    def start(
        cls,
        market: Market,
        params: AuctionParams,
        callbacks: Sequence[Callback] = (),
        rules: Sequence[StoppingRule] = (),
        first_bundles: Sequence[np.ndarray] | None = None,
    ) -> "Auction":
        """
        A new auction.

        Parameters
        ----------
        market, params
            What is shared out, and how.
        callbacks, rules
            As in the class.
        first_bundles
            What the first round asks, ``(num_queries, num_goods)`` per bidder, instead of what the
            first phase would plan.
        """
        auction = cls(AuctionState.start(market, params), callbacks, rules)
        if first_bundles is not None:
            questions = tuple(
                Query(i, row, INITIAL)
                for i, rows in enumerate(first_bundles)
                for row in as_bundles(rows, market.capacities)
            )
            planning = Planning(params.phases[0].name)
            auction._apply(Step(None, 0, questions, auction.state.use, planning))
        return auction

    @classmethod
    def load(
        cls,
        path: Path | str,
        callbacks: Sequence[Callback] = (),
        rules: Sequence[StoppingRule] = (),
    ) -> "Auction":
        """An auction that goes on from a saved state."""
        return cls(AuctionState.load(path), callbacks, rules)

    def save(self, path: Path | str) -> None:
        """Writes the state to one JSON file."""
        self.state.save(path)

    def ask(self) -> tuple[Question, ...]:
        """
        The questions that wait for an answer; empty when the auction has stopped.

        While any question of a round is open, the same ones come back. Once all are answered or
        declined, the next round is planned, which takes seconds.
        """
        if self.state.closed or self.state.stopped:
            return ()
        if not self.state.pending:
            self._apply(next_step(self.state, self._rules, self.callbacks))
        return self.state.pending

    def tell(self, bidder: int, bundle: Any, value: float | tuple[float, float]) -> None:
        """
        Takes one report.

        It may answer an open query, correct an earlier report, or be one that nobody asked for
        (a push bid); pushed reports do not count against the budget. A pair says that the bundle
        is worth from the first to the second number; the first is what the bidder bids.
        """
        row = self._check(bidder, bundle)[0]
        ends = value if isinstance(value, tuple) else (value,)
        for end in ends:
            if isinstance(end, bool | np.bool_) or not isinstance(end, Real):
                raise InputError(f"Received the value {value!r}; expected a number or two.")
        if not 1 <= len(ends) <= 2:
            raise InputError(f"Received {len(ends)} values for one bundle; expected one or two.")
        if len(ends) == 2 and self.state.market.sense == "buy":
            raise InputError(f"Received the range {value!r} of a cost; expected one number.")
        self.state = self.state.report(bidder, row, *map(float, ends))

    def tell_demand(self, bidder: int, bundles: Any) -> None:
        """
        Takes the answer to a bidder's demand query: one bundle, or several, the best first.

        An empty bundle says that the bidder wants nothing at these prices.
        """
        self.state = self.state.demand(bidder, self._check(bidder, bundles))

    def decline(self, bidder: int, bundle: Any) -> None:
        """Takes a bidder's word that it will not value a bundle; it is not asked again."""
        self.state = self.state.decline(bidder, self._check(bidder, bundle)[0])

    def decline_open(self) -> None:
        """Declines every open question, so that the auction goes on without the answers."""
        for question in self.state.pending:
            if isinstance(question, DemandQuery):
                self.state = self.state.decline_demand(question.bidder)
            else:
                self.decline(question.bidder, question.bundle)

    def stop(self, reason: str) -> None:
        """Ends the asking; reports are still taken until :meth:`close`."""
        self.state = replace(self.state, stopped=reason, pending=())
        for callback in self.callbacks:
            callback.on_stopped(self.state, reason)

    def close(
        self, verify: bool = False, progress: Callable[[Progress], None] | None = None
    ) -> Outcome:
        """
        The final allocation and payments, from all reports so far (lines 11 to 13).

        Parameters
        ----------
        verify
            Whether a second solver has to find the same welfare in every economy.
        progress
            Called from time to time with how far the work is; None to tell nobody.
        """
        outcome = decided(self.bids(), self.state.market, self.state.params, verify, progress)
        if not self.state.closed:
            self.state = replace(self.state, closed=True, pending=())
            for callback in self.callbacks:
                callback.on_closed(self.state, outcome)
        return outcome

    def bids(self) -> tuple[Reports, ...]:
        """What decides allocation and payments; see :meth:`AuctionState.bids`."""
        return self.state.bids()

    def _apply(self, step: Step) -> None:
        self.state = self.state.apply(step)
        for callback in self.callbacks:
            if step.stop:
                callback.on_stopped(self.state, step.stop)
            else:
                callback.on_asked(self.state, step.questions)

    def _check(self, bidder: int, bundles: Any) -> np.ndarray:
        """The bundles as a matrix, if this bidder may speak of them now."""
        market = self.state.market
        if self.state.closed:
            raise InputError("The auction is closed; no further report can be taken.")
        if not 0 <= bidder < market.num_bidders:
            raise InputError(
                f"Received a report of bidder {bidder}; expected 0 to {market.num_bidders - 1}."
            )
        return as_bundles(bundles, market.capacities)
