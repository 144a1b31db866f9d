"""Random streams that are named for their purpose, so that order and parallelism do not matter."""

import hashlib
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.core.frozen import set_fields
from boca.core.wording import shortened

# More instances than anybody runs, few enough to be listed at once.
MOST_SEEDS = 100_000


@dataclass(frozen=True)
class Seeds:
    """
    A place in a tree of random streams.

    ``Seeds(7).child("round", 3, "fit", 2)`` is the same stream wherever and whenever it is asked
    for, and unrelated to every other one. Zero is a seed like any other.

    Parameters
    ----------
    seed
        The integer that a user gives.
    path
        The purposes from the root to here.
    """

    seed: int
    path: tuple[str | int, ...] = ()

    def __post_init__(self) -> None:
        # repr tells numpy's 2 from Python's 2, which must name the same stream.
        plain = tuple(str(p) if isinstance(p, str) else int(p) for p in self.path)
        if isinstance(self.seed, bool | np.bool_) or not isinstance(self.seed, Integral):
            raise InputError(f"Received the seed {self.seed!r}; expected a whole number.")
        set_fields(self, seed=int(self.seed), path=plain)

    @property
    def root(self) -> "Seeds":
        """The place where the tree starts."""
        return Seeds(self.seed)

    def child(self, *purpose: str | int) -> "Seeds":
        """The stream for a purpose below this one."""
        return Seeds(self.seed, self.path + purpose)

    def integer(self, bits: int = 63) -> int:
        """A non-negative integer below ``2 ** bits`` (at most 256), for libraries that want one."""
        text = repr((self.seed, self.path))
        digest = hashlib.sha256(text.encode()).digest()
        return int.from_bytes(digest, "big") >> (256 - bits)

    def generator(self) -> np.random.Generator:
        """A numpy generator at the start of this stream."""
        return np.random.default_rng(self.integer(128))


def as_seed(seed: Any) -> int:
    """Checks that a seed is a signed 64-bit integer; zero and negative ones are fine."""
    try:
        if isinstance(seed, bool | np.bool_):
            raise TypeError
        number = operator.index(seed)
    except TypeError:
        raise InputError(
            f"Received the seed {shortened(repr(seed))}; expected a whole number, such as 10001."
        ) from None
    if not -(2**63) <= number < 2**63:
        received = number if number.bit_length() < 200 else f"of {number.bit_length()} bits"
        raise InputError(f"Received the seed {received}; expected one from -2^63 to 2^63 - 1.")
    return number


def parse_seeds(text_or_list: Any) -> tuple[int, ...]:
    """
    Seeds from a number, a list of numbers and texts, or a text such as ``10001-10003, 10007``.

    Each seed is kept once, in the order of its first mention. More than 100,000 are refused.
    """
    seeds: dict[int, None] = {}
    for part in _parts(text_or_list):
        if not isinstance(part, str):
            seeds[as_seed(part)] = None
            continue
        first, last = _range_of(part)
        if last - first >= MOST_SEEDS - len(seeds):
            raise InputError(
                f"Received the seeds '{shortened(part)}', which makes more than {MOST_SEEDS:,}, "
                "the most there may be. Take a smaller range."
            )
        seeds.update(dict.fromkeys(range(first, last + 1)))
    return tuple(seeds)


def format_seeds(seeds: Sequence[int]) -> str:
    """The inverse of :func:`parse_seeds`, with ranges where seeds follow each other."""
    parts: list[list[int]] = []
    for seed in seeds:
        if parts and seed >= 0 and parts[-1][-1] == seed - 1:
            parts[-1] = [parts[-1][0], seed]
        else:
            parts.append([seed])
    return ", ".join("-".join(map(str, part)) for part in parts)


def _parts(text_or_list: Any) -> list[Any]:
    """The single numbers and ranges that were received, texts split at their commas."""
    entries = text_or_list if isinstance(text_or_list, list | tuple) else [text_or_list]
    if len(entries) > MOST_SEEDS:
        raise InputError(
            f"Received a list of {len(entries):,} seeds; expected at most {MOST_SEEDS:,}."
        )
    parts: list[Any] = []
    for entry in entries:
        parts += entry.split(",") if isinstance(entry, str) else [entry]
    return parts


def _range_of(text: str) -> tuple[int, int]:
    """First and last seed of ``7`` or ``3-9``."""
    # Nineteen digits are enough for 2^63, and Python refuses to read thousands of them.
    match = re.fullmatch(r"(-?[0-9]{1,19})(?:\s*-\s*(-?[0-9]{1,19}))?", text.strip())
    if match is None:
        raise InputError(
            f"Received the seeds '{shortened(text.strip())}'; expected numbers and ranges, "
            "such as 10001-10003, 10007."
        )
    first, last = as_seed(int(match[1])), as_seed(int(match[2] or match[1]))
    if last < first:
        raise InputError(
            f"The range of seeds '{text.strip()}' is empty; write the smaller number first."
        )
    return first, last
