"""A clock that tests turn by hand."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)


class HandClock:
    """Stands still until it is turned; its jumps are announced by the test."""

    def __init__(self, start: datetime = START):
        self.time = start
        self.jumped = timedelta()

    def now(self) -> datetime:
        return self.time

    def jump(self) -> timedelta:
        jumped, self.jumped = self.jumped, timedelta()
        return jumped

    def turn(self, **parts: float) -> None:
        """Goes forwards, such as ``turn(minutes=5)``."""
        self.time += timedelta(**parts)
