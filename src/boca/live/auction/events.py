"""What can happen in a live auction, one frozen dataclass per kind; the fields are the log's."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal

from boca.live.plain import from_plain, to_plain

Bundle = tuple[int, ...]
Channel = Literal["page", "sheet", "api", "operator"]
# What can need two people: auctioneers, or for a submission two of a bidder's.
Act = Literal["close", "publish", "entry", "link", "auditor", "submission"]


@dataclass(frozen=True)
class Event:
    """Base of all events."""

    kind: ClassVar[str]

    def to_body(self) -> dict[str, Any]:
        """The event's fields as plain values; actor, request and salt are added by the writer."""
        body: dict[str, Any] = to_plain(self)
        return body


@dataclass(frozen=True)
class Entry:
    """
    One event as it stands in the log.

    Parameters
    ----------
    event
        What happened.
    seq, at, hash, seal
        Its record: number, time, hash of the envelope, hash of the body.
    actor
        Who caused it, such as ``bidder:2/ann``, ``auctioneer:Zoe`` or ``server``.
    """

    event: Event
    seq: int
    at: datetime
    hash: str
    seal: str
    actor: str

    @property
    def person(self) -> str:
        """The actor's name, without role and bidder."""
        role, _, rest = self.actor.partition(":")
        return rest.partition("/")[2] if role == "bidder" else rest


@dataclass(frozen=True)
class Created(Event):
    kind = "created"
    format: int
    version: str
    public_key: str
    is_rehearsal: bool = False
    copied_from: str | None = None


@dataclass(frozen=True)
class Configured(Event):
    kind = "configured"
    rules: dict[str, Any]
    market: dict[str, Any]


@dataclass(frozen=True)
class Noted(Event):
    """What a buyer compares awards by; see :class:`boca.live.auction.rules.BuyersNotes`."""

    kind = "noted"
    baseline: dict[str, str]
    groups: dict[str, Any]
    scenarios: dict[str, Any]


@dataclass(frozen=True)
class Seeded(Event):
    kind = "seeded"
    seed: int


@dataclass(frozen=True)
class Proposed(Event):
    """
    The first half of an act that needs two people; the second half names this record.

    Parameters
    ----------
    act
        What is to be done.
    what
        Its content: the name of an auditor, or a hash of what is entered or submitted for a bidder.
    bidder
        For whom something is entered or submitted.
    """

    kind = "proposed"
    act: Act
    what: str = ""
    bidder: int | None = None


@dataclass(frozen=True)
class Withdrawn(Event):
    """``proposal`` is the hash of the record that proposed what is given up."""

    kind = "withdrawn"
    proposal: str


@dataclass(frozen=True)
class Invited(Event):
    """
    ``bidder`` is None for an auditor.

    ``approves``, here and below, is the hash of the record in which another auctioneer proposed the
    same; it is there only if the rules want two.
    """

    kind = "invited"
    person: str
    access: str
    bidder: int | None = None
    approves: str | None = None


@dataclass(frozen=True)
class Revoked(Event):
    """``person`` is there if it was the last way in of a person, who cannot submit any more."""

    kind = "revoked"
    access: str
    reason: str
    bidder: int | None = None
    person: str | None = None


@dataclass(frozen=True)
class Joined(Event):
    kind = "joined"
    person: str
    bidder: int


@dataclass(frozen=True)
class Accepted(Event):
    """A bidder accepts the rules; ``configured`` is the hash of the record that has them."""

    kind = "accepted"
    bidder: int
    configured: str


@dataclass(frozen=True)
class Started(Event):
    """``reason``, here and below, is there only if the auctioneer gave one."""

    kind = "started"
    configured: str
    who: str
    reason: str | None = None


@dataclass(frozen=True)
class Planned(Event):
    """The engine's step; ``from_`` is the hash of the record it was computed from."""

    kind = "planned"
    round: int
    from_: str
    step: dict[str, Any]
    seconds: float
    versions: dict[str, str]


@dataclass(frozen=True)
class Reviewed(Event):
    """What the engine says about the last round with questions, after which it asks no more."""

    kind = "reviewed"
    round: int
    step: dict[str, Any]
    seconds: float
    versions: dict[str, str]


