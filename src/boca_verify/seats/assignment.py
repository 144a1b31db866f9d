"""V9 to V11 of an allocation of courses: the assignment, from prices, budgets and utilities."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from boca_verify.bodies import Body, Damaged, body_of
from boca_verify.errors import Undecided
from boca_verify.records import Record
from boca_verify.seats.demand import (
    BUDGET,
    OpenSeats,
    SeatedStudent,
    best_schedule,
    better_schedule,
    pair_table,
)
from boca_verify.seats.envy import count_envy
from boca_verify.seats.learning import LoggedForm, learned, spread_of
from boca_verify.seats.said import LoggedSaid
from boca_verify.seats.tables import (
    LoggedCourses,
    LoggedStudent,
    read_courses,
    read_student,
)
from boca_verify.verdict import Check, Finding, State
from boca_verify.wording import counted

SPREAD, MOVES = 4 * BUDGET // 100, BUDGET // 100
# Parts of a point; what is learned from comparisons is computed to within this many of them.
POINT, CLOSE = 10_000, 100
# How far the centre and spread of ratings may be off.
SAME = 1e-6
# Courses whose absence is explained to a student.
NUM_MISSED = 3
OUTCOME = ("V9", "V10", "V11")


@dataclass(frozen=True)
class LoggedSeat:
    """What one student got: numbers as ``seated`` has them, and its record."""

    record: Record
    courses: tuple[int, ...]
    held: tuple[int, ...]
    cost: int
    budget: int
    first: int
    is_best: bool


class LoggedAssignment:
    """
    The last assignment of a log, as far as its records are open.

    Parameters
    ----------
    records
        The whole log.
    said
        What students said.

    Attributes
    ----------
    seats, students
        Student -> what it got, and its utility with it; those whose records are open.
    """

    def __init__(self, records: tuple[Record, ...], said: LoggedSaid):
        self.said, self.records = said, records
        assert said.offer is not None
        self.offer: LoggedCourses = said.offer
        start = max(k for k, record in enumerate(records) if record.kind == "assigned")
        self.assigned = records[start]
        rest = records[start + 1 :]
        self.seated = [record for record in rest if record.kind == "seated"]
        self.believed = [record for record in rest if record.kind == "believed"]
        self.body = body_of(self.assigned)
        num = len(self.offer.names)
        self.prices = self.body.wholes("prices", num)
        self.taken = self.body.wholes("taken", num)
        self.clears = self.body.truth("clears")
        self.seats: dict[int, LoggedSeat] = {}
        self.students: dict[int, SeatedStudent] = {}
        self.limits: dict[int, LoggedStudent] = {}
        self.findings: list[Finding] = []
        self._read()

    @property
    def num(self) -> int:
        """How many students there are."""
        return len(self.seated)

    @property
    def is_whole(self) -> bool:
        """Whether everybody's records are open."""
        return len(self.students) == self.num and self.said.students is not None

    def _read(self) -> None:
        for place, record in enumerate(self.seated):
            if record.body is not None:
                self._note(record, place, self._seat)
        for place, record in enumerate(self.believed):
            if record.body is not None:
                self._note(record, place, self._belief)

    def _note(self, record: Record, place: int, read: Callable[[Record, int], None]) -> None:
        try:
            read(record, place)
        except Damaged as damage:
            self.findings.append(Finding(damage.sentence, record.seq))

    def _seat(self, record: Record, place: int) -> None:
        body = body_of(record)
        if body.whole("bidder") != place:
            raise Damaged(f"it is about student {body.whole('bidder') + 1}, at place {place + 1}.")
        self.seats[place] = LoggedSeat(
            record,
            self.offer.schedule(body, "courses"),
            self.offer.schedule(body, "held"),
            body.whole("cost"),
            body.whole("budget"),
            body.whole("first"),
            body.truth("is_best"),
        )

    def _belief(self, record: Record, place: int) -> None:
        body = body_of(record)
        if body.whole("bidder") != place or place not in self.seats:
            raise Damaged(f"it is about student {body.whole('bidder') + 1}, at place {place + 1}.")
        row, enrolled = body.part("student"), self.said.students
        limits = read_student(row, self.offer)
        if enrolled is not None and (place >= len(enrolled) or limits != enrolled[place]):
            raise Damaged(f"the limits of {limits.name} are not those of the list of students.")
        book = self.said.said.get(place)
        form = book.form(self.offer) if book else LoggedForm({}, {})
        limits = _without_unwanted(limits, form)
        ratings = body.amounts("ratings", len(self.offer.names))
        seat = self.seats[place]
        self.limits[place] = limits
        self.students[place] = SeatedStudent(
            self.offer, limits, ratings, _pairs(body, len(ratings)), seat.courses, seat.held,
            seat.budget,
        )  # fmt: skip

    # -- V9 ----------------------------------------------------------------------------------

    def check_possible(self) -> Check:
        """V9."""
        findings = [*self.findings, *self._counts(), *self._budgets(), *self._kept()]
        findings += [*self._order()]
        state: State = "holds" if self.is_whole else "partly"
        words = f"{counted(len(self.seats), 'schedule')} of {self.num}"
        return Check.of("V9", findings, f"{words} within seats, limits and budgets.", state)

    def _counts(self) -> Iterator[Finding]:
        number = self.assigned.seq
        enrolled = self.said.students
        expected = self.num if enrolled is None else len(enrolled)
        if not self.num == len(self.believed) == expected:
            yield Finding(
                f"{self.num} schedules and {len(self.believed)} utilities of {expected} students "
                "follow it.",
                number,
            )
        for j, name in enumerate(self.offer.names):
            if self.taken[j] > self.offer.seats[j]:
                yield Finding(
                    f"{name} has {self.taken[j]} students and {self.offer.seats[j]} seats.", number
                )
        if len(self.seats) < self.num:
            return
        for j, name in enumerate(self.offer.names):
            count = sum(j in seat.courses for seat in self.seats.values())
            if count != self.taken[j]:
                yield Finding(
                    f"it says {self.taken[j]} students have {name}; it is {count}.", number
                )

    def _budgets(self) -> Iterator[Finding]:
        for i, seat in self.seats.items():
            limits = self.limits.get(i)
            name = limits.name if limits else f"student {i + 1}"
            problem = limits.problem(seat.courses, self.offer) if limits else ""
            if problem:
                yield Finding(f"{name} {problem}.", seat.record.seq)
            if not set(seat.held) <= set(seat.courses):
                yield Finding(f"{name} lost a course that it held.", seat.record.seq)
            cost = sum(self.prices[j] for j in seat.courses if j not in seat.held)
            if cost != seat.cost:
                yield Finding(f"{name} pays {seat.cost}; its courses cost {cost}.", seat.record.seq)
            if cost > seat.budget:
                yield Finding(f"{name} exceeds its budget.", seat.record.seq)
            # After a repair a schedule may cost more, and then that is all there is to spend.
            most = seat.first + MOVES if self.clears else max(seat.first + MOVES, cost)
            if not seat.first - MOVES <= seat.budget <= most:
                yield Finding(f"the budget of {name} was moved too far.", seat.record.seq)

    def _kept(self) -> Iterator[Finding]:
        """Held courses were given before or enrolled; what was given is kept where it fits."""
        earlier = self._earlier()
        takers = self._takers()
        keepers = self._keepers(earlier) if self.is_whole else {}
        for i, seat in self.seats.items():
            limits = self.limits.get(i)
            if limits is None:
                continue
            given = frozenset(earlier.get(i, ()))
            strange = set(seat.held) - limits.holds - given
            if strange:
                words = self.offer.words(strange)
                yield Finding(f"{limits.name} holds {words}, which it never had.", seat.record.seq)
            for j in sorted((limits.holds | given) - set(seat.held)):
                fits = not limits.problem(tuple(sorted({*seat.held, j})), self.offer)
                most = takers.get(self.offer.names[j])
                is_kept = j in limits.holds or (most is not None and most <= self.offer.seats[j])
                if j in keepers[i] if self.is_whole else fits and is_kept:
                    yield Finding(
                        f"{limits.name} lost {self.offer.names[j]}, which it had before.",
                        seat.record.seq,
                    )
            wrong = set(seat.held) - strange - keepers.get(i, frozenset(seat.held))
            if wrong:
                words = self.offer.words(wrong)
                yield Finding(
                    f"{limits.name} keeps {words}, where there is no room for it by the order of "
                    "names.",
                    seat.record.seq,
                )

    def _takers(self) -> dict[str, int]:
        """How many students had each course before the last change, as far as that is open."""
        names: tuple[str, ...] = ()
        before: dict[str, int] = {}
        current: dict[str, int] = {}
        for record in self.records:
            if record.kind == "changed":
                before = current
            if record.kind == "assigned":
                taken = () if record.body is None else body_of(record).wholes("taken", len(names))
                current = dict(zip(names, taken, strict=False))
            elif record.kind in ("configured", "changed"):
                market = None if record.body is None else body_of(record).part("market")
                names = () if market is None else read_courses(market).names
        return before

    def _keepers(self, earlier: dict[int, tuple[int, ...]]) -> dict[int, frozenset[int]]:
        """What each student keeps: what it holds, and what fits of the rest in order of names."""
        held = {i: set(limits.holds) for i, limits in self.limits.items()}
        left = [
            seats - sum(j in courses for courses in held.values())
            for j, seats in enumerate(self.offer.seats)
        ]
        for i in sorted(held, key=lambda i: self.limits[i].name):
            for j in earlier.get(i, ()):
                fits = not self.limits[i].problem(tuple(sorted({*held[i], j})), self.offer)
                if j not in held[i] and left[j] > 0 and fits:
                    held[i].add(j)
                    left[j] -= 1
        return {i: frozenset(courses) for i, courses in held.items()}

    def _earlier(self) -> dict[int, tuple[int, ...]]:
        """What students had before the last change, of courses that still exist."""
        before: dict[int, tuple[int, ...]] = {}
        current: dict[int, tuple[int, ...]] = {}
        for record in self.records:
            if record.kind == "assigned":
                current = {}
            elif record.kind == "seated" and record.body is not None:
                names = body_of(record).texts("courses")
                numbers = tuple(self.offer.numbers[n] for n in names if n in self.offer.numbers)
                current[body_of(record).whole("bidder")] = numbers
            elif record.kind == "changed":
                before = current
        return before

    def _order(self) -> Iterator[Finding]:
        """First budgets follow the order that the seed draws."""
        seeded = next((record for record in self.records if record.kind == "seeded"), None)
        if seeded is None or seeded.body is None or self.said.students is None:
            return
        seed = body_of(seeded).whole("seed")
        names = [student.name for student in self.said.students]
        draws = {name: _draw(seed, name) for name in names}
        ranks = {
            name: k for k, name in enumerate(sorted(names, key=lambda name: (draws[name], name)))
        }
        for i, seat in self.seats.items():
            if i >= len(names):
                continue  # V9 says that the numbers differ
            expected = BUDGET + SPREAD * ranks[names[i]] // len(names)
            if seat.first != expected:
                yield Finding(
                    f"the budget of {names[i]} begins with {seat.first}; the order gives "
                    f"{expected}.",
                    seat.record.seq,
                )

    # -- V10 ---------------------------------------------------------------------------------

    def check_demand(self) -> Check:
        """V10, decided for everybody whose records are open, whatever is claimed."""
        seats = self._open_seats()
        better = {i: better_schedule(student, seats) for i, student in self.students.items()}
        best = {i for i, schedule in better.items() if schedule is None}
        findings = [*self._clears(), *self._not_best(better), *self._missed(seats)]
        if not self.clears:
            findings += self._not_mended(best, seats)
        if self.is_whole:
            findings += self._miscounted()
            return Check.of("V10", findings, *self._what_holds(best))
        if len(self.students) == 1:
            (student,) = self.students
            name = self.limits[student].name
            proven = f"{name} has the best schedule that it could afford"
            with_first = f"{name} has no less than what its first budget buys, after a repair"
            sentence = f"{proven if best else with_first}."
        else:
            sentence = f"{counted(len(self.students), 'schedule')} looked at; the rest is sealed."
        return Check.of("V10", findings, sentence, "partly" if self.students else "sealed")

    def _what_holds(self, best: set[int]) -> tuple[str, State]:
        """What a whole log shows, and whether that is all that there is to promise."""
        count = f"{len(best)} of {counted(self.num, 'student')}"
        told = sum(self.seats[i].is_best for i in self.seats)
        if self.clears and told == self.num:
            return (
                f"Courses with a price are full, and {count} could have afforded nothing better, "
                "by a search in whole numbers."
            ), "holds"
        if self._would_clear and len(best) == self.num:
            return "Less is claimed than holds: prices clear, and everybody has its best.", "partly"
        dearer = sum(seat.budget > seat.first + MOVES for seat in self.seats.values())
        return (
            f"Prices do not clear, so free seats were filled afterwards: {count} could have "
            "afforded nothing better, all have at least what their first budget buys, nobody wants "
            f"a seat that is free, and {dearer} got more than their budget buys. Who of all that "
            "wanted these seats got them, and that no prices clear, is the server's word."
        ), "partly"

    @property
    def _would_clear(self) -> bool:
        """Whether prices clear with budgets that were moved by no more than the rules say."""
        is_full = all(
            not price or taken >= seats
            for price, taken, seats in zip(self.prices, self.taken, self.offer.seats, strict=True)
        )
        return is_full and all(abs(s.budget - s.first) <= MOVES for s in self.seats.values())

    def _not_best(self, better: dict[int, tuple[int, ...] | None]) -> Iterator[Finding]:
        """Who could have afforded more, although it is claimed or prices clear."""
        for i, schedule in better.items():
            if schedule is not None and (self.clears or self.seats[i].is_best):
                words = self.offer.words(schedule)
                yield Finding(
                    f"{self.limits[i].name} could have afforded {words}, which it likes better.",
                    self.seats[i].record.seq,
                )

    def _not_mended(self, best: set[int], seats: OpenSeats) -> Iterator[Finding]:
        """Whoever has less than a repair leaves to everybody."""
        is_free = [
            taken < capacity for taken, capacity in zip(self.taken, self.offer.seats, strict=True)
        ]
        for i, student in self.students.items():
            name, number = self.limits[i].name, self.seats[i].record.seq
            first = replace(student, budget=self.seats[i].first)
            schedule = None
            if i not in best or first.budget > student.budget:
                schedule = better_schedule(first, seats)
            if schedule is not None:
                words = self.offer.words(schedule)
                yield Finding(f"{name} had a budget for {words}, which it likes better.", number)
            free = OpenSeats(
                tuple(
                    int(is_free[j] or j in student.courses) for j in range(len(self.offer.names))
                ),
                (0,) * len(self.offer.names),
                (0,) * len(self.offer.names),
            )
            wanted = better_schedule(student, free)
            if wanted is not None:
                yield Finding(
                    f"{name} would rather have {self.offer.words(wanted)}, of seats that are free.",
                    number,
                )

    def _miscounted(self) -> Iterator[Finding]:
        told = self.body.whole("num_best")
        found = sum(seat.is_best for seat in self.seats.values())
        if told != found:
            yield Finding(f"it says that {told} have their best; it is {found}.", self.assigned.seq)

    def _missed(self, seats: OpenSeats) -> Iterator[Finding]:
        """Reasons why somebody did not get a course name true prices, schedules and points."""
        for i, student in self.students.items():
            record = self.believed[i]
            try:
                rows = list(body_of(record).parts("missed"))
                told = [row.text("course") for row in rows]
                expected = [self.offer.names[j] for j in _liked(student)[:NUM_MISSED]]
                if told != expected:
                    raise Damaged(
                        f"it is told why it has no {', '.join(told) or 'course'}; what it likes "
                        f"best and has not got is {', '.join(expected) or 'nothing'}."
                    )
                for row in rows:
                    self._check_missed(student, row, seats)
            except Damaged as damage:
                yield Finding(f"{self.limits[i].name}: {damage.sentence}", record.seq)

    def _check_missed(self, student: SeatedStudent, row: Body, seats: OpenSeats) -> None:
        name = row.text("course")
        course = self.offer.numbers[name]
        if row.whole("price") != self.prices[course]:
            raise Damaged(f"it is told another price of {name} than the one announced.")
        wanting = student.wanting(course)
        if not row.has("instead"):
            best = best_schedule(wanting, seats)
            if course in best:
                raise Damaged(f"it is not told that it could have had {self.offer.words(best)}.")
            return
        instead = self.offer.schedule(row, "instead")
        cost = sum(self.prices[j] for j in instead if j not in student.held)
        is_possible = course in instead and not student.limits.problem(instead, self.offer)
        if not is_possible or cost > student.budget:
            raise Damaged(f"it is told that it could have had {self.offer.words(instead)}.")
        less = _points(student, student.courses) - _points(student, instead)
        if row.amount("less") != less:
            raise Damaged(f"it is told that {self.offer.words(instead)} is worth another amount.")
        better = better_schedule(replace(wanting, courses=instead), seats)
        if better is not None:
            raise Damaged(
                f"{self.offer.words(better)} is better with {name} than the "
                f"{self.offer.words(instead)} that it is told of."
            )

    def _open_seats(self) -> OpenSeats:
        held = [0] * len(self.offer.names)
        for seat in self.seats.values():
            for j in seat.held:
                held[j] += 1
        if not self.is_whole:
            # A free course that is full may be full of students who keep it.
            for j, seats in enumerate(self.offer.seats):
                if self.prices[j] == 0 and self.taken[j] >= seats:
                    held[j] = seats
        return OpenSeats(self.offer.seats, self.prices, tuple(held))

    def _clears(self) -> Iterator[Finding]:
        for j, name in enumerate(self.offer.names):
            if self.clears and self.prices[j] > 0 and self.taken[j] < self.offer.seats[j]:
                yield Finding(f"{name} has a price and empty seats.", self.assigned.seq)

    # -- V11 ---------------------------------------------------------------------------------

    def check_utilities(self) -> Check:
        """V11."""
        findings = [*self._population(), *self._utilities()]
        if self.is_whole and not findings:
            findings += self._envy()
        counted_words = counted(len(self.students), "utility", plural="utilities")
        if not self.students:
            return Check.of("V11", findings, "Utilities are sealed.", "sealed")
        if not self.is_whole:
            return Check.of("V11", findings, f"{counted_words} looked at.", "partly")
        sentence = f"{counted_words} follow from forms and answers; envy was counted again."
        return Check.of("V11", findings, sentence)

    def _population(self) -> Iterator[Finding]:
        if not self.is_whole or self.said.num_sealed:
            return
        forms = [self._form(i) for i in range(self.num)]
        centre, spread = spread_of(forms, len(self.offer.names))
        told = self.body.number("centre"), self.body.number("spread")
        if abs(centre - told[0]) > SAME or abs(spread - told[1]) > SAME:
            yield Finding(
                f"ratings have the centre {centre:g} and the spread {spread:g}; it says "
                f"{told[0]:g} and {told[1]:g}.",
                self.assigned.seq,
            )

    def _form(self, student: int) -> LoggedForm:
        book = self.said.said.get(student)
        return book.form(self.offer) if book else LoggedForm({}, {})

    def _utilities(self) -> Iterator[Finding]:
        num, body = len(self.offer.names), self.body
        if body.number("spread") <= 0:
            raise Damaged(f"the spread of ratings is {body.number('spread'):g}.")
        for i, student in self.students.items():
            form, record = self._form(i), self.believed[i].seq
            if not form.answers:
                ratings = tuple(POINT * form.ratings.get(j, 0) for j in range(num))
                pairs = {both: POINT * points for both, points in form.pairs.items()}
                if (ratings, pairs) != (student.ratings, dict(student.pairs)):
                    yield Finding(f"the utility of {self.limits[i].name} is not its form.", record)
                continue
            worth, effects = learned(form, num, body.number("centre"), body.number("spread"))
            wrong = [abs(POINT * float(worth[j]) - student.ratings[j]) for j in range(num)]
            wrong += [
                abs(POINT * effect - student.pairs.get(both, 0)) for both, effect in effects.items()
            ]
            if max(wrong) > CLOSE:
                yield Finding(
                    f"the utility of {self.limits[i].name} does not follow from its form and "
                    f"answers: it is off by {max(wrong) / POINT:.3f} points.",
                    record,
                )

    def _envy(self) -> Iterator[Finding]:
        students = [self.students[i] for i in range(self.num)]
        try:
            envy = count_envy(students, [self.seats[i].first for i in range(self.num)])
        except Damaged as damage:
            yield Finding(damage.sentence, self.assigned.seq)
            return
        for name in ("envious", "beyond_one", "against_order"):
            told, found = self.body.whole(name), getattr(envy, name)
            if told != found:
                yield Finding(
                    f"it counts {told} pairs as '{name}'; it is {found}.", self.assigned.seq
                )


