"""Forms and answers of students, prices for questions, an assignment, and late changes."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from boca.core.message import msg, msgn
from boca.core.wording import did_you_mean
from boca.live.auction import commands as cmd
from boca.live.auction import events as ev
from boca.live.auction.courses import MOST_PAIRS, MOST_POINTS, MOVES, CourseRules
from boca.live.auction.decide.phases import refuse_phase, tidy
from boca.live.auction.engine_results import SeatingResult, StudentResult
from boca.live.auction.events import Event
from boca.live.auction.refusal import Mistake, Refusal
from boca.live.auction.rules import LONGEST_MINUTES
from boca.live.auction.seat_market import SeatMarket, seats_of
from boca.live.auction.state import LiveState
from boca.live.clock import from_text, to_text

ANSWERS = ("first", "second", "same", "withdrawn")


def rate(state: LiveState, command: cmd.Rate, now: datetime) -> list[Event]:
    _check_time(state, command)
    market = seats_of(state.setup[1])
    mistakes = tuple(form_mistakes(market, command.bidder, command.ratings, command.pairs))
    if mistakes:
        first, more = mistakes[0], len(mistakes) - 1
        raise Refusal(
            "mistakes",
            msg(
                "Nothing was taken: {mistakes}.",
                mistakes=msgn(
                    "{first} and 1 mistake more",
                    "{first} and {n} mistakes more",
                    more,
                    first=first.in_words,
                )
                if more
                else first.in_words,
            ),
            state.phase,
            mistakes,
        )
    return [
        ev.Rated(command.bidder, command.ratings, command.pairs, command.channel, command.received)
    ]


def form_mistakes(
    market: SeatMarket, student: int, ratings: Mapping[str, object], pairs: tuple[ev.RatedPair, ...]
) -> Iterator[Mistake]:
    """What is wrong with a form."""
    allowed = {market.goods[j].name for j in market.may_take(student)}
    for course, points in ratings.items():
        if course not in market.numbers:
            yield Mistake(course[:80], msg("no such course"), did_you_mean(course, market.numbers))
        elif type(points) is not int or not 0 <= points <= MOST_POINTS:
            shown = f"'{str(points)[:20]}'"
            yield Mistake(course, shown, msg("a whole number from 0 to {most}", most=MOST_POINTS))
        elif points and course not in allowed:
            yield Mistake(
                course,
                msgn("1 point", "{n} points", points),
                msg("none, since you cannot take this course"),
            )
    if len(pairs) > MOST_PAIRS:
        yield Mistake("pairs", str(len(pairs)), msg("at most {n}", n=MOST_PAIRS))
    seen: set[frozenset[str]] = set()
    for pair in pairs:
        where, both = f"{pair.first} + {pair.second}"[:160], frozenset((pair.first, pair.second))
        if not both <= market.numbers.keys():
            yield Mistake(where, msg("no such course"), msg("two courses of the list"))
        elif len(both) < 2:
            yield Mistake(where, msg("one course twice"), msg("two different courses"))
        elif both in seen:
            yield Mistake(where, msg("the same pair twice"), msg("each pair once"))
        elif market.numbers[pair.second] in market.clashes[market.numbers[pair.first]]:
            yield Mistake(
                where,
                msg("courses that exclude each other"),
                msg("two courses that can be taken together"),
            )
        elif type(pair.points) is not int or not 1 <= abs(pair.points) <= MOST_POINTS:
            shown = f"'{str(pair.points)[:20]}'"
            yield Mistake(where, shown, msg("points from 1 to {most}", most=MOST_POINTS))
        seen.add(both)


def compare(state: LiveState, command: cmd.Compare, now: datetime) -> list[Event]:
    _check_time(state, command)
    rules, _ = state.setup
    assert isinstance(rules, CourseRules)
    book = state.student(command.bidder)
    if book.form is None:
        raise Refusal("conflict", msg("Rate courses first; nothing was taken."), state.phase)
    if command.answer not in ANSWERS:
        raise Refusal(
            "mistakes",
            msg(
                "Nothing was taken: found the answer '{answer}'; expected {answers} or {last}.",
                answer=command.answer[:20],
                answers=", ".join(ANSWERS[:-1]),
                last=ANSWERS[-1],
            ),
            state.phase,
        )
    first, second = (_schedule(state, command.bidder, s) for s in (command.first, command.second))
    if first == second:
        raise Refusal(
            "mistakes", msg("Nothing was taken: both schedules are the same."), state.phase
        )
    both = frozenset((first, second))
    if both not in book.answers and len(book.answers) >= rules.num_questions:
        raise Refusal(
            "conflict",
            msg(
                "Nothing was taken: you have compared {n} pairs, the most that the rules allow. "
                "You can still change those answers.",
                n=rules.num_questions,
            ),
            state.phase,
        )
    # One pair has one order, whichever page it was answered on.
    answer = command.answer
    before = book.answers.get(both)
    if before is not None and before.first != first:
        first, second = second, first
        answer = {"first": "second", "second": "first"}.get(answer, answer)
    return [ev.Compared(command.bidder, first, second, answer, command.channel, command.received)]


def _schedule(state: LiveState, student: int, courses: tuple[str, ...]) -> tuple[str, ...]:
    """A schedule that the student may have, in the order of the courses."""
    market = seats_of(state.setup[1])
    unknown = [course for course in courses if course not in market.numbers]
    if unknown:
        raise Refusal(
            "mistakes",
            msg(
                "Nothing was taken: found '{unknown}', which is not a course.",
                unknown=unknown[0][:80],
            ),
            state.phase,
        )
    bundle = market.schedule(courses)
    if len(set(courses)) < len(courses) or not market.allows(student, bundle)[0]:
        raise Refusal(
            "mistakes",
            msg("Nothing was taken: you cannot take these courses together."),
            state.phase,
        )
    return market.names(bundle)


def _check_time(state: LiveState, command: cmd.Rate | cmd.Compare) -> None:
    if state.phase != "open":
        refuse_phase(state, msg("Nothing can be changed now."))
    assert state.deadline is not None
    if not 0 <= command.bidder < len(state.books):
        raise Refusal("not-found", msg("There is no such student."))
    senders = [p for p in state.persons if (p.name, p.bidder) == (command.sender, command.bidder)]
    if any(person.is_out for person in senders):
        raise Refusal(
            "forbidden", msg("You cannot act for this student any more; nothing was taken.")
        )
    if from_text(command.received) > state.deadline:
        raise Refusal(
            "too-late",
            msg(
                "This was received at {at} UTC, after the deadline at {end} UTC; nothing was "
                "taken.",
                at=command.received[11:19],
                end=to_text(state.deadline)[11:19],
            ),
            state.phase,
        )


def prices(state: LiveState, command: cmd.TakePrices, now: datetime) -> list[Event]:
    if state.phase not in ("open", "paused"):
        refuse_phase(state, msg("These prices are not wanted any more."))
    result, market = command.result, state.setup[1]
    sizes = (len(result.prices), len(result.budgets))
    if sizes != (market.num_goods, market.num_bidders) or min(*result.prices, *result.budgets) < 0:
        raise Refusal("mistakes", msg("The prices do not fit courses and students."))
    return [
        ev.Priced(
            command.from_,
            result.prices,
            result.budgets,
            result.centre,
            result.spread,
            result.seconds,
            result.versions,
        )
    ]


def seating(state: LiveState, command: cmd.TakeSeating, now: datetime) -> list[Event]:
    if state.phase != "deciding":
        refuse_phase(state, msg("This assignment is not wanted any more."))
    result, market = command.result, seats_of(state.setup[1])
    _check_seating(market, result)
    taken = [0] * market.num_goods
    for student in result.students:
        for course in student.courses:
            taken[course] += 1
    assigned = ev.Assigned(
        result.prices,
        tuple(taken),
        result.centre,
        result.spread,
        result.clears,
        sum(student.is_best for student in result.students),
        result.envious,
        result.beyond_one,
        result.against_order,
        result.seconds,
        result.versions,
    )
    seats = [_seated(market, i, s, result.prices) for i, s in enumerate(result.students)]
    beliefs = [
        ev.Believed(i, market.students[i], s.ratings, s.pairs, s.missed)
        for i, s in enumerate(result.students)
    ]
    return [assigned, *seats, *beliefs]


def _seated(
    market: SeatMarket, bidder: int, student: StudentResult, prices: tuple[int, ...]
) -> ev.Seated:
    names = [good.name for good in market.goods]
    return ev.Seated(
        bidder,
        tuple(names[j] for j in student.courses),
        tuple(names[j] for j in student.held),
        sum(prices[j] for j in student.courses if j not in student.held),
        student.budget,
        student.first,
        student.is_best,
    )


def _check_seating(market: SeatMarket, result: SeatingResult) -> None:
    """What the server itself looks at: seats, limits, budgets; demand is the verifier's."""
    num = market.num_goods
    wrong = (len(result.prices), len(result.students)) != (num, market.num_bidders)
    if wrong or min(result.prices) < 0:
        raise Refusal("mistakes", msg("The assignment does not fit courses and students."))
    taken = [0] * num
    for i, student in enumerate(result.students):
        name = market.bidders[i].name
        courses = set(student.courses)
        if len(courses) < len(student.courses) or not all(0 <= j < num for j in courses):
            raise Refusal(
                "mistakes", msg("The assignment gives {name} a course that is none.", name=name)
            )
        bundle = [int(j in courses) for j in range(num)]
        if market.broken_limits(i, bundle) or not set(student.held) <= courses:
            raise Refusal("mistakes", msg("The assignment breaks the limits of {name}.", name=name))
        cost = sum(result.prices[j] for j in courses - set(student.held))
        is_moved = abs(student.budget - student.first) > MOVES
        if cost > student.budget or (result.clears and is_moved):
            raise Refusal(
                "mistakes", msg("The assignment exceeds the budget of {name}.", name=name)
            )
        if len(student.ratings) != num:
            raise Refusal("mistakes", msg("The assignment has no utilities of {name}.", name=name))
        for j in courses:
            taken[j] += 1
    for j, good in enumerate(market.goods):
        if taken[j] > good.capacity:
            raise Refusal("mistakes", msg("The assignment oversells {name}.", name=good.name))
        if result.clears and result.prices[j] and taken[j] < good.capacity:
            raise Refusal("mistakes", msg("{name} has a price and empty seats.", name=good.name))


