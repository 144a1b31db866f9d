"""Token buckets: how much one address or one credential can ask for."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from boca.core.errors import BocaError

# Buckets that nobody touched for long are full again, so the oldest can be forgotten.
MOST_BUCKETS = 20_000


class TooManyRequests(BocaError):
    """More requests than the limits allow; ``wait`` is the seconds until the next one fits."""

    def __init__(self, wait: int):
        super().__init__(f"Too many requests; try again in {wait} seconds.")
        self.wait = wait


@dataclass(frozen=True)
class Rate:
    """
    How often something can be done.

    Parameters
    ----------
    per_second
        Tokens that flow in.
    burst
        Tokens that fit in.
    """

    per_second: float
    burst: float


@dataclass(frozen=True)
class Limits:
    """
    What a server takes; beyond it answers 429.

    Parameters
    ----------
    enter
        Attempts to use a link, per address.
    requests, submissions
        Per credential.
    streams, public_streams, viewers
        Open streams of changes per credential, per address without one, and in all.
    uploads
        Spreadsheets, per credential; reading one takes a moment.
    body, upload
        Largest request, and largest file, in bytes.
    """

    enter: Rate = Rate(10 / 60, 10)
    requests: Rate = Rate(20, 60)
    submissions: Rate = Rate(30 / 60, 30)
    streams: int = 10
    public_streams: int = 20
    viewers: int = 1000
    uploads: Rate = Rate(10 / 60, 10)
    body: int = 256 * 1024
    upload: int = 1024 * 1024


@dataclass
class Buckets:
    """
    The state of all limits, in memory.

    Parameters
    ----------
    seconds
        A clock that only goes forwards.
    """

    seconds: Callable[[], float]
    levels: OrderedDict[tuple[str, str], tuple[float, float]] = field(default_factory=OrderedDict)
    num_streams: dict[str, int] = field(default_factory=dict)

    def take(self, what: str, who: str, rate: Rate) -> None:
        """Takes one token, or raises TooManyRequests."""
        now = self.seconds()
        level, since = self.levels.pop((what, who), (rate.burst, now))
        level = min(rate.burst, level + (now - since) * rate.per_second)
        if level < 1:
            self.levels[what, who] = (level, now)
            raise TooManyRequests(max(1, round((1 - level) / rate.per_second + 0.5)))
        self.levels[what, who] = (level - 1, now)
        if len(self.levels) > MOST_BUCKETS:
            self.levels.popitem(last=False)

    def check_streams(self, who: str, most: int, most_in_all: int = 1000) -> None:
        """Raises TooManyRequests if a visitor, or all of them, have all streams they can have."""
        if self.num_streams.get(who, 0) >= most or sum(self.num_streams.values()) >= most_in_all:
            raise TooManyRequests(30)

    @contextmanager
    def stream(self, who: str, most: int, most_in_all: int = 1000) -> Iterator[None]:
        """One of a visitor's open streams, for as long as it lasts."""
        self.check_streams(who, most, most_in_all)
        self.num_streams[who] = self.num_streams.get(who, 0) + 1
        try:
            yield
        finally:
            self.num_streams[who] -= 1
            if not self.num_streams[who]:
                del self.num_streams[who]
