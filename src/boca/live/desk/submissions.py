"""Submissions on their way into the log, and the receipts that prove them."""

from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from boca.core.message import msg
from boca.live.auction.commands import Compare, Rate, Submit
from boca.live.auction.events import Channel, Compared, Proposed, Rated, Submitted
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import Taken
from boca.live.auction.submission import Submission
from boca.live.clock import to_text
from boca.live.desk.office import Office
from boca.live.ledger import Record, SigningKey
from boca.live.people import Who
from boca.live.promises import then
from boca.live.store import drafts as draft_table
from boca.live.store.batch import Done
from boca.live.store.database import Connection

# What whoever did the first half of an act is told.
PROPOSED = msg(
    "This was proposed and is not done yet: the rules want two people. It is carried out once "
    "another auctioneer does the same."
)

CONFIRM = msg(
    "This was kept and does not count yet: the rules want two people of yours. It counts once "
    "another one has confirmed it on the page Check and send."
)


@dataclass(frozen=True)
class Receipt:
    """
    Proof of a submission.

    Parameters
    ----------
    content
        The signed receipt as plain values; what "save as file" gives.
    taken
        The submission, for showing it.
    is_repetition
        Whether the same request was answered before.
    """

    content: dict[str, Any]
    taken: Taken
    is_repetition: bool = False

    @property
    def hash(self) -> str:
        hash_: str = self.content["hash"]
        return hash_


def send_submission(
    office: Office,
    who: Who,
    auction: str,
    bidder: int,
    submission: Submission,
    channel: Channel,
    request: str | None,
    received: datetime | None,
    reason: str | None = None,
    drafts: tuple[str, ...] = (),
) -> "Future[Receipt]":
    """
    Puts a submission into the queue; the future ends once it is on the disk.

    Parameters
    ----------
    office
        Whose queue.
    who
        The person who confirmed it.
    auction, bidder
        For whom it is.
    submission, channel, request, received
        As :meth:`boca.live.desk.bidder.BidderDesk.submit` has them.
    reason
        Why the auctioneer enters it; None for a bidder's own.
    drafts
        Names of drafts that are done with, besides those of its queries.
    """
    at = to_text(received or office.clock.now())
    person = who.person if who.role == "bidder" else None
    command = Submit(bidder, submission, at, channel, reason, person, who.person)

    def clear(connection: Connection, done: Done) -> None:
        """Drafts are done with, unless another person has yet to confirm what was made of them."""
        if not isinstance(done.entries[0].event, Proposed):
            names = (*submission.queries, *drafts)
            draft_table.clear(connection, auction, bidder, names)

    done = office.writer.send(
        auction,
        command,
        who.actor,
        request,
        also=clear,
        credential=who.access,
    )

    return then(done, lambda done: _receipt(office, done))


def send_said(office: Office, who: Who, command: Rate | Compare, request: str) -> "Future[Receipt]":
    """Puts what a student says of courses into the queue; the future ends once it is on disk."""
    assert who.auction is not None
    done = office.writer.send(who.auction, command, who.actor, request)
    return then(done, lambda done: _receipt(office, done))


def _receipt(office: Office, done: Done) -> Receipt:
    """The receipt of a command that was carried out."""
    entry = done.entries[0]
    if isinstance(entry.event, Proposed):
        raise Refusal("proposed", CONFIRM if entry.event.act == "submission" else PROPOSED)
    assert isinstance(entry.event, Submitted | Rated | Compared)
    taken = Taken(entry.event, entry.hash, entry.seal, entry.at, entry.person)
    is_rehearsal = office.state_of(done.auction).is_rehearsal
    return receipt_of(office.key, done.record, taken, is_rehearsal, done.is_repetition)


def receipt_of(
    key: SigningKey,
    record: Record,
    taken: Taken,
    is_rehearsal: bool,
    is_repetition: bool = False,
) -> Receipt:
    """A signed receipt; the signature is the same every time it is made."""
    content = key.sign(
        {
            "v": 1,
            "auction": record.envelope["auction"],
            "rehearsal": is_rehearsal,
            "bidder": taken.event.bidder,
            "person": taken.person,
            "received": taken.event.received,
            "at": record.at,
            "hash": record.hash,
            "seal": record.seal,
            "body": record.body,
        }
    )
    return Receipt(content, taken, is_repetition)
