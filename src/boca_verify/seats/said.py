"""V6 and V7 of an allocation of courses: what students said, in time and by themselves."""

from collections.abc import Callable
from dataclasses import dataclass, field

from boca_verify.bodies import Body, Damaged, body_of
from boca_verify.records import Record
from boca_verify.rounds import Rounds
from boca_verify.seats.learning import LoggedForm
from boca_verify.seats.tables import (
    LoggedCourses,
    LoggedStudent,
    read_courses,
    read_student,
)
from boca_verify.senders import LoggedPeople
from boca_verify.verdict import Check, Finding, State
from boca_verify.wording import counted

MOST_POINTS, MOST_PAIRS = 100, 30
ANSWERS = ("first", "second", "same", "withdrawn")


@dataclass(frozen=True)
class CourseTiming:
    """What :class:`~boca_verify.rounds.Rounds` asks about times."""

    round_minutes: tuple[float, float]
    close_early: bool = False
    extensions: int = 0
    last_call_minutes: float = 0
    num_bidders: int = 0
    hours: None = None

    def name(self, bidder: int) -> str:
        return f"student {bidder + 1}"


@dataclass
class StudentRecords:
    """
    What one student said, as it counts at the moment.

    Names of courses are kept, since numbers change with the courses.
    """

    ratings: dict[str, int] | None = None
    pairs: dict[frozenset[str], int] = field(default_factory=dict)
    answers: dict[frozenset[frozenset[str]], tuple[tuple[str, ...], tuple[str, ...], str]] = field(
        default_factory=dict
    )

    def form(self, offer: LoggedCourses) -> LoggedForm:
        """The form by numbers; what is about courses that are no more is left out."""
        numbers = offer.numbers
        pairs = {}
        for both, points in self.pairs.items():
            if both <= numbers.keys():
                a, b = sorted(numbers[name] for name in both)
                pairs[a, b] = points
        answers = []
        for first, second, answer in self.answers.values():
            if answer != "withdrawn" and {*first, *second} <= numbers.keys():
                one, other = ([numbers[c] for c in week] for week in (first, second))
                better, worse = (other, one) if answer == "second" else (one, other)
                answers.append((tuple(better), tuple(worse), answer == "same"))
        ratings = {numbers[c]: n for c, n in (self.ratings or {}).items() if c in numbers}
        return LoggedForm(ratings, pairs, tuple(answers))


