"""Which of two bundles a bidder would rather have: the question, the answer, all answers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from boca.core.bundle import as_counts, bundle_key
from boca.core.errors import InputError
from boca.core.frozen import read_only, set_fields
from boca.core.query import Reason

# "The first", "the second", "about the same".
Answer = Literal["first", "second", "same"]
ANSWERS: tuple[Answer, ...] = get_args(Answer)


@dataclass(frozen=True, eq=False)
class ComparisonQuery:
    """
    "Which of these two bundles would you rather have?"

    Parameters
    ----------
    bidder
        Index of the bidder who is asked.
    first, second
        Two different bundles ``(num_goods,)``; read-only.
    reason
        Why it is asked.
    """

    bidder: int
    first: np.ndarray
    second: np.ndarray
    reason: Reason

    def __post_init__(self) -> None:
        set_fields(self, **_two_bundles(self.first, self.second))

    def answered(self, answer: Answer) -> "Comparison":
        """What is known once the bidder has answered."""
        return Comparison(self.first, self.second, answer)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ComparisonQuery)
            and (self.bidder, self.reason) == (other.bidder, other.reason)
            and np.array_equal(self.first, other.first)
            and np.array_equal(self.second, other.second)
        )

    def __hash__(self) -> int:
        return hash((self.bidder, self.first.tobytes(), self.second.tobytes()))

    def to_dict(self) -> dict[str, Any]:
        """The question as plain values, for JSON."""
        return {
            "bidder": self.bidder,
            "first": self.first.tolist(),
            "second": self.second.tolist(),
            "reason": self.reason.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "ComparisonQuery":
        """The inverse of :meth:`to_dict`."""
        return cls(data["bidder"], data["first"], data["second"], Reason(**data["reason"]))


@dataclass(frozen=True, eq=False)
class Comparison:
    """
    One answer.

    Parameters
    ----------
    first, second
        The two bundles ``(num_goods,)``; read-only.
    answer
        Which one the bidder would rather have, or ``same`` if it hardly cares.
    """

    first: np.ndarray
    second: np.ndarray
    answer: Answer

    def __post_init__(self) -> None:
        set_fields(self, **_two_bundles(self.first, self.second))
        if self.answer not in ANSWERS:
            raise InputError(
                f"Received the answer {self.answer!r:.40}; expected {', '.join(ANSWERS[:-1])} "
                f"or {ANSWERS[-1]}."
            )

    @property
    def pair(self) -> frozenset[bytes]:
        """A hashable name of the two bundles, in either order."""
        return frozenset((bundle_key(self.first), bundle_key(self.second)))

    @property
    def better_first(self) -> tuple[np.ndarray, np.ndarray]:
        """The two bundles, the one that the bidder would rather have first."""
        both = (self.first, self.second)
        return both[::-1] if self.answer == "second" else both

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Comparison)
            and self.answer == other.answer
            and np.array_equal(self.first, other.first)
            and np.array_equal(self.second, other.second)
        )

    def __hash__(self) -> int:
        return hash((self.pair, self.answer))

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain values, for JSON."""
        return {
            "first": self.first.tolist(),
            "second": self.second.tolist(),
            "answer": self.answer,
        }


@dataclass(frozen=True)
class Comparisons:
    """
    All answers of one bidder, in the order they were given. Immutable.

    Answers may contradict each other: people do.

    Parameters
    ----------
    given
        The answers; all bundles are of the same market.
    """

    given: tuple[Comparison, ...] = ()

    def __post_init__(self) -> None:
        set_fields(self, given=tuple(self.given))
        sizes = {len(comparison.first) for comparison in self.given}
        if len(sizes) > 1:
            raise InputError(
                f"Received comparisons of bundles of {sorted(sizes)} goods; expected bundles of "
                "one market."
            )

    def __len__(self) -> int:
        return len(self.given)

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.given)

    def add(self, comparison: Comparison) -> "Comparisons":
        """These answers and one more."""
        return Comparisons((*self.given, comparison))

    def correct(self, number: int, answer: Answer) -> "Comparisons":
        """These answers with another one in place of that with a number, counted from 0."""
        if not 0 <= number < len(self):
            raise InputError(
                f"Received a correction of answer {number}; expected one of the {len(self)} "
                "answers, counted from 0."
            )
        old = self.given[number]
        new = Comparison(old.first, old.second, answer)
        return Comparisons((*self.given[:number], new, *self.given[number + 1 :]))

    def was_asked(self, first: np.ndarray, second: np.ndarray) -> bool:
        """Whether these two bundles were compared, in either order."""
        return frozenset((bundle_key(first), bundle_key(second))) in {c.pair for c in self.given}

    def to_list(self) -> list[dict[str, Any]]:
        """The answers as plain values, for JSON."""
        return [comparison.to_dict() for comparison in self.given]

    @classmethod
    def from_list(cls, data: list[dict[str, Any]]) -> "Comparisons":
        """The inverse of :meth:`to_list`."""
        return cls(tuple(Comparison(**entry) for entry in data))


def _two_bundles(first: Any, second: Any) -> dict[str, np.ndarray]:
    rows = [read_only(as_counts(bundle, "a bundle")) for bundle in (first, second)]
    if rows[0].ndim != 1 or rows[0].shape != rows[1].shape:
        raise InputError(
            f"Received bundles of shapes {rows[0].shape} and {rows[1].shape} to compare; expected "
            "one count per good in each."
        )
    if min(row.min(initial=0) for row in rows) < 0:
        raise InputError("Received a comparison with a negative count; expected at least 0.")
    if np.array_equal(rows[0], rows[1]):
        raise InputError("Received a comparison of a bundle with itself; expected two bundles.")
    return {"first": rows[0], "second": rows[1]}
