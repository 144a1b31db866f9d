"""Random streams that are named for their purpose, so that order and parallelism do not matter."""

import hashlib
from dataclasses import dataclass

import numpy as np


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

    def __post_init__(self):
        # repr tells numpy's 2 from Python's 2, which must name the same stream.
        plain = tuple(str(p) if isinstance(p, str) else int(p) for p in self.path)
        object.__setattr__(self, "seed", int(self.seed))
        object.__setattr__(self, "path", plain)

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
