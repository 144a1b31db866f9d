"""Where a live auction stands: plain values, never changed in place."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from boca.core.market import Market
from boca.live.auction.activity import eligibility
from boca.live.auction.choices import PricedChoice, proven_bids
from boca.live.auction.courses import LEAST_NEW, NEW_SHARE
from boca.live.auction.events import (
    AskedQuery,
    Assigned,
    AwardTerm,
    Believed,
    Bundle,
    Compared,
    Decided,
    Entry,
    Justification,
    Priced,
    Proposed,
    Rated,
    Result,
    Seated,
    Submitted,
    TradeTerm,
)
from boca.live.auction.rules import BuyersNotes, Rules

Phase = Literal[
    "draft", "planning", "ready", "open", "paused", "stuck",
    "stopped", "deciding", "decided", "published", "cancelled",
]  # fmt: skip
QueryStatus = Literal["open", "answered", "declined", "unanswered"]
ENDED: tuple[Phase, ...] = ("published", "cancelled")


@dataclass(frozen=True)
class Person:
    """
    Somebody who acts for a bidder, or an auditor.

    Parameters
    ----------
    name
        As the auctioneer wrote it.
    bidder
        Whom the person acts for; None for an auditor.
    access
        Ids of the links that were issued to the person.
    has_joined
        Whether the person signed in at least once.
    revoked
        Those of its links that were revoked.
    is_out
        Whether the person was revoked and not invited again.
    """

    name: str
    bidder: int | None
    access: tuple[str, ...]
    has_joined: bool = False
    revoked: tuple[str, ...] = ()
    is_out: bool = False


@dataclass(frozen=True)
class Proposal:
    """
    The first half of an act that needs two auctioneers.

    Parameters
    ----------
    event, hash, at
        What was proposed, and its record.
    who
        The auctioneer.
    """

    event: Proposed
    hash: str
    at: datetime
    who: str


@dataclass(frozen=True)
class QueryState:
    """
    A question and what became of it.

    Parameters
    ----------
    query
        The question.
    round
        The round in which it was asked.
    status
        ``unanswered`` once its round closed without an answer; this counts as declined.
    within
        The range that it asks to narrow; None where the value was not known.
    """

    query: AskedQuery
    round: int
    status: QueryStatus = "open"
    within: tuple[int, int] | None = None


@dataclass(frozen=True)
class ReportState:
    """
    The last reported value of one bundle.

    Parameters
    ----------
    units
        The value.
    round
        The round of the last change.
    at, hash
        When it was taken, and the record that says so.
    query
        The query that it answered; None for a push.
    most
        The end of a range that begins with ``units``; None for a single value.
    """

    units: int
    round: int
    at: datetime
    hash: str
    query: str | None
    most: int | None = None


@dataclass(frozen=True)
class DemandState:
    """
    What a bidder wants at the prices of one demand query.

    Parameters
    ----------
    prices
        Of one copy of each good, in units.
    bundle
        What it wants; empty if nothing.
    round, at, hash
        When that was said last, and the record that says so.
    """

    prices: tuple[int, ...]
    bundle: Bundle
    round: int
    at: datetime
    hash: str


@dataclass(frozen=True)
class Taken:
    """
    One submission as it stands in the log; a receipt is made from it.

    Parameters
    ----------
    event
        What was submitted.
    hash, seal, at, person
        Its record, and who confirmed it.
    """

    event: Submitted | Rated | Compared
    hash: str
    seal: str
    at: datetime
    person: str


@dataclass(frozen=True)
class Book:
    """
    Everything about one bidder.

    Parameters
    ----------
    reports
        Bundle -> last report.
    demands
        Id of a demand query -> what is wanted at its prices.
    queries
        Query id -> question, in the order they were asked.
    submissions
        What was taken, first to last.
    num_pushes, num_extensions
        How many were used.
    """

    reports: dict[Bundle, ReportState] = field(default_factory=dict)
    demands: dict[str, DemandState] = field(default_factory=dict)
    queries: dict[str, QueryState] = field(default_factory=dict)
    submissions: tuple[Taken, ...] = ()
    num_pushes: int = 0
    num_extensions: int = 0

    @property
    def open(self) -> tuple[QueryState, ...]:
        """Questions without an answer, of the round under way."""
        return tuple(q for q in self.queries.values() if q.status == "open")

    @property
    def declined(self) -> tuple[Bundle, ...]:
        """Bundles that were not valued, or ranges not narrowed, when asked; not asked again."""
        return tuple(
            q.query.bundle
            for q in self.queries.values()
            if q.query.type == "value"
            and q.status in ("declined", "unanswered")
            and (q.query.bundle not in self.reports or q.query.bundle in self.mosts)
        )

    def within(self, bundle: Bundle) -> tuple[int, int] | None:
        """The range of a bundle that its bidder was last asked to narrow; None if none."""
        asked = [q.within for q in self.queries.values() if q.query.bundle == bundle and q.within]
        return asked[-1] if asked else None

    @property
    def values(self) -> dict[Bundle, int]:
        """Bundle -> last reported value in units."""
        return {bundle: report.units for bundle, report in self.reports.items()}

    @property
    def mosts(self) -> dict[Bundle, int]:
        """Bundle -> the end of its range, for values that are ranges."""
        return {b: report.most for b, report in self.reports.items() if report.most is not None}

    @property
    def basis(self) -> str:
        """Hash of the last submission; empty before the first."""
        return self.submissions[-1].hash if self.submissions else ""


@dataclass(frozen=True)
class StudentBook(Book):
    """
    Everything about one student of an allocation of courses.

    Parameters
    ----------
    form
        What it said last about courses and pairs; None if nothing.
    answers
        The two schedules -> its last answer about them, in the order of the first ones.
    """

    form: Rated | None = None
    answers: dict[frozenset[tuple[str, ...]], Compared] = field(default_factory=dict)

    @property
    def given(self) -> tuple[Compared, ...]:
        """Answers that count."""
        return tuple(one for one in self.answers.values() if one.answer != "withdrawn")


@dataclass(frozen=True)
class CourseMatters:
    """
    What an allocation of courses has besides people, time and forms.

    Parameters
    ----------
    students
        Rows of the students that were enrolled last.
    priced
        The latest prices for questions; None before the first.
    num_new, num_used
        Forms and answers since those prices were asked for, and until then.
    assigned, seats, beliefs
        The latest assignment: its prices, and of every student what it gets and why.
    kept
        Student -> what it was given before a late change.
    """

    students: tuple[dict[str, Any], ...] = ()
    priced: Priced | None = None
    num_new: int = 0
    num_used: int = 0
    assigned: Assigned | None = None
    seats: dict[int, Seated] = field(default_factory=dict)
    beliefs: dict[int, Believed] = field(default_factory=dict)
    kept: dict[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def needs_prices(self) -> bool:
        """Whether enough was said since the latest prices to make others."""
        return self.num_new >= max(LEAST_NEW, NEW_SHARE * self.num_used)


@dataclass(frozen=True)
class Announcement:
    """A text of the auctioneer to everybody."""

    at: datetime
    text: str


@dataclass(frozen=True)
class PublicReply:
    """What was asked, without saying by whom, and the auctioneer's answer to all."""

    at: datetime
    question: str
    text: str


