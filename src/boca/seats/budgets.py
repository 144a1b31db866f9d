"""Budgets moved a little so that demand meets the seats: a small program over few options."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from boca.milp import MilpParams, Model, solve
from boca.seats.demand import Demand
from boca.seats.envy import envied
from boca.seats.following import Point
from boca.seats.listing import SLACK
from boca.seats.offer import error_of
from boca.seats.wish import Wish

# A budget moved down ends so far below the price of what is no longer bought, which is more than
# the tolerance of a solver that checks it.
BELOW = 1e-5
# Weight of moving a budget by all it may be moved, against one seat too many or empty: n students
# together must not outweigh a seat, and ties between options should go to the smaller move.
MOVE = 1e-3
# Rounds of cuts against envy before the program is given up at these prices.
MOST_ROUNDS = 30


@dataclass(frozen=True, eq=False)
class BudgetOptions:
    """
    What students would choose with budgets nearby.

    Parameters
    ----------
    student, place
        Whose option, and its number in the ranking ``(num_options,)``.
    budget
        The nearest budget at which it is the student's choice.
    """

    student: np.ndarray
    place: np.ndarray
    budget: np.ndarray


def options_near(demand: Demand, prices: np.ndarray, spread: float) -> BudgetOptions:
    """All choices of all students at budgets within ``spread`` of theirs."""
    low = demand.choose(prices, budgets=demand.budgets - spread)
    high = demand.choose(prices, budgets=demand.budgets + spread)
    students: list[int] = []
    places: list[int] = []
    budgets: list[float] = []
    for i, (worst, best) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        budget = float(demand.budgets[i])
        if worst == best:
            stairs = [(worst, budget)]
        else:
            stairs = _stairs(demand, prices, i, best, worst, spread)
        for place, needed in stairs:
            students.append(i)
            places.append(place)
            budgets.append(needed)
    return BudgetOptions(np.array(students), np.array(places), np.array(budgets))


def _stairs(
    demand: Demand, prices: np.ndarray, student: int, best: int, worst: int, spread: float
) -> list[tuple[int, float]]:
    """One student's choices at budgets nearby, each with the budget that is nearest."""
    budget = float(demand.budgets[student])
    # From the best choice to the end of those as good as the worst one.
    end = int(demand.rankings.ends[student, worst])
    start = best
    ends = demand.rankings.ends[student, start:end]
    costs = demand.block_costs(prices, np.array([student]), start, end)[0]
    kept: list[tuple[int, float]] = []
    for number in np.flatnonzero(costs <= budget + spread + SLACK):
        cost = float(costs[number])
        if kept and cost >= kept[-1][1] - SLACK:
            continue
        if kept and ends[kept[-1][0]] > start + number:  # as good, and cheaper
            kept.pop()
        kept.append((int(number), cost))
    stairs: list[tuple[int, float]] = []
    ceiling = np.inf  # what the next better choice costs
    for place, cost in kept:
        nearest = max(min(max(budget, cost), ceiling - BELOW), budget - spread, cost)
        stairs.append((start + place, nearest))
        ceiling = cost
    return stairs


def move_budgets(
    demand: Demand,
    wishes: Sequence[Wish],
    prices: np.ndarray,
    spread: float,
    keep_order: bool,
    seconds_left: Callable[[], float | None],
) -> Point | None:
    """
    Choices at budgets within ``spread`` with the least clearing error; None if there is none.

    Parameters
    ----------
    demand
        Students' choices.
    wishes
        What they may hold and like, to see envy.
    prices
        ``(num_classes, num_courses)``; they stay.
    spread
        How far a budget may be moved.
    keep_order
        Whether nobody may envy a student of the same class with a smaller budget.
    seconds_left
        Until the time limit; None without one.
    """
    options = options_near(demand, prices, spread)
    cuts: list[np.ndarray] = []
    for _ in range(MOST_ROUNDS):
        taken = _solve(demand, prices, options, spread, cuts, seconds_left())
        if taken is None:
            return None
        choice, budgets = options.place[taken], options.budget[taken]
        new = _cuts(demand, wishes, prices, options, taken) if keep_order else []
        if not new:
            error = error_of(demand.excess(choice, prices))
            return Point(error, prices, choice, budgets)
        cuts += new
    return None


