"""How simulated bidders answer: one protocol, small classes."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from boca.core.errors import InputError
from boca.core.query import Query
from boca.core.randomness import Seeds


class Strategy(Protocol):
    """Turns a bidder's true value into what it says."""

    def __call__(
        self, query: Query, value: float, num_answered: int
    ) -> float | tuple[float, float] | None:
        """The answer to a query, as a value or a range, or None to decline it."""
        ...


@dataclass(frozen=True)
class Truthful:
    """Says the true value."""

    def __call__(self, query: Query, value: float, num_answered: int) -> float | None:
        return value


@dataclass(frozen=True)
class Noisy:
    """
    Says the true value times a log-normal error; the same bundle always gets the same error.

    Parameters
    ----------
    spread
        Standard deviation of the error's logarithm.
    seed
        Of the errors.
    """

    spread: float = 0.05
    seed: int = 0

    def __post_init__(self) -> None:
        if self.spread < 0:
            raise InputError(f"Received spread = {self.spread}; expected 0 or more.")

    def __call__(self, query: Query, value: float, num_answered: int) -> float | None:
        stream = Seeds(self.seed).child("noise", query.bidder, *query.bundle.tolist())
        return value * float(np.exp(self.spread * stream.generator().standard_normal()))


@dataclass(frozen=True)
class Shading:
    """
    Says a fixed share of the true value.

    Parameters
    ----------
    share
        Between 0 and 1.
    """

    share: float = 0.8

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise InputError(f"Received share = {self.share}; expected between 0 and 1.")

    def __call__(self, query: Query, value: float, num_answered: int) -> float | None:
        return self.share * value


@dataclass(frozen=True)
class Ranging:
    """
    Says a range that has the true value somewhere, and the value itself when asked to narrow it.

    Parameters
    ----------
    width
        Of the range, as a share of the true value.
    seed
        Of where in its range each value lies.
    """

    width: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.width <= 1:
            raise InputError(f"Received width = {self.width}; expected between 0 and 1.")

    def __call__(
        self, query: Query, value: float, num_answered: int
    ) -> float | tuple[float, float] | None:
        if query.reason.source == "narrow":
            return value
        stream = Seeds(self.seed).child("range", query.bidder, *query.bundle.tolist())
        below = float(stream.generator().random()) * self.width * value
        return value - below, value - below + self.width * value


@dataclass(frozen=True)
class DroppingOut:
    """
    Answers truthfully for a while, then declines everything.

    Parameters
    ----------
    after
        Answers given before dropping out.
    """

    after: int = 50

    def __call__(self, query: Query, value: float, num_answered: int) -> float | None:
        return value if num_answered < self.after else None
