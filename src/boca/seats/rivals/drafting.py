"""The draft: students pick one course at a time, there and back through the order."""

from collections.abc import Sequence

import numpy as np

from boca.seats.wish import Wish


def draft(wishes: Sequence[Wish], seats: np.ndarray, order: np.ndarray) -> list[np.ndarray]:
    """
    Everybody's courses if each turn brings the free course that adds most; all are sincere.

    Parameters
    ----------
    wishes
        What students may hold and like.
    seats
        ``(num_courses,)``.
    order
        Students, the first picker first; every second turn goes back.
    """
    left = np.array(seats)
    picked: list[list[int]] = [[] for _ in wishes]  # places
    for turn in range(max(wish.most for wish in wishes)):
        for i in order.tolist()[:: 1 if turn % 2 == 0 else -1]:
            wish = wishes[i]
            if len(picked[i]) < turn:
                continue  # nothing was worth taking in an earlier turn
            place = _best_addition(wish, picked[i], left[wish.courses] > 0)
            if place is not None:
                picked[i].append(place)
                left[wish.courses[place]] -= 1
    return [wish.courses[places] for wish, places in zip(wishes, picked, strict=True)]


def _best_addition(wish: Wish, has: list[int], is_free: np.ndarray) -> int | None:
    """The course that raises a student's utility most; None if none does."""
    places = np.setdiff1d(np.flatnonzero(is_free), has)
    if not len(places):
        return None
    rows = np.column_stack([np.tile(has, (len(places), 1)), places]).astype(np.int64)
    gains = wish.values(rows) - wish.values(np.array([[*has, wish.num]]))
    gains[~wish.allows(rows)] = -np.inf
    best = int(gains.argmax())
    return int(places[best]) if gains[best] > 0 else None
