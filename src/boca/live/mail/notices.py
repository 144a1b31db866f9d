"""What there is to tell, from the state alone: no values, no bundles, nothing about others."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from boca.live.auction.state import LiveState, Person, StudentBook
from boca.live.clock import to_text

# A deadline is near a quarter of the round before it, but not more than this.
NEAR = timedelta(minutes=15)
OUTAGE = "outage"
# For how long the end of an auction is news.
ENDED_FOR = timedelta(days=1)


@dataclass(frozen=True)
class Notice:
    """
    One thing to tell one person.

    Parameters
    ----------
    kind
        What people can choose to be told, or ``cancelled``, which belongs to results.
    event
        Unique in the auction; nobody is told it twice.
    until
        After which time it is no news any more.
    gaps
        Facts that everybody who takes part knows: the round and its end.
    """

    kind: str
    event: str
    until: datetime
    gaps: dict[str, str] = field(default_factory=dict)

    @property
    def wanted_as(self) -> str:
        return "result" if self.kind == "cancelled" else self.kind


def notices(state: LiveState, person: Person, now: datetime) -> Iterator[Notice]:
    """
    Everything that a person should have been told by now.

    It follows from where the auction stands, so that nothing is forgotten if the server ends
    between a record and its mails. A rehearsal tells nobody anything.
    """
    if state.is_rehearsal or person.is_out or state.rules is None or state.at is None:
        return
    if state.phase == "open" and state.deadline is not None:
        yield from _round(state, person, now, state.deadline)
    elif state.phase in ("published", "cancelled") and now - state.at < ENDED_FOR:
        kind = "result" if state.phase == "published" else "cancelled"
        # Courses can be published again after a late change, which is news again.
        event = f"{kind}:{state.head}" if state.courses.assigned else kind
        yield Notice(kind, event, state.at + ENDED_FOR)


def _round(state: LiveState, person: Person, now: datetime, deadline: datetime) -> Iterator[Notice]:
    end = to_text(deadline)
    gaps = {"round": str(state.round + 1), "deadline": end}
    yield Notice("round", f"round:{state.round}:{state.head_at_opening}", deadline, gaps)
    # An outage of a few seconds is not worth a mail, and a longer one pauses the round.
    if state.deadline_reason and state.deadline_reason != OUTAGE:
        yield Notice("moved", f"moved:{state.round}:{end}", deadline, gaps)
    if deadline - now <= near(state) and _has_open(state, person):
        yield Notice("near", f"near:{state.round}", deadline, gaps)


def near(state: LiveState) -> timedelta:
    """How long before the end of a round its end is near."""
    assert state.rules is not None
    first, later = state.rules.round_minutes
    minutes = state.rules.last_call_minutes if state.is_last_call else first
    if state.round > 0 and not state.is_last_call:
        minutes = later
    return min(timedelta(minutes=minutes) / 4, NEAR)


def _has_open(state: LiveState, person: Person) -> bool:
    """Whether the person's bidder has something left to do in this round; auditors have not."""
    if person.bidder is None or state.is_last_call:
        return False
    book = state.books[person.bidder]
    return book.form is None if isinstance(book, StudentBook) else bool(book.open)
