"""``fold(state, entry)``: what an event changes, and nothing else."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from boca.core.market import Market
from boca.core.message import Message
from boca.live.auction import events as ev
from boca.live.auction.courses import LEAST_NEW, CourseRules
from boca.live.auction.events import Entry
from boca.live.auction.rules import BuyersNotes, Rules
from boca.live.auction.seat_market import SeatMarket
from boca.live.auction.state import (
    Announcement,
    Book,
    CourseMatters,
    DemandState,
    Inquiry,
    JobFailure,
    LiveState,
    Person,
    Proposal,
    PublicReply,
    QueryState,
    ReportState,
    RoundSummary,
    StudentBook,
    Taken,
    stamp,
)
from boca.live.clock import from_text


def fold_all(auction: str, entries: Iterable[Entry]) -> LiveState:
    """The state after a whole log."""
    state = LiveState(auction)
    for entry in entries:
        state = fold(state, entry)
    return state


def fold(state: LiveState, entry: Entry) -> LiveState:
    """The state after one more entry."""
    return stamp(_settled(_change(state, entry), entry.event), entry)


def _settled(state: LiveState, event: ev.Event) -> LiveState:
    """Without proposals that were approved or withdrawn, or whose round has ended."""
    if not state.proposals:
        return state
    done = event.proposal if isinstance(event, ev.Withdrawn) else getattr(event, "approves", None)
    is_over = isinstance(event, ev.RoundClosed)
    pending = {
        key: one
        for key, one in state.proposals.items()
        if one.hash != done and not (is_over and one.event.act in ("entry", "submission"))
    }
    return replace(state, proposals=pending)


def _proposed(state: LiveState, entry: Entry, event: ev.Proposed) -> LiveState:
    proposal = Proposal(event, entry.hash, entry.at, entry.person)
    return replace(state, proposals={**state.proposals, key_of(event): proposal})


def key_of(proposed: ev.Proposed) -> str:
    """What a proposal is about; there is one proposal of each at a time."""
    if proposed.act == "auditor":
        return f"auditor/{proposed.what}"
    if proposed.act == "link":
        return f"link/{proposed.bidder}/{proposed.what}"
    return proposed.act if proposed.bidder is None else f"{proposed.act}/{proposed.bidder}"


def _change(state: LiveState, entry: Entry) -> LiveState:
    """The state with what the event says; one case per kind."""
    match entry.event:
        case ev.Created() as event:
            return replace(
                state,
                is_rehearsal=event.is_rehearsal,
                copied_from=event.copied_from,
                public_key=event.public_key,
                version=event.version,
            )
        case ev.Enrolled() as event:
            return replace(state, courses=replace(state.courses, students=event.students))
        case ev.Configured() as event if "courses" in event.market:
            seats = _seat_market(state, event.market)
            return replace(
                state,
                rules=CourseRules.from_dict(event.rules),
                market=seats,
                configured=entry.hash,
                books=(StudentBook(),) * seats.num_bidders,
            )
        case ev.Configured() as event:
            market = Market.from_dict(event.market)
            return replace(
                state,
                rules=Rules.from_dict(event.rules),
                market=market,
                configured=entry.hash,
                changed=entry.at if state.persons else None,
                notes=BuyersNotes(),
                books=(Book(),) * market.num_bidders,
            )
        case ev.Noted() as event:
            notes = BuyersNotes(event.baseline, event.groups, event.scenarios)
            return replace(state, notes=notes)
        case ev.Seeded() as event:
            return replace(state, seed=event.seed)
        case ev.Proposed() as event:
            return _proposed(state, entry, event)
        case ev.Withdrawn():
            return state
        case ev.Accepted() as event:
            return replace(state, accepted={**state.accepted, event.bidder: event.configured})
        case ev.Invited() as event:
            return replace(state, persons=_invited(state.persons, event))
        case ev.Joined() as event:
            return replace(state, persons=_joined(state.persons, event))
        case ev.Revoked() as event:
            return replace(state, persons=tuple(_revoked(p, event) for p in state.persons))
        case ev.Started():
            return replace(state, phase="planning", plan_from=entry.hash, attempts=0)
        case ev.Planned() as event:
            summary = RoundSummary(event.round, event.step, event.seconds)
            return replace(
                state,
                phase="ready",
                round=event.round,
                rounds=state.rounds + (summary,),
                attempts=0,
            )
        case ev.Reviewed() as event:
            review = RoundSummary(event.round + 1, event.step, event.seconds)
            return replace(state, rounds=state.rounds + (review,))
        case ev.Asked() as event:
            book = state.books[event.bidder]
            asked = {
                q.id: QueryState(q, event.round, within=_within(book, q)) for q in event.queries
            }
            return state.with_book(event.bidder, replace(book, queries={**book.queries, **asked}))
        case ev.RoundOpened() as event:
            return replace(
                state,
                phase="open",
                round=event.round,
                deadline=from_text(event.deadline),
                seconds_left=None,
                is_last_call=event.is_last_call,
                is_held=False,
                head_at_opening=entry.hash,
                deadline_reason="",
            )
        case ev.Submitted() as event:
            return state.with_book(event.bidder, _submitted(state.books[event.bidder], entry))
        case ev.DeadlineMoved() as event:
            return _deadline_moved(state, event)
        case ev.ExtensionUsed() as event:
            book = state.books[event.bidder]
            return state.with_book(
                event.bidder, replace(book, num_extensions=book.num_extensions + 1)
            )
        case ev.Paused() as event:
            if event.seconds_left is None:
                return replace(state, is_held=True)
            return replace(
                state,
                phase="paused",
                seconds_left=event.seconds_left,
                pause_reason=event.reason,
            )
        case ev.Resumed() as event:
            return replace(
                state,
                phase="open",
                deadline=from_text(event.deadline),
                deadline_reason="pause",
                seconds_left=None,
                pause_reason="",
            )
        case ev.RoundClosed():
            return replace(
                state,
                phase="planning",
                books=tuple(map(_round_closed, state.books)),
                deadline=None,
                seconds_left=None,
                plan_from=entry.hash,
                attempts=0,
            )
        case ev.Stopping() as event:
            return replace(state, is_stopping=True, stopping_reason=event.reason)
        case ev.Stopped() as event:
            # Queries that were planned and never opened are void.
            books = tuple(map(_round_closed, state.books))
            return replace(
                state,
                phase="stopped",
                stop_reason=_stop_reason(event),
                books=books,
                deadline=None,
                seconds_left=None,
            )
        case ev.Closed():
            return replace(state, phase="deciding", attempts=0)
        case ev.Retried():
            phase = "planning" if state.phase == "stuck" else state.phase
            return replace(state, phase=phase, attempts=0)
        case ev.Failed() as event:
            failure = JobFailure(event.job, event.attempt, event.error, event.message)
            is_stuck = event.job == "plan" and event.attempt >= MOST_ATTEMPTS
            return replace(
                state,
                phase="stuck" if is_stuck else state.phase,
                attempts=event.attempt,
                failures=state.failures + (failure,),
            )
        case ev.Decided() as event:
            return replace(state, phase="decided", outcome=event, attempts=0)
        case ev.Justified() as event:
            return replace(
                state,
                justification=event.winners,
                award_terms=event.suppliers or (),
                trade_terms=event.traders or (),
            )
        case ev.Result() as event:
            return replace(state, results={**state.results, event.bidder: event})
        case ev.Rated() | ev.Compared() as event:
            book = _said(state.student(event.bidder), entry)
            num_new = state.courses.num_new + 1
            return replace(
                state.with_book(event.bidder, book),
                courses=replace(state.courses, num_new=num_new),
            )
        case ev.Priced() as event:
            return replace(state, courses=_priced(state.courses, event))
        case ev.Assigned() as event:
            courses = replace(state.courses, assigned=event, seats={}, beliefs={})
            return replace(state, phase="decided", courses=courses, attempts=0)
        case ev.Seated() as event:
            seated = {**state.courses.seats, event.bidder: event}
            return replace(state, courses=replace(state.courses, seats=seated))
        case ev.Believed() as event:
            beliefs = {**state.courses.beliefs, event.bidder: event}
            return replace(state, courses=replace(state.courses, beliefs=beliefs))
        case ev.Changed() as event:
            return _changed(state, event)
        case ev.Published():
            return replace(state, phase="published")
        case ev.Cancelled() as event:
            return replace(
                state,
                phase="cancelled",
                stop_reason=event.reason,
                deadline=None,
                seconds_left=None,
            )
        case ev.Announced() as event:
            note = Announcement(entry.at, event.text)
            return replace(state, announcements=state.announcements + (note,))
        case ev.Inquired() as event:
            inquiry = Inquiry(entry.hash, entry.at, event.bidder, entry.person, event.text)
            return replace(state, inquiries=state.inquiries + (inquiry,))
        case ev.Replied() as event:
            return _replied(state, entry, event)
        case ev.ClockJumped():
            return state
        case _:
            raise TypeError(f"no rule for the event '{entry.event.kind}'")


def _replied(state: LiveState, entry: Entry, event: ev.Replied) -> LiveState:
    """An inquiry has its answer, which all have if it names nobody."""
    is_public = event.bidder is None
    inquiries = tuple(
        replace(one, reply=event.text, replied_at=entry.at, is_public=is_public)
        if one.hash == event.to
        else one
        for one in state.inquiries
    )
    replies = state.replies
    if is_public:
        replies += (PublicReply(entry.at, event.question or "", event.text),)
    return replace(state, inquiries=inquiries, replies=replies)


def _seat_market(state: LiveState, offer: dict[str, Any]) -> SeatMarket:
    """The market of courses, and of the students that were enrolled before."""
    return SeatMarket.of({**offer, "students": list(state.courses.students)})


def _said(book: StudentBook, entry: Entry) -> StudentBook:
    """A student's book with a form or an answer more."""
    event = entry.event
    assert isinstance(event, ev.Rated | ev.Compared)
    taken = Taken(event, entry.hash, entry.seal, entry.at, entry.person)
    book = replace(book, submissions=book.submissions + (taken,))
    if isinstance(event, ev.Rated):
        return replace(book, form=event)
    return replace(book, answers={**book.answers, frozenset((event.first, event.second)): event})


