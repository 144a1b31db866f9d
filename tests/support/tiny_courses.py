"""Tiny course markets, and what is true of them by trying everything, without the solver."""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.optimize import linprog

from boca.core import Bidder, Good, Limit, Market
from boca.functions import AdjustedSum, Adjustment, Quadratic, XorTable
from boca.seats import Seating, SeatRules

SLACK = 1e-7


@dataclass(frozen=True)
class TinyMarket:
    market: Market
    utilities: list
    rules: SeatRules


def tiny_market(
    seed: int, with_rules: bool = True, max_students: int = 4, max_courses: int = 4
) -> TinyMarket:
    """A random market with conflicts, credits, sections, forbidden courses and, perhaps, rules."""
    rng = np.random.default_rng(seed)
    num_students = int(rng.integers(2, max_students + 1))
    num_courses = int(rng.integers(3, max_courses + 1))
    goods = tuple(Good(f"course {j}", int(rng.integers(1, 4))) for j in range(num_courses))
    credits = tuple(float(c) for c in rng.integers(1, 4, num_courses))
    shared = [Limit((1.0,) * num_courses, 2.0, "courses")]
    if rng.random() < 0.5:
        shared.append(_of(num_courses, rng.choice(num_courses, 2, replace=False), "conflict"))
    if rng.random() < 0.3:
        shared.append(_of(num_courses, rng.choice(num_courses, 3, replace=False), "section"))
    bidders = []
    for i in range(num_students):
        limits = list(shared)
        if rng.random() < 0.4:
            limits.append(Limit(credits, float(rng.integers(2, 6)), "credits"))
        if rng.random() < 0.2:
            limits.append(_of(num_courses, [rng.integers(num_courses)], "forbidden", 0.0))
        bidders.append(Bidder(f"student {i}", "", tuple(limits)))
    market = Market(goods, tuple(bidders))
    # Whole numbers make ties, which whoever has a smaller utility for money would not see.
    is_whole = rng.random() < 0.5
    utilities = [_utility(rng, num_courses, is_whole) for _ in bidders]
    rules = _rules(rng, market, credits) if with_rules else SeatRules()
    return TinyMarket(market, utilities, rules)


def _of(num_courses, courses, name, bound=1.0):
    row = np.zeros(num_courses)
    row[courses] = 1.0
    return Limit(tuple(row), bound, name)


def _utility(rng, num_courses, is_whole):
    ratings = rng.integers(-1, 6, num_courses) if is_whole else rng.uniform(1, 100, num_courses)
    size = 2.0 if is_whole else 25.0
    kind = rng.integers(3)
    pair = rng.choice(num_courses, 2, replace=False)
    points = float(np.rint(rng.normal(0, size))) if is_whole else rng.normal(0, size)
    if kind == 0:
        factors = [0, 0, float(rng.choice([-0.5, 0.5]))]
        extra = Adjustment(rng.choice(num_courses, 2, replace=False), factors=factors)
        return AdjustedSum(ratings, (Adjustment.together(pair, points), extra))
    if kind == 1:
        matrix = np.zeros((num_courses, num_courses))
        matrix[pair[0], pair[1]] = points
        return Quadratic(matrix, ratings)
    sets = [some for size in (1, 2) for some in combinations(range(num_courses), size)]
    bundles = np.array([[j in some for j in range(num_courses)] for some in sets]).astype(int)
    values = bundles @ np.abs(ratings) + rng.integers(-1, 2, len(sets))
    return XorTable(bundles, np.maximum(values, 0.0))


def _rules(rng, market, credits):
    num_students, num_courses = market.num_bidders, market.num_goods
    fields = {}
    if rng.random() < 0.25:
        fields["priorities"] = tuple(float(p) for p in rng.integers(0, 2, num_students))
    if rng.random() < 0.25:
        fields["groups"] = tuple(str(g) for g in rng.choice(["", "a", "b"], num_students))
        fields["reserved"] = tuple(
            (("a", 1),) if rng.random() < 0.5 else () for _ in range(num_courses)
        )
    if rng.random() < 0.2:
        fields["required"] = tuple(
            ((int(rng.integers(num_courses)),),) if rng.random() < 0.5 else ()
            for _ in range(num_students)
        )
    if rng.random() < 0.2:
        fields["targets"] = tuple(max(1, int(c) - 1) for c in market.capacities)
        if "reserved" in fields:
            fields["reserved"] = tuple(pairs[:1] for pairs in fields["reserved"])
    return SeatRules(**fields)


