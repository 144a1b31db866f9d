"""
What pages and API show, as plain values: pure functions of what a viewer may see.

Every function takes a state that went through :func:`boca.server.live.audience.seen_by`.
"""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from boca.core.bundle import format_bundle
from boca.core.market import Market
from boca.server.live.events import Bundle
from boca.server.live.money import Money
from boca.server.live.reasons import why_asked, why_paid
from boca.server.live.rules import Rules
from boca.server.live.sentence import Sentence
from boca.server.live.state import Announcement, Book, LiveState, Phase, QueryState, Taken
from boca.server.live.warnings import Warning, breaches, is_part

MOST_EARLIER = 4


@dataclass(frozen=True)
class Heading:
    """
    What every page shows about an auction.

    Parameters
    ----------
    auction, name, is_rehearsal
        Which one it is.
    phase, round, num_rounds, is_last_call
        Where it stands, as the viewer may know it; the round is -1 before the first.
    deadline, seconds_left
        The end of the open round; seconds left once a pause ends.
    now
        The server's time.
    rules_hash, head
        Hash of the rules, and of the log at the last opening (the last hash for those who see
        everything).
    announcements
        Texts of the auctioneer, latest last.
    is_stopping
        Whether this round is the last with questions.
    """

    auction: str
    name: str
    is_rehearsal: bool
    phase: Phase
    round: int
    num_rounds: int
    is_last_call: bool
    deadline: datetime | None
    seconds_left: float | None
    now: datetime
    rules_hash: str
    head: str
    announcements: tuple[Announcement, ...]
    is_stopping: bool


@dataclass(frozen=True)
class Setup:
    """Rules, market and how money is written, with the key that receipts are signed with."""

    rules: Rules
    market: Market
    money: Money
    public_key: str
    rules_hash: str


@dataclass(frozen=True)
class Earlier:
    """
    An earlier answer that helps with a question.

    Parameters
    ----------
    bundle, words, units
        What was reported.
    relation
        ``part`` (the largest reported part), ``whole`` (the smallest reported whole) or ``near``
        (differs by one copy).
    """

    bundle: Bundle
    words: str
    units: int
    relation: str


@dataclass(frozen=True)
class Question:
    """
    One question to the bidder.

    Parameters
    ----------
    id, round, type
        Which one, when asked, and whether it wants a value or (later) a bundle at prices.
    bundle, counts, words
        What it asks about: copies of each good, by name without zeros, in words.
    reasons
        Why it is asked.
    earlier
        Own reports near it, at most four.
    status, units
        What became of it, and the reported value.
    prices
        Of one copy of each good in units, for a demand query; None for a value query.
    wish
        What is wanted at these prices, once answered; ``bundle`` and ``words`` show it too.
    """

    id: str
    round: int
    type: str
    bundle: Bundle
    counts: dict[str, int]
    words: str
    reasons: tuple[Sentence, ...]
    earlier: tuple[Earlier, ...]
    status: str
    units: int | None
    prices: tuple[int, ...] | None = None
    wish: Bundle | None = None


@dataclass(frozen=True)
class AnswerRow:
    """
    One own report.

    Parameters
    ----------
    bundle, counts, words, units
        What is worth how much.
    round, at, receipt
        When it was taken last, and the hash of the receipt.
    query
        The question it answers; None for a push.
    can_correct
        Whether the rules permit another value now.
    breaches
        Own reports with which it does not go together.
    """

    bundle: Bundle
    counts: dict[str, int]
    words: str
    units: int
    round: int
    at: datetime
    receipt: str
    query: str | None
    can_correct: bool
    breaches: tuple[Warning, ...]


@dataclass(frozen=True)
class BidderView:
    """
    Everything that a bidder's pages show.

    Parameters
    ----------
    heading, setup
        The auction.
    bidder, bidder_name
        Who I am.
    questions
        All that were asked, latest round first.
    num_open
        How many are open.
    answers
        All own reports.
    pushes_left
        Reports that I may still make unasked.
    extensions_left
        Automatic extensions that are left.
    can_submit
        Whether a round is open.
    basis
        To send along with a submission, so that nothing in between goes unnoticed.
    submissions
        What was taken, latest first.
    """

    heading: Heading
    setup: Setup
    bidder: int
    bidder_name: str
    questions: tuple[Question, ...]
    num_open: int
    answers: tuple[AnswerRow, ...]
    pushes_left: int
    extensions_left: int
    can_submit: bool
    basis: str
    submissions: tuple[Taken, ...]


