"""Everything an auction knows, as one immutable value that saves to and loads from a file."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from boca.core.bundle import as_bundles, bundle_key, bundle_keys
from boca.core.demand import Demands
from boca.core.economy import Economy
from boca.core.errors import InputError
from boca.core.files import write_atomically
from boca.core.market import Market
from boca.core.query import DemandQuery, Query, Question, Reason
from boca.core.report import Reports
from boca.functions.consistency import Contradiction, contradiction
from boca.functions.revealed import with_lower_bids
from boca.mechanism.params import AuctionParams
from boca.mechanism.phases import Phase
from boca.mechanism.record import Planning, RoundRecord
from boca.mechanism.state_file import load_state, state_from_dict, state_to_dict
from boca.mechanism.step import Step
from boca.queries.economies import MarginalUse
from boca.queries.winners import Winners


@dataclass(frozen=True, eq=False)
class AuctionState:
    """
    Where an auction stands.

    Parameters
    ----------
    market, params
        What is shared out, and how.
    reports, demands
        What each bidder has reported, and what it has wanted at which prices; one of each per
        bidder.
    declined
        Bundles each bidder refused to value, ``(num_declined, num_goods)`` per bidder; it is not
        asked about them again.
    num_asked
        Questions that each bidder was asked so far, answered or not. The budget counts these, so
        reports nobody asked for are free.
    use
        How often marginal economies were used.
    phase
        Index of the phase that the auction is in.
    pending
        Questions that were asked and not yet answered or declined.
    planning
        What is known of the round under way; None between two rounds.
    history
        One record per finished round.
    stopped
        Why no further questions are asked; empty while the auction goes on.
    closed
        Whether the outcome was computed; no report is taken after that.
    """

    market: Market
    params: AuctionParams
    reports: tuple[Reports, ...]
    demands: tuple[Demands, ...]
    declined: tuple[np.ndarray, ...]
    num_asked: tuple[int, ...]
    use: MarginalUse
    phase: int = 0
    pending: tuple[Question, ...] = ()
    planning: Planning | None = None
    history: tuple[RoundRecord, ...] = ()
    stopped: str = ""
    closed: bool = False

    @classmethod
    def start(cls, market: Market, params: AuctionParams) -> "AuctionState":
        """An auction in which nothing has been asked."""
        from boca.mechanism.deciding import check_market  # a solver takes time to load

        check_market(market, params)
        for phase in params.phases:
            phase.planner.check(market)
        return cls.of(market, params)

    @classmethod
    def of(
        cls,
        market: Market,
        params: AuctionParams,
        reports: Sequence[Reports] | None = None,
        demands: Sequence[Demands] | None = None,
        declined: Sequence[Any] | None = None,
        num_asked: Sequence[int] | None = None,
        use: MarginalUse | None = None,
        **others: Any,
    ) -> "AuctionState":
        """
        A state in one go from what is known; what is left out is empty.

        Parameters
        ----------
        market, params
            What is shared out, and how.
        reports, demands, declined, num_asked
            One entry per bidder each.
        use
            How often marginal economies were used.
        others
            Further fields of a state.
        """
        n, m = market.num_bidders, market.num_goods
        state = cls(
            market,
            params,
            tuple(reports) if reports is not None else (Reports.empty(m),) * n,
            tuple(demands) if demands is not None else (Demands.empty(m),) * n,
            tuple(
                as_bundles(np.reshape(rows, (-1, m)), market.capacities)
                for rows in (declined if declined is not None else ((),) * n)
            ),
            tuple(num_asked) if num_asked is not None else (0,) * n,
            use or MarginalUse.none(n),
            **others,
        )
        for name in ("reports", "demands", "declined", "num_asked"):
            if len(getattr(state, name)) != n:
                raise InputError(
                    f"Received {name} of {len(getattr(state, name))} bidders; expected {n}."
                )
        return state

    @property
    def round(self) -> int:
        """Number of the round that is under way, or of the next one between two rounds."""
        return len(self.history)

    @property
    def present_phase(self) -> Phase:
        """The phase that the auction is in."""
        return self.params.phases[self.phase]

    @property
    def rounds_in_phase(self) -> int:
        """Rounds of the present phase that are over."""
        name = self.present_phase.name
        return sum(record.phase == name for record in self.history)

    def bids(self) -> tuple[Reports, ...]:
        """
        What decides allocation and payments: reports, and wanted bundles at what choices prove.

        A report of the same bundle counts instead; see :func:`boca.functions.revealed.lower_bids`
        and :func:`boca.functions.revealed.upper_offers`.
        """
        return tuple(
            with_lower_bids(reports, demands, self.market, bidder)
            for bidder, (reports, demands) in enumerate(
                zip(self.reports, self.demands, strict=True)
            )
        )

    def winners(self, economy: Economy) -> Winners:
        """
        Who would get what in an economy if the auction closed now; solved once for each.

        In markets of very many bidders it is a good allocation and perhaps not the best one.
        """
        if economy not in self._winners:
            from boca.mechanism.deciding import winners  # a solver takes time to load

            reserve = self.params.reserve
            self._winners[economy] = winners(self.bids(), self.market, reserve, economy)
        return self._winners[economy]

    @property
    def at_most(self) -> np.ndarray:
        """
        Where the market buys, what a unit of each lot costs outside, ``(num_goods,)``.

        Where nobody has said so, plans count with the largest cost that anybody has reported.
        """
        stated = np.array(self.params.reserve or [np.inf] * self.market.num_goods)
        largest = max(float(reports.values.max(initial=0.0)) for reports in self.reports)
        return np.where(np.isfinite(stated), stated, largest or 1.0)

    @cached_property
    def _winners(self) -> dict[Economy, Winners]:
        """Winners that were asked for; a state never changes, so neither do they."""
        return {}

    @cached_property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Answers of a bidder that cannot all be true, for each bidder who has such."""
        found = (
            contradiction(reports, demands, self.market, bidder)
            for bidder, (reports, demands) in enumerate(
                zip(self.reports, self.demands, strict=True)
            )
        )
        return tuple(one for one in found if one is not None)

    @property
    def discrepancy(self) -> float:
        """The smallest amount by which answers must be off so that each bidder's fit together."""
        return max((one.discrepancy for one in self.contradictions), default=0.0)

    def with_same_answers(self, **changes: Any) -> "AuctionState":
        """The state with other fields, and all that follows from answers still known."""
        state = replace(self, **changes)
        state.__dict__["_winners"] = self._winners
        if "contradictions" in self.__dict__:
            state.__dict__["contradictions"] = self.contradictions
        return state

    def apply(self, step: Step) -> "AuctionState":
        """The state after a step: the last round on record, and new questions out."""
        asked = Counter(question.bidder for question in step.questions)
        return self.recorded(step.record).with_same_answers(
            phase=step.phase,
            pending=step.questions,
            num_asked=tuple(count + asked[i] for i, count in enumerate(self.num_asked)),
            use=step.use,
            planning=step.planning,
            stopped=step.stop,
        )

    def recorded(self, record: RoundRecord | None) -> "AuctionState":
        """The state between two rounds, with what the last one brought."""
        if record is None:
            return self
        return self.with_same_answers(history=self.history + (record,), planning=None)

    def report(
        self, bidder: int, bundle: np.ndarray, value: float, high: float | None = None
    ) -> "AuctionState":
        """
        With one more report, or another value for a bundle reported before.

        A pending query for the bundle is answered by it. With ``high``, the bundle is worth from
        ``value`` to so much.
        """
        reports = self.reports[bidder]
        say = reports.correct if bundle in reports else reports.add
        return replace(
            self,
            reports=_with(self.reports, bidder, say(bundle, value, high)),
            pending=self._without(bidder, bundle),
        )

    def decline(self, bidder: int, bundle: np.ndarray) -> "AuctionState":
        """With a bundle that the bidder will not value, or a range that it will not narrow."""
        row = np.asarray(bundle, dtype=np.int64)
        if row in self.reports[bidder] and len(self._without(bidder, row)) == len(self.pending):
            raise InputError(
                f"Bidder {bidder} declined a bundle that it has reported before; "
                "tell another value to correct the report."
            )
        if (self.declined[bidder] == row).all(axis=1).any():
            raise InputError(f"Bidder {bidder} has declined this bundle already; once is enough.")
        declined = np.concatenate([self.declined[bidder], row[None, :]])
        return replace(
            self,
            declined=_with(self.declined, bidder, declined),
            pending=self._without(bidder, row),
        )

    def demand(self, bidder: int, bundles: np.ndarray) -> "AuctionState":
        """
        With a bidder's answer to its open demand query.

        One bundle is an answer in itself. Of several bundles, the most profitable first, the
        values are asked next, in the same round.

        Parameters
        ----------
        bidder
            Who answers.
        bundles
            The wanted bundles ``(num_bundles, num_goods)``; an empty one says that the bidder
            wants nothing at these prices.
        """
        query = self.demand_query(bidder)
        if len(bundles) > query.num_bundles:
            raise InputError(
                f"Bidder {bidder} named {len(bundles)} bundles; "
                f"expected at most {query.num_bundles}."
            )
        if not self.market.allows(bidder, bundles).all():
            raise InputError(f"Bidder {bidder} wants a bundle that its limits forbid.")
        pending = tuple(question for question in self.pending if question is not query)
        if query.num_bundles == 1:
            demands = self.demands[bidder].add(query.prices, bundles[0])
            return replace(self, demands=_with(self.demands, bidder, demands), pending=pending)
        declined = set(bundle_keys(self.declined[bidder]))
        values = tuple(
            Query(bidder, row, Reason(query.reason.source))
            for row in bundles
            if row.any() and row not in self.reports[bidder] and bundle_key(row) not in declined
        )
        num_asked = _with(self.num_asked, bidder, self.num_asked[bidder] + len(values))
        return replace(self, pending=pending + values, num_asked=num_asked)

    def decline_demand(self, bidder: int) -> "AuctionState":
        """Without a bidder's open demand query, which it will not answer."""
        query = self.demand_query(bidder)
        return replace(self, pending=tuple(q for q in self.pending if q is not query))

    def demand_query(self, bidder: int) -> DemandQuery:
        """The open demand query of a bidder; an error if there is none."""
        for question in self.pending:
            if isinstance(question, DemandQuery) and question.bidder == bidder:
                return question
        raise InputError(f"Bidder {bidder} has no open demand query.")

    def _without(self, bidder: int, bundle: np.ndarray) -> tuple[Question, ...]:
        key = bidder, bundle_key(bundle)
        # With thousands of bidders this runs millions of times: most questions are others'.
        return tuple(
            question
            for question in self.pending
            if question.bidder != bidder or not isinstance(question, Query) or question.key != key
        )

    def to_dict(self) -> dict[str, Any]:
        """The state as plain values, for JSON."""
        return state_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "AuctionState":
        """The inverse of :meth:`to_dict`."""
        return cls.of(**state_from_dict(data))

    def save(self, path: Path | str) -> None:
        """Writes the state to one JSON file, which is never left half-written."""
        write_atomically(path, json.dumps(self.to_dict()))

    @classmethod
    def load(cls, path: Path | str) -> "AuctionState":
        """Reads what :meth:`save` wrote."""
        return cls.of(**load_state(path))


def _with(entries: tuple[Any, ...], index: int, entry: Any) -> tuple[Any, ...]:
    return entries[:index] + (entry,) + entries[index + 1 :]
