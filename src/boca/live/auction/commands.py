"""What somebody may want of an auction; :mod:`boca.live.auction.decide` says what comes of it."""

from dataclasses import dataclass, field
from typing import Literal

from boca.core.market import Market
from boca.live.auction.engine_results import (
    OutcomeResult,
    PlanResult,
    PriceResult,
    SeatingResult,
)
from boca.live.auction.events import Channel, RatedPair
from boca.live.auction.rules import BuyersNotes, Rules
from boca.live.auction.seat_market import SeatMarket
from boca.live.auction.submission import Submission


@dataclass(frozen=True)
class Command:
    """Base of all commands."""


@dataclass(frozen=True)
class Create(Command):
    """
    A new auction in draft.

    Parameters
    ----------
    rules, market
        Its configuration.
    seed
        Drawn by the server; nobody chooses it.
    public_key, version
        Of receipts, and of boca.
    is_rehearsal, copied_from
        Whether it is for practice only, and the auction it repeats.
    notes
        What a buyer compares awards by.
    """

    rules: Rules
    market: Market
    seed: int
    public_key: str
    version: str
    is_rehearsal: bool = False
    copied_from: str | None = None
    notes: BuyersNotes = field(default_factory=BuyersNotes)


@dataclass(frozen=True)
class Configure(Command):
    rules: Rules
    market: Market
    notes: BuyersNotes = field(default_factory=BuyersNotes)


@dataclass(frozen=True)
class Invite(Command):
    """
    One more way in for a person.

    Parameters
    ----------
    person, access, bidder
        Whose, the id of the link or token, and for which bidder; None for an auditor.
    origin
        Who made it: whoever runs the server, or the person itself; None for the auctioneer.
    who
        The auctioneer, here and in other commands that can need two.
    """

    person: str
    access: str
    bidder: int | None = None
    origin: Literal["operator", "person"] | None = None
    who: str = ""


@dataclass(frozen=True)
class Withdraw(Command):
    """``proposal`` is the hash of the record that proposed what is given up."""

    proposal: str


@dataclass(frozen=True)
class Revoke(Command):
    """``person`` is named if nothing else lets the person in."""

    access: str
    reason: str
    bidder: int | None = None
    person: str | None = None


@dataclass(frozen=True)
class Join(Command):
    person: str
    bidder: int


@dataclass(frozen=True)
class Accept(Command):
    """
    A bidder accepts the rules.

    Parameters
    ----------
    bidder, sender
        Who, and which of its people.
    configured
        Hash of the rules that the person has read.
    """

    bidder: int
    sender: str
    configured: str


@dataclass(frozen=True)
class Start(Command):
    """
    The start.

    Parameters
    ----------
    who
        The person who starts it.
    accept_missing
        Whether to go ahead although some bidders have not joined.
    reason
        What the auctioneer has to say about it; None, here and in other commands, for nothing.
    """

    who: str
    accept_missing: bool = False
    reason: str | None = None


@dataclass(frozen=True)
class TakePlan(Command):
    """The engine's next questions, or why it asks no more; ``from_`` is what it started from."""

    from_: str
    result: PlanResult


@dataclass(frozen=True)
class OpenRound(Command):
    reason: str | None = None


@dataclass(frozen=True)
class Submit(Command):
    """
    A bidder's submission; ``reason`` is needed if the auctioneer enters it.

    ``sender`` is the bidder's person who sends it; None for the auctioneer.
    """

    bidder: int
    submission: Submission
    received: str
    channel: Channel = "page"
    reason: str | None = None
    sender: str | None = None
    who: str = ""


@dataclass(frozen=True)
class Rate(Command):
    """A student's form, which replaces the one before; fields as for :class:`Submit`."""

    bidder: int
    ratings: dict[str, int]
    pairs: tuple[RatedPair, ...]
    received: str
    channel: Channel = "page"
    sender: str | None = None


@dataclass(frozen=True)
class Compare(Command):
    """Which of two schedules a student would rather have; fields as for :class:`Submit`."""

    bidder: int
    first: tuple[str, ...]
    second: tuple[str, ...]
    answer: str
    received: str
    channel: Channel = "page"
    sender: str | None = None


@dataclass(frozen=True)
class TakePrices(Command):
    """Prices for questions; ``from_`` is the record up to which they know what students said."""

    from_: str
    result: PriceResult


@dataclass(frozen=True)
class TakeSeating(Command):
    result: SeatingResult


@dataclass(frozen=True)
class Change(Command):
    """
    A late change of a published allocation of courses.

    Parameters
    ----------
    market
        Courses and students from now on; whoever was there stays at its place.
    reason
        What everybody is told.
    minutes
        How long forms can be changed before the second run; 0 for not at all.
    """

    market: SeatMarket
    reason: str
    minutes: float = 0


@dataclass(frozen=True)
class CloseRound(Command):
    """The server's own look at the deadline of a round."""

    round: int


@dataclass(frozen=True)
class Extend(Command):
    minutes: float
    reason: str


@dataclass(frozen=True)
class Pause(Command):
    reason: str


@dataclass(frozen=True)
class Resume(Command):
    reason: str = ""


@dataclass(frozen=True)
class Outage(Command):
    """
    The server was down.

    Parameters
    ----------
    alive_at
        Its last sign of life, as text.
    restored_from
        What the log was restored from; open rounds are then paused however short the outage was.
    """

    alive_at: str
    restored_from: str = ""


@dataclass(frozen=True)
class Stop(Command):
    reason: str


@dataclass(frozen=True)
class Close(Command):
    reason: str | None = None
    who: str = ""


@dataclass(frozen=True)
class Retry(Command):
    reason: str | None = None


@dataclass(frozen=True)
class Fail(Command):
    """A job ended without a usable result; ``from_`` tells whether it is still wanted."""

    job: str
    error: str
    message: str
    from_: str = ""


@dataclass(frozen=True)
class TakeOutcome(Command):
    result: OutcomeResult


@dataclass(frozen=True)
class Publish(Command):
    reason: str | None = None
    who: str = ""


@dataclass(frozen=True)
class Cancel(Command):
    reason: str


@dataclass(frozen=True)
class Announce(Command):
    text: str


@dataclass(frozen=True)
class Inquire(Command):
    """A bidder asks the auctioneer something."""

    bidder: int
    text: str


@dataclass(frozen=True)
class Reply(Command):
    """``question`` is what all are told was asked; None to answer whoever asked alone."""

    to: str
    text: str
    question: str | None = None


@dataclass(frozen=True)
class ClockJump(Command):
    seconds: float
