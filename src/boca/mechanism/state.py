"""Everything an auction knows, as one immutable value that saves to and loads from a file."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from boca.core.bundle import bundle_key
from boca.core.demand import DemandQuery, Demands
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.query import Query
from boca.core.report import Reports
from boca.mechanism.params import AuctionParams
from boca.mechanism.record import RoundRecord
from boca.queries.economies import MarginalUse

FORMAT = 1


@dataclass(frozen=True)
class AuctionState:
    """
    Where an auction stands.

    Parameters
    ----------
    market, params
        What is shared out, and how.
    reports
        What each bidder has reported, one entry a bidder.
    pending
        Queries that were asked and not yet answered or declined.
    declined
        Bundles each bidder refused to value; it is not asked about them again.
    num_asked
        Queries that each bidder was asked so far, answered or not. The budget counts these, so
        reports nobody asked for are free.
    use
        How often marginal economies were used.
    current
        What is known so far of the round under way; None between two rounds.
    history
        One record a finished round; round 0 is the initial queries.
    stopped
        Why no further queries are asked; empty while the auction goes on.
    closed
        Whether the outcome was computed; no report is taken after that.
    demands
        What each bidder has wanted at which prices; empty where no prices are announced.
    pending_demands
        Demand queries that were asked and not yet answered.
    """

    market: Market
    params: AuctionParams
    reports: tuple[Reports, ...]
    pending: tuple[Query, ...] = ()
    declined: tuple[tuple[tuple[int, ...], ...], ...] = ()
    num_asked: tuple[int, ...] = ()
    use: MarginalUse = field(default_factory=lambda: MarginalUse.none(0))
    current: RoundRecord | None = None
    history: tuple[RoundRecord, ...] = ()
    stopped: str = ""
    closed: bool = False
    demands: tuple[Demands, ...] = ()
    pending_demands: tuple[DemandQuery, ...] = ()

    @classmethod
    def start(cls, market: Market, params: AuctionParams) -> "AuctionState":
        """An auction in which nothing has been asked."""
        n = market.num_bidders
        return cls(
            market,
            params,
            reports=(Reports.empty(market.num_goods),) * n,
            declined=((),) * n,
            num_asked=(0,) * n,
            use=MarginalUse.none(n),
        )

    @property
    def round(self) -> int:
        """Number of the round that is under way: 0 for the initial queries."""
        return len(self.history)

    def refused(self, bidder: int) -> np.ndarray:
        """Bundles a bidder declined, ``(num_declined, num_goods)``."""
        rows = np.array(self.declined[bidder], dtype=np.int64)
        return rows.reshape(-1, self.market.num_goods)

    def report(self, bidder: int, bundle: np.ndarray, value: float) -> "AuctionState":
        """
        With one more report, or another value for a bundle reported before.

        A pending query for the bundle is answered by it.
        """
        own = self.reports[bidder]
        changed = own.correct(bundle, value) if bundle in own else own.add(bundle, value)
        reports = self.reports[:bidder] + (changed,) + self.reports[bidder + 1 :]
        return replace(self, reports=reports, pending=self._without(bidder, bundle))

    def decline(self, bidder: int, bundle: np.ndarray) -> "AuctionState":
        """With a bundle that the bidder will not value."""
        rows = self.declined[bidder] + (tuple(bundle.tolist()),)
        declined = self.declined[:bidder] + (rows,) + self.declined[bidder + 1 :]
        return replace(self, declined=declined, pending=self._without(bidder, bundle))

    def asking(self, queries: tuple[Query, ...], record: RoundRecord) -> "AuctionState":
        """With a round under way: queries put to the bidders, and what is known of the round."""
        counts = list(self.num_asked)
        for query in queries:
            counts[query.bidder] += 1
        return replace(self, pending=queries, num_asked=tuple(counts), current=record)

    def _without(self, bidder: int, bundle: np.ndarray) -> tuple[Query, ...]:
        key = bundle_key(bundle)
        return tuple(
            query
            for query in self.pending
            if query.bidder != bidder or bundle_key(query.array) != key
        )

    def to_dict(self) -> dict[str, Any]:
        """The state as plain values, for JSON."""
        return {
            "format": FORMAT,
            "market": self.market.to_dict(),
            "params": self.params.to_dict(),
            "reports": [reports.to_dict() for reports in self.reports],
            "pending": [query.to_dict() for query in self.pending],
            "declined": [[list(row) for row in rows] for rows in self.declined],
            "num_asked": list(self.num_asked),
            "use": self.use.to_dict(),
            "current": self.current.to_dict() if self.current else None,
            "history": [record.to_dict() for record in self.history],
            "stopped": self.stopped,
            "closed": self.closed,
            "demands": [demands.to_dict() for demands in self.demands],
            "pending_demands": [query.to_dict() for query in self.pending_demands],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "AuctionState":
        """The inverse of :meth:`to_dict`."""
        if data.get("format") != FORMAT:
            raise InputError(
                f"The state has format {data.get('format')!r}; this version of boca reads format "
                f"{FORMAT}."
            )
        market = Market.from_dict(data["market"])
        return cls(
            market,
            AuctionParams.from_dict(data["params"]),
            tuple(Reports.from_dict(r, market.num_goods) for r in data["reports"]),
            tuple(Query.from_dict(q) for q in data["pending"]),
            tuple(tuple(tuple(row) for row in rows) for rows in data["declined"]),
            tuple(data["num_asked"]),
            MarginalUse.from_dict(data["use"]),
            RoundRecord.from_dict(data["current"]) if data["current"] else None,
            tuple(RoundRecord.from_dict(record) for record in data["history"]),
            data["stopped"],
            data["closed"],
            tuple(Demands.from_dict(d, market.num_goods) for d in data.get("demands", ())),
            tuple(DemandQuery.from_dict(q) for q in data.get("pending_demands", ())),
        )

    def save(self, path: Path | str) -> None:
        """Writes the state to one JSON file, which is never left half-written."""
        path = Path(path)
        temporary = path.with_suffix(path.suffix + ".part")
        try:
            temporary.write_text(json.dumps(self.to_dict()))
            os.replace(temporary, path)
        except OSError as error:
            raise InputError(
                f"Cannot write the state to {path}: {error.strerror}. Choose another folder."
            ) from error

    @classmethod
    def load(cls, path: Path | str) -> "AuctionState":
        """Reads what :meth:`save` wrote."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise InputError(f"There is no state file {path}.") from None
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"Cannot read the state file {path}: {error}.") from error
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(
                f"The state file {path} is damaged at line {error.lineno}, column {error.colno} "
                f"({error.msg}); it may have been cut off. Start again from a copy, or anew."
            ) from None
        try:
            return cls.from_dict(data)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise InputError(
                f"The state file {path} is not a boca state: {error!r}. "
                "Expected a file written by an auction."
            ) from None