def _without_unwanted(limits: LoggedStudent, form: LoggedForm) -> LoggedStudent:
    """A course with 0 points is never given, unless it is required or held."""
    needed = limits.holds.union(*limits.required)
    unwanted = {j for j, points in form.ratings.items() if points == 0} - needed
    return LoggedStudent(
        limits.name, limits.allowed - unwanted, limits.max_courses, limits.max_credits,
        limits.required, limits.holds,
    )  # fmt: skip


def _liked(student: SeatedStudent) -> list[int]:
    """Courses that a student could take and has not got, those that it likes best first."""
    ratings = student.ratings
    return [
        j
        for j in sorted(range(len(ratings)), key=lambda j: -ratings[j])
        if ratings[j] > 0
        and j not in student.courses
        and not student.limits.problem((j,), student.offer)
    ]


def _points(student: SeatedStudent, courses: tuple[int, ...]) -> int:
    """What a schedule is worth, required courses apart."""
    return student.value(courses) - student.bonus * student.limits.num_met(courses)


def _pairs(body: Body, num: int) -> dict[tuple[int, int], int]:
    rows = body.list("pairs")
    for row in rows:
        is_good = isinstance(row, list) and len(row) == 3 and all(type(n) is int for n in row)
        if not is_good or not 0 <= row[0] < row[1] < num:
            raise Damaged(f"{row!r:.60} is not a pair of courses with its effect.")
    keys = sorted(tuple(row[:2]) for row in rows)
    if any(a == b for a, b in pairwise(keys)):
        raise Damaged("two effects are of one pair.")
    return pair_table(rows)


