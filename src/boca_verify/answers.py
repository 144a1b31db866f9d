"""V6: what bidders were asked and said, in the order of the log."""

from collections.abc import Callable

from boca_verify.bodies import Body, Damaged, body_of
from boca_verify.entry import LoggedSubmission
from boca_verify.questions import LoggedBook, Questions
from boca_verify.records import Record
from boca_verify.rounds import Rounds
from boca_verify.rules import LoggedSetup
from boca_verify.senders import LoggedPeople
from boca_verify.verdict import Check, Finding, State
from boca_verify.wording import counted

CHANNELS = ("page", "sheet", "api", "operator")


class LoggedAnswers:
    """
    Everything that was asked and answered, record by record.

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

    def __init__(self, setup: LoggedSetup, records: tuple[Record, ...]):
        self.setup = setup
        self.rounds = Rounds(setup, any(record.kind == "clock-jumped" for record in records))
        self.questions = Questions(setup)
        self.people = LoggedPeople()
        self.findings: list[Finding] = []
        self.num_taken = self.num_sealed = self.num_without_question = 0
        self._requests: set[tuple[str, str]] = set()
        self._accepted: set[int] = set()
        self._num_sealed_acceptances = 0
        self._rules = next((r.hash for r in records[::-1] if r.kind == "configured"), "")
        self.is_rehearsal = (records[0].body or {}).get("is_rehearsal") is True
        for record in records:
            self._see(record)

    @property
    def books(self) -> list[LoggedBook]:
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
        if sealed:
            state = "partly" if self.num_taken or num_questions else "sealed"
            rest = f"{counted(sealed, 'record')} with questions or answers sealed."
            sentence = f"{sentence} {rest}" if state == "partly" else rest.capitalize()
        elif not self.num_taken and not num_questions:
            state, sentence = "nothing", "Nobody has been asked anything."
        return Check.of("V6", self.findings, sentence, state)

    def _see(self, record: Record) -> None:
        steps = [self.rounds.see, self.questions.see, self.people.see]
        if record.kind == "submitted":
            steps.append(self._submitted)
        elif record.kind == "accepted":
            steps.append(self._accept)
        elif record.kind == "round-closed":
            steps.append(self._closed)
        for step in steps:
            try:
                step(record)
            except Damaged as damage:
                self.findings.append(Finding(damage.sentence, record.seq))

    def _accept(self, record: Record) -> None:
        """Notes who accepted the rules that held in the end; earlier ones do not count."""
        if record.body is None:
            self._num_sealed_acceptances += 1
            return
        body = body_of(record)
        bidder = body.whole("bidder", 0)
        if not body.text("actor").startswith(f"bidder:{bidder}/"):
            raise Damaged(f"'{body.text('actor')[:60]}' accepts the rules for another bidder.")
        if body.hash("configured") == self._rules:
            self._accepted.add(bidder)

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
        entry = LoggedSubmission(self.questions, bidder, body.whole("round"))
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
        self.num_without_question += entry.num_unknown

    def _check_acceptance(self, bidder: int) -> None:
        """A sealed acceptance may be that of any bidder, but of one only."""
        if bidder in self._accepted:
            return
        if not self._num_sealed_acceptances:
            name = self.setup.name(bidder)
            raise Damaged(f"{name} had not accepted the rules under which this was sent.")
        self._num_sealed_acceptances -= 1
        self._accepted.add(bidder)

    def _check_sender(self, body: Body, bidder: int) -> None:
        """A person of the bidder's or the auctioneer; one request is carried out once."""
        actor, channel = body.text("actor"), body.choice("channel", *CHANNELS)
        role = "auctioneer:" if channel == "operator" else f"bidder:{bidder}/"
        if not actor.startswith(role):
            raise Damaged(f"it is for {self.setup.name(bidder)}, but came from '{actor}'.")
        if channel != "operator":
            self.people.check(actor.removeprefix(role), bidder)
            if self.setup.accept_rules and not self.is_rehearsal:
                self._check_acceptance(bidder)
        if body.has("request"):
            request = (actor, body.text("request"))
            if request in self._requests:
                raise Damaged("the same request of the same person was taken twice.")
            self._requests.add(request)