class LoggedSaid:
    """
    Everything that students said, record by record.

    Parameters
    ----------
    records
        The whole log, whose chain holds.

    Attributes
    ----------
    offer, students
        Courses and students at the end; students are None where they are sealed.
    said
        What each student said that counts, by its number.
    findings
        What is wrong.
    """

    def __init__(self, records: tuple[Record, ...]):
        self.offer: LoggedCourses | None = None
        self.students: tuple[LoggedStudent, ...] | None = None
        self.said: dict[int, StudentRecords] = {}
        self.findings: list[Finding] = []
        self.num_taken = self.num_sealed = self.num_priced = self.num_prices_sealed = 0
        self.price_findings: list[Finding] = []
        self._most_questions: int | None = None
        self._enrolled: Record | None = None
        self._is_ending = False
        self._hashes: set[str] = set()
        self._requests: set[tuple[str, str]] = set()
        self._people = LoggedPeople()
        jumped = any(record.kind == "clock-jumped" for record in records)
        # Only what is read there is asked for.
        self._rounds = Rounds(CourseTiming((1, 1)), jumped)  # type: ignore[arg-type]
        for record in records:
            self._see(record)
            self._hashes.add(record.hash)

    def check(self) -> Check:
        """V6."""
        sentence = (
            f"{counted(self.num_taken, 'form or answer', plural='forms or answers')} taken in time."
        )
        state: State = "holds"
        if self.num_sealed:
            state = "partly" if self.num_taken else "sealed"
            sentence = f"{sentence} {counted(self.num_sealed, 'record')} sealed."
        elif not self.num_taken:
            state, sentence = "nothing", "Nobody has said anything."
        return Check.of("V6", self.findings, sentence, state)

    def check_prices(self) -> Check:
        """V7."""
        if self.num_prices_sealed:
            return Check.of("V7", self.price_findings, "Prices for questions are sealed.", "sealed")
        if not self.num_priced:
            return Check.of("V7", self.price_findings, "No prices were made.", "nothing")
        sentence = f"{counted(self.num_priced, 'time')} from records before."
        return Check.of("V7", self.price_findings, f"Prices were renewed {sentence}")

    def _see(self, record: Record) -> None:
        steps: list[Callable[[Record], None]] = [self._people.see]
        if record.kind == "enrolled":
            self._enrolled = record
        elif record.kind in ("configured", "changed"):
            steps.append(self._configure)
        elif record.kind in ("rated", "compared"):
            steps.append(self._take)
        elif record.kind == "priced":
            steps.append(self._price)
        elif record.kind == "stopping":
            self._is_ending = True
        elif record.kind == "round-closed":
            steps.append(self._close)
        steps.insert(0, self._rounds.see)
        for step in steps:
            try:
                step(record)
            except Damaged as damage:
                self.findings.append(Finding(damage.sentence, record.seq))

    def _configure(self, record: Record) -> None:
        self._is_ending = False
        if record.body is None:
            self.offer = self.students = None
            return
        body = body_of(record)
        self.offer = read_courses(body.part("market"))
        setup = self._rounds.setup
        if record.kind == "configured":
            rules = body.part("rules")
            minutes = rules.number("minutes")
            self._most_questions = rules.whole("num_questions")
            timing = CourseTiming((minutes, minutes))
        else:
            timing = CourseTiming((setup.round_minutes[0], body.number("minutes")))
        self._rounds.setup = timing  # type: ignore[assignment]
        self.students = None
        if self._enrolled is not None and self._enrolled.body is not None:
            rows = body_of(self._enrolled).parts("students")
            self.students = tuple(read_student(row, self.offer) for row in rows)

    def _close(self, record: Record) -> None:
        if not self._is_ending:
            self._rounds.check_closing(record, False)

    def _price(self, record: Record) -> None:
        if record.body is None:
            self.num_prices_sealed += 1
            return
        self.num_priced += 1
        body = body_of(record)
        try:
            if body.hash("from") not in self._hashes:
                raise Damaged("it was made from a record that does not stand before it.")
            if self.offer is not None:
                body.wholes("prices", len(self.offer.names))
            if self.students is not None:
                body.wholes("budgets", len(self.students))
        except Damaged as damage:
            self.price_findings.append(Finding(damage.sentence, record.seq))

    def _take(self, record: Record) -> None:
        if record.body is None:
            self.num_sealed += 1
            return
        self.num_taken += 1
        body = body_of(record)
        student = body.whole("bidder")
        book = self.said.setdefault(student, StudentRecords())
        read = self._rated if record.kind == "rated" else self._compared
        steps: tuple[Callable[[], None], ...] = (
            lambda: self._check_sender(body, student),
            lambda: self._rounds.check_received(record, body.moment("received")),
            lambda: read(body, student, book),
        )
        for step in steps:
            try:
                step()
            except Damaged as damage:
                self.findings.append(Finding(damage.sentence, record.seq))

    def _check_sender(self, body: Body, student: int) -> None:
        """A person of the student's; one request is carried out once."""
        actor = body.text("actor")
        role = f"bidder:{student}/"
        if not actor.startswith(role):
            raise Damaged(f"it is for student {student + 1}, but came from '{actor}'.")
        self._people.check(actor.removeprefix(role), student)
        if body.has("request"):
            request = (actor, body.text("request"))
            if request in self._requests:
                raise Damaged("the same request of the same person was taken twice.")
            self._requests.add(request)

    def _limits(self, student: int) -> LoggedStudent | None:
        if self.students is None:
            return None
        if student >= len(self.students):
            raise Damaged(f"there is no student {student + 1}.")
        return self.students[student]

    def _rated(self, body: Body, student: int, book: StudentRecords) -> None:
        limits = self._limits(student)
        ratings = body.part("ratings")
        book.ratings = {name: ratings.whole(name, 0, MOST_POINTS) for name in ratings.fields}
        book.pairs = {}
        pairs = list(body.parts("pairs"))
        if len(pairs) > MOST_PAIRS:
            raise Damaged(f"it names {len(pairs)} pairs; at most {MOST_PAIRS} are allowed.")
        for row in pairs:
            first, second, points = row.text("first"), row.text("second"), row.amount("points")
            both = frozenset((first, second))
            if len(both) < 2 or both in book.pairs or not 1 <= abs(points) <= MOST_POINTS:
                raise Damaged(f"'{first}' and '{second}' with {points} points is not a pair.")
            book.pairs[both] = points
        if self.offer is None:
            return
        for name, points in book.ratings.items():
            if name not in self.offer.numbers:
                raise Damaged(f"it rates '{name}', which is not a course.")
            if limits is not None and points and self.offer.numbers[name] not in limits.allowed:
                raise Damaged(f"it rates '{name}', which {limits.name} may not take.")
        for both in book.pairs:
            if not both <= self.offer.numbers.keys():
                raise Damaged("it names a pair with a course that does not exist.")

    def _compared(self, body: Body, student: int, book: StudentRecords) -> None:
        limits = self._limits(student)
        first, second = body.texts("first"), body.texts("second")
        answer = body.choice("answer", *ANSWERS)
        if book.ratings is None and not self.num_sealed:
            raise Damaged("it compares schedules before any course was rated.")
        both = frozenset((frozenset(first), frozenset(second)))
        if len(both) < 2:
            raise Damaged("it compares a schedule with itself.")
        if self.offer is not None:
            for key in ("first", "second"):
                courses = self.offer.schedule(body, key)
                problem = limits.problem(courses, self.offer) if limits else ""
                if problem:
                    raise Damaged(f"{limits.name if limits else ''} {problem}.")
        book.answers[both] = (first, second, answer)
        if self._most_questions is not None and len(book.answers) > self._most_questions:
            raise Damaged(
                f"it is answer {len(book.answers)}; the rules have {self._most_questions}."
            )
