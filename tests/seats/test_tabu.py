"""The search over demands: no demand twice, prices that move as far as one student needs."""

import numpy as np
import pytest
from few_students import few_students

from boca.seats.following import Point
from boca.seats.offer import error_of
from boca.seats.tabu import BEYOND, NUM_RETURNED, tabu_search


def begin(demand, prices):
    """The point that prices lead to."""
    prices = np.array([prices], dtype=float)
    choice = demand.choose(prices)
    error = error_of(demand.offer.excess(demand.totals(choice), prices))
    return Point(error, prices, choice, demand.budgets)


def search(demand, prices, patience=50):
    return tabu_search(demand, begin(demand, prices), patience, lambda: False)


def test_a_price_rises_until_one_student_less_can_pay():
    """Tests one seat that two want: the price is just above the smaller budget."""
    demand, _ = few_students([[9.0], [9.0]], [1.0, 1.02], [1])
    best = search(demand, [0.5])[0]
    assert best.error == 0
    assert best.prices[0, 0] == pytest.approx(1.0 + BEYOND, abs=1e-12)
    assert demand.totals(best.choice).tolist() == [[1]]


def test_a_price_rises_at_once_for_as_many_as_are_too_many():
    """Tests four who want one seat, in one step."""
    demand, _ = few_students([[9.0]] * 4, [1.0, 1.02, 1.04, 1.06], [1])
    best, *others = search(demand, [0.5], patience=1)
    assert best.error == 0
    assert best.prices[0, 0] == pytest.approx(1.04 + BEYOND, abs=1e-12)
    assert len(others) == 1


def test_a_price_falls_until_one_student_more_can_pay():
    """Tests a dear course with a free seat: the price is just below the larger budget."""
    demand, _ = few_students([[9.0], [9.0]], [1.0, 1.02], [1])
    best = search(demand, [1.05])[0]
    assert best.error == 0
    assert best.prices[0, 0] == pytest.approx(1.02 - BEYOND, abs=1e-12)


@pytest.mark.parametrize("seed", range(20001, 20021))
def test_no_demand_is_visited_twice(seed):
    """Tests random students with budgets so equal that few prices clear."""
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 20, (6, 3)).astype(float)
    # Equal budgets: whatever the prices, some take what others want as well.
    demand, _ = few_students(ratings, np.ones(6), [1, 2, 1], most=2.0)
    points = search(demand, [0.0, 0.0, 0.0], patience=12)
    totals = [demand.totals(point.choice).tobytes() for point in points]
    assert len(set(totals)) == len(totals) <= NUM_RETURNED
    errors = [point.error for point in points]
    assert errors == sorted(errors)
    for point in points:
        assert (demand.choose(point.prices) == point.choice).all()


def test_time_and_patience_end_a_search():
    """Tests a search that may not begin, and one that ends with its first step without gain."""
    demand, _ = few_students([[9.0, 8.0]] * 3, [1.0, 1.0, 1.0], [1, 1])
    begun = begin(demand, [0.0, 0.0])
    assert tabu_search(demand, begun, 5, lambda: True) == [begun]
    assert tabu_search(demand, begun, 0, lambda: False) == [begun]
    steps = []
    tabu_search(demand, begun, 1, lambda: steps.append(0) or False)
    gains = [p.error for p in tabu_search(demand, begun, 50, lambda: False)]
    assert len(steps) <= 1 + len([error for error in gains if error < begun.error]) + 1
