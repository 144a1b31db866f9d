"""Whether answers can all be true, and which of them cannot."""

import numpy as np
import pytest

from boca.core import Bidder, Demands, Good, Limit, Market, Reports
from boca.functions.consistency import contradiction

MARKET = Market((Good("A"), Good("B")), (Bidder("one"),))
NOBODY = Reports.empty(2)
NOTHING = Demands.empty(2)


def found(reports, demands, market=MARKET):
    return contradiction(reports, demands, market, 0)


def test_the_dearer_good_each_time_is_a_contradiction():
    """Tests the textbook case, which was once certified: A at (4, 1), B at (1, 4), AB worth 10."""
    answers = found(Reports([[1, 1]], [10]), Demands([[4, 1], [1, 4]], [[1, 0], [0, 1]]))

    assert answers.bidder == 0
    assert len(answers.reports) == 0  # the value of AB has nothing to do with it
    assert answers.demands == Demands([[4, 1], [1, 4]], [[1, 0], [0, 1]])
    assert answers.text(MARKET) == (
        "Answers of one contradict each other: A wanted at prices (A 4, B 1); "
        "B wanted at prices (A 1, B 4). All its answers fit together if each is off by up to 3."
    )


def test_the_cheaper_good_each_time_is_none():
    """Tests the same choices the other way round."""
    assert found(Reports([[1, 1]], [10]), Demands([[1, 4], [4, 1]], [[1, 0], [0, 1]])) is None


def test_a_part_worth_more_than_the_whole_is_a_contradiction():
    """Tests free disposal, with equal values as the border."""
    answers = found(Reports([[1, 1], [1, 0], [0, 1]], [10, 11, 3]), NOTHING)

    assert answers.reports == Reports([[1, 1], [1, 0]], [10, 11])
    assert answers.text(MARKET) == (
        "Answers of one contradict each other: A, B worth 10; A worth 11. "
        "All its answers fit together if each is off by up to 0.5."
    )
    assert found(Reports([[1, 1], [1, 0]], [10, 10]), NOTHING) is None


def test_a_value_below_the_price_that_was_paid_is_a_contradiction():
    """Tests a choice against a value: A wanted for 4 is worth 4 or more."""
    demands = Demands([[4, 9]], [[1, 0]])

    answers = found(Reports([[1, 0]], [3]), demands)
    assert answers.reports == Reports([[1, 0]], [3])
    assert answers.demands == demands
    assert found(Reports([[1, 0]], [4]), demands) is None


def test_a_value_that_a_choice_passed_over_is_a_contradiction():
    """Tests two values against a choice: B would have left 6 instead of 4."""
    demands = Demands([[1, 1]], [[1, 0]])

    assert found(Reports([[1, 0], [0, 1]], [5, 7]), demands) is not None
    assert found(Reports([[1, 0], [0, 1]], [7, 7]), demands) is None  # a tie


def test_wanting_nothing_bounds_values():
    """Tests the empty bundle as a choice: who wants nothing at 2 does not value A at 3."""
    demands = Demands([[2, 2]], [[0, 0]])

    assert found(Reports([[1, 0]], [3]), demands) is not None
    assert found(Reports([[1, 0]], [2]), demands) is None


def test_bundles_beyond_limits_were_no_alternative():
    """Tests that a choice says nothing about what the bidder cannot have."""
    limit = Limit((1.0, 1.0), 1.0)
    market = Market((Good("A"), Good("B")), (Bidder("one", limits=(limit,)),))
    reports, demands = Reports([[1, 1]], [10]), Demands([[1, 1]], [[1, 0]])

    assert found(reports.add([1, 0], 2), demands, market) is None
    assert found(reports.add([1, 0], 2), demands) is not None  # without limits AB leaves 8


