"""Seats and what they cost: open ones, and those that are reserved for groups."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Offer:
    """
    Seats by course, open or reserved, and the class of every student.

    Class 0 is everybody whom no seat is reserved for; every other class is a group. Prices are a
    matrix ``(num_classes, num_courses)``: row 0 is the price of open seats, row g what a member of
    group g pays. A member takes the cheaper one of a reserved and an open seat, so row g is at most
    row 0, and where a course reserves nothing for g both are the same.

    Parameters
    ----------
    seats
        ``(num_classes, num_courses)``: open seats in row 0, those reserved for g in row g.
    classes
        Class of every student ``(num_students,)``.
    """

    seats: np.ndarray
    classes: np.ndarray

    @property
    def num_classes(self) -> int:
        return len(self.seats)

    @property
    def num_courses(self) -> int:
        return int(self.seats.shape[1])

    def settled(self, prices: np.ndarray) -> np.ndarray:
        """The prices that are meant: none below 0, none for members above the open one."""
        prices = np.maximum(prices, 0.0)
        for group in range(1, self.num_classes):
            lower = np.minimum(prices[group], prices[0])
            prices[group] = np.where(self.seats[group] > 0, lower, prices[0])
        return prices

    def totals(self, schedules: np.ndarray, students: np.ndarray | None = None) -> np.ndarray:
        """Students of each class in each course, from padded schedules."""
        classes = self.classes if students is None else self.classes[students]
        width = self.num_courses + 1
        keys = schedules.astype(np.int64) + classes[:, None] * width
        counts = np.bincount(keys.ravel(), minlength=self.num_classes * width)
        return counts.reshape(self.num_classes, width)[:, : self.num_courses]

    def overflow(self, totals: np.ndarray, prices: np.ndarray) -> np.ndarray:
        """Members who take open seats, since those cost no more ``(num_classes, num_courses)``."""
        is_tied = (prices >= prices[0]) & (totals > self.seats)
        over = np.where(is_tied, totals - self.seats, 0)
        over[0] = 0
        return over

    def excess(self, totals: np.ndarray, prices: np.ndarray) -> np.ndarray:
        """
        By how much each kind of seat is oversold, below 0 if undersold.

        Empty seats that cost nothing are in order and count as 0.
        """
        if self.num_classes == 1:
            over = totals - self.seats
        else:
            moved = self.overflow(totals, prices)
            over = totals - self.seats - moved
            over[0] += moved.sum(axis=0)
            # Members without reserved seats are in `moved` with all of their demand.
        excess: np.ndarray = np.where(prices > 0, over, np.maximum(over, 0))
        return excess

    def push(self, excess: np.ndarray, totals: np.ndarray, prices: np.ndarray) -> np.ndarray:
        """Where prices should go: as excess, and with the open price where members overflow."""
        if self.num_classes == 1:
            return excess
        pushed = np.where(self.overflow(totals, prices) > 0, excess[0], excess)
        pushed[0] = excess[0]
        return pushed


def error_of(excess: np.ndarray) -> float:
    """The clearing error: Euclidean norm of the excess."""
    return float(np.sqrt((excess.astype(float) ** 2).sum()))