def all_schedules(market: Market, student: int, offered: np.ndarray) -> np.ndarray:
    """Every 0/1 bundle of courses that are offered within the student's limits."""
    rows = np.array(list(product([0, 1], repeat=market.num_goods)))
    rows = rows[(rows <= offered).all(axis=1)]
    coefficients, bounds = market.limits(student)
    return rows[(rows @ coefficients.T <= bounds + 1e-9).all(axis=1)]


def worth(tiny: TinyMarket, student: int, rows: np.ndarray) -> np.ndarray:
    """Utilities in which required courses come first."""
    rows = np.atleast_2d(rows)
    values = tiny.utilities[student](rows)
    for choices in tiny.rules.required[student] if tiny.rules.required else ():
        values = values + 1e6 * rows[:, list(choices)].any(axis=1)
    return values


class BruteForce:
    """What an assignment of a tiny market keeps and breaks, in words; all by trying everything."""

    def __init__(self, tiny: TinyMarket, seating: Seating):
        self.tiny, self.seating = tiny, seating
        self.market, self.rules = tiny.market, tiny.rules
        self.bundles = seating.allocation.bundles
        num = self.market.num_bidders
        self.priorities = np.array(self.rules.priorities or [0.0] * num)
        self.groups = list(self.rules.groups or [""] * num)
        reserved = self.rules.reserved or ((),) * self.market.num_goods
        self.reserved = np.array([sum(s for g, s in pairs if g == "a") for pairs in reserved])
        self.targets = np.array(self.rules.targets or self.market.capacities)
        self.values = np.array([worth(tiny, i, self.bundles[i])[0] for i in range(num)])

    def seats_before(self, student: int) -> tuple[np.ndarray, np.ndarray]:
        """Reserved and open seats that higher priorities leave."""
        reserved, free = self.reserved.copy(), self.targets - self.reserved
        for i in np.flatnonzero(self.priorities > self.priorities[student]):
            from_reserved = (self.bundles[i] > 0) & (self.groups[i] == "a") & (reserved > 0)
            reserved = reserved - from_reserved
            free = free - ((self.bundles[i] > 0) & ~from_reserved)
        return reserved, free

    def schedules(self, student: int) -> np.ndarray:
        reserved, free = self.seats_before(student)
        seats = free + (reserved if self.groups[student] == "a" else 0)
        return all_schedules(self.market, student, seats > 0)

    def wrong_demands(self) -> list[int]:
        """Students who could afford something better, or (without lots) as good and cheaper."""
        wrong = []
        for i in range(self.market.num_bidders):
            prices = self.seating.prices_of(i)
            rows = self.schedules(i)
            values, costs = worth(self.tiny, i, rows), rows @ prices
            own_cost = float(self.bundles[i] @ prices)
            is_within = own_cost <= self.seating.budgets[i] + SLACK
            fits = costs <= self.seating.budgets[i] - SLACK
            better = fits & (values > self.values[i] + SLACK)
            cheaper = (np.abs(values - self.values[i]) <= SLACK) & (costs < own_cost - SLACK)
            # A schedule that is worth no more than nothing is not asked for at all.
            cheaper &= self.bundles[i].any() > 0
            cheaper &= not self.seating.ties_by_lot
            if not is_within or better.any() or cheaper.any():
                wrong.append(i)
        return wrong

    def clears(self) -> bool:
        """Whether nothing is oversold and whatever costs something is full, level by level."""
        for level in np.unique(self.priorities):
            students = np.flatnonzero(self.priorities == level)
            reserved, free = self.seats_before(students[0])
            is_member = np.array([self.groups[i] == "a" for i in students])
            members = self.bundles[students[is_member]].sum(axis=0)
            others = self.bundles[students[~is_member]].sum(axis=0)
            open_prices = self._open_prices(level)
            member_prices = self._member_prices(level)
            for j in range(self.market.num_goods):
                beyond = max(0, members[j] - reserved[j])
                if member_prices[j] < open_prices[j] - 1e-12 and beyond:
                    return False  # more members than reserved seats at the lower price
                if others[j] + beyond > free[j]:
                    return False
                if open_prices[j] > 0 and others[j] + beyond < free[j]:
                    return False
                if reserved[j] and member_prices[j] > 0 and members[j] < reserved[j]:
                    return False
        return True

    def _list(self, level):
        return next(p for p in self.seating.price_lists if p.priority == level)

    def _open_prices(self, level):
        return self._list(level).prices[0]

    def _member_prices(self, level):
        prices = self._list(level)
        return prices.prices[prices.groups.index("a") if "a" in prices.groups else 0]

    def dominating(self) -> tuple | None:
        """An assignment that is better for somebody and worse for nobody, if there is one."""
        num = self.market.num_bidders
        rows = [all_schedules(self.market, i, np.ones(self.market.num_goods)) for i in range(num)]
        keep = []
        for i in range(num):
            values = worth(self.tiny, i, rows[i])
            is_as_good = values >= self.values[i] - SLACK
            keep.append(list(zip(rows[i][is_as_good], values[is_as_good], strict=True)))
        for combination in product(*keep):
            bundles = np.array([row for row, _ in combination])
            gains = np.array([value for _, value in combination]) - self.values
            if gains.max() > 1e-5 and self._fits(bundles):
                return combination
        return None

    def _fits(self, bundles: np.ndarray) -> bool:
        is_member = np.array([group == "a" for group in self.groups])
        members, others = bundles[is_member].sum(axis=0), bundles[~is_member].sum(axis=0)
        beyond = np.maximum(members - self.reserved, 0)
        return bool((others + beyond <= self.targets - self.reserved).all())

    def best_part(self, student: int, row: np.ndarray) -> float:
        rows = all_schedules(self.market, student, np.ones(self.market.num_goods))
        inside = rows[(rows <= row).all(axis=1)]
        return float(worth(self.tiny, student, inside).max())

    def envious(self) -> list[tuple[int, int]]:
        num = self.market.num_bidders
        return [
            (i, j)
            for i in range(num)
            for j in range(num)
            if self.best_part(i, self.bundles[j]) > self.values[i] + 1e-6
        ]

    def beyond_one(self, i: int, j: int) -> bool:
        """Whether i envies j whichever single course j loses."""
        for course in np.flatnonzero(self.bundles[j]):
            row = self.bundles[j].copy()
            row[course] = 0
            if self.best_part(i, row) <= self.values[i] + 1e-6:
                return False
        return True

    def same_kind(self, i: int, j: int) -> bool:
        return self.priorities[i] == self.priorities[j] and self.groups[i] == self.groups[j]