@dataclass(frozen=True)
class AskedQuery:
    """
    One question to one bidder.

    Parameters
    ----------
    id
        Round, bidder and number, such as ``r3-b2-q1``; bidders are counted from 1.
    bundle
        Copies of each good that the value is asked of; empty for a demand query.
    reason
        Why it is asked, as the engine says it.
    type
        ``value``: what is this bundle worth? ``demand``: which bundle do you want at these prices?
    prices
        Price of one copy of each good, in units; for demand queries.
    """

    id: str
    bundle: Bundle
    reason: dict[str, Any]
    type: Literal["value", "demand"] = "value"
    prices: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Asked(Event):
    kind = "asked"
    round: int
    bidder: int
    queries: tuple[AskedQuery, ...]


@dataclass(frozen=True)
class RoundOpened(Event):
    kind = "round-opened"
    round: int
    deadline: str
    is_last_call: bool
    num_queries: tuple[int, ...]
    reason: str | None = None


@dataclass(frozen=True)
class Report:
    """
    A bundle and its value in units.

    Parameters
    ----------
    bundle, units
        What is worth how much.
    query
        The query that it answers; None for pushes and for corrections of pushes.
    was
        The value reported before, if this corrects or narrows one.
    most
        The end of a range that begins with ``units``; None for a single value.
    was_most
        The end of the range reported before, if it was one.
    """

    bundle: Bundle
    units: int
    query: str | None = None
    was: int | None = None
    most: int | None = None
    was_most: int | None = None

    @property
    def is_push(self) -> bool:
        return self.query is None and self.was is None


@dataclass(frozen=True)
class DemandedBundle:
    """The bundle that a bidder wants at the prices of a demand query; may be empty."""

    query: str
    bundle: Bundle


@dataclass(frozen=True)
class Submitted(Event):
    """``demands`` is there only if demand queries were answered; logs once called it ``wishes``."""

    kind = "submitted"
    bidder: int
    round: int
    reports: tuple[Report, ...]
    declines: tuple[str, ...]
    warnings: tuple[str, ...]
    channel: Channel
    received: str
    reason: str | None = None
    demands: tuple[DemandedBundle, ...] | None = field(
        default=None, metadata={"formerly": "wishes"}
    )
    approves: str | None = None

    @property
    def num_rows(self) -> int:
        """How many things were said."""
        return len(self.reports) + len(self.declines) + len(self.demands or ())


@dataclass(frozen=True)
class DeadlineMoved(Event):
    kind = "deadline-moved"
    round: int
    from_: str
    to: str
    reason: str


@dataclass(frozen=True)
class ExtensionUsed(Event):
    kind = "extension-used"
    bidder: int


@dataclass(frozen=True)
class Paused(Event):
    """``seconds_left`` is None when planning was going on."""

    kind = "paused"
    reason: str
    seconds_left: float | None = None


@dataclass(frozen=True)
class Resumed(Event):
    kind = "resumed"
    reason: str
    deadline: str


@dataclass(frozen=True)
class RoundClosed(Event):
    kind = "round-closed"
    round: int
    unanswered: tuple[str, ...]


@dataclass(frozen=True)
class Stopping(Event):
    kind = "stopping"
    reason: str


@dataclass(frozen=True)
class Stopped(Event):
    kind = "stopped"
    reason: str
    # The reason as a message, for readers of other languages.
    said: dict[str, Any] | None = None


@dataclass(frozen=True)
class Closed(Event):
    kind = "closed"
    reason: str | None = None
    approves: str | None = None


@dataclass(frozen=True)
class Retried(Event):
    kind = "retried"
    job: str
    reason: str | None = None


@dataclass(frozen=True)
class Failed(Event):
    kind = "failed"
    job: str
    attempt: int
    error: str
    message: str


@dataclass(frozen=True)
class Decided(Event):
    """
    Who gets what and pays what, in units.

    In a purchase the allocation is what is supplied, payments are what suppliers are paid, and
    ``outside`` has the units of each lot that are bought elsewhere. In an exchange the allocation
    is what is held afterwards, and a negative payment is received.
    """

    kind = "decided"
    allocation: tuple[Bundle, ...]
    payments: tuple[int, ...]
    rule: str
    verified_by: str | None
    versions: dict[str, str]
    seconds: float
    outside: Bundle | None = None


