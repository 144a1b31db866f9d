"""Simulated students who fill in forms with mistakes and then compare schedules."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from threadpoolctl import threadpool_limits

from boca.core.comparison import Answer, ComparisonQuery
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.functions import AdjustedSum, ValueFunction
from boca.queries.comparisons import ComparisonParams, Standing, next_comparison, open_wishes
from boca.seats import Seating, SeatParams, assign_seats
from boca.surrogates.pairwise import Belief, PairwiseParams, Population, read_forms

# Attempts of the search for prices: more than any instance seen here needed.
NUM_ATTEMPTS = 20

AskStudent = Callable[[ComparisonQuery, int], Answer | None]


@dataclass(frozen=True)
class Habits:
    """
    How simulated students answer.

    Parameters
    ----------
    noise
        Standard deviation of the error with which each of the two utilities is felt.
    same_within
        Differences up to this, as felt, are called about the same.
    most_answers
        If given, every student stops after a number of answers between 0 and this one, all equally
        probable.
    """

    noise: float = 0.0
    same_within: float = 0.0
    most_answers: int | None = None


@dataclass(frozen=True, eq=False)
class SimulatedStudents:
    """
    Students who know their utilities.

    Parameters
    ----------
    utilities
        The truth, one function each.
    habits
        How they answer.
    seeds
        Each answer has a stream of its own, so that rules can be compared.
    """

    utilities: Sequence[ValueFunction]
    habits: Habits
    seeds: Seeds

    def __call__(self, query: ComparisonQuery, number: int) -> Answer | None:
        """The answer to a student's question with a number, counted from 0; None if it stops."""
        habits = self.habits
        own = self.seeds.child("student", query.bidder)
        if habits.most_answers is not None:
            patience = own.child("patience").generator().integers(habits.most_answers + 1)
            if number >= patience:
                return None
        noise = own.child("answer", number).generator().standard_normal(2) * habits.noise
        utility = self.utilities[query.bidder]
        first, second = (
            best_part(utility, bundle) + error
            for bundle, error in zip((query.first, query.second), noise, strict=True)
        )
        if abs(first - second) <= habits.same_within:
            return "same"
        return "first" if first > second else "second"


def best_part(utility: ValueFunction, bundle: np.ndarray) -> float:
    """The utility of a schedule whose courses can be dropped."""
    courses = np.flatnonzero(bundle)
    parts = [c for size in range(len(courses) + 1) for c in combinations(courses.tolist(), size)]
    rows = np.zeros((len(parts), len(bundle)), dtype=np.int64)
    for row, part in zip(rows, parts, strict=True):
        row[list(part)] = 1
    return float(utility(rows).max())


@dataclass(frozen=True, eq=False)
class Stage:
    """
    What is known when everybody has answered so many questions, or stopped.

    Parameters
    ----------
    num_answers
        Questions per student so far.
    seating
        The assignment on what is believed now.
    beliefs
        What is believed of every student.
    population
        What the forms say together.
    chances
        Of all questions so far that were answered with a preference: the probability, before, that
        the first schedule is preferred, and whether it was ``(num_answered, 2)``.
    """

    num_answers: int
    seating: Seating
    beliefs: tuple[Belief, ...]
    population: Population
    chances: np.ndarray


@dataclass
class _Interviews:
    """Questions and answers under way."""

    market: Market
    beliefs: list[Belief]
    questions: ComparisonParams
    seeds: Seeds
    chances: list[tuple[float, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._wishes = open_wishes(self.market)
        self._is_over = [False] * self.market.num_bidders

    def ask_all(self, ask: AskStudent, seating: Seating, number: int) -> None:
        """One question to everybody who has not stopped."""
        for i, belief in enumerate(self.beliefs):
            if self._is_over[i]:
                continue
            budget = float(seating.base_budgets[i])
            standing = Standing(self._wishes[i], seating.prices_of(i), budget)
            rng = self.seeds.child("student", i, "question", number).generator()
            query = next_comparison(i, belief, standing, rng, self.questions)
            answer = None if query is None else ask(query, number)
            if query is None or answer is None:
                self._is_over[i] = True
                continue
            if answer != "same":
                chance = belief.chance(query.first, query.second)
                self.chances.append((chance, float(answer == "first")))
            self.beliefs[i] = belief.tell(query.answered(answer))


def interviews(
    market: Market,
    forms: Sequence[AdjustedSum],
    ask: AskStudent,
    stages: Sequence[int],
    params: PairwiseParams | None = None,
    questions: ComparisonParams | None = None,
    seed: int = 0,
    renewal: int = 5,
) -> Iterator[Stage]:
    """
    Asks every student, one question at a time, and assigns at some stages.

    Nothing here knows a true utility: students are known by their forms and what they answer.

    Parameters
    ----------
    market
        Courses with seats, students with limits.
    forms
        What students typed.
    ask
        Gives a student's answer to its question with a number; None if it stops.
    stages
        Numbers of questions per student after which an assignment is wanted, ascending.
    params, questions
        What is believed, and how questions are chosen.
    seed
        Of the order of tie-breaking and everything that is drawn.
    renewal
        Questions after which prices are renewed.
    """
    params = PairwiseParams() if params is None else params
    population = read_forms(forms, params, seed)
    beliefs = [Belief(population.prior(form), params=params) for form in forms]
    seeds = Seeds(seed).child("questions")
    desk = _Interviews(market, beliefs, questions or ComparisonParams(), seeds)
    prices: Seating | None = None
    for number in range(max(stages) + 1):
        if number in stages or number % renewal == 0:
            seating = assign(market, [belief.mean for belief in desk.beliefs], seed)
            prices = seating if number % renewal == 0 else prices
            if number in stages:
                chances = np.array(desk.chances).reshape(-1, 2)
                yield Stage(number, seating, tuple(desk.beliefs), population, chances)
        if number < max(stages) and prices is not None:
            # Thousands of small matrix products, for which a second thread costs more than it does.
            with threadpool_limits(1, user_api="blas"):
                desk.ask_all(ask, prices, number)


def assign(market: Market, utilities: Sequence[ValueFunction], seed: int) -> Seating:
    """The mechanism with the effort of simulations."""
    return assign_seats(market, utilities, params=SeatParams(num_attempts=NUM_ATTEMPTS), seed=seed)
