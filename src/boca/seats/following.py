"""Prices that follow demand, with a step per course."""

from dataclasses import dataclass

import numpy as np

from boca.seats.demand import Demand, NearDemand
from boca.seats.offer import error_of

# The step of a course starts at FIRST_STEP, shrinks where demand crosses the seats and grows where
# it does not. A tenth of the seats too many moves the price by most of the step.
FIRST_STEP = 0.075
SHRINK, GROW = 0.5, 1.2
LEAST_STEP, LARGEST_STEP = 1e-5, 0.2
SCALE = 0.1
# Rounds in which prices usually move far.
FIRST_ROUNDS = 40
# Above any budget nobody buys, so prices need not go further.
HIGHEST_PRICE = 1.2


@dataclass(frozen=True, eq=False)
class Point:
    """
    Prices, what everybody chooses at them, and the clearing error.

    ``budgets`` are those at which the choices are made.
    """

    error: float
    prices: np.ndarray
    choice: np.ndarray
    budgets: np.ndarray


def follow_demand(
    demand: Demand, start: np.ndarray, num_rounds: int, first_step: float = FIRST_STEP
) -> Point:
    """
    The best point on a way on which prices rise where seats are short and fall where they are left.

    Parameters
    ----------
    demand
        Students' choices.
    start
        First prices ``(num_classes, num_courses)``.
    num_rounds
        How often prices are changed. Positive.
    first_step
        Largest change of a price in the first round.
    """
    prices = demand.offer.settled(start)
    steps = np.full(prices.shape, first_step)
    before = np.zeros(prices.shape)
    scale = np.maximum(SCALE * demand.offer.seats, 1)
    best: Point | None = None
    near: NearDemand | None = None
    for number in range(num_rounds):
        # Prices move far at first; later what matters near them is worth finding.
        if number >= FIRST_ROUNDS and not (near and near.reaches(prices)):
            near = demand.near(prices)
        choice = near.choose(prices) if near else demand.choose(prices)
        totals = demand.totals(choice)
        excess = demand.offer.excess(totals, prices)
        error = error_of(excess)
        if best is None or error < best.error:
            best = Point(error, prices, choice, demand.budgets)
        if error == 0:
            break
        push = demand.offer.push(excess, totals, prices)
        turned = np.sign(push) * np.sign(before)
        factor = np.where(turned < 0, SHRINK, np.where(turned > 0, GROW, 1.0))
        steps = np.clip(steps * factor, LEAST_STEP, LARGEST_STEP)
        moved = prices + steps * np.tanh(push / scale)
        prices = demand.offer.settled(np.minimum(moved, HIGHEST_PRICE))
        before = push
    assert best is not None
    return best
