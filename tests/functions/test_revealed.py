"""What choices reveal: bounds that hold for every truthful bidder with monotone values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import all_bundles, capacities, generators
from random_problems import random_market

from boca.core import Bidder, Good, InputError, Market, Reports
from boca.core.demand import Demands
from boca.functions.revealed import (
    RevealedBound,
    finite_bound,
    lower_bids,
    upper_offers,
    with_lower_bids,
)


def monotone_values(rng, bundles) -> np.ndarray:
    """A random monotone table: each bundle is worth at least as much as its parts."""
    draws = 100 * rng.random(len(bundles)) ** 2 * bundles.any(axis=1)
    parts = (bundles[:, None, :] <= bundles[None, :, :]).all(axis=2)
    return np.where(parts, draws[:, None], 0.0).max(axis=0)


def truthful_demands(rng, bundles, values, allowed, num) -> Demands:
    """Most profitable allowed bundles at random prices, some so high that nothing is wanted."""
    demands = Demands.empty(bundles.shape[1])
    for _ in range(num):
        prices = rng.random(bundles.shape[1]) * rng.choice([1.0, 20.0, 80.0])
        profits = np.where(allowed, values - bundles @ prices, -np.inf)
        demands = demands.add(prices, bundles[profits.argmax()])
    return demands


def truthful_answers(rng, limits, market, bidder, with_full):
    """A bidder's true values, and truthful answers to some queries of both kinds."""
    bundles = all_bundles(limits)
    values = monotone_values(rng, bundles)
    allowed = market.allows(bidder, bundles)
    asked = rng.random(len(bundles)) < 0.3
    asked[-1] = with_full
    asked[0] = False
    reports = Reports(bundles[asked], values[asked])
    demands = truthful_demands(rng, bundles, values, allowed, int(rng.integers(0, 6)))
    return bundles, values, allowed, reports, demands


@settings(max_examples=150, deadline=None)
@given(generators(), capacities(), st.booleans(), st.booleans())
def test_true_values_lie_between_the_bounds(rng, limits, limited, with_full):
    """
    Tests lower <= true <= upper for every bundle that a bidder can have, with goods of several
    copies, with limits, and without a value of the full bundle.
    """
    market = random_market(rng, limits, 1) if limited else Market.simple(len(limits), 1, limits)
    bundles, values, allowed, reports, demands = truthful_answers(rng, limits, market, 0, with_full)
    table = {tuple(row): value for row, value in zip(bundles.tolist(), values, strict=True)}
    bids = lower_bids(reports, demands, market, 0)
    for bundle, bid in bids:
        assert bid <= table[tuple(bundle.tolist())] + 1e-9
        assert bundle not in reports

    bound = RevealedBound.from_answers(reports, demands, market, 0)
    if bound is not None:
        upper = bound(bundles)
        assert (upper[allowed] >= values[allowed] - 1e-9).all()
        np.testing.assert_allclose(
            bound(reports.bundles[market.allows(0, reports.bundles)]),
            reports.values[market.allows(0, reports.bundles)],
            atol=1e-9,
        )


def test_a_bid_is_at_least_the_price():
    """Tests the simplest case: who wants two goods for 5 values them at 5 or more."""
    market = Market.simple(2, 1)
    bids = lower_bids(Reports.empty(2), Demands([[2, 3]], [[1, 1]]), market, 0)
    assert bids == Reports([[1, 1]], [5.0])


def test_a_known_value_raises_the_bid():
    """
    Tests that the wanted bundle is worth as much more than a valued one as it costs more: good 0
    is worth 10, and the bidder paid 4 for good 1 rather than 1 for good 0.
    """
    market = Market.simple(2, 1)
    reports = Reports([[1, 0]], [10.0])
    bids = lower_bids(reports, Demands([[1, 4]], [[0, 1]]), market, 0)
    assert bids == Reports([[0, 1]], [13.0])  # 10 - 1 + 4


def test_bids_raise_each_other():
    """Tests that a chain of choices counts: 0 over 1, and 1 over 2, which is worth 10."""
    market = Market.simple(3, 1)
    reports = Reports([[0, 0, 1]], [10.0])
    demands = Demands([[3, 1, 9], [9, 3, 1]], [[1, 0, 0], [0, 1, 0]])
    bids = lower_bids(reports, demands, market, 0)
    np.testing.assert_array_equal(bids.values, [14.0, 12.0])  # 12 + 3 - 1, and 10 + 3 - 1


