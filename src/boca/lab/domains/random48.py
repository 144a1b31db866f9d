"""The 48-bit generator from which the spectrum value models draw, so that seeds mean the same."""

from typing import TypeVar

import numpy as np

from boca.core.randomness import as_seed

Entry = TypeVar("Entry")

MULTIPLIER = 0x5DEECE66D
INCREMENT = 0xB
MASK = 2**48 - 1


def signed(number: int, bits: int) -> int:
    """The lowest ``bits`` bits of a number, read in two's complement."""
    number &= 2**bits - 1
    return number - 2**bits if number >> (bits - 1) else number


class Random48:
    """
    The linear congruential generator known from ``java.util.Random``.

    Parameters
    ----------
    seed
        Any signed 64-bit integer.
    """

    def __init__(self, seed: int):
        self._state = (as_seed(seed) ^ MULTIPLIER) & MASK

    def bits(self, count: int) -> int:
        """The next ``count`` bits, at most 32, as a non-negative number."""
        self._state = (self._state * MULTIPLIER + INCREMENT) & MASK
        return self._state >> (48 - count)

    def next_long(self) -> int:
        """A signed 64-bit integer; both halves are signed, so the lower one may borrow."""
        high = signed(self.bits(32), 32)
        low = signed(self.bits(32), 32)
        return signed(high * 2**32 + low, 64)

    def next_double(self) -> float:
        """A double from [0, 1)."""
        high = self.bits(26)
        return (high * 2**27 + self.bits(27)) * 2.0**-53

    def next_doubles(self, count: int) -> np.ndarray:
        """The same doubles as ``count`` calls of :meth:`next_double`, in one array."""
        states = self._next_states(2 * count).reshape(count, 2)
        high, low = states[:, 0] >> np.uint64(22), states[:, 1] >> np.uint64(21)
        return (high * np.uint64(2**27) + low) * 2.0**-53

    def next_int(self, bound: int) -> int:
        """An integer from {0, ..., bound - 1}; takes a step even if there is only one."""
        if bound & (bound - 1) == 0:
            return (bound * self.bits(31)) >> 31
        while True:
            number = self.bits(31)
            rest = number % bound
            if number - rest + (bound - 1) < 2**31:
                return rest

    def uniform(self, low: float, high: float) -> float:
        """A double from [low, high)."""
        return self.next_double() * (high - low) + low

    def shuffle(self, entries: list[Entry]) -> list[Entry]:
        """A shuffled copy of a list."""
        shuffled = list(entries)
        for size in range(len(shuffled), 1, -1):
            other = self.next_int(size)
            shuffled[size - 1], shuffled[other] = shuffled[other], shuffled[size - 1]
        return shuffled

    def child(self) -> "Random48":
        """A generator of its own, seeded by this one."""
        return Random48(self.next_long())

    def _next_states(self, count: int) -> np.ndarray:
        """The next states in one array, by jumping ahead: k steps are one affine map mod 2^48."""
        if count == 0:
            return np.zeros(0, dtype=np.uint64)

        multiplier, increment = MULTIPLIER, INCREMENT
        self.bits(0)
        states = np.array([self._state], dtype=np.uint64)
        while len(states) < count:
            # uint64 wraps mod 2^64, a multiple of 2^48, so masking afterwards is exact.
            ahead = states * np.uint64(multiplier) + np.uint64(increment)
            states = np.concatenate([states, ahead & np.uint64(MASK)])
            increment = (multiplier * increment + increment) & MASK
            multiplier = (multiplier * multiplier) & MASK
        states = states[:count]
        self._state = int(states[-1])
        return states
