"""Tabu search over demands: one price at a time, or all along the excess."""

from collections.abc import Callable, Iterator

import numpy as np

from boca.seats.demand import Demand, NearDemand
from boca.seats.following import HIGHEST_PRICE, Point
from boca.seats.offer import error_of

# Courses whose prices are tried, those with the largest excess.
NUM_TRIED = 8
# Points that are returned: the best one is not always the one where moving budgets helps.
NUM_RETURNED = 6
# Lengths of steps along the excess.
LENGTHS = (0.001, 0.004, 0.016)
# How far beyond the point where a student changes its mind a price goes. Less than the difference
# of neighbouring budgets for any number of students up to 40,000.
BEYOND = 1e-6
# Schedules of a ranking among which students are looked for who would take a course up.
DEPTH = 512


def tabu_search(
    demand: Demand, start: Point, patience: int, stop: Callable[[], bool]
) -> list[Point]:
    """
    Points on a way to the best neighbour whose demand is new, even if it is worse.

    Returns the few with the smallest errors, the best first.

    Parameters
    ----------
    demand
        Students' choices.
    start
        Where to begin.
    patience
        Steps without a smaller error before the search ends.
    stop
        Says whether time is over.
    """
    best = here = start
    visited = [start]
    totals = demand.totals(here.choice)
    seen = {totals.tobytes()}
    near = demand.near(here.prices)
    stale = 0
    while stale < patience and best.error > 0 and not stop():
        if not near.reaches(here.prices):
            near = demand.near(here.prices)
        neighbours: list[tuple[float, int, np.ndarray, np.ndarray, np.ndarray]] = []
        for prices, changed in _moves(demand, here, totals):
            choice = _choice(near, here, prices, changed)
            counts = demand.totals(choice)
            if counts.tobytes() in seen:
                continue
            error = error_of(demand.offer.excess(counts, prices))
            neighbours.append((error, len(neighbours), prices, choice, counts))
        if not neighbours:
            break
        error, _, prices, choice, totals = min(neighbours, key=lambda neighbour: neighbour[:2])
        here = Point(error, prices, choice, demand.budgets)
        visited.append(here)
        seen.add(totals.tobytes())
        if error < best.error:
            best, stale = here, 0
        else:
            stale += 1
    return sorted(visited, key=lambda point: point.error)[:NUM_RETURNED]


def _choice(
    demand: NearDemand, here: Point, prices: np.ndarray, holders: np.ndarray | None
) -> np.ndarray:
    """Everybody's choice; only holders can change their mind where one price rises."""
    if holders is None:
        return demand.choose(prices)
    choice = here.choice.copy()
    choice[holders] = demand.choose(prices, holders)
    return choice


def _moves(
    demand: Demand, here: Point, totals: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """Prices nearby, and who can change its mind; None for everybody."""
    prices, offer = here.prices, demand.offer
    excess = offer.excess(totals, prices)
    schedules = demand.rankings.schedules(here.choice)
    slack = here.budgets - demand.costs(prices, here.choice)
    is_one = prices >= prices[0]  # the price of members is that of open seats
    overflows = is_one & ((offer.overflow(totals, prices) > 0) | (offer.seats == 0))
    # Of equal excess the first course comes first; numpy's sort is stable.
    order = np.argsort(-np.abs(excess), axis=None, kind="stable")[:NUM_TRIED]
    for group, course in zip(*np.unravel_index(order, excess.shape), strict=True):
        over = int(excess[group, course])
        if over == 0:
            break
        # Who pays this price: members for whom the two prices are one count as well, those who
        # find reserved seats only where prices fall.
        together = [int(group)]
        if group == 0:
            together = np.flatnonzero((overflows if over > 0 else is_one)[:, course]).tolist()
            together = sorted({0, *together})
        if over > 0:
            holds = (schedules == course).any(axis=1) & np.isin(offer.classes, together)
            holders = np.flatnonzero(holds)
            room = np.sort(slack[holders])
            for count in {1, over}:
                if count <= len(room):
                    step = max(float(room[count - 1]), 0.0) + BEYOND
                    yield _changed(demand, prices, together, course, step), holders
        else:
            for step in _falls(demand, here, schedules, together, course, -over):
                yield _changed(demand, prices, together, course, -step), None
            yield _changed(demand, prices, together, course, -np.inf), None
    push = offer.push(excess, totals, prices)
    largest = max(1.0, float(np.abs(push).max()))
    for length in LENGTHS:
        yield offer.settled(prices + length * push / largest), None


def _changed(
    demand: Demand, prices: np.ndarray, rows: list[int], course: int, step: float
) -> np.ndarray:
    moved = prices.copy()
    moved[rows, course] = np.clip(moved[rows, course] + step, 0.0, HIGHEST_PRICE)
    return demand.offer.settled(moved)


def _falls(
    demand: Demand,
    here: Point,
    schedules: np.ndarray,
    rows: list[int],
    course: int,
    under: int,
) -> list[float]:
    """By how much a price falls for one student, or as many as are missing, to take a course up."""
    pays = np.isin(demand.offer.classes, rows)
    without = np.flatnonzero(~(schedules == course).any(axis=1) & (here.choice > 0) & pays)
    depth = int(min(here.choice[without].max(initial=0), DEPTH))
    if depth == 0:
        return []
    members = demand.rankings.members[without, :depth]
    better = (members == course).any(axis=2) & (np.arange(depth) < here.choice[without, None])
    rows_with, columns = np.nonzero(better)
    if not len(rows_with):
        return []
    owners = without[rows_with]
    keys = demand.keys(members[rows_with, columns], owners)
    gaps = demand.flat(here.prices)[keys].sum(axis=1) - here.budgets[owners]
    least = np.full(len(without), np.inf)
    np.minimum.at(least, rows_with, gaps)
    least = np.sort(least)
    counts = {1, under}
    return [
        max(float(least[count - 1]), 0.0) + BEYOND
        for count in counts
        if count <= len(least) and np.isfinite(least[count - 1])
    ]