def test_bundles_beyond_limits_reveal_nothing():
    """Tests that a choice says nothing about a bundle that could not be chosen."""
    from boca.core import Bidder, Good, Limit

    goods = (Good("a"), Good("b"))
    market = Market(goods, (Bidder("one", limits=(Limit((1.0, 1.0), 1.0),)),))
    reports = Reports([[1, 1]], [10.0])  # known, but out of reach
    demands = Demands([[1, 1]], [[1, 0]])
    assert lower_bids(reports, demands, market, 0) == Reports([[1, 0]], [1.0])


def test_choices_bound_values_from_above():
    """Tests the linear bound: the full bundle is worth 10, and good 0 was wanted at 2 and 3."""
    market = Market.simple(2, 1)
    reports = Reports([[1, 1], [1, 0]], [10.0, 6.0])
    bound = RevealedBound.from_answers(reports, Demands([[2, 3]], [[1, 0]]), market, 0)
    upper = bound([[0, 0], [1, 0], [0, 1], [1, 1]])
    np.testing.assert_array_equal(upper, [0, 6, 7, 9])  # 6 - 2 + 3, and 6 + 3 below 10
    assert bound.top == 10


def test_without_any_value_choices_of_nothing_bound():
    """Tests that wanting nothing at prices says that no bundle is worth its price."""
    market = Market.simple(2, 1)
    bound = RevealedBound.from_answers(Reports.empty(2), Demands([[2, 3]], [[0, 0]]), market, 0)
    np.testing.assert_array_equal(bound([[1, 0], [0, 1], [1, 1]]), [2, 3, 5])
    assert bound.top == np.inf
    nothing = RevealedBound.from_answers(Reports.empty(2), Demands([[2, 3]], [[1, 0]]), market, 0)
    assert nothing is None


def test_reports_and_lower_bids_make_the_bids():
    """Tests that a bidder's bids are its reports, in order, followed by what its choices prove."""
    market = Market.simple(2, 1)
    reports = Reports([[1, 0]], [10.0])
    demands = Demands([[1, 4]], [[0, 1]])
    assert with_lower_bids(reports, demands, market, 0) == reports.add([[0, 1]], [13.0])
    assert with_lower_bids(reports, Demands.empty(2), market, 0) is reports


def test_contradicting_answers_end():
    """Tests that answers no values explain neither run forever nor give negative bounds."""
    market = Market.simple(2, 1)
    demands = Demands([[1, 9], [9, 1]], [[0, 1], [1, 0]])  # always the expensive good
    reports = Reports([[1, 1]], [3.0])
    assert (lower_bids(reports, demands, market, 0).values >= 9).all()
    bound = RevealedBound.from_answers(reports, demands, market, 0)
    # Both goods are worth nothing then, and AB at most what the other good costs: 0 - 9 + 10.
    assert bound(all_bundles([1, 1])).tolist() == [0, 0, 0, 1]


def test_unsorted_reports_are_refused():
    """Tests that a hand-made bound obeys the order that look-up relies on."""
    with pytest.raises(InputError, match="sorted"):
        RevealedBound([[1, 1], [1, 0]], [10, 6], [], np.zeros((0, 2)), [1, 1])


def test_contradicting_answers_count_with_their_prices():
    """
    Tests that bids do not grow with the number of passes: who wants each of two goods when it is
    the dearer one bids what it was ready to pay, whatever else it values.
    """
    market = Market.simple(3, 1)
    demands = Demands([[9, 1, 0], [1, 8, 0]], [[1, 0, 0], [0, 1, 0]])
    bids = lower_bids(Reports([[1, 1, 0]], [50.0]), demands, market, 0)
    assert bids == Reports([[1, 0, 0], [0, 1, 0]], [9.0, 8.0])


def test_nothing_is_worth_nothing():
    """Tests that turning down a valued bundle does not make the empty one worth something."""
    market = Market.simple(2, 1)
    demands = Demands([[1, 1], [3, 3]], [[0, 0], [1, 0]])
    bids = lower_bids(Reports([[0, 1]], [8.0]), demands, market, 0)
    # Good 1 would have left 5 at the second prices, nothing would have left nothing.
    assert bids == Reports([[1, 0]], [8.0])