@dataclass(frozen=True)
class ResultView:
    """
    How it ended for one bidder.

    Parameters
    ----------
    heading, setup
        The auction.
    bundle, words, units, payment
        What it gets, its reported value of it, what it pays.
    reasons
        Why, in sentences by key.
    best, best_words
        Its highest report, for a bidder that gets nothing.
    """

    heading: Heading
    setup: Setup
    bundle: Bundle
    words: str
    units: int
    payment: int
    reasons: tuple[Sentence, ...]
    best: tuple[Bundle, int] | None
    best_words: str


@dataclass(frozen=True)
class OutcomeRow:
    """One bidder's line of a published outcome."""

    bidder: int
    name: str
    bundle: Bundle
    words: str
    payment: int
    value: int | None


@dataclass(frozen=True)
class PublicView:
    """What anybody sees; ``outcome`` is empty unless it is published."""

    heading: Heading
    setup: Setup
    outcome: tuple[OutcomeRow, ...]
    publish: str


@dataclass(frozen=True)
class ProgressRow:
    """
    One bidder's line at the auctioneer's desk.

    Parameters
    ----------
    bidder, name
        Who.
    persons, joined
        Names of all invited, and of those who signed in.
    num_open, num_answered, num_declined
        Questions of the present round.
    num_reports, num_pushes
        In the whole auction.
    last_submission
        When something was taken last.
    """

    bidder: int
    name: str
    persons: tuple[str, ...]
    joined: tuple[str, ...]
    num_open: int
    num_answered: int
    num_declined: int
    num_reports: int | None
    num_pushes: int
    last_submission: datetime | None


@dataclass(frozen=True)
class Progress:
    """
    The auctioneer's desk.

    Parameters
    ----------
    heading, setup
        The auction.
    rows
        One per bidder.
    is_sealed
        Whether values are hidden from the viewer.
    failures
        Jobs that went wrong.
    rounds
        The engine's summary of each round.
    outcome
        Once decided.
    verified_by, stop_reason
        The second solver, and why no further questions are asked.
    """

    heading: Heading
    setup: Setup
    rows: tuple[ProgressRow, ...]
    is_sealed: bool
    failures: tuple[object, ...]
    rounds: tuple[object, ...]
    outcome: tuple[OutcomeRow, ...]
    verified_by: str | None
    stop_reason: str


def heading(state: LiveState, now: datetime) -> Heading:
    """The part that every page shows."""
    rules, _ = state.setup
    return Heading(
        state.auction,
        state.name,
        state.is_rehearsal,
        state.phase,
        state.round,
        rules.num_rounds,
        state.is_last_call,
        state.deadline,
        state.seconds_left,
        now,
        state.configured,
        state.head,
        state.announcements,
        state.is_stopping,
    )


def setup(state: LiveState) -> Setup:
    """Rules and market."""
    rules, market = state.setup
    return Setup(rules, market, rules.money, state.public_key, state.configured)


def bidder_view(state: LiveState, bidder: int, now: datetime) -> BidderView:
    """The pages of one bidder."""
    rules, market = state.setup
    book = state.books[bidder]
    questions = tuple(
        _question(q, book, market, rules)
        for q in sorted(book.queries.values(), key=lambda q: -q.round)
    )
    return BidderView(
        heading(state, now),
        setup(state),
        bidder,
        market.bidders[bidder].name,
        questions,
        len(book.open),
        _answers(state, book),
        max(rules.push_bids - book.num_pushes, 0),
        max(rules.extensions - book.num_extensions, 0),
        state.phase == "open",
        book.basis,
        tuple(reversed(book.submissions)),
    )


def result_view(state: LiveState, bidder: int, now: datetime) -> ResultView | None:
    """How it ended for a bidder; None until that is published."""
    result = state.results.get(bidder)
    if result is None:
        return None
    rules, market = state.setup
    reports = state.books[bidder].reports
    best = max(((b, r.units) for b, r in reports.items()), key=lambda row: row[1], default=None)
    best_words = in_words(best[0], market) if best else ""
    return ResultView(
        heading(state, now),
        setup(state),
        result.bundle,
        in_words(result.bundle, market),
        result.units,
        result.payment,
        why_paid(result, rules, best, best_words),
        best,
        best_words,
    )


def public_view(state: LiveState, now: datetime) -> PublicView:
    """What anybody sees."""
    rules, _ = state.setup
    publish = rules.publish if state.phase == "published" else ""
    return PublicView(heading(state, now), setup(state), outcome_rows(state), publish)


