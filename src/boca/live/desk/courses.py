"""What students and their registrar do in an allocation of courses."""

import string
from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import boca
from boca.core.errors import InputError
from boca.core.message import msg
from boca.live.auction import commands as cmd
from boca.live.auction.audience import PUBLIC, seen_by
from boca.live.auction.courses import CourseRules
from boca.live.auction.events import RatedPair
from boca.live.auction.refusal import Refusal
from boca.live.auction.seat_market import SeatMarket, is_courses, seats_of
from boca.live.auction.state import LiveState
from boca.live.auction.views.courses import (
    AssignmentFacts,
    SeatResult,
    StudentRow,
    StudentView,
    assignment_facts,
    seat_result,
    student_rows,
    student_view,
)
from boca.live.clock import to_text
from boca.live.desk.office import NO_CHILDREN, Office
from boca.live.desk.submissions import Receipt, send_said
from boca.live.people import Who
from boca.live.promises import after, refused, then
from boca.live.store.batch import Done

LETTERS = string.ascii_lowercase + string.digits
# Whoever plays a student in a rehearsal.
SIMULATED = "simulated student"


@dataclass(frozen=True)
class Question:
    """
    What a student is asked next.

    Parameters
    ----------
    first, second
        Two schedules; None if nothing is left to ask.
    tentative
        What the student would get at the prices of now.
    """

    first: tuple[str, ...] | None
    second: tuple[str, ...] | None
    tentative: tuple[str, ...]