def _solve(
    demand: Demand,
    prices: np.ndarray,
    options: BudgetOptions,
    spread: float,
    cuts: list[np.ndarray],
    seconds: float | None,
) -> np.ndarray | None:
    """One option for everybody, with as few seats as possible oversold, or empty at a price."""
    offer = demand.offer
    away = np.abs(options.budget - demand.budgets[options.student]) / spread
    model = Model(maximise=False)
    takes = model.add_variables(len(options.student), 0, 1, integer=True, cost=MOVE * away)
    starts = np.searchsorted(options.student, np.arange(len(demand.budgets) + 1))
    for low, high in itertools.pairwise(starts):
        model.add_row(takes[low:high], 1.0, 1, 1)
    schedules = demand.rankings.members[options.student, options.place]
    classes = offer.classes[options.student]
    costs = (prices > 0).astype(float)
    shape = prices.shape
    over = model.add_variables(prices.size, cost=1.0).reshape(shape)
    under = model.add_variables(prices.size, cost=costs.ravel()).reshape(shape)
    is_one = prices >= prices[0]
    moved = model.add_variables(prices.size, upper=np.where(is_one, np.inf, 0.0).ravel()).reshape(
        shape
    )
    for course in range(offer.num_courses):
        with_course = (schedules == course).any(axis=1)
        for group in range(offer.num_classes):
            members = takes[with_course & (classes == group)]
            slots = [over[group, course], under[group, course]]
            signs = [-1.0, 1.0]
            if group:
                slots, signs = [*slots, moved[group, course]], [*signs, -1.0]
            else:
                slots = [*slots, *moved[1:, course]]
                signs = [*signs, *[1.0] * (offer.num_classes - 1)]
            seats = float(offer.seats[group, course])
            model.add_row(
                np.concatenate([members, slots]),
                np.concatenate([np.ones(len(members)), signs]),
                seats,
                seats,
            )
    for cut in cuts:
        model.add_row(takes[cut], 1.0, upper=1)
    result = solve(model, MilpParams(time_limit=seconds, gap=0.02))
    if result.x is None:
        return None
    return np.flatnonzero(result.x[takes] > 0.5)


def _cuts(
    demand: Demand,
    wishes: Sequence[Wish],
    prices: np.ndarray,
    options: BudgetOptions,
    taken: np.ndarray,
) -> list[np.ndarray]:
    """Options that must not be taken together, since one student would envy a smaller budget."""
    choice, budgets = options.place[taken], options.budget[taken]
    starts = np.searchsorted(options.student, np.arange(len(choice) + 1))
    cuts = []
    for i, j in order_breakers(demand, wishes, prices, choice, budgets):
        own = float(demand.rankings.utilities[i, choice[i]])
        others = np.arange(starts[j], starts[j + 1])
        rows = demand.rankings.members[j, options.place[others]]
        wanted = others[envied(wishes[i], own, rows)]
        cuts.append(np.append(taken[i], wanted))
    return cuts


def order_breakers(
    demand: Demand,
    wishes: Sequence[Wish],
    prices: np.ndarray,
    choice: np.ndarray,
    budgets: np.ndarray,
) -> list[tuple[int, int]]:
    """
    Pairs (i, j) where i envies j, is of the same class and had the larger budget at first.

    What i can afford it does not envy, so only schedules beyond its budget are looked at.
    """
    schedules = demand.rankings.schedules(choice)
    keys = schedules.astype(np.int64)
    pairs = []
    for group in range(demand.offer.num_classes):
        members = np.flatnonzero(demand.offer.classes == group)
        costs = np.append(prices[group], 0.0)[keys[members]].sum(axis=1)
        richer = demand.budgets[members][:, None] > demand.budgets[members][None]
        beyond = costs[None] > budgets[members][:, None] + SLACK
        for a in np.flatnonzero((richer & beyond).any(axis=1)):
            i = int(members[a])
            others = members[richer[a] & beyond[a]]
            own = float(demand.rankings.utilities[i, choice[i]])
            wanted = envied(wishes[i], own, schedules[others])
            pairs += [(i, int(j)) for j in others[wanted]]
    return pairs
