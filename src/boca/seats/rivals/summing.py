"""The largest sum of utilities, over everybody's best schedules."""

from collections.abc import Sequence

import numpy as np

from boca.core.errors import SolverError
from boca.milp import MilpParams, Model, solve
from boca.seats.listing import best_schedules
from boca.seats.rankings import in_parallel
from boca.seats.rivals.turns import serial_dictatorship
from boca.seats.wish import Wish

# Schedules per student in the program, and the share of the optimum that may be missing.
DEPTH = 300
GAP = 5e-3


def largest_sum(wishes: Sequence[Wish], seats: np.ndarray, order: np.ndarray) -> list[np.ndarray]:
    """
    Everybody's courses with the largest sum of utilities.

    Parameters
    ----------
    wishes
        What students may hold and like.
    seats
        ``(num_courses,)``.
    order
        Not used: nobody is before anybody.
    """
    listings = in_parallel(lambda wish: best_schedules(wish, DEPTH), wishes)
    model = Model()
    options: list[tuple[int, np.ndarray]] = []
    users: list[list[int]] = [[] for _ in seats]
    for i, (wish, listing) in enumerate(zip(wishes, listings, strict=True)):
        gains = listing.utilities[:DEPTH] - listing.nothing
        if not len(gains):
            continue
        variables = model.add_variables(len(gains), 0, 1, integer=True, cost=gains)
        model.add_row(variables, 1.0, upper=1)
        for variable, places in zip(variables, listing.members, strict=False):
            courses = wish.courses[places[places < wish.num]]
            options.append((i, courses))
            for course in courses:
                users[course].append(int(variable))
    schedules: list[np.ndarray] = [np.zeros(0, dtype=np.int64)] * len(wishes)
    if not options:
        return schedules
    for course, columns in enumerate(users):
        if columns:
            model.add_row(columns, 1.0, upper=float(seats[course]))
    result = solve(model, MilpParams(gap=GAP))
    if result.x is None:
        raise SolverError("No assignment with the largest sum of utilities was found.")
    left = np.array(seats)
    for number in np.flatnonzero(result.x > 0.5):
        student, courses = options[number]
        schedules[student] = courses
        left[courses] -= 1
    # Who finds none of its best schedules in the program takes the best of what is left.
    empty = np.array([i for i, courses in enumerate(schedules) if not len(courses)], dtype=int)
    rest = serial_dictatorship([wishes[i] for i in empty], left, np.arange(len(empty)))
    for student, courses in zip(empty, rest, strict=True):
        schedules[student] = courses
    return schedules