def test_long_circles_are_found():
    """Tests three goods, each passed over for a dearer one; any two of the choices are fine."""
    market = Market.simple(3, 1)
    demands = Demands([[2, 1, 9], [9, 2, 1], [1, 9, 2]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    answers = found(Reports.empty(3), demands, market)
    assert answers.demands == demands
    for rows in ([0, 1], [1, 2], [0, 2]):
        some = Demands(demands.prices[rows], demands.bundles[rows])
        assert found(Reports.empty(3), some, market) is None


def test_a_correction_ends_a_contradiction():
    """Tests that the last value counts."""
    reports, demands = Reports([[1, 0]], [3]), Demands([[4, 9]], [[1, 0]])

    assert found(reports, demands) is not None
    assert found(reports.correct([1, 0], 5), demands) is None


@pytest.mark.parametrize("unit", [0.01, 1.0, 1e9, 1e11])
def test_one_unit_decides(unit):
    """Tests ties and answers off by one unit, in cents and in millions of millions."""
    demands = Demands(np.array([[300, 400]]) * unit, [[0, 1]])

    assert found(Reports([[1, 0], [0, 1]], np.array([600, 700]) * unit), demands) is None
    off_by_one = np.array([600 * unit + min(unit, 1.0), 700 * unit])
    assert found(Reports([[1, 0], [0, 1]], off_by_one), demands) is not None


def test_rounding_is_not_a_contradiction():
    """
    Tests amounts that are no whole units: each of three steps may be off by a thousandth of a
    millionth of the largest amount, 4/3.
    """
    third = 1 / 3
    demands = Demands([[third, 2 * third]], [[0, 1]])

    assert found(Reports([[1, 0], [0, 1]], [1.0, 1 + third - 3.9e-9]), demands) is None
    assert found(Reports([[1, 0], [0, 1]], [1.0, 1 + third - 4.1e-9]), demands) is not None


def test_no_answer_contradicts_nothing():
    """Tests silence, and a report of the empty bundle."""
    assert found(NOBODY, NOTHING) is None
    assert found(Reports([[0, 0]], [0]), NOTHING) is None


BUYING = Market((Good("A"), Good("B")), (Bidder("one"),), sense="buy")


def test_suppliers_contradict_themselves_the_other_way_round():
    """Tests choices of a supplier: the worse paid lot each time, and a cost above what was paid."""
    worse = Demands([[1, 4], [4, 1]], [[1, 0], [0, 1]])
    answers = found(NOBODY, worse, BUYING)
    assert answers.demands == worse
    assert answers.text(BUYING) == (
        "Answers of one contradict each other: A supplied at prices (A 1, B 4); "
        "B supplied at prices (A 4, B 1). All its answers fit together if each is off by up to 3."
    )
    assert found(NOBODY, Demands([[4, 1], [1, 4]], [[1, 0], [0, 1]]), BUYING) is None

    at_four = Demands([[4, 0]], [[1, 0]])
    assert found(Reports([[1, 0]], [4]), at_four, BUYING) is None
    assert found(Reports([[1, 0]], [3]), at_four, BUYING) is None
    assert found(Reports([[1, 0]], [5]), at_four, BUYING).text(BUYING) == (
        "Answers of one contradict each other: A for 5; A supplied at prices (A 4, B 0). "
        "All its answers fit together if each is off by up to 0.5."
    )
    declined = Demands([[4, 0]], [[0, 0]])  # would not supply A for 4, so it costs at least that
    assert found(Reports([[1, 0]], [3]), declined, BUYING) is not None
    assert found(Reports([[1, 0]], [4]), declined, BUYING) is None


def test_of_choices_that_say_the_same_the_strictest_counts_and_then_the_first():
    """Tests A wanted at 4 twice, with another price of B, and at a lower price after a higher."""
    twice = Demands([[4, 9], [4, 8]], [[1, 0], [1, 0]])
    assert found(Reports([[1, 0]], [3]), twice).demands == Demands([[4, 9]], [[1, 0]])
    falling = Demands([[4, 9], [1, 9]], [[1, 0], [1, 0]])
    assert found(Reports([[1, 0]], [3]), falling).demands == Demands([[4, 9]], [[1, 0]])

    supplied = Demands([[4, 0], [4, 1]], [[1, 0], [1, 0]])
    first = Demands([[4, 0]], [[1, 0]])
    assert found(Reports([[1, 0]], [5]), supplied, BUYING).demands == first
    rising = Demands([[4, 0], [9, 0]], [[1, 0], [1, 0]])
    assert found(Reports([[1, 0]], [5]), rising, BUYING).demands == first


def test_what_a_supplier_cannot_supply_was_no_alternative():
    """Tests A supplied for 1 where AB, which costs 5, would have been paid 10."""
    limit = Limit((1.0, 1.0), 1.0)
    limited = Market(BUYING.goods, (Bidder("one", limits=(limit,)),), sense="buy")
    reports, demands = Reports([[1, 1]], [5]), Demands([[1, 9]], [[1, 0]])

    assert found(reports, demands, limited) is None
    assert found(reports, demands, BUYING) is not None


def test_answers_are_named_in_their_order():
    """Tests the second and the ninth of nine values, of which the second is too high."""
    market = Market.simple(9, 1)
    bundles = np.eye(9, dtype=int)
    bundles[8, 1] = 1  # goods 1 and 8 together
    values = np.array([1, 5, 1, 1, 1, 1, 1, 1, 4])

    assert found(Reports(bundles, values), Demands.empty(9), market).reports.values.tolist() == [
        5,
        4,
    ]


def test_rounding_is_a_share_of_the_largest_price_too():
    """
    Tests two choices whose circle misses 0 by a little: each of the two steps may be off by a
    thousandth of a millionth of 4/3, the price of what was wanted.
    """
    third = 1 / 3
    for missing, is_fine in ((2.3e-9, True), (3e-9, False)):
        prices = [[4 * third, third], [4 * third - missing, third]]
        answers = found(NOBODY, Demands(prices, [[1, 0], [0, 1]]))
        assert (answers is None) == is_fine