def _priced(courses: CourseMatters, event: ev.Priced) -> CourseMatters:
    """With new prices; what came while they were computed counts as used as well."""
    used = courses.num_used + courses.num_new
    return replace(courses, priced=event, num_new=0, num_used=used)


def _changed(state: LiveState, event: ev.Changed) -> LiveState:
    """After a late change: everybody keeps its courses, forms and answers; nobody its prices."""
    market, before = _seat_market(state, event.market), state.courses
    more = market.num_bidders - len(state.books)
    kept = {i: seat.courses for i, seat in before.seats.items()}
    return replace(
        state,
        phase="stopped",
        stop_reason=event.reason,
        market=market,
        books=state.books + (StudentBook(),) * more,
        courses=CourseMatters(before.students, num_new=LEAST_NEW, kept=kept),
        is_stopping=False,
        stopping_reason="",
        attempts=0,
    )


# Attempts of a job before somebody has to look at it.
MOST_ATTEMPTS = 3


def _invited(persons: tuple[Person, ...], event: ev.Invited) -> tuple[Person, ...]:
    """A further link for a person who is known, or a person more."""
    for k, person in enumerate(persons):
        if (person.name, person.bidder) == (event.person, event.bidder):
            again = replace(person, access=person.access + (event.access,), is_out=False)
            return persons[:k] + (again,) + persons[k + 1 :]
    return persons + (Person(event.person, event.bidder, (event.access,)),)