@dataclass(frozen=True)
class Justification:
    """
    The terms of one winner's payment, in units.

    Parameters
    ----------
    bidder, value
        The winner and its reported value of what it receives.
    others_without, others_with, reserve
        The sums of its VCG payment.
    allocation_without
        The best allocation to the others, a bundle per bidder.
    """

    bidder: int
    value: int
    others_without: int
    others_with: int
    reserve: int
    allocation_without: tuple[Bundle, ...]


@dataclass(frozen=True)
class AwardTerm:
    """
    What stands behind one supplier's payment, in units.

    Parameters
    ----------
    bidder, offer
        The supplier, and its offer for what it supplies.
    cost_without
        What the cheapest award without it costs, outside purchases included.
    allocation_without, outside_without
        That award.
    """

    bidder: int
    offer: int
    cost_without: int
    allocation_without: tuple[Bundle, ...]
    outside_without: Bundle


@dataclass(frozen=True)
class TradeTerm:
    """
    What stands behind the payment of one participant that trades, in units.

    Parameters
    ----------
    bidder, value, keeps
        The participant, its value of what it holds afterwards, and of what it held before.
    gain_without
        What all others gain by the best trades without it.
    allocation_without
        What everybody holds after those.
    """

    bidder: int
    value: int
    keeps: int
    gain_without: int
    allocation_without: tuple[Bundle, ...]


@dataclass(frozen=True)
class Justified(Event):
    """``suppliers`` and ``traders`` are there in purchases and exchanges instead of winners."""

    kind = "justified"
    winners: tuple[Justification, ...] = ()
    suppliers: tuple[AwardTerm, ...] | None = None
    traders: tuple[TradeTerm, ...] | None = None


@dataclass(frozen=True)
class Result(Event):
    """
    The sums are there only if the rules explain payments.

    In a purchase ``more`` is what the cheapest award would cost more without the supplier, and
    ``most`` what its lots cost outside. In an exchange ``keeps`` is the value of what was held
    before, and ``more`` what all together would gain less.
    """

    kind = "result"
    bidder: int
    bundle: Bundle
    units: int
    payment: int
    others_without: int | None = None
    others_with: int | None = None
    reserve: int | None = None
    vcg_payment: int | None = None
    more: int | None = None
    most: int | None = None
    keeps: int | None = None


@dataclass(frozen=True)
class Published(Event):
    kind = "published"
    opened: str
    head: str
    reason: str | None = None
    approves: str | None = None


@dataclass(frozen=True)
class Cancelled(Event):
    kind = "cancelled"
    reason: str


@dataclass(frozen=True)
class Announced(Event):
    kind = "announced"
    text: str


@dataclass(frozen=True)
class Inquired(Event):
    """A bidder asks the auctioneer something."""

    kind = "inquired"
    bidder: int
    text: str


@dataclass(frozen=True)
class Replied(Event):
    """
    The auctioneer's answer to an inquiry.

    Parameters
    ----------
    to
        Hash of the inquiry's record.
    text
        The answer.
    bidder
        Who asked and alone is answered; None for an answer to all, which names nobody.
    question
        What was asked, as it is told to all.
    """

    kind = "replied"
    to: str
    text: str
    bidder: int | None = None
    question: str | None = None


@dataclass(frozen=True)
class ClockJumped(Event):
    kind = "clock-jumped"
    seconds: float
    direction: str


# -- courses ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Enrolled(Event):
    """Students of an allocation of courses, in their order; see ``tables`` of a course market."""

    kind = "enrolled"
    students: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class RatedPair:
    """Two courses, and what taking both adds to their ratings, or takes away if below 0."""

    first: str
    second: str
    points: int


@dataclass(frozen=True)
class Rated(Event):
    """
    A student's form, which replaces the one before: a rating per course, and pairs.

    A course with 0 points is never given to the student, unless it is required or held; one that
    is not named counts as liked less than those that are.
    """

    kind = "rated"
    bidder: int
    ratings: dict[str, int]
    pairs: tuple[RatedPair, ...]
    channel: Channel
    received: str

    @property
    def num_rows(self) -> int:
        return len(self.ratings) + len(self.pairs)


