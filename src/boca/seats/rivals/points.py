"""Bidding points: everybody's ratings scaled to the same sum, seats to the highest bids."""

from collections.abc import Sequence

import numpy as np

from boca.seats.wish import Wish


def bidding_points(
    wishes: Sequence[Wish], seats: np.ndarray, order: np.ndarray
) -> list[np.ndarray]:
    """
    Everybody's courses if bids are what courses are worth by themselves, in shares of their sum.

    Parameters
    ----------
    wishes
        What students may hold and like.
    seats
        ``(num_courses,)``.
    order
        Students; the earlier one wins of equal bids.
    """
    bids = []
    turns = np.argsort(order)
    for i, wish in enumerate(wishes):
        if not wish.num:
            continue
        alone = wish.values(np.arange(wish.num)[:, None]) - wish.values(np.array([[wish.num]]))
        worth = np.maximum(alone, 0)
        total = float(worth.sum()) or 1.0
        bids += [(-w / total, int(turns[i]), i, k) for k, w in enumerate(worth) if w > 0]
    left = np.array(seats)
    picked: list[list[int]] = [[] for _ in wishes]
    for _, _, i, place in sorted(bids):
        wish = wishes[i]
        course = wish.courses[place]
        if left[course] > 0 and wish.allows(np.array([[*picked[i], place]]))[0]:
            picked[i].append(place)
            left[course] -= 1
    return [
        wish.courses[np.array(p, dtype=np.int64)] for wish, p in zip(wishes, picked, strict=True)
    ]
