"""V6 and V8: what bidders said, and what the auctioneer said for them."""

from collections.abc import Callable
from typing import Any

from boca.ledger import Record
from boca.verify.bodies import Body, Bundle, Damaged, body_of
from boca.verify.questions import Book, Question, Questions, Reported, Wished
from boca.verify.rounds import Rounds
from boca.verify.setup import Setup
from boca.verify.verdict import Check, Finding, State, counted

CHANNELS = ("page", "sheet", "api", "operator")


class Answers:
    """
    Everything that was asked and answered, record by record.

    A further kind of answer needs a method here and a part in :class:`Book`.

    Parameters
    ----------
    setup
        The rules.
    records
        The whole log, whose chain holds.

    Attributes
    ----------
    books
        One per bidder, as they are at the end.
    findings
        What is wrong.
    """

    def __init__(self, setup: Setup, records: tuple[Record, ...]):
        self.setup = setup
        self.rounds = Rounds(setup, any(record.kind == "clock-jumped" for record in records))
        self.questions = Questions(setup)
        self.findings: list[Finding] = []
        self.num_taken = self.num_sealed = self.num_without_question = 0
        self._requests: set[tuple[str, str]] = set()
        for record in records:
            self._see(record)

    @property
    def books(self) -> list[Book]:
        return self.questions.books

    def check(self) -> Check:
        """V6."""
        sealed = self.num_sealed + self.questions.num_sealed
        num_questions = sum(len(book.questions) for book in self.books)
        num_reports = sum(len(book.reports) for book in self.books)
        sentence = (
            f"{counted(self.num_taken, 'submission')}, {counted(num_questions, 'question')}, "
            f"{counted(num_reports, 'bundle')} with a value."
        )
        state: State = "holds"
        if sealed or self.num_without_question:
            state = "partly" if self.num_taken or num_questions else "sealed"
            rest = f"{counted(sealed, 'record')} with questions or answers sealed."
            sentence = f"{sentence} {rest}" if state == "partly" else rest.capitalize()
        elif not self.num_taken and not num_questions:
            state, sentence = "nothing", "Nobody has been asked anything."
        return Check.of("V6", self.findings, sentence, state)

    def _see(self, record: Record) -> None:
        steps = [self.rounds.see, self.questions.see]
        if record.kind == "submitted":
            steps.append(self._submitted)
        elif record.kind == "round-closed":
            steps.append(self._closed)
        for step in steps:
            try:
                step(record)
            except Damaged as damage:
                self.findings.append(Finding(damage.sentence, record.seq))

    def _closed(self, record: Record) -> None:
        is_all_answered = self.questions.is_all_answered
        try:
            self.questions.close(record)
        finally:
            self.rounds.check_closing(record, is_all_answered)

    def _submitted(self, record: Record) -> None:
        if record.body is None:
            self.num_sealed += 1
            return
        self.num_taken += 1
        body = body_of(record)
        bidder = body.whole("bidder", 0, self.setup.num_bidders - 1)
        entry = Entry(self, self.books[bidder], bidder, body.whole("round"))
        steps: tuple[Callable[[], None], ...] = (
            lambda: self._check_sender(body, bidder),
            lambda: self.rounds.check_received(record, body.moment("received")),
            lambda: entry.take(body),
        )
        for step in steps:
            try:
                step()
            except Damaged as damage:
                self.findings.append(Finding(damage.sentence, record.seq))

    def _check_sender(self, body: Body, bidder: int) -> None:
        """The bidder's own person or the auctioneer; one request is carried out once."""
        actor, channel = body.text("actor"), body.choice("channel", *CHANNELS)
        role = "auctioneer:" if channel == "operator" else f"bidder:{bidder}/"
        if not actor.startswith(role):
            raise Damaged(f"it is for {self.setup.name(bidder)}, but came from '{actor}'.")
        if body.has("request"):
            request = (actor, body.text("request"))
            if request in self._requests:
                raise Damaged("the same request of the same person was taken twice.")
            self._requests.add(request)


