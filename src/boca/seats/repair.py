"""Course Match's second and third stage: nobody without a chair, then no chair without need."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boca.seats.demand import Demand
from boca.seats.following import Point
from boca.seats.listing import EQUAL, best_schedules
from boca.seats.rankings import widened
from boca.seats.search import grown, uncertain_and_wrong
from boca.seats.tabu import BEYOND
from boca.seats.wish import Wish

# Students may spend a tenth more in the last stage (Course Match, section 4).
EXTRA = 0.1
# What a seat that is taken costs somebody who looks for free ones with nothing to spend.
NEVER, NOTHING = 1.0, np.zeros(1)


def end_oversubscription(
    demand: Demand, wishes: Sequence[Wish], prices: np.ndarray
) -> tuple[Demand, Point]:
    """
    Raises one price at a time, so far that as many students drop the course as are too many.

    Prices only rise and nobody buys above its budget, so this ends. Returns the demand, whose
    rankings may have grown.

    Parameters
    ----------
    demand
        Students' choices. The seats of its offer are the hard limits.
    wishes
        What they may hold and like.
    prices
        Where to begin ``(num_classes, num_courses)``.
    """
    offer = demand.offer
    prices = offer.settled(prices)
    while True:
        choice = demand.choose(prices)
        totals = demand.totals(choice)
        over = offer.excess(totals, prices)
        group, course = np.unravel_index(int(over.argmax()), over.shape)
        if over[group, course] <= 0:
            point = Point(0.0, prices, choice, demand.budgets)
            missing = uncertain_and_wrong(demand, wishes, point)
            if not len(missing):
                return demand, point
            demand = grown(demand, wishes, missing, prices)
            continue
        schedules = demand.rankings.schedules(choice)
        overflows = offer.overflow(totals, prices)[:, course] > 0
        rows = [int(group)] if group else [0, *np.flatnonzero(overflows).tolist()]
        slack = demand.budgets - demand.costs(prices, choice)
        holds = (schedules == course).any(axis=1) & np.isin(offer.classes, rows)
        room = np.sort(slack[holds])
        step = max(float(room[over[group, course] - 1]), 0.0) + BEYOND
        moved = prices.copy()
        moved[rows, course] += step
        prices = offer.settled(moved)


def fill_seats(
    demand: Demand, point: Point, hard: np.ndarray, order: np.ndarray, extra: float = EXTRA
) -> np.ndarray:
    """
    In turn, everybody may move to a better schedule of free seats that costs a tenth more at most.

    Returns everybody's choice once nobody moves any more.

    Parameters
    ----------
    demand
        Students' choices.
    point
        Where stage two ended: nothing is oversold.
    hard
        Seats that may not be exceeded ``(num_classes, num_courses)``.
    order
        Students in the order in which they are asked.
    extra
        By which share of the budget a student may exceed it.
    """
    offer = demand.offer
    choice = point.choice.copy()
    totals = demand.totals(choice)
    members = demand.rankings.members
    moved = True
    while moved:
        moved = False
        for i in order.tolist():
            own = int(choice[i])
            if own == 0:
                continue
            group = int(offer.classes[i])
            totals[group] -= _counts(members[i, own], offer.num_courses)
            free = _has_room(totals, hard, group)
            costs = demand.block_costs(point.prices, np.array([i]), 0, own)[0]
            fits = np.append(free, True)[members[i, :own]].all(axis=1)
            fits &= costs <= demand.budgets[i] * (1 + extra)
            fits &= demand.rankings.utilities[i, :own] > demand.rankings.utilities[i, own]
            if fits.any():
                choice[i] = int(fits.argmax())
                moved = True
            totals[group] += _counts(members[i, choice[i]], offer.num_courses)
    return choice


def end_wants(
    demand: Demand, wishes: Sequence[Wish], point: Point, order: np.ndarray
) -> tuple[Demand, Point]:
    """
    Free seats for whoever wants them, at any price, until nobody would rather have some.

    All schedules are looked at, whether they are listed or not. Returns the demand, whose rankings
    may have grown, and everybody's choice. What is given is never taken back, so this ends.

    Parameters
    ----------
    demand
        Students' choices. The seats of its offer may not be exceeded.
    wishes
        What they may hold and like.
    point
        Where stage three ended.
    order
        Students in the order in which they are asked.
    """
    moved = True
    while moved:
        moved = False
        for i in order.tolist():
            demand, point = _with_wanted(demand, wishes, point, i)
            choice = fill_seats(demand, point, demand.offer.seats, np.array([i]), np.inf)
            moved |= bool(choice[i] != point.choice[i])
            point = replace(point, choice=choice)
    return demand, point


def _with_wanted(
    demand: Demand, wishes: Sequence[Wish], point: Point, i: int
) -> tuple[Demand, Point]:
    """With the best schedules of free seats in a student's ranking, if it would rather have one."""
    offer, rankings = demand.offer, demand.rankings
    if point.choice[i] < rankings.certain[i]:
        return demand, point  # everything better is listed
    schedule = rankings.members[i, point.choice[i]]
    totals = demand.totals(point.choice)
    group = int(offer.classes[i])
    totals[group] -= _counts(schedule, offer.num_courses)
    free = _has_room(totals, offer.seats, group)
    prices = np.where(free, 0.0, NEVER)
    own = float(rankings.utilities[i, point.choice[i]])
    best = best_schedules(wishes[i], 1, prices[wishes[i].courses], 0.0)
    if not len(best.utilities) or best.utilities[0] <= own + 2 * EQUAL * max(1.0, abs(own)):
        return demand, point
    longer = widened(rankings, wishes, np.array([i]), prices[None], NOTHING)
    width = longer.members.shape[2]
    own_row = np.full(width, offer.num_courses)
    own_row[: len(schedule)] = schedule
    is_own = (np.sort(longer.members[i], axis=1) == np.sort(own_row)).all(axis=1)
    choice = point.choice.copy()
    choice[i] = int(is_own.argmax())
    return replace(demand, rankings=longer), replace(point, choice=choice)


def _counts(schedule: np.ndarray, num_courses: int) -> np.ndarray:
    return np.bincount(schedule, minlength=num_courses + 1)[:num_courses]


def _has_room(totals: np.ndarray, hard: np.ndarray, group: int) -> np.ndarray:
    """In which courses one more member of a group finds a seat, reserved or open."""
    beyond = np.maximum(totals[1:] - hard[1:], 0).sum(axis=0)
    is_open = totals[0] + beyond < hard[0]
    own: np.ndarray = (totals[group] < hard[group]) | is_open if group else is_open
    return own