def test_upper_bounds_lower_each_other():
    """
    Tests a chain of choices, told backwards: C is worth 5, B was passed over for C, A for B, and D
    for A; each was a little dearer than what was wanted.
    """
    market = Market.simple(4, 1)
    reports = Reports([[0, 0, 1, 0], [1, 1, 1, 1]], [5.0, 100.0])
    high = 50
    demands = Demands(
        [[1, high, high, 2], [3, 1, high, high], [high, 2, 1, high]],
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]],
    )
    bound = RevealedBound.from_answers(reports, demands, market, 0)
    singles = bound(np.eye(4, dtype=int))
    np.testing.assert_array_equal(singles, [8, 6, 5, 9])  # 6 + 3 - 1, 5 + 2 - 1, 5, 8 + 2 - 1


@pytest.mark.parametrize("largest", [1e-6, 1.0, 1e6])
def test_a_bid_is_not_raised_by_rounding(largest):
    """Tests growth of one, of less and of more millionths of a millionth of the largest value."""
    market = Market.simple(2, 1)
    reports = Reports([[1, 0]], [largest])
    for share, bid in ((1.5e-12, 1.5e-12 * largest), (1e-12, 0.0), (5e-13, 0.0)):
        demands = Demands([[9 * largest, share * largest]], [[0, 1]])
        assert lower_bids(reports, demands, market, 0) == Reports([[0, 1]], [bid])


@pytest.mark.parametrize("largest", [1e-6, 1.0, 1e6])
def test_what_was_spent_is_a_scale_of_rounding_too(largest):
    """
    Tests a largest amount that is a price: A was wanted at 2 x, and B, free, where A cost x. So B
    is worth x, which a second pass notices unless it is as small as rounding.
    """
    market = Market.simple(3, 1)
    high = 9 * largest
    for share, is_seen in ((1.5e-12, True), (8e-13, False)):
        x = share * largest
        prices = [[high, high, largest], [2 * x, high, high], [x, 0, high]]
        demands = Demands(prices, [[0, 0, 1], [1, 0, 0], [0, 1, 0]])
        bids = lower_bids(Reports.empty(3), demands, market, 0)
        assert bids.values.tolist() == [largest, 2 * x, x if is_seen else 0]


