"""Which two schedules to compare next: the one a student would get, and one that may be better."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from scipy.special import ndtr

from boca.core.bundle import bundle_key
from boca.core.comparison import ComparisonQuery, Comparisons
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.query import Reason
from boca.core.settings import check_types
from boca.functions import Quadratic, ValueFunction
from boca.seats import SeatRules
from boca.seats.listing import SLACK, best_schedules
from boca.seats.tastes import taste_of
from boca.seats.wish import Wish, wishes
from boca.surrogates.pairwise import Belief

QuestionRule = Literal["improvement", "second", "thompson", "random", "insertion"]
QUESTION_RULES: tuple[QuestionRule, ...] = get_args(QuestionRule)

# Without a limit on differences, challengers are so many of the affordable schedules: the best by
# mean, and by mean plus standard deviation.
NUM_BY_MEAN, NUM_BY_UPPER = 400, 1200
# Courses that a challenger may add, of a hundred or more, at most.
MOST_ADDED = 40


@dataclass(frozen=True)
class ComparisonParams:
    """
    How questions are chosen.

    Parameters
    ----------
    rule
        ``improvement`` compares the best affordable schedule by mean with the one whose expected
        improvement on it is largest. The others are rivals: ``second`` takes the second best by
        mean, ``thompson`` the best of one utility drawn from the belief, ``random`` any affordable
        one. ``insertion`` sorts the best schedules by mean, without prices, by binary insertion
        (Soumalias et al., arXiv 2210.00954).
    most_changes
        In how many courses the two schedules may differ; any number if None. Small differences
        are easier to judge. Not used by ``insertion``.
    """

    rule: QuestionRule = "improvement"
    most_changes: int | None = 2

    def __post_init__(self) -> None:
        check_types(self)
        if self.rule not in QUESTION_RULES:
            raise InputError(
                f"Received the rule {self.rule!r:.40}; expected one of {', '.join(QUESTION_RULES)}."
            )
        if self.most_changes is not None and self.most_changes < 1:
            raise InputError(
                f"Received most_changes = {self.most_changes}; expected at least 1, or None."
            )


@dataclass(frozen=True, eq=False)
class Standing:
    """
    What a student could have at the prices of now.

    Parameters
    ----------
    wish
        What it may hold, from :func:`open_wishes`.
    prices
        What every course costs it ``(num_goods,)``.
    budget
        Play money that it has.
    """

    wish: Wish
    prices: np.ndarray
    budget: float

    def best(self, utility: ValueFunction) -> np.ndarray:
        """The best affordable schedule ``(num_goods,)``."""
        rows = self.best_few(utility, 1)
        nothing = self._rows(np.full((1, 1), self.wish.num))
        best: np.ndarray = np.concatenate([rows, nothing])[0]
        return best

    def best_few(self, utility: ValueFunction, num: int, at_prices: bool = True) -> np.ndarray:
        """Schedules better than nothing, best first ``(up to num, num_goods)``."""
        wish = replace(self.wish, taste=taste_of(utility, len(self.prices)))
        listing = (
            best_schedules(wish, num, self.prices[wish.courses], self.budget)
            if at_prices
            else best_schedules(wish, num)
        )
        return self._rows(listing.members[:num])

    def near(self, schedule: np.ndarray, most_changes: int, worth: np.ndarray) -> np.ndarray:
        """
        All other affordable schedules that differ in few courses ``(num_schedules, num_goods)``.

        Parameters
        ----------
        schedule
            A schedule ``(num_goods,)``.
        most_changes
            Courses that may be given up, and as many added.
        worth
            Which courses to add first where there are too many ``(num_goods,)``.
        """
        wish = self.wish
        is_in = schedule[wish.courses] > 0
        inside, outside = np.flatnonzero(is_in), np.flatnonzero(~is_in)
        outside = outside[self.prices[wish.courses[outside]] <= self.budget + SLACK]
        if len(outside) > MOST_ADDED:
            order = np.argsort(-worth[wish.courses[outside]], kind="stable")
            outside = outside[order[:MOST_ADDED]]
        parts = []
        for given_up in range(min(most_changes, len(inside)) + 1):
            for added in range(min(most_changes, len(outside)) + 1):
                size = len(inside) - given_up + added
                if given_up + added == 0 or size > wish.most:
                    continue
                kept = inside[_subsets(len(inside), len(inside) - given_up)]
                new = outside[_subsets(len(outside), added)]
                both = np.hstack([np.repeat(kept, len(new), axis=0), np.tile(new, (len(kept), 1))])
                padding = ((0, 0), (0, wish.most - size))
                parts.append(np.pad(both, padding, constant_values=wish.num))
        members = np.concatenate(parts) if parts else np.full((0, 1), wish.num)
        rows = self._rows(members[wish.allows(members)])
        costs = rows[:, wish.courses] @ self.prices[wish.courses]  # what is held costs nothing
        affordable: np.ndarray = rows[costs <= self.budget + SLACK]
        return affordable

    def num_required(self, rows: np.ndarray) -> np.ndarray:
        """How much of what is required schedules have ``(num_rows,)``."""
        count = np.zeros(len(rows), dtype=np.int64)
        for places in self.wish.required:
            count += rows[:, self.wish.courses[places]].any(axis=1)
        return count

    def _rows(self, members: np.ndarray) -> np.ndarray:
        """Places of the wish, padded, as 0/1 rows with what is held ``(num, num_goods)``."""
        wish = self.wish
        rows = np.zeros((len(members), len(self.prices) + 1), dtype=np.int64)
        courses = np.append(wish.courses, len(self.prices))[members]
        rows[np.arange(len(members))[:, None], courses] = 1
        rows[:, wish.held] = 1
        return rows[:, :-1]


def open_wishes(market: Market, rules: SeatRules | None = None) -> list[Wish]:
    """What every student may hold, whatever it likes: nothing that it may have is left out."""
    num = market.num_goods
    anything = Quadratic(np.zeros((num, num)), np.ones(num))
    order, offered = np.arange(num), np.ones(num, dtype=bool)
    many = market.num_bidders
    rules = SeatRules() if rules is None else rules
    return wishes(market, [anything] * many, rules, [order] * many, [offered] * many)


def next_comparison(
    student: int,
    belief: Belief,
    standing: Standing,
    rng: np.random.Generator,
    params: ComparisonParams | None = None,
) -> ComparisonQuery | None:
    """
    The next question to a student; None if nothing is left to ask.

    It depends on the student's form and answers, the prices of now and random numbers alone, so
    that students can answer when they like and prices can be renewed now and then.

    Parameters
    ----------
    student
        Its number.
    belief
        What its form and answers say.
    standing
        What it could have at the prices of now.
    rng
        Decides which schedule is shown first, and what the rules that draw need.
    params
        How questions are chosen.
    """
    params = ComparisonParams() if params is None else params
    if params.rule == "insertion":
        two = _insertion(belief, standing)
        score = None
    else:
        two, score = _challenge(belief, standing, rng, params)
    if two is None:
        return None
    first, second = two if rng.random() < 0.5 else two[::-1]
    return ComparisonQuery(student, first, second, Reason(params.rule, predicted=score))


def expected_improvement(means: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """
    The mean of the positive part of normal differences.

    It is what a truthful answer is worth: who learns that the other schedule is better takes it.
    """
    deviations = np.sqrt(np.maximum(variances, 1e-12))
    z = means / deviations
    density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    result: np.ndarray = means * ndtr(z) + deviations * density
    return result


def _challenge(
    belief: Belief, standing: Standing, rng: np.random.Generator, params: ComparisonParams
) -> tuple[tuple[np.ndarray, np.ndarray] | None, float | None]:
    """The best affordable schedule and its challenger, with the challenger's score."""
    champion = standing.best(belief.mean)
    challengers = _challengers(belief, standing, champion, params)
    # Having more of what is required comes before any utility, so less of it is no alternative.
    needed = standing.num_required(champion[None])
    challengers = challengers[standing.num_required(challengers) >= needed]
    challengers = challengers[_is_new(belief.comparisons, champion, challengers)]
    if not len(challengers):
        return None, None
    scores = _scores(params.rule, belief, champion, rng)(challengers)
    best = int(scores.argmax())
    return (champion, challengers[best]), float(scores[best])


