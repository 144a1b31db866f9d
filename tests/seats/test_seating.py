"""What a result claims of everybody, and the shape of lists of schedules."""

from dataclasses import replace

import numpy as np
import pytest

from boca.core import Bidder, Good, Limit, Market
from boca.functions import AdjustedSum
from boca.seats import SeatParams, SeatRules, assign_seats
from boca.seats.assign import _proofs
from boca.seats.demand import Demand
from boca.seats.following import Point
from boca.seats.offer import Offer
from boca.seats.rankings import rank
from boca.seats.seating import padded
from boca.seats.wish import wishes


def school(num_students, num_courses, seats, most=3):
    """Students who may take a few courses."""
    limits = (Limit((1.0,) * num_courses, float(most), "courses"),)
    goods = tuple(Good(f"course {j}", seats) for j in range(num_courses))
    return Market(goods, tuple(Bidder(f"student {i}", "", limits) for i in range(num_students)))


def ratings(num_students, num_courses, seed=1, marks=90):
    rng = np.random.default_rng(seed)
    rows = rng.random((num_students, num_courses)) * marks
    return [AdjustedSum(np.round(row) if marks < 10 else row) for row in rows]


def test_what_is_proven_of_all_is_proven_of_each():
    """Tests that one student without a proof, or without a whole list, takes the claim away."""
    seating = assign_seats(school(12, 5, 4), ratings(12, 5))
    assert seating.is_best.all()
    assert seating.is_complete.all()
    assert seating.is_efficient
    for name in ("is_best", "is_complete"):
        doubt = getattr(seating, name).copy()
        doubt[3] = False
        assert not replace(seating, **{name: doubt}).is_efficient


def test_lots_of_one_priority_are_lots():
    """Tests students with few marks before others with many: lots decided among the first."""
    market = school(60, 8, 9)
    utilities = [*ratings(40, 8, marks=2), *ratings(20, 8)]
    rules = SeatRules(priorities=(1.0,) * 40 + (0.0,) * 20)
    seating = assign_seats(market, utilities, rules, seed=20_002)
    alone = assign_seats(replace(market, bidders=market.bidders[40:]), utilities[40:])
    assert not alone.ties_by_lot
    assert seating.ties_by_lot


def test_nothing_is_decided_by_lot_where_nobody_is_indifferent():
    """Tests a market that does not clear, in which no two schedules are as good as each other."""
    short = SeatParams(num_rounds=1, patience=1, budget_moves=0.0, num_attempts=5)
    seating = assign_seats(school(30, 6, 2), ratings(30, 6), params=short)
    assert (seating.attempts, seating.stopped) == (5, "attempts")
    assert seating.is_repaired
    assert not seating.ties_by_lot


@pytest.mark.parametrize(
    ("bundles", "rows"),
    [
        ([[1, 0, 1], [0, 0, 0], [0, 1, 0]], [[0, 2], [3, 3], [1, 3]]),
        ([[0, 0], [0, 0]], [[2], [2]]),
    ],
)
def test_schedules_are_listed_and_padded_to_the_longest(bundles, rows):
    """Tests students with different numbers of courses, and none."""
    assert padded(np.array(bundles)).tolist() == rows


def test_whoever_can_afford_nothing_has_its_best():
    """Tests a student for whom every schedule is too dear, in a list that is cut short."""
    market, utilities = school(1, 4, 2), ratings(1, 4)
    all_wishes = wishes(market, utilities, SeatRules(), [np.arange(4)], [np.ones(4, bool)])
    rankings = rank(all_wishes, 2, 4)
    demand = Demand(rankings, Offer(market.capacities[None], np.zeros(1, dtype=int)), np.ones(1))
    nothing = rankings.num_listed - 1
    assert rankings.certain[0] <= nothing[0]
    for price, is_best in ((5.0, True), (0.5, False)):
        point = Point(0.0, np.full((1, 4), price), nothing, np.ones(1))
        assert _proofs(demand, all_wishes, point).tolist() == [is_best]
