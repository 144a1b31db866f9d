"""Who was asked what, and from which information (V7, and a part of V6)."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from boca_verify.bodies import LARGEST, Body, Bundle, Damaged, body_of
from boca_verify.records import Record
from boca_verify.rules import LoggedSetup
from boca_verify.verdict import Check, Finding
from boca_verify.wording import counted

Status = Literal["open", "answered", "declined", "unanswered"]


@dataclass(frozen=True)
class LoggedQuestion:
    """
    One question to one bidder.

    Parameters
    ----------
    round
        The round that it was planned for.
    bundle
        What the value is asked of; None where prices were announced.
    prices
        Price of one copy of each good, in units; None where a value was asked.
    status
        What became of it.
    within
        The range that it asks to narrow; None where no value was known.
    """

    round: int
    bundle: Bundle | None
    prices: tuple[int, ...] | None
    status: Status = "open"
    within: tuple[int, int] | None = None


@dataclass(frozen=True)
class Reported:
    """The last value of a bundle, the round it was given in, and the end of a range."""

    units: int
    round: int
    most: int | None = None

    @property
    def end(self) -> int:
        """The most that it may be worth."""
        return self.units if self.most is None else self.most


@dataclass(frozen=True)
class Demanded:
    """
    What was wanted at announced prices.

    Parameters
    ----------
    bundle
        The bundle; may be empty.
    prices
        Price of one copy of each good, in units.
    round
        The round it was said in.
    eligibility
        The most points that could be chosen; None without the activity rule.
    """

    bundle: Bundle
    prices: tuple[int, ...]
    round: int
    eligibility: int | None = None

    def price_of(self, bundle: Bundle) -> int:
        """What a bundle costs at these prices."""
        return sum(n * price for n, price in zip(bundle, self.prices, strict=True))


@dataclass
class LoggedBook:
    """
    Everything about one bidder so far.

    Parameters
    ----------
    questions
        Id -> question.
    reports
        Bundle -> its last value.
    demands
        Id of a question with prices -> what was wanted.
    num_pushes
        Reports that nobody asked for.
    """

    questions: dict[str, LoggedQuestion] = field(default_factory=dict)
    reports: dict[Bundle, Reported] = field(default_factory=dict)
    demands: dict[str, Demanded] = field(default_factory=dict)
    num_pushes: int = 0

    @property
    def open(self) -> list[str]:
        """Questions without an answer."""
        return [name for name, q in self.questions.items() if q.status == "open"]

    def may_be_asked(self, bundle: Bundle) -> bool:
        """Whether a value is not known, or only as a range that its bidder did not keep to."""
        about = [q for q in self.questions.values() if q.bundle == bundle]
        if bundle not in self.reports:
            return not about
        is_range = self.reports[bundle].most is not None
        return is_range and all(q.status == "answered" for q in about)

    def within(self, bundle: Bundle) -> tuple[int, int] | None:
        """The range that was last asked to be narrowed for a bundle."""
        about = [q.within for q in self.questions.values() if q.bundle == bundle and q.within]
        return about[-1] if about else None

    def eligibility(self, setup: LoggedSetup, bidder: int, asked_in: int) -> int | None:
        """
        The most points that could be chosen in a round; None without the activity rule.

        It is the largest choice of the last round before with prices, in which no answer is
        nothing; before the first prices it is what the rules say.
        """
        if not setup.points:
            return None
        earlier = {
            name: question.round
            for name, question in self.questions.items()
            if question.prices is not None and question.round < asked_in
        }
        if not earlier:
            return setup.eligibility[bidder]
        last = max(earlier.values())
        names = [name for name, number in earlier.items() if number == last]
        chosen = [self.demands[name].bundle for name in names if name in self.demands]
        return max(map(setup.points_of, chosen), default=0)

    def settle(self, name: str, status: Status) -> None:
        """Notes what became of a question."""
        self.questions[name] = replace(self.questions[name], status=status)


class Questions:
    """
    The questions of an auction, record by record.

    Parameters
    ----------
    setup
        Capacities, limits and the budget.

    Attributes
    ----------
    books
        One per bidder.
    num_sealed
        Records of questions whose body is not open.
    """

    def __init__(self, setup: LoggedSetup):
        self.setup = setup
        self.books = [LoggedBook() for _ in range(setup.num_bidders)]
        self.num_sealed = 0
        self._asked: dict[int, int] = {}

    def see(self, record: Record) -> None:
        """Follows one record; Damaged if it breaks a rule."""
        if record.kind == "planned":
            self._asked = {}
        elif record.kind == "asked":
            self._ask(record)
        elif record.kind == "round-opened" and record.body is not None:
            self._check_numbers(body_of(record))
        elif record.kind == "stopped":
            self._end()

    def close(self, record: Record) -> None:
        """The end of a round: what is open counts as declined; Damaged if the list is another."""
        left = sorted(name for book in self.books for name in book.open)
        self._end()
        if record.body is not None and not self.num_sealed:
            listed = sorted(body_of(record).texts("unanswered"))
            if listed != left:
                differing = sorted(set(listed) ^ set(left))
                about = differing[0] if differing else "one that it names twice"
                raise Damaged(f"its list of unanswered questions is wrong about {about}.")

    @property
    def is_all_answered(self) -> bool:
        """Whether no question is open, as far as can be told."""
        return not any(book.open for book in self.books)

    def _end(self) -> None:
        for book in self.books:
            for name in book.open:
                book.settle(name, "unanswered")

    def _ask(self, record: Record) -> None:
        if record.body is None:
            self.num_sealed += 1
            return
        body, setup = body_of(record), self.setup
        bidder, number = body.whole("bidder", 0, setup.num_bidders - 1), body.whole("round")
        book, name = self.books[bidder], setup.name(bidder)
        rows = list(body.parts("queries"))
        is_second = bidder in self._asked
        self._asked[bidder] = self._asked.get(bidder, 0) + len(rows)
        problem = ""
        for k, row in enumerate(rows, 1):
            query, question = row.text("id"), self._question(row, number)
            expected = f"r{number}-b{bidder + 1}-q{k}"
            if query != expected or query in book.questions:
                problem = problem or f"it calls a question '{query}'; expected '{expected}'."
            if question.bundle is not None and not book.may_be_asked(question.bundle):
                words = setup.words(question.bundle)
                problem = problem or f"{name} is asked about {words}, which it was asked before."
            problem = problem or self._beyond_limits(bidder, question)
            before = None if question.bundle is None else book.reports.get(question.bundle)
            if before is not None and before.most is not None:
                question = replace(question, within=(before.units, before.most))
            book.questions[query] = question
        most = setup.most_questions(number)
        if is_second:
            problem = problem or f"{name} is asked a second time in this round."
        if not 0 < len(rows) <= most:
            problem = (
                problem
                or f"{name} is asked {counted(len(rows), 'question')}; expected 1 to {most}."
            )
        if len(book.questions) > setup.num_total:
            problem = problem or (
                f"{name} is asked {len(book.questions)} questions in all; the rules have "
                f"{setup.num_total}."
            )
        if problem:
            raise Damaged(problem)

    def _question(self, row: Body, number: int) -> LoggedQuestion:
        num_goods = self.setup.num_goods
        if not row.has("type") or row.choice("type", "value", "demand") == "value":
            return LoggedQuestion(number, row.bundle("bundle", num_goods), None)
        prices = row.wholes("prices", num_goods)
        if sum(n * price for n, price in zip(self.setup.full, prices, strict=True)) > LARGEST:
            raise Damaged("it announces prices that are too large.")
        return LoggedQuestion(number, None, prices)

    def _beyond_limits(self, bidder: int, question: LoggedQuestion) -> str:
        """What is wrong with a question's bundle; empty if nothing is."""
        bundle, setup = question.bundle, self.setup
        # The full bundle sets a bidder's scale, also where its limits keep it from getting it.
        if bundle is None or (bundle == setup.full and setup.kind == "sell"):
            return ""
        if not any(bundle):
            return f"{setup.name(bidder)} is asked about nothing."
        if not setup.allows(bidder, bundle):
            words = setup.words(bundle)
            return f"{setup.name(bidder)} is asked about {words}, which it cannot be given."
        return ""

    def _check_numbers(self, body: Body) -> None:
        numbers = body.wholes("num_queries", self.setup.num_bidders)
        is_last_call = body.truth("is_last_call")
        asked = [0 if is_last_call else self._asked.get(i, 0) for i in range(len(numbers))]
        for i, (number, own) in enumerate(zip(numbers, asked, strict=True)):
            # Questions to others may be sealed.
            if number != own and not (self.num_sealed and not own):
                raise Damaged(
                    f"it says that {self.setup.name(i)} has {number} questions; it has {own}."
                )


def check_plans(records: tuple[Record, ...]) -> Check:
    """V7: each plan names the record that ended the round before, or the start."""
    plans = [record for record in records if record.kind == "planned"]
    opened = [record for record in plans if record.body is not None]
    findings = list(_about_plans(records))
    if not plans:
        return Check.of("V7", findings, "No round has been planned.", "nothing")
    if len(opened) < len(plans):
        sentence = f"{len(opened)} of {len(plans)} plans are open."
        return Check.of("V7", findings, sentence, "partly" if opened else "sealed")
    return Check.of(
        "V7", findings, f"{counted(len(plans), 'plan')}; each names the record that it starts from."
    )


def _about_plans(records: tuple[Record, ...]) -> Iterator[Finding]:
    source: Record | None = None
    for record in records:
        if record.kind in ("started", "round-closed"):
            source = record
        elif record.kind == "planned" and record.body is not None:
            try:
                start = body_of(record).hash("from")
            except Damaged as damage:
                yield Finding(damage.sentence, record.seq)
                continue
            if source is None or start != source.hash:
                expected = f"record {source.seq}" if source else "no record"
                yield Finding(f"it was not planned from {expected}, which came before.", record.seq)
