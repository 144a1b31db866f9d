"""
Prices, budgets and choices from one program, for markets so small that the search may miss them.

With a binary variable for every schedule of every student, it is linear that a chosen schedule is
within the budget, that every better one is beyond it, and that none as good is cheaper.
"""

from collections.abc import Callable, Sequence

import numpy as np

from boca.milp import MilpParams, Model, solve
from boca.seats.budgets import BELOW, order_breakers
from boca.seats.demand import Demand
from boca.seats.envy import envied
from boca.seats.following import HIGHEST_PRICE, Point
from boca.seats.listing import SLACK
from boca.seats.offer import error_of
from boca.seats.wish import Wish

# Schedules of all students together up to which the program is tried.
MOST_SCHEDULES = 1000
# So far within the budget is a schedule that is bought: more than the tolerance of the solver and
# than rounding prices to so many decimals.
WITHIN = 5e-6
GRID = 6
# Rounds of cuts against envy before the program is given up.
MOST_ROUNDS = 30


def is_small(demand: Demand) -> bool:
    """Whether every schedule is listed, there is one price list, and the program is of use."""
    rankings = demand.rankings
    is_all = bool((rankings.certain >= rankings.num_listed).all())
    few = int(rankings.num_listed.sum()) <= MOST_SCHEDULES
    return is_all and few and demand.offer.num_classes == 1


def clearing_program(
    demand: Demand,
    wishes: Sequence[Wish],
    spread: float,
    keep_order: bool,
    seconds_left: Callable[[], float | None],
) -> Point | None:
    """
    Prices that clear, with budgets within ``spread`` of the first ones; None if none were found.

    Parameters
    ----------
    demand
        Students' choices; :func:`is_small` must hold.
    wishes
        What they may hold and like, to see envy.
    spread
        How far a budget may be moved.
    keep_order
        Whether nobody may envy a student with a smaller budget.
    seconds_left
        Until the time limit; None without one.
    """
    program = _Program(demand, spread)
    for _ in range(MOST_ROUNDS):
        point = program.solve(seconds_left())
        if point is None or not keep_order:
            return point
        pairs = order_breakers(demand, wishes, point.prices, point.choice, point.budgets)
        if not pairs:
            return point
        for i, j in pairs:
            program.forbid(i, point.choice[i], j, wishes[i])
    return None


class _Program:
    def __init__(self, demand: Demand, spread: float):
        self.demand = demand
        rankings, offer = demand.rankings, demand.offer
        num, num_courses = rankings.num_students, offer.num_courses
        self.model = model = Model(maximise=False)
        self.prices = model.add_variables(num_courses, 0, HIGHEST_PRICE)
        budgets = demand.budgets
        self.budgets = model.add_variables(num, budgets - spread, budgets + spread)
        is_paid = model.add_variables(num_courses, 0, 1, integer=True)
        self.takes = [model.add_variables(n, 0, 1, integer=True) for n in rankings.num_listed]
        self.rows = [
            (rankings.members[i, :n, :, None] == np.arange(num_courses)).any(axis=1)
            for i, n in enumerate(rankings.num_listed)
        ]
        for course in range(num_courses):
            seats = float(offer.seats[0, course])
            who = np.concatenate(
                [t[r[:, course]] for t, r in zip(self.takes, self.rows, strict=True)]
            )
            model.add_row(who, 1.0, upper=seats)
            model.add_row([self.prices[course], is_paid[course]], [1.0, -HIGHEST_PRICE], upper=0)
            model.add_row(
                np.append(who, is_paid[course]), np.append(np.ones(len(who)), -seats), lower=0
            )
        for i in range(num):
            self._chooses(i)

    def _chooses(self, i: int) -> None:
        """One schedule: within the budget, no better one is, and none as good is cheaper."""
        model, takes, budget = self.model, self.takes[i], self.budgets[i]
        utilities = self.demand.rankings.utilities[i, : len(takes)]
        model.add_row(takes, 1.0, 1, 1)
        most = HIGHEST_PRICE * self.rows[i].sum(axis=1).max() + HIGHEST_PRICE
        for s, row in enumerate(self.rows[i]):
            paid = self.prices[row]
            cost = np.ones(len(paid))
            model.add_row([*paid, budget, takes[s]], [*cost, -1.0, most], upper=most - WITHIN)
            worse = takes[utilities < utilities[s]]
            model.add_row(
                [*paid, budget, *worse],
                [*cost, -1.0, *[-most] * len(worse)],
                lower=BELOW - most,
            )
            for t in np.flatnonzero(utilities == utilities[s]):
                if t != s:  # where t is chosen, s costs at least as much
                    signs = row.astype(float) - self.rows[i][t]
                    used = np.flatnonzero(signs)
                    model.add_row(
                        [*self.prices[used], takes[t]], [*signs[used], -most], lower=-most
                    )

    def forbid(self, i: int, own: int, j: int, wish: Wish) -> None:
        """Student i with this schedule must not see what it envies with j."""
        rankings = self.demand.rankings
        value = float(rankings.utilities[i, own])
        wanted = envied(wish, value, rankings.members[j, : len(self.takes[j])])
        self.model.add_row([self.takes[i][own], *self.takes[j][wanted]], 1.0, upper=1)

    def solve(self, seconds: float | None) -> Point | None:
        result = solve(self.model, MilpParams(time_limit=seconds))
        if result.x is None:
            return None
        # On a grid coarser than the solver's tolerance, so that prices that should be equal are.
        prices = np.maximum(result.x[self.prices].round(GRID), 0.0)[None]
        budgets = result.x[self.budgets]
        # Of equally good schedules at the same cost, others than the first may clear.
        choice = np.array([int(result.x[takes].argmax()) for takes in self.takes])
        if not self._are_best(choice, prices, budgets):
            return None
        return Point(error_of(self.demand.excess(choice, prices)), prices, choice, budgets)

    def _are_best(self, choice: np.ndarray, prices: np.ndarray, budgets: np.ndarray) -> bool:
        """
        Whether the choices are as good and as cheap as demands, whatever the solver rounded.

        Then they are within the budgets too.
        """
        demand, everybody = self.demand, np.arange(len(choice))
        best = demand.choose(prices, budgets=budgets)
        utilities = demand.rankings.utilities
        costs = demand.costs(prices, choice)
        return bool(
            (utilities[everybody, choice] == utilities[everybody, best]).all()
            and (costs <= demand.costs(prices, best) + SLACK).all()
        )