def equilibrium_exists(
    tiny: TinyMarket, base_budgets: np.ndarray, moves: float, keeps_order: bool = True
) -> bool:
    """
    Whether prices and budgets exist at which a market without priorities and groups clears.

    Every allocation is tried: a linear program looks for prices at which each student's schedule
    is the cheapest of its best ones within a budget that was moved by ``moves`` at most.
    """
    market = tiny.market
    targets = np.array(tiny.rules.targets or market.capacities)
    num, num_courses = market.num_bidders, market.num_goods
    rows = [all_schedules(market, i, targets > 0) for i in range(num)]
    values = [worth(tiny, i, rows[i]) for i in range(num)]
    for choice in product(*(range(len(r)) for r in rows)):
        bundles = np.array([rows[i][k] for i, k in enumerate(choice)])
        if (bundles.sum(axis=0) > targets).any():
            continue
        own = np.array([values[i][k] for i, k in enumerate(choice)])
        if keeps_order and _breaks_order(rows, values, bundles, own, base_budgets):
            continue
        is_full = bundles.sum(axis=0) == targets
        above, bounds = [], []
        for i in range(num):
            budget = np.eye(num)[i]
            above.append(np.concatenate([bundles[i], -budget]))  # its schedule is within the budget
            bounds.append(0.0)
            for row, value in zip(rows[i], values[i], strict=True):
                if value > own[i] + SLACK:  # better ones are not
                    above.append(np.concatenate([-row, budget]))
                    bounds.append(-1e-5)
                elif value > own[i] - SLACK:  # none as good is cheaper
                    above.append(np.concatenate([bundles[i] - row, np.zeros(num)]))
                    bounds.append(0.0)
        limits = [(0, 2 if full else 0) for full in is_full]
        limits += [(b - moves, b + moves) for b in base_budgets]
        answer = linprog(np.zeros(num_courses + num), np.array(above), bounds, bounds=limits)
        if answer.status == 0:
            return True
    return False


def _breaks_order(rows, values, bundles, own, base_budgets) -> bool:
    for i in range(len(rows)):
        for j in np.flatnonzero(base_budgets < base_budgets[i]):
            inside = (rows[i] <= bundles[j]).all(axis=1)
            if values[i][inside].max() > own[i] + SLACK:
                return True
    return False
