"""Rules for sharing out seats on the same students: utilities, envy, and misreports that pay."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.functions import AdjustedSum
from boca.lab.domains.courses import CourseSetting, draw_courses
from boca.seats import SeatParams, assign_seats, measure_envy
from boca.seats.rivals import RIVALS
from boca.seats.rules import SeatRules
from boca.seats.wish import Wish, wishes

EQUILIBRIUM = "equilibrium"
RULES = (EQUILIBRIUM, *RIVALS)

# A misreport multiplies or divides one rating by this (Budish et al. 2023, the search for
# profitable manipulations), in so many steps at most, for the courses rated highest.
FACTOR = 2.0
MOST_STEPS = 2
NUM_COURSES = 5
# Orders of tie-breaking over which the gain of a misreport is averaged while it is looked for, and
# others on which it is then measured, so that luck in the first does not count.
NUM_DRAWS, NUM_FRESH = 1, 3
# Gains below this share of the truthful utility are not worth anybody's while.
LEAST_GAIN = 0.005

Rule = Callable[[Sequence[AdjustedSum], int], np.ndarray]


def rule_of(name: str, market: Market) -> Rule:
    """A rule as a function of everybody's report and a seed of the order; gives 0/1 rows."""
    if name == EQUILIBRIUM:
        return lambda reports, seed: (
            assign_seats(
                market, reports, params=SeatParams(num_attempts=20), seed=seed
            ).allocation.bundles
        )

    def share(reports: Sequence[AdjustedSum], seed: int) -> np.ndarray:
        order = order_of(market, seed)
        schedules = RIVALS[name](wishes_of(market, reports), market.capacities, order)
        rows = np.zeros((market.num_bidders, market.num_goods), dtype=np.int64)
        for row, courses in zip(rows, schedules, strict=True):
            row[courses] = 1
        return rows

    return share


def order_of(market: Market, seed: int) -> np.ndarray:
    """Students by the draw that gives budgets, the largest budget first."""
    seeds = Seeds(seed).child("seats")
    draws = [(seeds.child("order", b.name).integer(), b.name) for b in market.bidders]
    return np.array(sorted(range(len(draws)), key=lambda i: draws[i]))[::-1].copy()


def wishes_of(market: Market, reports: Sequence[AdjustedSum]) -> list[Wish]:
    """Wishes without rules, ties broken by the order of courses."""
    num = market.num_bidders
    courses = np.arange(market.num_goods)
    offered = np.ones(market.num_goods, dtype=bool)
    return wishes(market, reports, SeatRules(), [courses] * num, [offered] * num)


@dataclass(frozen=True)
class RuleFacts:
    """
    One rule on one instance, everybody sincere.

    Parameters
    ----------
    rule, seed
        Which rule, which instance.
    mean, low, least
        Mean utility, its 5 % quantile, and the smallest.
    envious, beyond_one, against_order
        Pairs of students, as in :class:`~boca.seats.envy.Envy`.
    empty
        Students without any course.
    tried, paying
        Students whose misreports were looked for, and those for whom one pays.
    gain
        Mean gain of those who tried, in % of the truthful utility; at least 0.
    """

    rule: str
    seed: int
    mean: float
    low: float
    least: float
    envious: int
    beyond_one: int
    against_order: int
    empty: int
    tried: int
    paying: int
    gain: float


def compare_rules(
    setting: CourseSetting, seed: int, num_tried: int = 0, rules: Sequence[str] = RULES
) -> list[RuleFacts]:
    """
    All rules on one instance.

    Parameters
    ----------
    setting, seed
        The instance.
    num_tried
        Students per rule whose profitable misreports are looked for.
    rules
        Names of rules.
    """
    instance = draw_courses(setting, seed)
    market, truth = instance.market, instance.utilities
    order = order_of(market, seed)
    budgets = np.empty(market.num_bidders)
    budgets[order[::-1]] = np.arange(market.num_bidders)
    everybody = wishes_of(market, truth)
    rng = Seeds(seed).child("misreports").generator()
    tried = rng.choice(market.num_bidders, min(num_tried, market.num_bidders), replace=False)
    facts = []
    for name in rules:
        rule = rule_of(name, market)
        rows = rule(truth, seed)
        values = np.array([float(u(r[None])[0]) for u, r in zip(truth, rows, strict=True)])
        schedules = [np.flatnonzero(row) for row in rows]
        most = max(1, *(len(s) for s in schedules))
        padded = np.array(
            [np.pad(s, (0, most - len(s)), constant_values=market.num_goods) for s in schedules]
        )
        envy = measure_envy(everybody, padded, budgets, np.zeros(market.num_bidders))
        gains = [misreport_gain(rule, truth, int(i), seed) for i in tried]
        facts.append(
            RuleFacts(
                name,
                seed,
                float(values.mean()),
                float(np.quantile(values, 0.05)),
                float(values.min()),
                envy.pairs,
                envy.beyond_one,
                envy.against_order,
                int((rows.sum(axis=1) == 0).sum()),
                len(gains),
                sum(gain > LEAST_GAIN for gain in gains),
                100 * float(np.mean(np.maximum(gains, 0))) if gains else 0.0,
            )
        )
    return facts


def misreport_gain(rule: Rule, truth: Sequence[AdjustedSum], student: int, seed: int) -> float:
    """
    What the best misreport found by hill climbing gains, as a share of the truthful utility.

    One rating at a time is doubled or halved as long as the student's true utility grows on
    average over a few orders of tie-breaking; the gain is measured on other orders.
    """
    seeds = Seeds(seed).child("misreport", student)
    draws = [seeds.child("draw", k).integer(62) for k in range(NUM_DRAWS + NUM_FRESH)]

    def worth(report: AdjustedSum, some: Sequence[int]) -> float:
        reports = [*truth]
        reports[student] = report
        rows = [rule(reports, draw)[student] for draw in some]
        return float(truth[student](np.array(rows)).mean())

    first, fresh = draws[:NUM_DRAWS], draws[NUM_DRAWS:]
    best, best_worth = truth[student], worth(truth[student], first)
    courses = np.argsort(-truth[student].ratings, kind="stable")[:NUM_COURSES]
    for _ in range(MOST_STEPS):
        candidates = []
        for course in courses:
            for factor in (FACTOR, 1 / FACTOR):
                ratings = best.ratings.copy()
                ratings[course] *= factor
                report = AdjustedSum(ratings, best.adjustments)
                candidates.append((worth(report, first), report))
        value, report = max(candidates, key=lambda candidate: candidate[0])
        if value <= best_worth * (1 + LEAST_GAIN):
            break
        best, best_worth = report, value
    if best is truth[student]:
        return 0.0
    honest = worth(truth[student], fresh)
    return (worth(best, fresh) - honest) / max(honest, 1e-9)