@dataclass(frozen=True)
class Inquiry:
    """
    What a bidder asked the auctioneer.

    Parameters
    ----------
    hash, at
        Its record.
    bidder, person, text
        Who asked what.
    reply, replied_at, is_public
        The answer, when it was given, and whether all have it; None while it waits.
    """

    hash: str
    at: datetime
    bidder: int
    person: str
    text: str
    reply: str | None = None
    replied_at: datetime | None = None
    is_public: bool = False


@dataclass(frozen=True)
class JobFailure:
    """A job that went wrong."""

    job: str
    attempt: int
    error: str
    message: str


@dataclass(frozen=True)
class RoundSummary:
    """
    One round for the auctioneer's table.

    Parameters
    ----------
    round
        Its number.
    step
        What the engine said about it.
    seconds
        How long planning took.
    """

    round: int
    step: dict[str, Any]
    seconds: float


@dataclass(frozen=True)
class LiveState:
    """
    One auction in memory; the fold of its log.

    Parameters
    ----------
    auction
        Its id.
    phase
        What can happen now.
    is_rehearsal, copied_from, public_key, version
        As ``created`` said.
    rules, market, configured
        The configuration and the hash of its record.
    changed
        When the configuration was changed last after somebody was invited; None if it was not.
    seed
        Of the engine's randomness.
    books
        One per bidder.
    persons
        Everybody who was invited.
    proposals
        Acts that wait for a second person, by what they are about.
    accepted
        Bidder -> hash of the rules that it accepted.
    round, deadline, seconds_left, is_last_call
        The round under way; ``seconds_left`` while paused. The round is -1 before the first.
    pause_reason
        Why the round rests; empty unless it is paused.
    deadline_reason
        Why the round's deadline was moved last; empty if it was not.
    stopping_reason
        Why this round is the last with queries, if it is.
    is_held
        Whether a pause during planning keeps the next round from opening by itself.
    is_stopping
        Whether this round is the last with queries.
    plan_from
        Hash of the record that the next plan is computed from.
    attempts, failures
        Failed attempts of the present job, and all failures so far.
    stop_reason
        Why no further queries are asked.
    inquiries, replies
        What bidders asked the auctioneer, and what all were answered.
    announcements
        Texts of the auctioneer.
    rounds
        The engine's steps so far, which it wants back with the next job.
    notes
        What a buyer compares awards by.
    outcome, justification, award_terms, trade_terms, results
        How it ended.
    courses
        What an allocation of courses has besides.
    head, head_at_opening, seq, at
        Of the log: the last hash, the hash at the last opening of a round, number and time of the
        last record.
    """

    auction: str
    phase: Phase = "draft"
    is_rehearsal: bool = False
    copied_from: str | None = None
    public_key: str = ""
    version: str = ""
    rules: Rules | None = None
    market: Market | None = None
    configured: str = ""
    changed: datetime | None = None
    seed: int | None = None
    books: tuple[Book, ...] = ()
    persons: tuple[Person, ...] = ()
    proposals: dict[str, Proposal] = field(default_factory=dict)
    accepted: dict[int, str] = field(default_factory=dict)
    round: int = -1
    deadline: datetime | None = None
    seconds_left: float | None = None
    is_last_call: bool = False
    pause_reason: str = ""
    deadline_reason: str = ""
    stopping_reason: str = ""
    is_held: bool = False
    is_stopping: bool = False
    plan_from: str = ""
    attempts: int = 0
    failures: tuple[JobFailure, ...] = ()
    stop_reason: str = ""
    announcements: tuple[Announcement, ...] = ()
    inquiries: tuple[Inquiry, ...] = ()
    replies: tuple[PublicReply, ...] = ()
    rounds: tuple[RoundSummary, ...] = ()
    outcome: Decided | None = None
    justification: tuple[Justification, ...] = ()
    award_terms: tuple[AwardTerm, ...] = ()
    trade_terms: tuple[TradeTerm, ...] = ()
    notes: BuyersNotes = field(default_factory=BuyersNotes)
    results: dict[int, Result] = field(default_factory=dict)
    courses: CourseMatters = field(default_factory=CourseMatters)
    head: str = ""
    head_at_opening: str = ""
    seq: int = -1
    at: datetime | None = None

    @property
    def setup(self) -> tuple[Rules, Market]:
        """Rules and market, once configured."""
        assert self.rules is not None, "the auction was never configured"
        assert self.market is not None, "the auction was never configured"
        return self.rules, self.market

    @property
    def name(self) -> str:
        return self.market.name if self.market else ""

    @property
    def hides_values(self) -> bool:
        """Whether values and queries are sealed from the auctioneer at the moment."""
        is_over = self.phase in ("decided", "published")
        hides = self.rules is not None and self.rules.sealed_from_auctioneer
        return hides and not is_over

    @property
    def guards_links(self) -> bool:
        """Whether links are not the auctioneer's to make; a rehearsal has no secrets."""
        return self.hides_values and not self.is_rehearsal

    @property
    def job(self) -> Literal["plan", "decide"] | None:
        """The slow work that this phase waits for."""
        if self.phase == "planning":
            return "plan"
        return "decide" if self.phase == "deciding" else None

    @property
    def num_asked(self) -> tuple[int, ...]:
        """Queries that each bidder was asked, answered or not."""
        return tuple(len(book.queries) for book in self.books)

    @property
    def is_decided(self) -> bool:
        """Whether an outcome or an assignment stands in the log."""
        return self.outcome is not None or self.courses.assigned is not None

    def must_accept(self, bidder: int) -> bool:
        """Whether a bidder has to accept the rules before it sends something."""
        is_asked = self.rules is not None and self.rules.accept_rules and not self.is_rehearsal
        return is_asked and self.accepted.get(bidder) != self.configured

    def student(self, bidder: int) -> StudentBook:
        """The book of a student of an allocation of courses."""
        book = self.books[bidder]
        assert isinstance(book, StudentBook), "not an allocation of courses"
        return book

    def bids(self, bidder: int) -> dict[Bundle, int]:
        """What decides the outcome for a bidder; see :func:`proven_bids`."""
        rules, market = self.setup
        most = rules.most_of(market, bidder)
        choices = list(self.choices(bidder).values())
        return proven_bids(self.books[bidder].values, choices, market, bidder, most)

    def choices(self, bidder: int) -> dict[str, PricedChoice]:
        """Id of a demand query -> the choice of a bidder that answers it."""
        demands = self.books[bidder].demands
        return {query: self.choice(bidder, query, said.bundle) for query, said in demands.items()}

    def choice(self, bidder: int, query: str, bundle: Bundle) -> PricedChoice:
        """A bundle as an answer of a bidder to a demand query."""
        rules, market = self.setup
        asked = self.books[bidder].queries[query]
        most = self.eligibility(bidder, asked.round)
        return PricedChoice(asked.query.prices or (), bundle, rules.points_of(market), most)

    def eligibility(self, bidder: int, round_number: int) -> int | None:
        """Points that a bidder may choose in a round; None without the activity rule."""
        rules, market = self.setup
        if not rules.points:
            return None
        book = self.books[bidder]
        asked = [q for q in book.queries.values() if q.query.type == "demand"]
        said = [(q.round, book.demands.get(q.query.id)) for q in asked]
        chosen = [(asked_in, demand.bundle if demand else None) for asked_in, demand in said]
        first = rules.first_eligibility(market, bidder)
        return eligibility(rules.points_of(market), first, chosen, round_number)

    def with_book(self, bidder: int, book: Book) -> "LiveState":
        """With another book for one bidder."""
        return replace(self, books=self.books[:bidder] + (book,) + self.books[bidder + 1 :])


def stamp(state: LiveState, entry: Entry) -> LiveState:
    """The state with the log's end moved to an entry."""
    return replace(state, head=entry.hash, seq=entry.seq, at=entry.at)
