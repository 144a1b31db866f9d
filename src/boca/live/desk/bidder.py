"""What a bidder does and sees."""

from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime

from boca.core.message import msg
from boca.live.auction import commands as cmd
from boca.live.auction.audience import seen_by
from boca.live.auction.commands import Accept
from boca.live.auction.events import Channel
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import Inquiry, LiveState, PublicReply
from boca.live.auction.submission import Checked, Submission, check
from boca.live.auction.views import (
    BidderView,
    ResultView,
    bidder_view,
    result_view,
    written_in,
)
from boca.live.desk.office import Office
from boca.live.desk.submissions import Receipt, receipt_of, send_submission
from boca.live.people import Who, is_usable
from boca.live.promises import refused
from boca.live.store import drafts as draft_table
from boca.live.store import events as event_table
from boca.live.store.batch import Done

# Room for the copies of as many goods as an auction can have, in names of drafts and in drafts.
LONGEST_NAME, LONGEST_DRAFT = 1000, 2000


@dataclass(frozen=True)
class Readers:
    """
    Who can read a bidder's answers while they are sealed from the auctioneer.

    Parameters
    ----------
    own
        The person behind each other device, program and unused link of the bidder.
    auditors
        Names of auditors.
    """

    own: tuple[str, ...]
    auditors: tuple[str, ...]


class BidderDesk(Office):
    """Questions are answered here, and receipts handed out."""

    def bidder(self, who: Who, language: str = "") -> BidderView:
        """Everything that the bidder's pages show, with amounts in a language or the auction's."""
        state, bidder = self.own(who)
        return bidder_view(written_in(state, language), bidder, self.clock.now())

    def readers(self, who: Who) -> Readers | None:
        """Who else can read the bidder's answers; None unless they are sealed."""
        state, bidder = self.own(who)
        if not state.guards_links:
            return None
        now = self.clock.now()
        valid = [
            row
            for row in self.people.of_auction(state.auction)
            if row.id != who.access and is_usable(row, now)
        ]
        return Readers(
            tuple(sorted(row.person for row in valid if row.bidder == bidder)),
            tuple(sorted({row.person for row in valid if row.role == "auditor"})),
        )

    def check(self, who: Who, submission: Submission, channel: Channel = "page") -> Checked:
        """What a submission would do, with warnings and mistakes; changes nothing."""
        state, bidder = self.own(who)
        return check(state, bidder, submission, channel)

    def submit(
        self,
        who: Who,
        submission: Submission,
        request: str,
        received: datetime | None = None,
        channel: Channel = "page",
        drafts: tuple[str, ...] = (),
    ) -> "Future[Receipt]":
        """
        Takes a submission, all or nothing; the future ends once it is on the disk.

        Parameters
        ----------
        who
            The bidder's person.
        submission
            What was confirmed.
        request
            The sender's key, 8 to 64 letters, digits, ``_`` and ``-``: sent twice, taken once.
        received
            When the request had been read, by :meth:`now`; now unless given.
        channel
            ``api`` takes decimal strings, the others what people type.
        drafts
            Names of the drafts that it was made from; they go in the same commit.
        """
        _, bidder = self.own(who)
        assert who.auction is not None
        # A form may name anything; only what is stored can be removed, and is fit for a database.
        stored = self.drafts(who) if drafts else {}
        done = tuple(name for name in drafts if name in stored)
        return send_submission(
            self, who, who.auction, bidder, submission, channel, request, received, drafts=done
        )

    def accept(self, who: Who, configured: str) -> "Future[Done]":
        """Accepts the rules for the bidder; ``configured`` is the hash of those that were read."""
        _, bidder = self.own(who)
        assert who.auction is not None
        return self.writer.send(who.auction, Accept(bidder, who.person, configured), who.actor)

    def inquiries(self, who: Who) -> tuple[tuple[Inquiry, ...], tuple[PublicReply, ...]]:
        """What was asked for the bidder, and what all were answered."""
        state, _ = self.own(who)
        return state.inquiries, state.replies

    def inquire(self, who: Who, text: str, request: str) -> "Future[Done]":
        """Asks the auctioneer something."""
        _, bidder = self.own(who)
        assert who.auction is not None
        return self.writer.send(who.auction, cmd.Inquire(bidder, text), who.actor, request)

    def receipt(self, who: Who, hash_: str) -> Receipt:
        """One own receipt; not-found for anybody else's and for none alike."""
        state, bidder = self.own(who)
        for taken in state.books[bidder].submissions:
            if taken.hash == hash_:
                with self.database.connect() as connection:
                    record = event_table.read_one(connection, hash_)
                assert record is not None
                return receipt_of(self.key, record, taken, state.is_rehearsal)
        raise Refusal("not-found", msg("There is no such receipt."))

    def result(self, who: Who, language: str = "") -> ResultView | None:
        """How it ended for the bidder; None until that is published."""
        state, bidder = self.own(who)
        return result_view(written_in(state, language), bidder, self.clock.now())

    def drafts(self, who: Who) -> dict[str, str]:
        """What the bidder typed and did not send: query (or field) -> text."""
        _, bidder = self.own(who)
        assert who.auction is not None
        with self.database.connect() as connection:
            return draft_table.read(connection, who.auction, bidder)

    def save_drafts(self, who: Who, texts: dict[str, str]) -> "Future[None]":
        """Keeps what the bidder typed; an empty text removes a draft."""
        _, bidder = self.own(who)
        auction, now = who.auction, self.clock.now()
        assert auction is not None
        for name, text in texts.items():
            is_plain = name.isprintable() and "\x00" not in text and text.isprintable()
            if len(name) > LONGEST_NAME or len(text) > LONGEST_DRAFT or not is_plain:
                sentence = msg("A draft is one line of at most {n} characters.", n=LONGEST_DRAFT)
                return refused(Refusal("mistakes", sentence))
        return self.writer.do(lambda c: draft_table.save(c, auction, bidder, texts, now))

    def own(self, who: Who) -> tuple[LiveState, int]:
        """The auction as the bidder may see it."""
        self.need(who, "bidder")
        assert who.auction is not None
        assert who.bidder is not None
        return seen_by(self.state_of(who.auction), who.viewer), who.bidder