class Entry:
    """
    One submission, taken row by row into the bidder's book.

    Parameters
    ----------
    answers
        The auction so far.
    book, bidder
        Whose submission it is.
    number
        The round.
    """

    def __init__(self, answers: Answers, book: Book, bidder: int, number: int):
        self.answers, self.setup = answers, answers.setup
        self.book, self.bidder, self.number = book, bidder, number
        self.problem = ""

    def take(self, body: Body) -> None:
        """Takes everything; Damaged with the first thing that breaks a rule."""
        rows: dict[Bundle, int] = {}
        for row in body.parts("reports"):
            bundle = row.bundle("bundle", self.setup.num_goods)
            if bundle in rows:
                self._wrong(f"it values {self.setup.words(bundle)} twice")
            rows[bundle] = row.whole("units")
            self._report(row, bundle, rows[bundle])
        for query in body.texts("declines"):
            self._decline(query)
        if body.has("wishes"):
            for row in body.parts("wishes"):
                self._wish(row)
        self._check_counts()
        if self.setup.monotone == "require":
            self._check_disorder(rows)
        if self.problem:
            raise Damaged(self.problem)

    def _wrong(self, sentence: str) -> None:
        self.problem = self.problem or f"{self.setup.name(self.bidder)}: {sentence}."

    def _money(self, units: int) -> str:
        return self.setup.money(units)

    @property
    def _most(self) -> str:
        """The largest value that counts."""
        return self.setup.money(self.setup.most_units)

    def _report(self, row: Body, bundle: Bundle, units: int) -> None:
        words, before = self.setup.words(bundle), self.book.reports.get(bundle)
        if units > self.setup.most_units:
            self._wrong(
                f"the value of {words} is {self._money(units)}; at most {self._most} counts"
            )
        if row.has("query"):
            self._check_question(row.text("query"), bundle, row.has("was"))
        if row.has("was"):
            self._check_correction(row.whole("was"), before, words)
        elif before is not None:
            self._wrong(f"{words} was reported before, so this is a correction that says so not")
        elif not row.has("query"):
            self._push(bundle, words)
        self.book.reports[bundle] = Reported(units, self.number)

    def _check_question(self, query: str, bundle: Bundle, is_correction: bool) -> None:
        """An answer names an open question about its bundle; a correction an answered one."""
        asked = self.book.questions.get(query)
        if asked is None:
            self._unknown(query)
            return
        if asked.bundle != bundle:
            self._wrong(f"'{query}' was not about {self.setup.words(bundle)}")
        if not is_correction and not self._is_open(asked):
            self._wrong(f"it answers '{query}', which is {asked.status}")
        self.book.settle(query, "answered")

    def _is_open(self, asked: Question) -> bool:
        """Whether a question can be answered; a declined one can until its round ends."""
        in_round = asked.round == self.number and self.setup.corrections != "never"
        return asked.status == "open" or (asked.status == "declined" and in_round)

    def _unknown(self, query: str) -> None:
        """A question that no open record before this one holds."""
        if self.answers.questions.num_sealed:
            self.answers.num_without_question += 1
        else:
            self._wrong(f"it answers '{query}', which nobody had asked it before")

    def _check_correction(self, was: int, before: Reported | None, words: str) -> None:
        if before is None or before.units != was:
            stood = "nothing" if before is None else self._money(before.units)
            self._wrong(f"it corrects {self._money(was)} for {words}, but {stood} stood there")
        elif not self._may_change(before.round):
            self._wrong(f"it corrects {words} of round {before.round}, which the rules forbid")

    def _may_change(self, said_in: int) -> bool:
        """Whether the rules allow to change what was said in some round."""
        rule = self.setup.corrections
        return rule == "always" or (rule == "round" and said_in == self.number)

    def _push(self, bundle: Bundle, words: str) -> None:
        self.book.num_pushes += 1
        if not any(bundle) or not self.setup.allows(self.bidder, bundle):
            self._wrong(f"it values {words}, which it cannot be given")
        for name in self.book.open:
            if self.book.questions[name].bundle == bundle:
                self._wrong(f"it values {words} unasked, although '{name}' asks about it")

    def _decline(self, query: str) -> None:
        asked = self.book.questions.get(query)
        if asked is None:
            self._unknown(query)
            return
        if asked.status != "open":
            self._wrong(f"it declines '{query}', which is {asked.status}")
        self.book.settle(query, "declined")

    def _wish(self, row: Body) -> None:
        """What is wanted at the prices of a question."""
        query, bundle = row.text("query"), row.bundle("bundle", self.setup.num_goods)
        asked, words = self.book.questions.get(query), self.setup.words(bundle)
        if asked is None:
            self._unknown(query)
            return
        if asked.prices is None:
            self._wrong(f"it wants {words} in answer to '{query}', which announced no prices")
            return
        before = self.book.wishes.get(query)
        may_answer = self._is_open(asked) if before is None else self._may_change(before.round)
        if not may_answer:
            self._wrong(f"it answers '{query}', which is {asked.status}")
        if not self.setup.allows(self.bidder, bundle):
            self._wrong(f"it wants {words}, which it cannot be given")
        wish = Wished(bundle, asked.prices, self.number)
        cost = wish.price_of(bundle)
        if cost > self.setup.most_units:
            self._wrong(f"it wants {words} for {self._money(cost)}; at most {self._most} counts")
        self.book.wishes[query] = wish
        self.book.settle(query, "answered")

    def _check_counts(self) -> None:
        if self.book.num_pushes > self.setup.push_bids:
            self._wrong(
                f"{self.book.num_pushes} values that nobody asked for; the rules allow "
                f"{self.setup.push_bids}"
            )

    def _check_disorder(self, rows: dict[Bundle, int]) -> None:
        """Under rules that require it, more is never worth less."""
        for bundle, units in rows.items():
            for other, report in self.book.reports.items():
                is_part = all(a <= b for a, b in zip(bundle, other, strict=True))
                is_whole = all(a >= b for a, b in zip(bundle, other, strict=True))
                if (is_part and report.units < units) or (is_whole and report.units > units):
                    first, second = self.setup.words(bundle), self.setup.words(other)
                    self._wrong(f"{first} and {second}: more is worth less, which the rules forbid")


