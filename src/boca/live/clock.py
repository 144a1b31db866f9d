"""Time: one clock that only goes forwards, and text for the log."""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

ZERO = timedelta()


class ServerClock(Protocol):
    """Where the server's time comes from; tests pass a clock that they turn by hand."""

    def now(self) -> datetime:
        """The server's time, in UTC; never goes backwards."""
        ...

    def jump(self) -> timedelta:
        """How far the machine's clock was moved against the server's since the last look."""
        ...


def _steady() -> float:
    """Seconds that also count while the machine sleeps, where the system offers them."""
    source = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if source is None else time.clock_gettime(source)


def _wall() -> datetime:
    return datetime.now(UTC)


@dataclass
class SystemClock:
    """
    UTC as read once at the start, plus the steady seconds since.

    Parameters
    ----------
    start
        The machine's clock at the start.
    """

    start: datetime = field(default_factory=_wall)

    def __post_init__(self) -> None:
        self._began = _steady()
        self._offset = ZERO

    def now(self) -> datetime:
        return self.start + timedelta(seconds=_steady() - self._began)

    def jump(self) -> timedelta:
        offset = _wall() - self.now()
        moved = offset - self._offset
        if abs(moved) > timedelta(seconds=1):
            self._offset = offset
            return moved
        return ZERO


def to_text(moment: datetime) -> str:
    """A moment as the log writes it: UTC with microseconds and ``Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def from_text(text: str) -> datetime:
    """The inverse of :func:`to_text`."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
