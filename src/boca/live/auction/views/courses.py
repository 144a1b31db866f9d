"""What students and their registrar see of an allocation of courses."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from boca.core.message import Message, msgid
from boca.live.auction import events as ev
from boca.live.auction.courses import BUDGET, POINT, CourseRules
from boca.live.auction.seat_market import SeatMarket, seats_of
from boca.live.auction.state import LiveState, Taken
from boca.live.auction.views.heading import Heading, heading
from boca.live.auction.views.setup import Setup, setup

# When something takes place, by the day of the week.
MEETS = tuple(
    Message(text, {"hours": ""})
    for text in (
        msgid("Mon {hours}"),
        msgid("Tue {hours}"),
        msgid("Wed {hours}"),
        msgid("Thu {hours}"),
        msgid("Fri {hours}"),
        msgid("Sat {hours}"),
        msgid("Sun {hours}"),
    )
)


@dataclass(frozen=True)
class CourseRow:
    """
    One course as a student sees it.

    Parameters
    ----------
    number, name, seats, credits
        Which course, and its size.
    times
        Days and hours, such as ``Mon 10:00-12:00``.
    clashes
        Courses that exclude it.
    is_open
        Whether the student may take it.
    points
        Its rating; None if there is none.
    """

    number: int
    name: str
    seats: int
    credits: float
    times: tuple[str, ...]
    clashes: tuple[str, ...]
    is_open: bool
    points: int | None


@dataclass(frozen=True)
class StudentView:
    """
    The pages of one student.

    Parameters
    ----------
    heading, setup
        The allocation.
    name
        Of the student.
    rows, pairs
        Courses with ratings, and pairs.
    has_form
        Whether a form counts.
    answers
        Comparisons that were answered, the latest last; withdrawn ones are left out.
    num_left
        How many more can be answered.
    can_submit
        Whether anything can be changed now.
    submissions
        What was taken, latest first.
    kept
        What it keeps from an earlier run.
    """

    heading: Heading
    setup: Setup
    name: str
    rows: tuple[CourseRow, ...]
    pairs: tuple[ev.RatedPair, ...]
    has_form: bool
    answers: tuple[ev.Compared, ...]
    num_left: int
    can_submit: bool
    submissions: tuple[Taken, ...]
    kept: tuple[str, ...]


def times_of(market: SeatMarket, course: int) -> tuple[str, ...]:
    """When a course meets."""
    slots = market.tables["courses"][course]["slots"]
    return tuple(
        MEETS[day].having(hours=f"{_clock(start)}-{_clock(end)}") for day, start, end in slots
    )


def _clock(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02d}"


def student_view(state: LiveState, student: int, now: datetime) -> StudentView:
    """The pages of one student."""
    rules, market = state.setup[0], seats_of(state.setup[1])
    assert isinstance(rules, CourseRules)
    book = state.student(student)
    ratings = book.form.ratings if book.form else {}
    open_courses = set(market.may_take(student))
    rows = tuple(
        CourseRow(
            j,
            good.name,
            good.capacity,
            market.tables["courses"][j]["credits"],
            times_of(market, j),
            tuple(sorted(market.goods[k].name for k in market.clashes[j])),
            j in open_courses,
            ratings.get(good.name),
        )
        for j, good in enumerate(market.goods)
    )
    return StudentView(
        heading(state, now),
        setup(state),
        market.bidders[student].name,
        rows,
        book.form.pairs if book.form else (),
        book.form is not None,
        book.given,
        max(rules.num_questions - len(book.answers), 0),
        state.phase == "open",
        tuple(reversed(book.submissions)),
        state.courses.kept.get(student, ()),
    )


@dataclass(frozen=True)
class WeekCell:
    """A course of a week that is shown: its hours, and whether only this week has it."""

    name: str
    times: tuple[str, ...]
    is_different: bool


def week(market: SeatMarket, courses: Sequence[str], other: Sequence[str]) -> tuple[WeekCell, ...]:
    """A schedule by its first hours, with what another one does not have marked."""

    def first(course: str) -> tuple[int, int, str]:
        slots = market.tables["courses"][market.numbers[course]]["slots"]
        day, start, _ = min(slots, default=(len(MEETS), 0, 0))
        return day, start, course

    return tuple(
        WeekCell(name, times_of(market, market.numbers[name]), name not in other)
        for name in sorted(courses, key=first)
    )


@dataclass(frozen=True)
class CourseFact:
    """What anybody may know of a course after publication."""

    name: str
    seats: int
    taken: int
    price: float


@dataclass(frozen=True)
class AssignmentFacts:
    """
    What anybody may know of an assignment.

    Parameters
    ----------
    courses
        The dearest first.
    assigned
        What is claimed.
    num_students
        How many students there are.
    """

    courses: tuple[CourseFact, ...]
    assigned: ev.Assigned
    num_students: int


def assignment_facts(state: LiveState) -> AssignmentFacts | None:
    """Prices and seats; None before they are known to the viewer."""
    market, assigned = state.setup[1], state.courses.assigned
    if assigned is None:
        return None
    facts = [
        CourseFact(good.name, good.capacity, assigned.taken[j], assigned.prices[j] / BUDGET)
        for j, good in enumerate(market.goods)
    ]
    facts.sort(key=lambda fact: (-fact.price, fact.name))
    return AssignmentFacts(tuple(facts), assigned, market.num_bidders)


@dataclass(frozen=True)
class MissedRow:
    """Why a student did not get a course; ``instead`` and ``less`` as in the log, in points."""

    course: str
    price: float
    instead: tuple[str, ...] | None
    less: float | None


@dataclass(frozen=True)
class SeatResult:
    """
    What one student gets, and why.

    Parameters
    ----------
    courses
        Its week.
    held
        What of it was its own before.
    prices
        Course -> price, of the rest.
    cost, budget, first
        In budgets; ``first`` is the budget by the order alone.
    is_best
        Whether it could afford nothing better.
    missed
        Why it did not get what it likes best.
    """

    courses: tuple[WeekCell, ...]
    held: tuple[str, ...]
    prices: dict[str, float]
    cost: float
    budget: float
    first: float
    is_best: bool
    missed: tuple[MissedRow, ...]


def seat_result(state: LiveState, student: int) -> SeatResult | None:
    """How it ended for a student; None until that is published."""
    market, courses = seats_of(state.setup[1]), state.courses
    seat, belief, assigned = (
        courses.seats.get(student),
        courses.beliefs.get(student),
        courses.assigned,
    )
    if seat is None or assigned is None:
        return None
    new = [name for name in seat.courses if name not in seat.held]
    missed = [
        MissedRow(
            one.course,
            one.price / BUDGET,
            one.instead,
            None if one.less is None else one.less / POINT,
        )
        for one in (belief.missed if belief else ())
    ]
    return SeatResult(
        week(market, seat.courses, seat.courses),
        seat.held,
        {name: assigned.prices[market.numbers[name]] / BUDGET for name in new},
        seat.cost / BUDGET,
        seat.budget / BUDGET,
        seat.first / BUDGET,
        seat.is_best,
        tuple(missed),
    )


@dataclass(frozen=True)
class StudentRow:
    """
    One student on the registrar's desk: whether it has answered, and nothing of what it said.

    Parameters
    ----------
    number, name, has_joined
        Who, and whether somebody has signed in.
    has_form, num_answers, last
        Whether a form counts, how many comparisons, and when something was last taken.
    courses
        What it gets, once that is decided.
    """

    number: int
    name: str
    has_joined: bool
    has_form: bool
    num_answers: int
    last: datetime | None
    courses: tuple[str, ...]


def student_rows(state: LiveState) -> tuple[StudentRow, ...]:
    """Everybody, for the registrar."""
    joined = {p.bidder for p in state.persons if p.has_joined}
    rows = []
    for i, bidder in enumerate(state.setup[1].bidders):
        book, seat = state.student(i), state.courses.seats.get(i)
        rows.append(
            StudentRow(
                i,
                bidder.name,
                i in joined,
                book.form is not None,
                len(book.given),
                book.submissions[-1].at if book.submissions else None,
                seat.courses if seat else (),
            )
        )
    return tuple(rows)
