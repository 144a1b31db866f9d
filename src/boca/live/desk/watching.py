"""What auctioneer and auditor see."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from boca.core.message import msg
from boca.live.auction.audience import PUBLIC, Viewer, about, is_sealed, may_open, seen_by
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import Inquiry, Person, Phase
from boca.live.auction.views import (
    AuctionProgress,
    BidderView,
    OutcomeRow,
    ResultView,
    bidder_view,
    outcome_rows,
    progress,
    result_view,
    written_in,
)
from boca.live.clock import from_text, to_text
from boca.live.desk.office import Office
from boca.live.desk.proofs import LogProof
from boca.live.people import Who
from boca.live.store import events as event_table
from boca.live.store.access import AccessRow
from boca.live.work.jobs import Work
from boca.live.work.requests import can_compare


@dataclass(frozen=True)
class AuctionRow:
    """One line of the auctioneer's list."""

    auction: str
    name: str
    phase: Phase
    is_rehearsal: bool
    num_bidders: int
    num_joined: int
    deadline: datetime | None


@dataclass(frozen=True)
class PersonRow:
    """
    Somebody who was invited.

    Parameters
    ----------
    name, bidder
        Who, and for which bidder; None for an auditor.
    has_joined
        Whether the person has signed in.
    last_seen
        When one of its devices or programs was used last; None if never.
    link_until
        Until when a link that nobody has used is good; None if there is none.
    accesses
        Ids of everything that lets the person in.
    """

    name: str
    bidder: int | None
    has_joined: bool
    last_seen: datetime | None
    link_until: datetime | None
    accesses: tuple[str, ...]


@dataclass(frozen=True)
class LogRow:
    """
    One record of the log as auctioneer or auditor may read it.

    Parameters
    ----------
    seq, at, kind, hash
        Its envelope.
    actor, bidder
        Who caused it, and whom it is about; empty and None if sealed or nobody.
    body
        What it says; None while it is sealed from the reader.
    """

    seq: int
    at: datetime
    kind: str
    hash: str
    actor: str
    bidder: int | None
    body: dict[str, Any] | None


@dataclass(frozen=True)
class Audiences:
    """
    What each audience will see once the outcome is published.

    Parameters
    ----------
    public
        The table that everybody sees; empty if the rules keep it.
    bidders
        The page of each bidder.
    """

    public: tuple[OutcomeRow, ...]
    bidders: tuple[ResultView, ...]


