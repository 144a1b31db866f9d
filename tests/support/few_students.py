"""Demand of a few students with ratings, each of whom takes one course unless limits say else."""

import numpy as np

from boca.core import Bidder, Good, Limit, Market
from boca.functions import AdjustedSum
from boca.seats.demand import Demand
from boca.seats.offer import Offer
from boca.seats.rankings import rank
from boca.seats.rules import SeatRules
from boca.seats.wish import Wish, wishes


def few_students(
    ratings, budgets, seats, classes=None, sizes=None, most=1.0, num_ranked=20
) -> tuple[Demand, list[Wish]]:
    """
    Demand and wishes.

    Parameters
    ----------
    ratings
        ``(num_students, num_courses)``.
    budgets
        ``(num_students,)``.
    seats
        Per course, or ``(num_classes, num_courses)``.
    classes
        Class of every student; all 0 if None.
    sizes, most
        A schedule's courses must not have more than ``most`` as the sum of their sizes, 1 each.
    num_ranked
        Schedules that are listed for each.
    """
    seats = np.atleast_2d(seats)
    num, num_courses = len(ratings), seats.shape[1]
    limits = (Limit(tuple(sizes or [1.0] * num_courses), most, "size"),)
    market = Market(
        tuple(Good(f"course {j}", int(count)) for j, count in enumerate(seats.sum(axis=0))),
        tuple(Bidder(f"student {i}", "", limits) for i in range(num)),
    )
    everything = [np.ones(num_courses, dtype=bool)] * num
    orders = [np.arange(num_courses)] * num
    utilities = [AdjustedSum(row) for row in ratings]
    asked = wishes(market, utilities, SeatRules(), orders, everything)
    offer = Offer(seats, np.array(classes or [0] * num))
    demand = Demand(rank(asked, num_ranked, num_courses), offer, np.array(budgets, dtype=float))
    return demand, asked
