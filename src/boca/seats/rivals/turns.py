"""Serial dictatorship: one student after the other takes the best schedule that is left."""

from collections.abc import Sequence

import numpy as np

from boca.seats.listing import best_schedules
from boca.seats.wish import Wish

# A course without seats costs more than anybody has.
TOO_MUCH = 2.0


def serial_dictatorship(
    wishes: Sequence[Wish], seats: np.ndarray, order: np.ndarray
) -> list[np.ndarray]:
    """
    Everybody's courses if students take their best remaining schedule in turn.

    Parameters
    ----------
    wishes
        What students may hold and like.
    seats
        ``(num_courses,)``.
    order
        Students, the first chooser first.
    """
    left = np.array(seats)
    schedules: list[np.ndarray] = [np.zeros(0, dtype=np.int64)] * len(wishes)
    for i in order.tolist():
        wish = wishes[i]
        prices = np.where(left[wish.courses] > 0, 0.0, TOO_MUCH)
        best = best_schedules(wish, 1, prices, 1.0)
        if len(best.utilities):
            places = best.members[0]
            schedules[i] = wish.courses[places[places < wish.num]]
            left[schedules[i]] -= 1
    return schedules