def _revoked(person: Person, event: ev.Revoked) -> Person:
    """A person after something was revoked; out with the last link that it was invited by."""
    if (person.name, person.bidder) == (event.person, event.bidder):
        return replace(person, is_out=True)
    if event.access not in person.access:
        return person
    revoked = person.revoked + (event.access,)
    return replace(person, revoked=revoked, is_out=set(revoked) >= set(person.access))


def _joined(persons: tuple[Person, ...], event: ev.Joined) -> tuple[Person, ...]:
    return tuple(
        replace(person, has_joined=True)
        if (person.name, person.bidder) == (event.person, event.bidder)
        else person
        for person in persons
    )


def _submitted(book: Book, entry: Entry) -> Book:
    """A bidder's book with one more submission."""
    event = entry.event
    assert isinstance(event, ev.Submitted)
    reports, queries, demands = dict(book.reports), dict(book.queries), dict(book.demands)
    for report in event.reports:
        before = reports.get(report.bundle)
        query = report.query or (before.query if before else None)
        reports[report.bundle] = ReportState(
            report.units, event.round, entry.at, entry.hash, query, report.most
        )
        if report.query is not None:
            queries[report.query] = replace(queries[report.query], status="answered")
    for demand in event.demands or ():
        prices = queries[demand.query].query.prices or ()
        demands[demand.query] = DemandState(
            prices, demand.bundle, event.round, entry.at, entry.hash
        )
        queries[demand.query] = replace(queries[demand.query], status="answered")
    for query_id in event.declines:
        queries[query_id] = replace(queries[query_id], status="declined")
    taken = Taken(event, entry.hash, entry.seal, entry.at, entry.person)
    return replace(
        book,
        reports=reports,
        demands=demands,
        queries=queries,
        submissions=book.submissions + (taken,),
        num_pushes=book.num_pushes + sum(report.is_push for report in event.reports),
    )


def _within(book: Book, query: ev.AskedQuery) -> tuple[int, int] | None:
    """The range that a question asks to narrow, if it is about one."""
    report = book.reports.get(query.bundle)
    return (report.units, report.most) if report and report.most is not None else None


def _round_closed(book: Book) -> Book:
    """A bidder's book in which no query is open."""
    if not book.open:
        return book
    queries = {
        key: replace(query, status="unanswered") if query.status == "open" else query
        for key, query in book.queries.items()
    }
    return replace(book, queries=queries)


def _deadline_moved(state: LiveState, event: ev.DeadlineMoved) -> LiveState:
    """A later deadline, or more time once the pause ends."""
    state = replace(state, deadline_reason=event.reason)
    if state.seconds_left is None:
        return replace(state, deadline=from_text(event.to))
    rules, _ = state.setup
    more = rules.time_between(from_text(event.from_), from_text(event.to)).total_seconds()
    return replace(state, deadline=from_text(event.to), seconds_left=state.seconds_left + more)


def _stop_reason(event: ev.Stopped) -> str:
    """Why no further questions are asked: a message, if it says what the record says in English."""
    said = Message.from_dict(event.said) if event.said else event.reason
    return said if said == event.reason else event.reason
