"""
The search for prices at which every seat that costs something is taken and none is oversold.

One attempt: prices follow demand, a tabu search goes on from the best of them, and budgets are
moved a little for what is left. Where several attempts fail, markets of a few hundred schedules are
given to one exact program, and in others equally good schedules are put in an order by lot, since
the search may never meet prices at which students are indifferent.

At error 0, students who found nothing certain in their rankings look through all of their
schedules; if one of them can afford a better one, the rankings grow and the search goes on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from boca.seats.budgets import move_budgets
from boca.seats.demand import Demand
from boca.seats.exact import clearing_program, is_small
from boca.seats.following import FIRST_STEP, Point, follow_demand
from boca.seats.listing import SLACK, best_schedules
from boca.seats.params import SeatParams
from boca.seats.rankings import in_parallel, widened
from boca.seats.tabu import tabu_search
from boca.seats.wish import Wish

# A new attempt multiplies the best prices by 1 - NOISE to 1 + NOISE, adds up to SHIFT, and then
# follows demand with smaller steps, for fewer rounds.
NOISE, SHIFT = 0.1, 0.02
LATER_STEP, LATER_SHARE = 0.01, 1 / 3
# After rankings grew, prices are nearly right.
GROWN_STEP = 0.02
# After so many attempts, a small market is given to a program, and in others lots decide between
# equally good schedules: prices can be missed at which people are indifferent.
FEW_ATTEMPTS = 4
# How often rankings grow in one attempt for students who would otherwise be left with nothing.
MOST_GROWN = 4


@dataclass(frozen=True)
class SearchProgress:
    """
    Where a search stands.

    Parameters
    ----------
    stage
        What is being done, such as ``ranking schedules``.
    attempt
        Which start of the search, from 1; 0 before the first.
    error
        Smallest clearing error so far; infinite before the first.
    seconds
        Since the beginning.
    """

    stage: str
    attempt: int
    error: float
    seconds: float


@dataclass
class Clock:
    """The time limit and whoever wants to hear about progress."""

    time_limit: float | None = None
    on_progress: Callable[[SearchProgress], None] | None = None

    def __post_init__(self) -> None:
        self._began = monotonic()

    @property
    def seconds(self) -> float:
        return monotonic() - self._began

    @property
    def is_over(self) -> bool:
        return self.time_limit is not None and self.seconds >= self.time_limit

    def left(self) -> float | None:
        """Seconds until the limit, at least a tenth; None without one."""
        return None if self.time_limit is None else max(0.1, self.time_limit - self.seconds)

    def tell(self, stage: str, attempt: int = 0, error: float = np.inf) -> None:
        if self.on_progress is not None:
            self.on_progress(SearchProgress(stage, attempt, error, self.seconds))


@dataclass
class PriceSearch:
    """
    A search that can be stopped at any moment: ``best`` is what it has found so far.

    Parameters
    ----------
    demand
        Students' choices; its rankings grow on the way.
    wishes
        What they may hold and like.
    params
        Effort and budgets.
    rng
        For new attempts.
    clock
        Time limit and progress.
    lots
        Drawn per student and course once they decide between equally good schedules.
    """

    demand: Demand
    wishes: Sequence[Wish]
    params: SeatParams
    rng: np.random.Generator
    clock: Clock
    best: Point | None = None
    attempts: int = 0
    num_grown: int = 0
    lots: np.ndarray | None = None

    def run(self) -> None:
        """Searches until error 0 with certain choices, the last attempt, or the time limit."""
        start, step = np.zeros(self.demand.offer.seats.shape), FIRST_STEP
        while self.attempts < self.params.num_attempts and not self.clock.is_over:
            point = self._attempt(start, step)
            if self.best is None or point.error < self.best.error:
                self.best = point
            self.clock.tell("searching prices", self.attempts, self.best.error)
            if self.best.error == 0:
                if not self._grow():
                    return
                start, step = self.best.prices, GROWN_STEP
                self.best = self._again(self.best)
                continue
            if self.attempts == FEW_ATTEMPTS and self._is_settled():
                return
            start = self._start()
            step = LATER_STEP

    def _is_settled(self) -> bool:
        """Whether small markets clear by a program; in others, lots decide between equals now."""
        assert self.best is not None
        demand, params = self.demand, self.params
        if is_small(demand):
            point = clearing_program(
                demand, self.wishes, params.budget_moves, params.keep_order, self.clock.left
            )
            if point is not None and point.error == 0:
                self.best = point
                return True
        if demand.rankings.has_ties:
            self.lots = self.rng.random((demand.rankings.num_students, demand.offer.num_courses))
            self._take(demand)
            self.best = self._again(self.best)
        return False

    def _take(self, demand: Demand) -> None:
        """Demand from now on; lots decide between equals if they were drawn."""
        if self.lots is not None:
            demand = replace(demand, rankings=demand.rankings.without_ties(self.lots))
        self.demand = demand

    def _start(self) -> np.ndarray:
        """Where a later attempt begins: near the best prices, or in every other one anywhere."""
        assert self.best is not None
        shape = self.best.prices.shape
        if self.attempts % 2:
            factor = self.rng.uniform(1 - NOISE, 1 + NOISE, shape)
            return self.best.prices * factor + self.rng.uniform(0, SHIFT, shape)
        is_free = self.rng.random(shape) < self.rng.random()
        return np.where(is_free, 0.0, self.rng.uniform(0, self.demand.budgets.max(), shape))

    def _attempt(self, start: np.ndarray, step: float) -> Point:
        self.attempts += 1
        share = 1.0 if step == FIRST_STEP else LATER_SHARE
        num_rounds = max(1, round(share * self.params.num_rounds))
        point = self._follow(start, num_rounds, step)
        if point.error == 0:
            return point
        points = tabu_search(self.demand, point, self.params.patience, lambda: self.clock.is_over)
        best = points[0]
        for point in points:
            if best.error == 0 or self.params.budget_moves == 0 or self.clock.is_over:
                break
            moved = move_budgets(
                self.demand,
                self.wishes,
                point.prices,
                self.params.budget_moves,
                self.params.keep_order,
                self.clock.left,
            )
            if moved is not None and moved.error < best.error:
                best = moved
        return best

    def _follow(self, start: np.ndarray, num_rounds: int, step: float) -> Point:
        """Prices follow demand; who then finds nothing in its ranking gets a longer one."""
        point = follow_demand(self.demand, start, num_rounds, step)
        for _ in range(MOST_GROWN):
            self.best = self.best or point  # what there is if the search is stopped here
            nothing = self.demand.rankings.num_listed - 1
            lost = (point.choice >= nothing) & (point.choice >= self.demand.rankings.certain)
            if not lost.any() or self.clock.is_over:
                break
            self.clock.tell("looking through all schedules", self.attempts, self.best.error)
            self.num_grown += 1
            self._take(grown(self.demand, self.wishes, np.flatnonzero(lost), point.prices))
            self.best = self._again(self.best)
            rounds = max(1, round(LATER_SHARE * self.params.num_rounds))
            point = follow_demand(self.demand, point.prices, rounds, GROWN_STEP)
        return point

    def _again(self, point: Point) -> Point:
        """The same prices with the rankings of now."""
        choice = self.demand.choose(point.prices)
        error = float(np.sqrt((self.demand.excess(choice, point.prices) ** 2.0).sum()))
        return Point(error, point.prices, choice, self.demand.budgets)

    def _grow(self) -> bool:
        """Whether somebody can afford more than it chose, which is then in the rankings."""
        assert self.best is not None
        missing = uncertain_and_wrong(
            self.demand, self.wishes, self.best, cheapest=self.lots is None
        )
        if not len(missing):
            return False
        self.num_grown += 1
        self.clock.tell("looking through all schedules", self.attempts, self.best.error)
        self._take(grown(self.demand, self.wishes, missing, self.best.prices))
        return True


def grown(
    demand: Demand, wishes: Sequence[Wish], students: np.ndarray, prices: np.ndarray
) -> Demand:
    """The demand with more schedules of some students, those they can afford at these prices."""
    rankings = widened(
        demand.rankings,
        wishes,
        students,
        prices[demand.offer.classes[students]],
        demand.budgets[students],
    )
    return replace(demand, rankings=rankings)


def uncertain_and_wrong(
    demand: Demand, wishes: Sequence[Wish], point: Point, cheapest: bool = True
) -> np.ndarray:
    """
    Students who could afford something better than their choice, or (if this matters) as good and
    cheaper.

    A choice among the certain ones of a ranking is the best of all schedules; only the others are
    compared with everything.
    """
    rankings = demand.rankings
    students = np.flatnonzero(point.choice >= rankings.certain)
    costs = demand.costs(point.prices, point.choice)

    def is_wrong(student: int) -> bool:
        wish = wishes[student]
        prices = point.prices[demand.offer.classes[student]][wish.courses]
        best = best_schedules(wish, 1, prices, float(point.budgets[student]))
        own = float(rankings.utilities[student, point.choice[student]])
        tolerance = 1e-9 * max(1.0, abs(own))
        if not len(best.utilities) or best.utilities[0] < own - tolerance:
            return False
        if best.utilities[0] > own + tolerance:
            return True
        if not cheapest:
            return False
        cheaper = best_schedules(wish, 1, prices, float(costs[student]) - 2 * SLACK)
        return bool(len(cheaper.utilities) and cheaper.utilities[0] >= own - tolerance)

    wrong = in_parallel(is_wrong, students.tolist())
    missing: np.ndarray = students[np.array(wrong, dtype=bool)]
    return missing
