"""
The program of the child processes of an allocation of courses; only this file of the server knows
how seats are shared out and what students are asked.

``python -m boca.live.work.course_child price|seat|draw`` reads one line of JSON and prints JSON.
``... ask`` goes on: a line of JSON out for every line in, until the server ends.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from boca.core.comparison import Comparison, Comparisons
from boca.core.errors import BocaError
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.functions import AdjustedSum, Adjustment, Quadratic, ValueFunction
from boca.live.auction.courses import BUDGET, MOST_POINTS, MOVES, POINT, SPREAD
from boca.live.work.program import limit, run, versions_of
from boca.markets.courses import CourseMarket, from_plain
from boca.queries.comparisons import Standing, next_comparison
from boca.seats import Seating, SeatParams, SeatRules, assign_seats
from boca.seats.wish import Wish, wishes
from boca.surrogates.pairwise import Belief, PairwiseParams, Population, read_forms
from boca.surrogates.pairwise.pooling import PoolingTest
from boca_verify import Undecided
from boca_verify.seats.demand import OpenSeats, SeatedStudent, best_schedule, better_schedule

# What others typed decides about a student's belief in nothing but how ratings are spread.
ALONE = PairwiseParams(is_pooled=False)
# Before any form is known.
CENTRE, LATENT_SPREAD = 50.0, 25.0
# Adjustments up to which each is looked at by itself; many pairs are ranked faster as a matrix.
FEW_PAIRS = 20
# How often a budget is moved below what rounding made affordable.
FEW_MOVES = 5
# Courses whose absence is explained to a student.
NUM_MISSED = 3
# Seconds after which prices for questions are good enough.
PRICE_SECONDS = 60.0
SEARCH = SeatParams(budget_spread=SPREAD / BUDGET, budget_moves=MOVES / BUDGET)


@dataclass(frozen=True, eq=False)
class Students:
    """
    A request: a market, and what its students said.

    Parameters
    ----------
    request
        ``tables``, ``seed``, and per student ``forms``, ``answers`` and ``kept``.
    """

    request: dict[str, Any]

    @cached_property
    def tables(self) -> dict[str, Any]:
        """The tables, with courses that a student gave 0 points forbidden to it."""
        tables = self.request["tables"]
        students = [
            {**row, "forbidden": [*row["forbidden"], *_unwanted(row, form["ratings"])]}
            for row, form in zip(tables["students"], self.request["forms"], strict=True)
        ]
        known = {row["name"] for row in tables["courses"]}
        for row in students:
            row["forbidden"] = [course for course in row["forbidden"] if course in known]
        return {**tables, "students": students}

    @cached_property
    def file(self) -> CourseMarket:
        return from_plain(self.tables)

    @property
    def market(self) -> Market:
        return self.file.market

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {good.name: j for j, good in enumerate(self.market.goods)}

    @cached_property
    def forms(self) -> list[AdjustedSum]:
        """Ratings and pairs in points; courses that are no more are left out."""
        return [self._form(form) for form in self.request["forms"]]

    def _form(self, form: dict[str, Any]) -> AdjustedSum:
        ratings = np.zeros(self.market.num_goods)
        for course, points in form["ratings"].items():
            if course in self.numbers:
                ratings[self.numbers[course]] = points
        pairs = [
            Adjustment.together([self.numbers[a], self.numbers[b]], points)
            for a, b, points in form["pairs"]
            if a in self.numbers and b in self.numbers
        ]
        return AdjustedSum(ratings, tuple(pairs))

    def belief(self, student: int, population: Population) -> Belief:
        """What is believed of a student."""
        given = [
            Comparison(self._bundle(first), self._bundle(second), answer)
            for first, second, answer in self.request["answers"][student]
            if {*first, *second} <= self.numbers.keys()
        ]
        return Belief(population.prior(self.forms[student]), Comparisons(tuple(given)), ALONE)

    def _bundle(self, courses: Sequence[str]) -> np.ndarray:
        bundle = np.zeros(self.market.num_goods, dtype=np.int64)
        bundle[[self.numbers[course] for course in courses]] = 1
        return bundle

    @cached_property
    def population(self) -> Population:
        return read_forms(self.forms, ALONE)

    @cached_property
    def tastes(self) -> "list[WholeTaste]":
        """Everybody's utility in whole parts of a point: the form, corrected by the answers."""
        tastes = []
        for i, form in enumerate(self.forms):
            belief = self.belief(i, self.population)
            is_learned = len(belief.comparisons) > 0
            tastes.append(WholeTaste.of_belief(belief) if is_learned else WholeTaste.of_form(form))
        return tastes

    @cached_property
    def rules(self) -> SeatRules:
        """Required courses, and those that students keep."""
        return SeatRules(required=self.file.required, held=self._held())

    def _held(self) -> tuple[tuple[int, ...], ...]:
        """What students hold and were given, as far as it exists and fits, by their names."""
        market, kept = self.market, self.request["kept"]
        held = [list(courses) for courses in self.file.held or ((),) * market.num_bidders]
        left = market.capacities - np.bincount(
            [c for courses in held for c in courses], minlength=market.num_goods
        )
        for i in sorted(range(market.num_bidders), key=lambda i: market.bidders[i].name):
            for name in kept.get(str(i), ()):
                course = self.numbers.get(name)
                if course is None or course in held[i] or left[course] <= 0:
                    continue
                row = np.zeros(market.num_goods, dtype=np.int64)
                row[[*held[i], course]] = 1
                if not market.broken_limits(i, row):
                    held[i].append(course)
                    left[course] -= 1
        return tuple(tuple(sorted(courses)) for courses in held) if any(held) else ()

    def share_out(self, seconds: float | None = None, params: SeatParams = SEARCH) -> Seating:
        """Seats at prices; utilities are whole numbers, so that sums of them are exact."""
        return assign_seats(
            self.market,
            [taste.function for taste in self.tastes],
            self.rules,
            params,
            self.request["seed"],
            seconds,
        )

    def first_budgets(self, seating: Seating) -> list[int]:
        """Budgets by the order alone, in whole parts."""
        num = self.market.num_bidders
        ranks = np.rint((seating.base_budgets - 1) * BUDGET / SPREAD * num).astype(int)
        return [BUDGET + SPREAD * int(rank) // num for rank in ranks]


@dataclass(frozen=True, eq=False)
class WholeTaste:
    """
    A utility in whole parts of a point.

    Parameters
    ----------
    ratings
        Worth of each course ``(num_goods,)``.
    pairs
        Two courses, and what taking both adds.
    """

    ratings: np.ndarray
    pairs: tuple[tuple[int, int, int], ...]

    @classmethod
    def of_form(cls, form: AdjustedSum) -> "WholeTaste":
        pairs = [
            (*sorted(part.goods.tolist()), round(POINT * part.points[2]))
            for part in form.adjustments
        ]
        return cls(np.rint(POINT * form.ratings).astype(np.int64), tuple(sorted(pairs)))

    @classmethod
    def of_belief(cls, belief: Belief) -> "WholeTaste":
        effects = np.rint(POINT * 2 * np.triu(belief.mean.matrix, 1)).astype(np.int64)
        pairs = [(int(j), int(k), int(effects[j, k])) for j, k in np.argwhere(effects)]
        return cls(np.rint(POINT * belief.mean.linear).astype(np.int64), tuple(pairs))

    @cached_property
    def function(self) -> ValueFunction:
        ones = np.ones(len(self.ratings), dtype=np.int64)
        if len(self.pairs) <= FEW_PAIRS:
            parts = tuple(Adjustment.together([j, k], points) for j, k, points in self.pairs)
            return AdjustedSum(self.ratings, parts, ones)
        matrix = np.zeros((len(ones), len(ones)))
        for j, k, points in self.pairs:
            matrix[j, k] += points
        return Quadratic(matrix, self.ratings.astype(float), ones)

    def value(self, bundle: np.ndarray) -> int:
        """Of one schedule."""
        pairs = sum(points for j, k, points in self.pairs if bundle[j] and bundle[k])
        return int(self.ratings @ bundle) + pairs

    def wanting(self, course: int) -> ValueFunction:
        """The same utility if a course were worth more than everything else."""
        large = 1 + 2 * int(np.abs(self.ratings).sum() + sum(abs(p) for _, _, p in self.pairs))
        ratings = self.ratings.copy()
        ratings[course] += large
        return WholeTaste(ratings, self.pairs).function


def _unwanted(row: dict[str, Any], ratings: dict[str, int]) -> list[str]:
    """Courses with 0 points that a student need not take and has not got."""
    needed = {course for choices in row["required"] for course in choices} | set(row["holds"])
    return [course for course, points in ratings.items() if points == 0 and course not in needed]


def price(request: dict[str, Any]) -> dict[str, Any]:
    """Prices for questions, from the forms and answers so far."""
    students = Students(request)
    seating = students.share_out(PRICE_SECONDS)
    return {
        "prices": _whole(seating.prices),
        "budgets": students.first_budgets(seating),
        "centre": float(students.population.centres[0]),
        "spread": float(students.population.spread),
        "versions": _versions(),
    }


def seat(request: dict[str, Any], params: SeatParams = SEARCH) -> dict[str, Any]:
    """An assignment, with what is claimed about it in whole numbers."""
    students = Students(request)
    market, seating = students.market, students.share_out(params=params)
    prices, firsts = _whole(seating.prices), students.first_budgets(seating)
    held = students.rules.held or ((),) * market.num_bidders
    offer = OpenSeats(
        tuple(market.capacities.tolist()), tuple(prices), tuple(seating.rules.num_held(market))
    )
    rows = []
    for i in range(market.num_bidders):
        bundle = seating.allocation.bundles[i]
        courses = np.flatnonzero(bundle).tolist()
        cost = sum(prices[j] for j in courses if j not in held[i])
        taste = students.tastes[i]
        row = {
            "courses": courses,
            "held": list(held[i]),
            "budget": _whole_budget(seating, i, firsts[i], cost),
            "first": firsts[i],
            "ratings": taste.ratings.tolist(),
            "pairs": [list(pair) for pair in taste.pairs],
        }
        row["budget"], row["is_best"] = _best_with(students, i, row, cost, offer)
        row["missed"] = _missed(students, seating, i, row, offer)
        rows.append(row)
    envy = seating.envy
    is_full = (np.array(prices) == 0) | (seating.taken == market.capacities)
    return {
        "students": rows,
        "prices": prices,
        "centre": float(students.population.centres[0]),
        "spread": float(students.population.spread),
        "clears": bool(is_full.all())
        and all(row["is_best"] and abs(row["budget"] - row["first"]) <= MOVES for row in rows),
        "envious": envy.pairs,
        "beyond_one": envy.beyond_one,
        "against_order": envy.against_order,
        "versions": _versions(),
    }


def _whole_budget(seating: Seating, i: int, first: int, cost: int) -> int:
    """A student's budget in whole parts: the first one, unless it was moved or costs are above."""
    budget = first
    if seating.budgets[i] != seating.base_budgets[i]:
        moved = round(float(seating.budgets[i]) * BUDGET)
        budget = min(max(moved, first - MOVES), first + MOVES)
    return max(budget, cost)


def _best_with(
    students: Students, i: int, row: dict[str, Any], cost: int, offer: OpenSeats
) -> tuple[int, bool]:
    """
    The budget, and whether nothing better is within it: what is claimed holds in whole numbers.

    Where rounding made a better schedule affordable, the budget is moved below its cost, if the
    rules allow that.
    """
    held, budget = row["held"], int(row["budget"])
    for _ in range(FEW_MOVES):
        student = SeatedStudent.of(students.tables, i, {**row, "budget": budget})
        try:
            better = better_schedule(student, offer)
        except Undecided:
            break
        if better is None:
            return budget, True
        below = sum(offer.prices[j] for j in better if j not in held) - 1
        if below < max(cost, row["first"] - MOVES):
            break
        budget = below
    return int(row["budget"]), False


def _missed(
    students: Students, seating: Seating, i: int, row: dict[str, Any], offer: OpenSeats
) -> list[dict[str, Any]]:
    """Why a student did not get the courses that it likes best."""
    market, taste, prices = students.market, students.tastes[i], offer.prices
    names = [good.name for good in market.goods]
    single = market.allows(i, np.eye(market.num_goods, dtype=np.int64))
    liked = [
        int(j)
        for j in np.argsort(-taste.ratings, kind="stable")
        if single[j] and taste.ratings[j] > 0 and j not in row["courses"]
    ]
    own = taste.value(seating.allocation.bundles[i])
    missed = []
    for course in liked[:NUM_MISSED]:
        why: dict[str, Any] = {"course": names[course], "price": prices[course]}
        left = market.capacities - students.rules.num_held(market)
        standing = _standing(students, i, row["budget"], prices, left > 0)
        with_it = standing.best(taste.wanting(course))
        if sum(prices[j] for j in np.flatnonzero(with_it) if j not in row["held"]) > row["budget"]:
            # Rounding let it in: what is told holds in whole numbers.
            student = SeatedStudent.of(students.tables, i, row).wanting(course)
            try:
                exact = best_schedule(student, offer)
            except Undecided:
                exact = ()  # nothing is claimed, which the verifier cannot decide either
            with_it = np.isin(np.arange(market.num_goods), exact)
        if with_it[course]:
            why["instead"] = [names[j] for j in np.flatnonzero(with_it)]
            why["less"] = own - taste.value(with_it)
        missed.append(why)
    return missed


def _standing(
    students: Students, i: int, budget: int, prices: Sequence[int], offered: np.ndarray
) -> Standing:
    """What a student could have at prices."""
    wish = _open_wish(students.market, i, students.rules, offered)
    return Standing(wish, np.array(prices) / BUDGET, budget / BUDGET)


def _open_wish(market: Market, i: int, rules: SeatRules, offered: np.ndarray) -> Wish:
    """What one student may hold, whatever it likes."""
    num = market.num_goods
    alone = Market(market.goods, (market.bidders[i],))
    anything = Quadratic(np.zeros((num, num)), np.ones(num))
    own = SeatRules(
        required=(rules.required[i],) if rules.required else (),
        held=(rules.held[i],) if rules.held else (),
    )
    return wishes(alone, [anything], own, [np.arange(num)], [offered])[0]


def ask(request: dict[str, Any]) -> dict[str, Any]:
    """The next two schedules for one student to compare, and what it would get now."""
    students = Students(request)
    market = students.market
    num = market.num_goods
    nothing = np.zeros((num, num))
    population = Population(
        ALONE,
        request["spread"] or LATENT_SPREAD,
        np.full(num, CENTRE if request["centre"] is None else request["centre"]),
        nothing,
        nothing,
        PoolingTest(0, 0, 0.0, 1.0),
        False,
    )
    belief = students.belief(0, population)
    prices = request["prices"] or [0] * num
    standing = _standing(students, 0, request["budget"] or BUDGET, prices, np.ones(num, dtype=bool))
    names = [good.name for good in market.goods]
    taste = students.forms[0] if not len(belief.comparisons) else belief.mean
    answer: dict[str, Any] = {
        "tentative": [names[j] for j in np.flatnonzero(standing.best(taste))],
        "question": None,
    }
    seeds = Seeds(request["seed"]).child("questions", market.bidders[0].name)
    rng = seeds.child("question", len(belief.comparisons)).generator()
    query = next_comparison(0, belief, standing, rng) if request["wants_question"] else None
    if query is not None:
        answer["question"] = [
            [names[j] for j in np.flatnonzero(bundle)] for bundle in (query.first, query.second)
        ]
    return answer


def draw(request: dict[str, Any]) -> dict[str, Any]:
    """Forms of simulated students, for a rehearsal: some courses are popular, tastes differ."""
    file = from_plain(request["tables"])
    market, seeds = file.market, Seeds(request["seed"]).child("rehearsal")
    popularity = seeds.child("popularity").generator().uniform(20, 80, market.num_goods)
    names = [good.name for good in market.goods]
    forms = []
    for i, bidder in enumerate(market.bidders):
        rng = seeds.child("form", bidder.name).generator()
        likes = np.clip(np.rint(popularity + rng.normal(0, 20, market.num_goods)), 1, MOST_POINTS)
        single = market.allows(i, np.eye(market.num_goods, dtype=np.int64))
        rated = np.flatnonzero(single & (rng.random(market.num_goods) < 0.6))
        ratings = {names[j]: int(likes[j]) for j in rated}
        pairs = []
        if len(rated) > 1:
            a, b = rng.choice(rated, 2, replace=False)
            both = np.zeros(market.num_goods, dtype=np.int64)
            both[[a, b]] = 1
            if market.allows(i, both)[0]:
                sign = 1 if rng.random() < 0.5 else -1
                pairs.append([names[a], names[b], sign * int(rng.integers(5, 31))])
        forms.append({"ratings": ratings, "pairs": pairs})
    return {"forms": forms}


def _whole(prices: np.ndarray) -> list[int]:
    return [int(price) for price in np.rint(np.maximum(prices, 0) * BUDGET)]


def _versions() -> dict[str, str]:
    return versions_of(("numpy", "scipy", "highspy"))


def answer_lines() -> int:
    """Answers one request after the other; whoever asks waits, so this gives way to nobody."""
    limit(0)
    for line in sys.stdin.buffer:
        try:
            request = json.loads(line)
            answer = {} if "is_warming" in request else ask(request)
        except BocaError as error:
            answer = {"refused": str(error)}
        print(json.dumps(answer, allow_nan=False), flush=True)
    return 0


JOBS = {"price": price, "seat": seat, "draw": draw}

if __name__ == "__main__":
    sys.exit(answer_lines() if sys.argv[1] == "ask" else run(JOBS))