class WatchingDesk(Office):
    """Auctions are watched here."""

    def auctions(self, who: Who) -> list[AuctionRow]:
        """All auctions, latest first, for the auctioneer; a participant's own one."""
        ids = reversed(self.writer.ids) if who.runs_all else [who.auction or ""]
        rows = []
        for auction in ids:
            state = self.writer.state(auction)
            if state is None:
                continue
            joined = {p.bidder for p in state.persons if p.has_joined and p.bidder is not None}
            rows.append(
                AuctionRow(
                    auction,
                    state.name,
                    state.phase,
                    state.is_rehearsal,
                    len(state.books),
                    len(joined),
                    state.deadline,
                )
            )
        return rows

    def damaged(self, who: Who) -> dict[str, str]:
        """Auctions whose log does not hold, and what is wrong with it; for the auctioneer."""
        return dict(self.writer.damaged) if who.runs_all else {}

    def progress(self, who: Who, auction: str) -> AuctionProgress:
        """The desk of auctioneer and auditor."""
        self.need(who, "auctioneer", "auditor", auction=auction)
        state = self.state_of(auction)
        sealed = is_sealed(state, who.viewer)
        return progress(seen_by(state, who.viewer), self.clock.now(), sealed)

    def bidder_as_seen(self, who: Who, auction: str, bidder: int, language: str = "") -> BidderView:
        """A bidder's questions and reports as auctioneer or auditor may see them."""
        self.need(who, "auctioneer", "auditor", auction=auction)
        state = seen_by(self.state_of(auction), who.viewer)
        if not 0 <= bidder < len(state.books):
            raise Refusal("not-found", msg("There is no such bidder."))
        if is_sealed(self.state_of(auction), who.viewer):
            raise Refusal("forbidden", msg("Values are sealed until the outcome is decided."))
        return bidder_view(written_in(state, language), bidder, self.clock.now())

    def work(self, who: Who, auction: str) -> Work | None:
        """The slow work that an auction waits for, if any."""
        self.need(who, "auctioneer", "auditor", auction=auction)
        return self.worker.work(auction) if self.worker else None

    def invited(self, who: Who, auction: str) -> tuple[PersonRow, ...]:
        """Everybody who was invited, in the order of the bidders; auditors last."""
        self.need(who, "auctioneer", "auditor", auction=auction)
        state, now = self.state_of(auction), to_text(self.clock.now())
        rows = [r for r in self.people.of_auction(auction) if r.revoked_at is None]
        valid = [r for r in rows if r.expires_at > now]
        persons = sorted(state.persons, key=lambda p: (p.bidder is None, p.bidder or 0, p.name))
        return tuple(_person_row(person, valid) for person in persons)

    def records(self, who: Who | None, auction: str) -> list[LogRow]:
        """
        The log, first to last, with what the reader may open.

        For auctioneer and auditor at any time, for everybody else once it is published.
        """
        state = self.state_of(auction)
        viewer = PUBLIC
        if who is not None and (who.role == "auctioneer" or who.auction == auction):
            viewer = who.viewer
        if not viewer.sees_all and state.phase != "published":
            raise Refusal("not-found", msg("The log is shown once the outcome is published."))
        with self.database.connect() as connection:
            records = event_table.read(connection, auction)
        rows = []
        for record in records:
            entry = event_table.to_entry(record)
            is_open = may_open(entry.event, viewer, state, state.round)
            # Who did something, and about whom, stands in the sealed body.
            is_told = is_open or viewer.sees_all
            rows.append(
                LogRow(
                    entry.seq,
                    entry.at,
                    entry.event.kind,
                    entry.hash,
                    entry.actor if is_told else "",
                    about(entry.event) if is_told else None,
                    record.body if is_open else None,
                )
            )
        return rows

    def inquiries_of(self, who: Who, auction: str) -> tuple[Inquiry, ...]:
        """What bidders have asked, first to last."""
        self.need(who, "auctioneer", "auditor", auction=auction)
        return seen_by(self.state_of(auction), who.viewer).inquiries

    def proof(self, who: Who | None, auction: str) -> LogProof | None:
        """
        How the log stands up to the verifier; None before the outcome is decided.

        For auctioneer and auditor, and for everybody once everything is published.
        """
        state = self.state_of(auction)
        is_open = state.rules is not None and state.rules.publish == "all"
        if not (state.phase == "published" and is_open):
            if who is None:
                raise Refusal("not-found", msg("There is no such page."))
            self.need(who, "auctioneer", "auditor", auction=auction)
        if not state.is_decided:
            return None
        return self.proofs.of(auction, state.head, lambda: list(self.whole_log(auction)))

    def comparison(self, who: Who, auction: str) -> LogProof | None:
        """
        Awards of a purchase side by side; None where there is nothing to compare yet.

        While a round is open, those of the rounds before it.
        """
        self.need(who, "auctioneer", "auditor", auction=auction)
        state = self.state_of(auction)
        if is_sealed(state, who.viewer):
            raise Refusal("forbidden", msg("Offers are sealed until the award is decided."))
        if not can_compare(state):
            return None
        if state.phase in ("open", "paused"):
            return self.comparisons.last(auction)
        return self.comparisons.of(auction, state.plan_from, lambda: state)

    def audiences(self, who: Who, auction: str, language: str = "") -> Audiences:
        """What each audience will see once the outcome is published; empty before it is known."""
        self.need(who, "auctioneer", "auditor", auction=auction)
        state, now = self.state_of(auction), self.clock.now()
        if state.outcome is None:
            return Audiences((), ())
        published = replace(written_in(state, language), phase="published")
        bidders = [
            result_view(seen_by(published, Viewer("bidder", i)), i, now)
            for i in range(len(state.books))
        ]
        return Audiences(
            outcome_rows(seen_by(published, PUBLIC)), tuple(b for b in bidders if b is not None)
        )


def _person_row(person: Person, valid: list[AccessRow]) -> PersonRow:
    """One person with what is known of its links, devices and programs."""
    own = [r for r in valid if (r.person, r.bidder) == (person.name, person.bidder)]
    seen = [r.last_seen_at or r.created_at for r in own if r.kind != "invite"]
    links = [r.expires_at for r in own if r.kind == "invite" and r.used_at is None]
    return PersonRow(
        person.name,
        person.bidder,
        person.has_joined or bool(seen),
        from_text(max(seen)) if seen else None,
        from_text(max(links)) if links else None,
        tuple(r.id for r in own if r.kind != "invite" or r.used_at is None),
    )
