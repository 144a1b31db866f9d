"""Rounds and their deadlines: when answers count (a part of V6)."""

from datetime import datetime, timedelta

from boca_verify.bodies import Body, Damaged, body_of, clock, minutes, moment_of
from boca_verify.records import Record
from boca_verify.rules import LoggedSetup

# Between reading the clock and writing a record.
SLACK = timedelta(seconds=5)
# A pause gives back at least this much time.
LEAST_AFTER_PAUSE = timedelta(minutes=5)


class Rounds:
    """
    The round under way, record by record.

    Parameters
    ----------
    setup
        How long rounds last.
    clock_jumped
        Whether the server's clock was moved during the auction: lengths cannot be told then.

    Attributes
    ----------
    number
        Of the round; -1 before the first.
    opened, deadline
        When it began, and until when answers count; None if that is not known.
    """

    def __init__(self, setup: LoggedSetup, clock_jumped: bool):
        self.setup = setup
        self.clock_jumped = clock_jumped
        self.number = -1
        self.opened: datetime | None = None
        self.deadline: datetime | None = None
        self.is_last_call = False
        self.left: timedelta | None = None
        self._extensions: dict[int, int] = {}
        self._num_extending = 0

    def see(self, record: Record) -> None:
        """Follows one record; Damaged if it breaks a rule."""
        if record.kind == "round-opened":
            self._open(record)
        elif record.kind == "extension-used":
            self._extension(record)
        elif record.body is None:
            return
        elif record.kind == "deadline-moved":
            self._move(body_of(record))
        elif record.kind == "paused":
            self._pause(record)
        elif record.kind == "resumed":
            self._resume(record)

    def check_closing(self, record: Record, is_all_answered: bool) -> None:
        """
        A round ends after its deadline, or early if the rules say so; Damaged otherwise.

        Parameters
        ----------
        record
            The ``round-closed``.
        is_all_answered
            Whether no question was open; also where that cannot be told.
        """
        if self.deadline is None or moment_of(record) > self.deadline:
            return
        if self.setup.close_early and is_all_answered and not self.is_last_call:
            return
        why = (
            "although questions were open" if self.setup.close_early else "and the rules forbid it"
        )
        raise Damaged(f"the round was closed before its deadline {clock(self.deadline)}, {why}.")

    def check_received(self, record: Record, received: datetime) -> None:
        """Damaged unless something was received while the round was open."""
        if self.opened is None or self.deadline is None:
            return
        # What was on its way when the round opened may carry an earlier time; that nobody answered
        # before the question is proven by the order of records.
        if received < self.opened - SLACK and not self.clock_jumped:
            raise Damaged(
                f"it was received at {clock(received)}, before the round opened at "
                f"{clock(self.opened)}."
            )
        if received > self.deadline:
            raise Damaged(
                f"it was received at {clock(received)}, after the deadline {clock(self.deadline)}."
            )
        if received > moment_of(record):
            raise Damaged(
                f"it says that it was received at {clock(received)}, after it was recorded."
            )

    def _open(self, record: Record) -> None:
        self.opened, self.left = moment_of(record), None
        if record.body is None:
            self.number, self.deadline = self.number + 1, None
            return
        body = body_of(record)
        self.deadline = body.moment("deadline")
        self.number = body.whole("round")
        was_last_call, self.is_last_call = self.is_last_call, body.truth("is_last_call")
        if self.is_last_call and (was_last_call or not self.setup.last_call_minutes):
            raise Damaged("there is a last call that the rules do not have.")
        length = (
            self.setup.last_call_minutes
            if self.is_last_call
            else self.setup.round_minutes[min(self.number, 1)]
        )
        self._compare(record, self.deadline, minutes(length), "the round lasts")
        hours, is_told = self.setup.hours, not (self.is_last_call or self.clock_jumped)
        if hours is not None and is_told and not hours.contains(moment_of(record), SLACK):
            raise Damaged("the round was opened outside the opening hours.")

    def _compare(self, record: Record, deadline: datetime, expected: timedelta, what: str) -> None:
        """Damaged if the time until a deadline is not as long as it should be."""
        length = self._counted(moment_of(record), deadline)
        if not self.clock_jumped and abs(length - expected) > SLACK:
            raise Damaged(f"{what} {_span(length)}; expected {_span(expected)}.")
        self._check_hours(deadline)

    def _counted(self, begin: datetime, end: datetime) -> timedelta:
        """How much time between two moments counts; below 0 if they are the other way round."""
        if self.setup.hours is None or end <= begin:
            return end - begin
        return self.setup.hours.counted(begin, end)

    def _check_hours(self, deadline: datetime) -> None:
        """Damaged if a deadline lies outside the opening hours."""
        hours = self.setup.hours
        if hours is not None and not hours.contains(deadline, timedelta()):
            raise Damaged(f"the deadline {clock(deadline)} lies outside the opening hours.")

    def _extension(self, record: Record) -> None:
        self._num_extending += 1
        if not self.setup.extensions:
            raise Damaged("an extension was used, which the rules do not have.")
        if record.body is None:
            return
        bidder = body_of(record).whole("bidder", 0, self.setup.num_bidders - 1)
        self._extensions[bidder] = self._extensions.get(bidder, 0) + 1
        if self._extensions[bidder] > self.setup.extensions:
            raise Damaged(
                f"{self.setup.name(bidder)} uses extension {self._extensions[bidder]} of "
                f"{self.setup.extensions}."
            )

    def _move(self, body: Body) -> None:
        start, end, reason = body.moment("from"), body.moment("to"), body.text("reason")
        is_extension, self._num_extending = self._num_extending > 0, 0
        before, self.deadline = self.deadline, end
        if self.left is not None:
            self.left += self._counted(start, end)
        if before is not None and start != before:
            raise Damaged(
                f"it moves the deadline from {clock(start)}, but that was {clock(before)}."
            )
        if end <= start:
            raise Damaged(f"it moves the deadline from {clock(start)} back to {clock(end)}.")
        if is_extension != (reason == "extension"):
            raise Damaged("an extension needs a bidder who uses it, and only an extension does.")
        self._check_hours(end)

    def _pause(self, record: Record) -> None:
        body = body_of(record)
        if not body.has("seconds_left"):  # planning was going on
            return
        self.left = timedelta(seconds=body.number("seconds_left"))
        if self.deadline is not None and not self.clock_jumped:
            left = max(self._counted(moment_of(record), self.deadline), timedelta())
            if self.left < left - SLACK:
                raise Damaged(f"it says that {_span(self.left)} were left; it was {_span(left)}.")

    def _resume(self, record: Record) -> None:
        self.deadline = body_of(record).moment("deadline")
        left = max(self.left or timedelta(), LEAST_AFTER_PAUSE)
        self.left = None
        self._compare(record, self.deadline, left, "the round goes on for")


def _span(time: timedelta) -> str:
    return f"{time.total_seconds() / 60:.4g} minutes"
