"""The last stage of a repair: free seats for whoever wants them, listed or not."""

from dataclasses import replace

import numpy as np
import pytest

from boca.core import Bidder, Good, Limit, Market
from boca.functions import AdjustedSum
from boca.seats import SeatRules
from boca.seats.demand import Demand
from boca.seats.following import Point
from boca.seats.offer import Offer
from boca.seats.rankings import rank
from boca.seats.repair import end_oversubscription, end_wants, fill_seats
from boca.seats.tabu import BEYOND
from boca.seats.wish import wishes


def standing(utilities, seats, num_ranked, most=2):
    """Demand and wishes of students who have only so many schedules in their ranking."""
    num = len(seats)
    limits = (Limit((1.0,) * num, float(most), "courses"),)
    market = Market(
        tuple(Good(f"c{j}", max(count, 1)) for j, count in enumerate(seats)),
        tuple(Bidder(f"s{i}", "", limits) for i in range(len(utilities))),
    )
    functions = [AdjustedSum(list(map(float, row))) for row in utilities]
    order = [np.arange(num)] * len(utilities)
    all_wishes = wishes(market, functions, SeatRules(), order, [np.ones(num, bool)] * len(order))
    rankings = rank(all_wishes, num_ranked, num)
    offer = Offer(np.array([seats]), np.zeros(len(utilities), dtype=int))
    return Demand(rankings, offer, np.ones(len(utilities))), all_wishes


def nothing(demand, prices):
    """Everybody with nothing, which is last in a ranking."""
    return Point(0.0, np.array([prices]), demand.rankings.num_listed - 1, demand.budgets)


def courses_of(demand, point):
    num = demand.offer.num_courses
    return [
        sorted(c for c in row.tolist() if c < num)
        for row in demand.rankings.schedules(point.choice)
    ]


def test_a_price_rises_once_and_so_far_that_as_many_drop_as_are_too_many():
    """Tests three students for one seat; a fourth one with little left does not want it."""
    ratings = [[9, 0], [9, 0], [9, 0], [0, 5]]
    demand, all_wishes = standing(ratings, [1, 1], num_ranked=9)
    demand = replace(demand, budgets=np.array([1.0, 1.01, 1.02, 1.0]))
    demand, point = end_oversubscription(demand, all_wishes, np.array([[0.0, 0.9]]))
    assert courses_of(demand, point) == [[], [], [0], [1]]
    assert point.prices[0] == pytest.approx([1.01 + BEYOND, 0.9], abs=1e-9)


def test_a_free_seat_beyond_the_ranking_is_found():
    """Tests a student whose listed schedules need a full course: it gets the best of the rest."""
    demand, all_wishes = standing([[9, 8, 3, 2]], [0, 5, 5, 5], num_ranked=1)
    point = nothing(demand, [0.0, 9.0, 9.0, 9.0])
    assert fill_seats(demand, point, demand.offer.seats, np.arange(1), np.inf).tolist() == [1]
    demand, point = end_wants(demand, all_wishes, point, np.arange(1))
    assert courses_of(demand, point) == [[1, 2]]


def test_whoever_is_first_in_turn_takes_the_seat_and_the_next_one_the_rest():
    """Tests the order of turns, and that a seat is given once."""
    for order, expected in (([0, 1], [[0, 1], [2, 3]]), ([1, 0], [[2, 3], [0, 1]])):
        demand, all_wishes = standing([[9, 8, 3, 2]] * 2, [1, 1, 1, 1], num_ranked=1)
        point = nothing(demand, [5.0] * 4)
        demand, point = end_wants(demand, all_wishes, point, np.array(order))
        assert courses_of(demand, point) == expected
        assert demand.totals(point.choice).tolist() == [[1, 1, 1, 1]]


def test_nobody_moves_for_something_as_good():
    """Tests that equals are left alone, so that the stage ends."""
    demand, all_wishes = standing([[5, 5, 5]], [1, 1, 1], num_ranked=50, most=1)
    point = Point(0.0, np.zeros((1, 3)), np.array([1]), demand.budgets)
    demand, after = end_wants(demand, all_wishes, point, np.arange(1))
    assert after.choice.tolist() == [1]


def test_what_somebody_has_is_found_again_in_a_longer_ranking():
    """Tests a student who keeps its schedule while its own seats count as free for it."""
    demand, all_wishes = standing([[9, 8, 3, 2], [1, 1, 1, 7]], [1, 0, 0, 1], num_ranked=1)
    point = nothing(demand, [0.0] * 4)
    demand, point = end_wants(demand, all_wishes, point, np.arange(2))
    assert courses_of(demand, point) == [[0, 3], []]
    assert (demand.rankings.utilities[[0, 1], point.choice] == [11, 0]).all()
    again, same = end_wants(demand, all_wishes, point, np.arange(2))
    assert courses_of(again, same) == courses_of(demand, point)