@dataclass(frozen=True)
class Compared(Event):
    """
    Which of two schedules a student would rather have; replaces an earlier answer about the two.

    ``answer`` is ``first``, ``second``, ``same`` or ``withdrawn``.
    """

    kind = "compared"
    bidder: int
    first: tuple[str, ...]
    second: tuple[str, ...]
    answer: str
    channel: Channel
    received: str

    num_rows: ClassVar[int] = 1


@dataclass(frozen=True)
class Priced(Event):
    """
    Prices for questions, from the forms and answers so far.

    Parameters
    ----------
    from_
        Hash of the record up to which forms and answers were used.
    prices, budgets
        Of every course, and of every student, in parts of a budget.
    centre, spread
        How ratings are distributed: what is believed of a student starts from it.
    """

    kind = "priced"
    from_: str
    prices: tuple[int, ...]
    budgets: tuple[int, ...]
    centre: float
    spread: float
    seconds: float
    versions: dict[str, str]


@dataclass(frozen=True)
class Assigned(Event):
    """
    An assignment's prices and what is claimed about it.

    Parameters
    ----------
    prices, taken
        Of every course, and how many students have it.
    centre, spread
        As for :class:`Priced`.
    clears
        Whether every course with a price is full, nobody could have afforded anything better, and
        no budget was moved by more than the rules say.
    num_best
        Students of whom it is claimed that they can afford nothing better.
    envious, beyond_one, against_order
        Pairs of a student and another whose schedule it would rather have; those in which it would
        even without one course; those in which the other one is behind it in the order.
    """

    kind = "assigned"
    prices: tuple[int, ...]
    taken: tuple[int, ...]
    centre: float
    spread: float
    clears: bool
    num_best: int
    envious: int
    beyond_one: int
    against_order: int
    seconds: float
    versions: dict[str, str]


@dataclass(frozen=True)
class Seated(Event):
    """
    What one student gets.

    Parameters
    ----------
    courses, held
        Its schedule, and what of it was its own before.
    cost, budget, first
        What the rest of the schedule costs, what the student had, and what it had before budgets
        were moved.
    is_best
        Whether it is claimed that it could afford nothing better.
    """

    kind = "seated"
    bidder: int
    courses: tuple[str, ...]
    held: tuple[str, ...]
    cost: int
    budget: int
    first: int
    is_best: bool


@dataclass(frozen=True)
class MissedCourse:
    """
    Why a student did not get a course.

    Parameters
    ----------
    course, price
        Which one, and what it costs.
    instead
        The best schedule with it that the student could afford; None if there is none.
    less
        By how much that is worth less than what it got.
    """

    course: str
    price: int
    instead: tuple[str, ...] | None = None
    less: int | None = None


@dataclass(frozen=True)
class Believed(Event):
    """
    What one student's form and answers say, by which it was seated; nobody else reads it.

    Parameters
    ----------
    student
        The student's row, with its limits.
    ratings, pairs
        A worth per course and effects of pairs of courses (two numbers and the effect), in parts
        of a point.
    missed
        Why it did not get the courses that it likes best.
    """

    kind = "believed"
    bidder: int
    student: dict[str, Any]
    ratings: tuple[int, ...]
    pairs: tuple[tuple[int, int, int], ...]
    missed: tuple[MissedCourse, ...]


@dataclass(frozen=True)
class Changed(Event):
    """
    A late change after publication: other courses or students; what was given is kept.

    ``minutes`` is how long forms can be changed before the second run; 0 for not at all.
    """

    kind = "changed"
    market: dict[str, Any]
    reason: str
    minutes: float


def _all(base: type[Event]) -> dict[str, type[Event]]:
    return {event.kind: event for event in base.__subclasses__()}


KINDS: dict[str, type[Event]] = _all(Event)


def from_body(kind: str, body: dict[str, Any]) -> Event:
    """The event of a record's body."""
    return from_plain(KINDS[kind], body)