def progress(state: LiveState, now: datetime, is_sealed: bool) -> Progress:
    """The desk of auctioneer and auditor."""
    _, market = state.setup
    rows = tuple(
        _progress_row(state, i, market.bidders[i].name, is_sealed)
        for i in range(market.num_bidders)
    )
    return Progress(
        heading(state, now),
        setup(state),
        rows,
        is_sealed,
        state.failures,
        state.rounds,
        outcome_rows(state),
        state.outcome.verified_by if state.outcome else None,
        state.stop_reason,
    )


def outcome_rows(state: LiveState) -> tuple[OutcomeRow, ...]:
    """Who gets what and pays what, as far as the state shows it."""
    if state.outcome is None:
        return ()
    _, market = state.setup
    values = {row.bidder: row.value for row in state.justification}
    return tuple(
        OutcomeRow(i, market.bidders[i].name, bundle, in_words(bundle, market), payment,
                   values.get(i))
        for i, (bundle, payment) in enumerate(
            zip(state.outcome.allocation, state.outcome.payments, strict=True)
        )
    )  # fmt: skip


def counts(bundle: Bundle, market: Market) -> dict[str, int]:
    """A bundle by the names of its goods, without zeros."""
    return {g.name: n for g, n in zip(market.goods, bundle, strict=True) if n}


def in_words(bundle: Bundle, market: Market) -> str:
    """A bundle such as ``Apples, 2 x Bread``."""
    return format_bundle(np.array(bundle), [good.name for good in market.goods])


def _question(query: QueryState, book: Book, market: Market, rules: Rules) -> Question:
    wish = book.wishes.get(query.query.id)
    bundle = query.query.bundle
    if query.query.type == "demand":
        bundle = wish.bundle if wish else (0,) * market.num_goods
    report = book.reports.get(bundle)
    return Question(
        query.query.id,
        query.round,
        query.query.type,
        bundle,
        counts(bundle, market),
        in_words(bundle, market),
        why_asked(query.query, market, rules),
        earlier(bundle, {b: r.units for b, r in book.reports.items()}, market),
        query.status,
        report.units if report else None,
        query.query.prices,
        wish.bundle if wish else None,
    )


def earlier(bundle: Bundle, reports: dict[Bundle, int], market: Market) -> tuple[Earlier, ...]:
    """Own reports near a bundle: the largest part, the smallest whole, one copy's difference."""
    others = {b: u for b, u in reports.items() if b != bundle}
    parts = [b for b in others if is_part(b, bundle)]
    wholes = [b for b in others if is_part(bundle, b)]
    chosen: dict[Bundle, str] = {}
    if parts:
        chosen[max(parts, key=lambda b: (sum(b), others[b], b))] = "part"
    if wholes:
        chosen.setdefault(min(wholes, key=lambda b: (sum(b), others[b], b)), "whole")
    for other in sorted(others):
        if sum(abs(a - b) for a, b in zip(other, bundle, strict=True)) == 1:
            chosen.setdefault(other, "near")
    return tuple(
        Earlier(b, in_words(b, market), others[b], relation)
        for b, relation in list(chosen.items())[:MOST_EARLIER]
    )


def _answers(state: LiveState, book: Book) -> tuple[AnswerRow, ...]:
    rules, market = state.setup
    pairs = breaches({bundle: report.units for bundle, report in book.reports.items()})
    is_open = state.phase == "open"
    rows = []
    for bundle, report in book.reports.items():
        permitted = rules.corrections == "always" or (
            rules.corrections == "round" and report.round == state.round
        )
        rows.append(
            AnswerRow(
                bundle,
                counts(bundle, market),
                in_words(bundle, market),
                report.units,
                report.round,
                report.at,
                report.hash,
                report.query,
                is_open and permitted,
                tuple(w for w in pairs if bundle in (w.bundle, w.other)),
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.at, row.bundle)))


def _progress_row(state: LiveState, bidder: int, name: str, is_sealed: bool) -> ProgressRow:
    book = state.books[bidder]
    present = [q for q in book.queries.values() if q.round == state.round]
    persons = [p for p in state.persons if p.bidder == bidder]
    return ProgressRow(
        bidder,
        name,
        tuple(p.name for p in persons),
        tuple(p.name for p in persons if p.has_joined),
        sum(q.status == "open" for q in present),
        sum(q.status == "answered" for q in present),
        sum(q.status in ("declined", "unanswered") for q in present),
        None if is_sealed else len(book.reports),
        book.num_pushes,
        book.submissions[-1].at if book.submissions else None,
    )