def check_assignment(records: tuple[Record, ...]) -> list[Check]:
    """V9 to V11 of every run, as far as they can be looked at."""
    starts = [k for k, record in enumerate(records) if record.kind == "assigned"]
    if not starts:
        return [Check(name, "nothing", "No seat has been assigned.") for name in OUTCOME]
    runs = [_check_run(records[: _end_of_run(records, start)]) for start in starts]
    if len(runs) == 1:
        return runs[0]
    return [_together(checks) for checks in zip(*runs, strict=True)]


def _end_of_run(records: tuple[Record, ...], start: int) -> int:
    """Where the records of a run end: a late change begins with the students enrolled anew."""
    later = (k for k in range(start, len(records)) if records[k].kind == "enrolled")
    return next(later, len(records))


def _check_run(records: tuple[Record, ...]) -> list[Check]:
    """V9 to V11 of the last run of some records, from what had been said until then."""
    said = LoggedSaid(records)
    assigned = next(record for record in reversed(records) if record.kind == "assigned")
    if assigned.body is None or said.offer is None:
        return [Check(name, "sealed", "The assignment is sealed.") for name in OUTCOME]
    try:
        assignment = LoggedAssignment(records, said)
        possible = assignment.check_possible()
    except Damaged as damage:
        wrong = Check.of("V9", [Finding(damage.sentence, assigned.seq)], "")
        why = "Not looked at, since the assignment cannot be read."
        return [wrong, *(Check(name, "skipped", why) for name in OUTCOME[1:])]
    if possible.state == "fails":
        why = "Not looked at, since the assignment does not hold."
        return [possible, *(Check(name, "skipped", why) for name in OUTCOME[1:])]
    return [
        possible,
        _looked_at("V10", assignment.check_demand, assigned),
        _looked_at("V11", assignment.check_utilities, assigned),
    ]


# The state of several runs together is the first of these that one of them has.
def _draw(seed: int, name: str) -> int:
    """The number by which a student's place in the order is drawn: 63 bits of a hash."""
    text = repr((seed, ("seats", "order", name)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big") >> (256 - 63)


WEAKEST: tuple[State, ...] = ("fails", "skipped", "undecided", "partly", "sealed", "holds")


def _together(checks: Sequence[Check]) -> Check:
    """One check of several runs: what is wrong in any of them is wrong."""
    findings = [finding for check in checks for finding in check.findings]
    sentences = [
        f"Run {number}: {check.sentence}"
        for number, check in enumerate(checks, 1)
        if check.state != "fails"
    ]
    states = {check.state for check in checks}
    state = next(state for state in WEAKEST if state in states)
    if state == "sealed" and len(states) > 1:
        state = "partly"
    return Check.of(checks[0].name, findings, " ".join(sentences), state)


def _looked_at(name: str, check: Callable[[], Check], record: Record) -> Check:
    try:
        return check()
    except Undecided as error:
        return Check(name, "undecided", str(error))
    except Damaged as damage:
        return Check.of(name, [Finding(damage.sentence, record.seq)], "")