@pytest.mark.parametrize("largest", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("is_chosen", [True, False])
def test_an_offer_is_not_lowered_by_rounding(largest, is_chosen):
    """
    Tests B supplied where A and B are paid 2 x each and A costs x, so that B costs at most x; if
    that is as small as rounding of the largest amount, reported or paid for C, it remains at 2 x.
    """
    buying = Market((Good("A"), Good("B"), Good("C")), (Bidder("one"),), sense="buy")
    for share, is_seen in ((1.5e-12, True), (1e-12, False), (8e-13, False)):
        x = share * largest
        reports, demands = Reports([[1, 0, 0]], [x]), Demands([[2 * x, 2 * x, 0]], [[0, 1, 0]])
        if is_chosen:
            demands = demands.add([0, 0, largest], [0, 0, 1])
        else:
            reports = reports.add([0, 0, 1], largest)
        offers = upper_offers(reports, demands, buying, 0)
        assert offers.values[0] == (x if is_seen else 2 * x)


def test_goods_that_cost_nothing_bound_values():
    """Tests a choice at a price of 0, as clocks begin: what was left for nothing is worth less."""
    bound = RevealedBound(np.zeros((0, 2)), [], [1.0], [[2.0, 0.0]], [1, 1])
    assert bound([[1, 0], [0, 1], [1, 1]]).tolist() == [3, 1, 3]


def test_a_bound_keeps_what_it_was_made_of():
    """Tests that neither the maker's arrays nor the bound's own can change it later."""
    values, offsets = np.array([3.0]), np.array([1.0])
    bound = RevealedBound(np.array([[1, 1]]), values, offsets, [[2.0, 1.0]], [1, 1])
    values[:] = offsets[:] = 0
    assert bound([[1, 1], [1, 0]]).tolist() == [3, 3]
    for array in (bound.bundles, bound.values, bound.offsets, bound.prices, bound.capacities):
        assert isinstance(array, np.ndarray)
        assert not array.flags.writeable


def test_prices_below_zero_are_refused():
    """Tests that a hand-made bound cannot fall when a good is added."""
    with pytest.raises(InputError, match="negative price"):
        RevealedBound(np.zeros((0, 2)), [], [1.0], [[1.0, -1.0]], [1, 1])


def test_a_bound_is_finite_with_a_choice_or_the_full_bundle():
    """Tests what an acquisition needs to know: whether anything bounds every bundle."""
    market = Market.simple(2, 1)
    part = RevealedBound.from_answers(Reports([[1, 0]], [3.0]), Demands.empty(2), market, 0)
    assert not part.is_finite
    assert part([[1, 0], [0, 1]]).tolist() == [3, np.inf]
    full = RevealedBound.from_answers(Reports([[1, 1]], [3.0]), Demands.empty(2), market, 0)
    assert full.is_finite
    choice = RevealedBound.from_answers(Reports.empty(2), Demands([[2, 3]], [[0, 0]]), market, 0)
    assert choice.is_finite
    assert choice.num_goods == 2


def test_a_part_worth_more_than_the_whole_raises_the_whole():
    """Tests that a bound is never below a report, with contradicting reports too."""
    market = Market.simple(2, 1)
    reports = Reports([[1, 1], [1, 0], [0, 1]], [5.0, 8.0, 2.0])
    bound = RevealedBound.from_answers(reports, Demands.empty(2), market, 0)
    assert bound([[1, 1], [1, 0], [0, 1], [0, 0]]).tolist() == [8, 8, 2, 0]


def test_what_a_supplier_would_supply_costs_at_most_its_price():
    """
    Tests offers from choices by hand. AB is chosen at (6, 5): it costs at most 11, and at most 4
    and 5 more where A is known to cost 4. B chosen at (0, 3) costs at most 3, so A costs at most
    A's price more than B, and AB at most 6 more than B.
    """
    buying = Market((Good("A"), Good("B")), (Bidder("one"),), sense="buy")
    choices = Demands([[6, 5]], [[1, 1]])
    nobody = Reports.empty(2)

    assert upper_offers(nobody, choices, buying, 0) == Reports([[1, 1]], [11])
    assert upper_offers(Reports([[1, 0]], [4]), choices, buying, 0) == Reports([[1, 1]], [9])
    more = Demands([[6, 5], [0, 3], [1, 1]], [[1, 1], [0, 1], [0, 0]])
    assert upper_offers(nobody, more, buying, 0) == Reports([[1, 1], [0, 1]], [9, 3])
    known = Reports([[1, 1]], [7])
    assert len(upper_offers(known, choices, buying, 0)) == 0
    assert with_lower_bids(known, more, buying, 0) == known.add([[0, 1]], [3])
    assert finite_bound(known, more, buying, 0) is None


def test_a_supplier_that_contradicts_itself_is_paid_what_it_asked_for():
    """Tests that offers do not fall for ever: A is dropped for B, and B for A, each time dearer."""
    buying = Market((Good("A"), Good("B")), (Bidder("one"),), sense="buy")
    choices = Demands([[5, 9], [9, 5]], [[1, 0], [0, 1]])

    assert upper_offers(Reports.empty(2), choices, buying, 0) == Reports([[1, 0], [0, 1]], [5, 5])


def test_no_offer_is_below_nothing():
    """Tests B supplied for 1 although A, which costs 2, would have been paid 10."""
    buying = Market((Good("A"), Good("B")), (Bidder("one"),), sense="buy")
    offers = upper_offers(Reports([[1, 0]], [2]), Demands([[10, 1]], [[0, 1]]), buying, 0)

    assert offers == Reports([[0, 1]], [0])


def test_only_a_finite_bound_can_be_maximised():
    """Tests silence, a part alone, and the full bundle, which bounds everything."""
    market, silence = Market.simple(2, 1), Demands.empty(2)

    assert RevealedBound.from_answers(Reports.empty(2), silence, market, 0) is None
    assert finite_bound(Reports.empty(2), silence, market, 0) is None
    assert finite_bound(Reports([[1, 0]], [3.0]), silence, market, 0) is None
    assert finite_bound(Reports([[1, 1]], [3.0]), silence, market, 0).top == 3