def check_operators(records: tuple[Record, ...], setup: Setup | None) -> Check:
    """
    V8: whatever the auctioneer entered for a bidder has a reason; all are listed.

    Parameters
    ----------
    records
        The whole log.
    setup
        Knows the bidders' names; None if the rules are sealed.
    """
    findings, notes = [], []
    num_opened = num_sealed = 0
    for record in records:
        if record.kind != "submitted":
            continue
        if record.body is None:
            num_sealed += 1
            continue
        num_opened += 1
        channel, reason = record.body.get("channel"), record.body.get("reason")
        if channel != "operator":
            continue
        if not isinstance(reason, str) or not reason.strip():
            findings.append(Finding("the auctioneer entered this without a reason.", record.seq))
            continue
        actor, name = record.body.get("actor"), _name(record.body.get("bidder"), setup)
        notes.append(f"Record {record.seq}: {actor!s:.80} for {name}: {reason!r:.200}")
    state: State = "holds"
    if num_sealed:
        state = "partly" if num_opened else "sealed"
    elif not num_opened:
        state = "nothing"
    count = f"{counted(len(notes), 'entry', 'entries')} by the auctioneer"
    rest = f"; {counted(num_sealed, 'submission')} sealed" if num_sealed else ""
    sentence = f"Among {counted(num_opened, 'open submission')}: {count}{rest}."
    return Check.of("V8", findings, sentence, state, notes)


def _name(bidder: Any, setup: Setup | None) -> str:
    """What a bidder is called; its number where the names are sealed."""
    if setup is not None and type(bidder) is int and 0 <= bidder < setup.num_bidders:
        return setup.name(bidder)
    return f"bidder {bidder!s:.10}"
