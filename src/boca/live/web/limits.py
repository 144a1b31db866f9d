"""Token buckets: how much one address or one credential can ask for."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from boca.core.errors import BocaError

# Buckets that nobody touched for long are full again, so the oldest can be forgotten.
MOST_BUCKETS = 20_000
# Seconds after which whoever does something twice at once may try again.
SECOND_TRY = 5
# How long a credential that worked goes first; an hour is the longest pause of an auctioneer.
GOOD_SECONDS = 3600.0


def fingerprint(credential: str) -> bytes:
    """What a credential is remembered by; the credential itself is kept nowhere."""
    return hashlib.sha256(credential.encode()).digest()


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
        Attempts to use a link that does not work, per address.
    visitors, strangers, strangers_near
        Requests of people who are not signed in: per address, of all of them together, and of
        all of them together in the last minutes of a round.
    requests, submissions
        Per credential.
    streams, public_streams, viewers
        Open streams of changes per credential, per address without one, and in all.
    uploads
        Spreadsheets, per credential; reading one takes a moment.
    body, upload, body_seconds
        Largest request, and largest file, in bytes; and how long a request may take to come.
    """

    enter: Rate = Rate(10 / 60, 10)
    visitors: Rate = Rate(10, 100)
    strangers: Rate = Rate(100, 300)
    strangers_near: Rate = Rate(20, 100)
    requests: Rate = Rate(20, 60)
    submissions: Rate = Rate(30 / 60, 30)
    streams: int = 10
    public_streams: int = 20
    viewers: int = 1000
    uploads: Rate = Rate(10 / 60, 10)
    body: int = 256 * 1024
    upload: int = 1024 * 1024
    body_seconds: float = 30.0


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
    under_way: set[tuple[str, str]] = field(default_factory=set)
    good: OrderedDict[bytes, float] = field(default_factory=OrderedDict)

    def take(self, what: str, who: str, rate: Rate, price: float = 1.0) -> None:
        """Takes one token, or as many as something costs, or raises TooManyRequests."""
        now = self.seconds()
        level, since = self.levels.pop((what, who), (rate.burst, now))
        level = min(rate.burst, level + (now - since) * rate.per_second)
        if level < price:
            self.levels[what, who] = (level, now)
            raise TooManyRequests(max(1, round((price - level) / rate.per_second + 0.5)))
        self.levels[what, who] = (level - price, now)
        if len(self.levels) > MOST_BUCKETS:
            self.levels.popitem(last=False)

    @contextmanager
    def alone(self, what: str, who: str) -> Iterator[None]:
        """Something that a visitor does once at a time; TooManyRequests for the second."""
        if (what, who) in self.under_way:
            raise TooManyRequests(SECOND_TRY)
        self.under_way.add((what, who))
        try:
            yield
        finally:
            self.under_way.discard((what, who))

    def note_good(self, credential: str) -> None:
        """Remembers a credential that works, for the time in which its owner clicks on."""
        name = fingerprint(credential)
        self.good.pop(name, None)
        self.good[name] = self.seconds()
        if len(self.good) > MOST_BUCKETS:
            self.good.popitem(last=False)

    def is_good(self, credential: str) -> bool:
        """Whether a credential worked a moment ago; it is looked up all the same."""
        since = self.good.get(fingerprint(credential))
        return since is not None and self.seconds() - since < GOOD_SECONDS

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