def change(state: LiveState, command: cmd.Change, now: datetime) -> list[Event]:
    if state.phase != "published":
        refuse_phase(state, msg("Late changes follow a published assignment."))
    reason = tidy(command.reason, msg("a reason"))
    before = seats_of(state.setup[1])
    names = [bidder.name for bidder in command.market.bidders]
    old = [bidder.name for bidder in before.bidders]
    if names[: len(old)] != old:
        missing = next(name for name, new in zip(old, [*names, *old], strict=False) if name != new)
        raise Refusal(
            "mistakes",
            msg(
                "Students have to stay at their places, and new ones follow: expected "
                "'{missing}'. Whoever has left gets max_courses 0.",
                missing=missing,
            ),
            state.phase,
        )
    if not 0 <= command.minutes <= LONGEST_MINUTES:
        raise Refusal(
            "mistakes",
            msg(
                "Found {minutes} minutes; expected 0 to {most}.",
                minutes=f"{command.minutes:g}",
                most=LONGEST_MINUTES,
            ),
            state.phase,
        )
    events: list[Event] = [
        ev.Enrolled(command.market.students),
        ev.Changed(command.market.offer, reason, command.minutes),
    ]
    if command.minutes:
        until = to_text(now + timedelta(minutes=command.minutes))
        events.append(ev.RoundOpened(state.round + 1, until, False, ()))
    return events