class CourseDesk(Office):
    """Courses are rated and compared here, and seats shared out."""

    def create_courses(
        self,
        who: Who,
        market: SeatMarket,
        rules: CourseRules,
        request: str | None = None,
        is_rehearsal: bool = False,
        copied_from: str | None = None,
    ) -> "Future[Done]":
        """A new allocation in draft; ``Done.auction`` is its id."""
        self.need_all(who)
        auction = "".join(LETTERS[byte % len(LETTERS)] for byte in self.draw(16))
        command = cmd.Create(
            rules,
            market,
            int.from_bytes(self.draw(6), "big"),
            self.key.public,
            boca.__version__,
            is_rehearsal,
            copied_from,
        )
        return self.writer.send(auction, command, who.actor, request)

    def rehearse_courses(self, who: Who, auction: str, request: str | None) -> "Future[Done]":
        """A copy that is started at once, with forms of simulated students."""
        self.need_all(who)
        state = self._courses(auction)
        rules, market = state.setup
        assert isinstance(rules, CourseRules)
        created = self.create_courses(who, seats_of(market), rules, request, True, auction)

        def start(done: Done) -> "Future[Done]":
            if done.is_repetition:
                return then(self.writer.do(lambda connection: None), lambda _: done)
            started = self.writer.send(done.auction, cmd.Start(who.person, True), who.actor)
            simulated = after(started, lambda _: self.simulate_students(who, done.auction))
            return then(simulated, lambda _: done)

        return after(created, start)

    def simulate_students(
        self, who: Who, auction: str, people: Collection[int] = ()
    ) -> "Future[Done]":
        """
        Sends a drawn form for everybody in a rehearsal; the future ends with the last one.

        Parameters
        ----------
        who, auction
            The registrar, and a rehearsal that takes answers.
        people
            Students who are people, and answer for themselves.
        """
        self.need(who, "auctioneer", auction=auction)
        state = self._courses(auction)
        if not state.is_rehearsal:
            return refused(Refusal("forbidden", msg("Students are simulated in rehearsals only.")))
        if self.worker is None:
            return refused(Refusal("unavailable", NO_CHILDREN))

        def send(forms: tuple[Any, ...]) -> "Future[Done]":
            now = to_text(self.clock.now())
            sent = []
            for i, (ratings, pairs) in enumerate(forms):
                if i in people:
                    continue
                invite = cmd.Invite(SIMULATED, f"rehearsal-{i}", i, "operator")
                self.writer.send(auction, invite, who.actor)
                command = cmd.Rate(i, ratings, pairs, now, "api", SIMULATED)
                sent.append(self.writer.send(auction, command, f"bidder:{i}/{SIMULATED}"))
            return sent[-1]

        return after(self.worker.draw(state), send)

    def change_courses(
        self, who: Who, auction: str, market: SeatMarket, reason: str, minutes: float
    ) -> "Future[Done]":
        """A late change of a published allocation; what was given is kept."""
        self.need(who, "auctioneer", auction=auction)
        self._courses(auction)
        return self.writer.send(auction, cmd.Change(market, reason, minutes), who.actor)

    def student(self, who: Who) -> StudentView:
        """Everything that a student's pages show."""
        state, student = self._own(who)
        return student_view(state, student, self.clock.now())

    def rate(
        self,
        who: Who,
        ratings: dict[str, int],
        pairs: tuple[RatedPair, ...],
        request: str,
        received: datetime | None = None,
    ) -> "Future[Receipt]":
        """Takes a form; the future ends once it is on the disk."""
        _, student = self._own(who)
        at = to_text(received or self.clock.now())
        command = cmd.Rate(student, ratings, pairs, at, "page", who.person)
        return send_said(self, who, command, request)

    def compare(
        self,
        who: Who,
        first: tuple[str, ...],
        second: tuple[str, ...],
        answer: str,
        request: str,
        received: datetime | None = None,
    ) -> "Future[Receipt]":
        """Takes an answer; the future ends once it is on the disk."""
        _, student = self._own(who)
        at = to_text(received or self.clock.now())
        command = cmd.Compare(student, first, second, answer, at, "page", who.person)
        return send_said(self, who, command, request)

    def question(self, who: Who) -> "Future[Question]":
        """The student's next question, and what it would get now."""
        view, student = self.student(who), self._own(who)[1]
        if self.worker is None:
            return refused(Refusal("unavailable", NO_CHILDREN))
        wants = view.can_submit and view.num_left > 0
        state = self._courses(who.auction or "")
        asked = self.worker.ask(state, student, wants)

        def read(answer: dict[str, Any]) -> Question:
            two = answer["question"]
            if two is None:
                return Question(None, None, tuple(answer["tentative"]))
            return Question(tuple(two[0]), tuple(two[1]), tuple(answer["tentative"]))

        return then(asked, read)

    def seat(self, who: Who) -> SeatResult | None:
        """How it ended for a student; None until that is published."""
        state, student = self._own(who)
        return seat_result(state, student)

    def assignment(self, who: Who | None, auction: str) -> AssignmentFacts | None:
        """Prices and seats: for the registrar once decided, for everybody once published."""
        state = self._courses(auction)
        is_staff = who is not None and who.role in ("auctioneer", "auditor")
        return assignment_facts(seen_by(state, who.viewer if who and is_staff else PUBLIC))

    def students(self, who: Who, auction: str) -> tuple[StudentRow, ...]:
        """Who has answered, for registrar and auditor."""
        self.need(who, "auctioneer", "auditor", auction=auction)
        return student_rows(seen_by(self._courses(auction), who.viewer))

    def course_market(self, who: Who, auction: str) -> SeatMarket:
        """Courses and students, for the registrar."""
        self.need(who, "auctioneer", "auditor", auction=auction)
        return seats_of(self._courses(auction).setup[1])

    def _courses(self, auction: str) -> LiveState:
        state = self.state_of(auction)
        if not is_courses(state.market):
            raise Refusal("not-found", msg("There is no such allocation of courses."))
        return state

    def _own(self, who: Who) -> tuple[LiveState, int]:
        """The allocation as a student may see it."""
        self.need(who, "bidder")
        assert who.bidder is not None
        return seen_by(self._courses(who.auction or ""), who.viewer), who.bidder


def whole_points(text: str, what: str) -> int:
    """A number of points that somebody typed."""
    tidy = text.strip()
    sign = -1 if tidy.startswith("-") else 1
    digits = tidy.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 7):
        raise InputError(f"{what}: found '{tidy[:20]}'; expected a whole number of points.")
    return sign * int(digits)
