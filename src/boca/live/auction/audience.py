"""
Who may know what. Views get their data through :func:`seen_by` and exports through
:func:`may_open`; nothing else decides about secrets.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from boca.core.market import Market
from boca.live.auction import events as ev
from boca.live.auction.events import Entry, Event
from boca.live.auction.kind import NO_AWARD
from boca.live.auction.rules import BuyersNotes
from boca.live.auction.seat_market import SeatMarket, is_courses
from boca.live.auction.state import (
    Book,
    CourseMatters,
    JobFailure,
    LiveState,
    Phase,
    StudentBook,
)

Role = Literal["public", "bidder", "auditor", "auctioneer"]
What = Literal["phase", "deadline", "queries", "announcement", "progress"]


@dataclass(frozen=True)
class Viewer:
    """
    In which capacity somebody looks at one auction.

    Parameters
    ----------
    role
        What one is.
    bidder
        For which bidder; None in all other roles.
    """

    role: Role
    bidder: int | None = None

    @property
    def sees_all(self) -> bool:
        return self.role in ("auditor", "auctioneer")


PUBLIC = Viewer("public")

# Opened to everybody who takes part at once, and to the public once published.
OPEN = {
    "created", "configured", "started", "round-opened", "deadline-moved", "paused", "resumed",
    "stopping", "stopped", "closed", "published", "cancelled", "announced", "changed",
}  # fmt: skip
# Opened to the public once published, if everything or the outcome is published.
WITH_ALL = {"planned", "reviewed", "asked", "submitted", "justified", "decided", "assigned"}
WITH_OUTCOME = {"decided", "assigned"}
# Bodies that a sealed auction hides from the auctioneer until it is decided.
# What a child complains about may hold amounts.
SEALED = {"asked", "submitted", "planned", "reviewed", "seeded", "failed"}
# What a student says of courses, and what follows from it, is nobody's business but an auditor's.
PRIVATE = {"rated", "compared", "believed"}
# What the other devices of a bidder's people notice.
OWN = {"submitted", "proposed", "rated", "compared"}
# What bidders see instead of phases that are the auctioneer's business.
BIDDERS_PHASE: dict[Phase, Phase] = {
    "ready": "planning",
    "stuck": "planning",
    "decided": "deciding",
}


def is_sealed(state: LiveState, viewer: Viewer) -> bool:
    """Whether values and queries are hidden from the auctioneer at the moment."""
    return viewer.role == "auctioneer" and state.hides_values


def may_open(event: Event, viewer: Viewer, state: LiveState, opened_rounds: int) -> bool:
    """
    Whether a viewer may read a record's body.

    Parameters
    ----------
    event
        What the body says.
    viewer
        Who wants to read it.
    state
        The auction now: phase and rules decide.
    opened_rounds
        Number of the last round that was opened; questions are shown from then on.
    """
    if viewer.role == "auctioneer" and event.kind in PRIVATE:
        return False
    if viewer.sees_all:
        return not (is_sealed(state, viewer) and _holds_values(event))
    is_published = state.phase == "published"
    if event.kind in OPEN or (event.kind == "replied" and about(event) is None):
        return viewer.role == "bidder" or is_published or event.kind == "published"
    if viewer.bidder is not None and about(event) == viewer.bidder:
        match event:
            case ev.Asked():
                return event.round <= opened_rounds
            case ev.Result() | ev.Seated() | ev.Believed():
                return is_published
            case _:
                return True
    if not is_published or state.rules is None:
        return False
    if event.kind == "seeded":
        return True
    match state.rules.publish:
        case "all":
            return event.kind in WITH_ALL
        case "outcome":
            return event.kind in WITH_OUTCOME
        case _:
            return False


def _holds_values(event: Event) -> bool:
    """Whether values can be read from a body, or found by trying them against a hash in it."""
    return event.kind in SEALED or (isinstance(event, ev.Proposed) and event.act == "submission")


def about(event: Event) -> int | None:
    """The bidder that an event is about; None if it is about nobody in particular."""
    bidder: int | None = getattr(event, "bidder", None)
    return bidder


def seen_by(state: LiveState, viewer: Viewer) -> LiveState:
    """
    The state as a viewer may know it: everything else is blank, so no view can show it.

    To a bidder, other bidders look as if they had never done anything.
    """
    if viewer.role == "auctioneer" and is_courses(state.market):
        books = tuple(map(_answered_only, state.books))
        courses = replace(state.courses, beliefs={}, priced=None)
        return replace(state, books=books, courses=courses)
    if viewer.sees_all:
        if not is_sealed(state, viewer):
            return state
        books = tuple(map(_counts_only, state.books))
        # What a child complains about may hold amounts.
        failures = tuple(map(_without_amounts, state.failures))
        return replace(state, books=books, failures=failures, seed=None, rounds=())

    is_published = state.phase == "published"
    publish = state.rules.publish if state.rules and is_published else "own"
    own = viewer.bidder
    blank = type(state.books[0])() if state.books else Book()
    books = tuple(
        _until_opened(book, state) if i == own else book if publish == "all" else blank
        for i, book in enumerate(state.books)
    )
    shows_outcome = publish in ("outcome", "all")
    return replace(
        state,
        phase=state.phase if is_published else BIDDERS_PHASE.get(state.phase, state.phase),
        round=_opened_round(state),
        books=books,
        persons=tuple(p for p in state.persons if p.bidder == own and own is not None),
        proposals={key: one for key, one in state.proposals.items() if key == f"submission/{own}"},
        accepted={i: hash_ for i, hash_ in state.accepted.items() if i == own},
        seed=state.seed if is_published else None,
        rounds=state.rounds if publish == "all" else (),
        inquiries=tuple(one for one in state.inquiries if one.bidder == own),
        replies=state.replies if own is not None else (),
        plan_from="",
        is_held=False,
        attempts=0,
        failures=(),
        outcome=state.outcome if shows_outcome else None,
        justification=state.justification if publish == "all" else (),
        award_terms=state.award_terms if publish == "all" else (),
        trade_terms=state.trade_terms if publish == "all" else (),
        notes=BuyersNotes(),
        results=_own_result(state, own) if is_published else {},
        courses=_own_courses(state, own),
        market=_own_market(state, own),
        head=state.head if is_published else state.head_at_opening,
        seq=state.seq if is_published else -1,
        at=None,
    )


def stirs(entries: Iterable[Entry], viewer: Viewer) -> set[What]:
    """What a viewer should look at again after some entries."""
    stirred: set[What] = set()
    for entry in entries:
        event = entry.event
        what = _STIRRED.get(event.kind)
        if what is not None and (viewer.role != "public" or event.kind in OPEN):
            stirred.add(what)
        if event.kind == "replied" and own_or_all(event, viewer):
            stirred.add("announcement")
        if viewer.sees_all:
            stirred.add("progress")
        elif event.kind in OWN and viewer.bidder == about(event):
            stirred.add("queries")
    return stirred


def own_or_all(event: Event, viewer: Viewer) -> bool:
    """Whether something is told to all who take part, or to this one of them."""
    return viewer.bidder is not None and about(event) in (None, viewer.bidder)


# Kinds that everybody who takes part notices. `planned` and `failed` are the auctioneer's.
_STIRRED: dict[str, What] = {
    "configured": "phase",
    "started": "phase",
    "round-opened": "queries",
    "round-closed": "phase",
    "deadline-moved": "deadline",
    "paused": "phase",
    "resumed": "phase",
    "stopping": "phase",
    "stopped": "phase",
    "closed": "phase",
    "published": "phase",
    "cancelled": "phase",
    "announced": "announcement",
    "changed": "phase",
}


def _answered_only(book: Book) -> Book:
    """A student's book from which only how often it said something can be read."""
    assert isinstance(book, StudentBook)
    form = None if book.form is None else replace(book.form, ratings={}, pairs=())
    answers: dict[frozenset[tuple[str, ...]], ev.Compared] = {
        frozenset(((str(k),),)): replace(answer, first=(), second=(), answer="")
        for k, answer in enumerate(book.given)
    }
    submissions = tuple(
        replace(taken, event=form or next(iter(answers.values()))) for taken in book.submissions
    )
    return replace(book, form=form, answers=answers, submissions=submissions)