def _challengers(
    belief: Belief, standing: Standing, champion: np.ndarray, params: ComparisonParams
) -> np.ndarray:
    prior = belief.prior
    if params.most_changes is not None:
        worth = belief.mean.linear + np.sqrt(prior.variance)
        return standing.near(champion, params.most_changes, worth)
    # The standard deviation, linear in the variance around that of the best schedule, is again a
    # quadratic function, so that the best schedules by it can be listed.
    variance = Quadratic(prior.pair_variance / 2, prior.variance)
    slope = 0.5 / np.sqrt(max(float(variance(champion[None])[0]), 1e-12))
    upper = Quadratic(
        belief.mean.matrix + slope * variance.matrix, belief.mean.linear + slope * variance.linear
    )
    rows = np.concatenate(
        [
            standing.best_few(belief.mean, NUM_BY_MEAN),
            standing.best_few(upper, NUM_BY_UPPER),
        ]
    )
    rows = np.unique(rows, axis=0)
    others: np.ndarray = rows[(rows != champion).any(axis=1)]
    return others


def _is_new(comparisons: Comparisons, champion: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Which rows were not compared with the champion before."""
    is_new = np.ones(len(rows), dtype=bool)
    for comparison in comparisons:
        for one, other in (
            (comparison.first, comparison.second),
            (comparison.second, comparison.first),
        ):
            if np.array_equal(one, champion):
                is_new &= (rows != other).any(axis=1)
    return is_new


def _scores(
    rule: QuestionRule, belief: Belief, champion: np.ndarray, rng: np.random.Generator
) -> Callable[[np.ndarray], np.ndarray]:
    """How much a rule wants to know about each challenger."""
    if rule == "improvement":
        return lambda rows: expected_improvement(*belief.differences(rows, champion))
    if rule == "second":
        return belief.mean
    if rule == "thompson":
        return belief.sample(rng)
    return lambda rows: rng.random(len(rows))


def _insertion(belief: Belief, standing: Standing) -> tuple[np.ndarray, np.ndarray] | None:
    """The best schedule by mean that is not sorted yet, and where it is compared next."""
    ordered, pending = _sorted_so_far(belief.comparisons)
    if pending is None:
        known = {bundle_key(row) for row in ordered}
        best = standing.best_few(belief.mean, len(known) + 2, at_prices=False)
        new = [row for row in best if bundle_key(row) not in known]
        if not ordered and len(new) > 1:
            return new[1], new[0]
        if not ordered or not new:
            return None
        pending = (new[0], 0, len(ordered))
    schedule, low, high = pending
    return schedule, ordered[(low + high) // 2]


def _sorted_so_far(
    comparisons: Comparisons,
) -> tuple[list[np.ndarray], tuple[np.ndarray, int, int] | None]:
    """
    Schedules sorted by the answers, best first, and the one that is being inserted: between which
    places it belongs.
    """
    ordered: list[np.ndarray] = []
    pending: tuple[np.ndarray, int, int] | None = None
    for comparison in comparisons:
        better, worse = comparison.better_first
        places = {bundle_key(row): k for k, row in enumerate(ordered)}
        if not ordered:
            ordered = [worse]
            places = {bundle_key(worse): 0}
        is_better = bundle_key(worse) in places
        schedule, other = (better, worse) if is_better else (worse, better)
        if bundle_key(other) not in places or bundle_key(schedule) in places:
            continue  # an answer to another question
        is_next = pending is not None and bundle_key(pending[0]) == bundle_key(schedule)
        low, high = pending[1:] if is_next and pending is not None else (0, len(ordered))
        place = places[bundle_key(other)]
        low, high = (low, place) if is_better else (place + 1, high)
        if comparison.answer == "same":
            low = high = place
        if low >= high:
            ordered.insert(low, schedule)
            pending = None
        else:
            pending = (schedule, low, high)
    return ordered, pending


@lru_cache(maxsize=256)
def _subsets(num: int, size: int) -> np.ndarray:
    """All subsets of a size as rows."""
    rows = list(combinations(range(num), size))
    return np.array(rows, dtype=np.int64).reshape(len(rows), size)