def _own_courses(state: LiveState, own: int | None) -> CourseMatters:
    """What a student, or with None the public, may know of an assignment."""
    courses, is_published = state.courses, state.phase == "published"
    mine = () if own is None or not is_published else (own,)
    return CourseMatters(
        assigned=courses.assigned if is_published else None,
        seats={i: courses.seats[i] for i in mine if i in courses.seats},
        beliefs={i: courses.beliefs[i] for i in mine if i in courses.beliefs},
        kept={i: courses.kept[i] for i in courses.kept if i == own},
    )


def _own_market(state: LiveState, own: int | None) -> Market | None:
    """The market; of courses, without other students."""
    market = state.market
    return market.seen_by(own) if isinstance(market, SeatMarket) else market


def _opened_round(state: LiveState) -> int:
    """The last round whose questions were shown."""
    is_hidden = state.phase == "ready" and state.round >= 0
    return state.round - 1 if is_hidden else state.round


def _until_opened(book: Book, state: LiveState) -> Book:
    """A bidder's book without questions of a round that is not open yet."""
    last = _opened_round(state)
    queries = {key: query for key, query in book.queries.items() if query.round <= last}
    return book if len(queries) == len(book.queries) else replace(book, queries=queries)


def _without_amounts(failure: JobFailure) -> JobFailure:
    """A failure without its message, unless that is known to hold no amounts."""
    return failure if failure.message.startswith(NO_AWARD) else replace(failure, message="")


def _counts_only(book: Book) -> Book:
    """A book from which nothing but numbers of questions and answers can be read."""
    queries = {
        key: replace(q, query=replace(q.query, bundle=(), reason={}, prices=None))
        for key, q in book.queries.items()
    }
    return replace(book, reports={}, demands={}, queries=queries, submissions=())


def _own_result(state: LiveState, bidder: int | None) -> dict[int, ev.Result]:
    if bidder is None or bidder not in state.results:
        return {}
    return {bidder: state.results[bidder]}
