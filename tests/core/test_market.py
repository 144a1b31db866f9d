"""Tests of goods, bidders, limits and markets."""

import numpy as np
import pytest

from boca.core import Bidder, Good, InputError, Limit, Market


@pytest.fixture
def course_market() -> Market:
    """Two courses with seats; the second bidder may hold two seats in all."""
    limit = Limit((1.0, 1.0), 2.0, "two seats")
    return Market((Good("A", 2), Good("B", 3)), (Bidder("ann"), Bidder("ben", "late", (limit,))))


def test_simple_market_has_one_copy_of_each_good():
    """Tests the default of the paper's domains, where every good exists once."""
    market = Market.simple(3, 2)

    assert (market.num_goods, market.num_bidders) == (3, 2)
    assert market.capacities.tolist() == [1, 1, 1]
    assert market.capacities.dtype == np.int64


def test_simple_market_takes_capacities():
    """Tests that capacities reach goods and full bundle, and that their number is checked."""
    assert Market.simple(2, 1, [4, 1]).full_bundle.tolist() == [4, 1]
    with pytest.raises(InputError, match="1 capacities; expected one for each of the 2"):
        Market.simple(2, 1, [4])


def test_capacities_are_read_only():
    """Tests that nobody changes a market through the array it hands out."""
    with pytest.raises(ValueError, match="read-only"):
        Market.simple(2, 1).capacities[0] = 5


@pytest.mark.parametrize("capacity", [0, -1])
def test_good_without_copies_is_refused(capacity):
    """Tests that a good nobody can get is reported, not carried along."""
    with pytest.raises(InputError, match=f"'A' has capacity {capacity}"):
        Good("A", capacity)


@pytest.mark.parametrize(("coefficients", "bound"), [((1.0,), -1.0), ((-1.0,), 1.0)])
def test_negative_limits_are_refused(coefficients, bound):
    """Tests that receiving nothing, or a part of what is allowed, stays allowed."""
    with pytest.raises(InputError, match="negative bound or coefficient"):
        Limit(coefficients, bound)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_undefined_limits_are_refused(number):
    """Tests that nan, which passes every comparison unnoticed, cannot switch a limit off."""
    with pytest.raises(InputError, match="finite"):
        Limit((1.0,), number)
    with pytest.raises(InputError, match="finite"):
        Limit((number,), 1.0)


@pytest.mark.parametrize(
    ("goods", "bidders", "message"),
    [
        ((), (Bidder("a"),), "0 goods and 1 bidders"),
        ((Good("A"),), (), "1 goods and 0 bidders"),
        ((Good("A"), Good("A")), (Bidder("a"),), "more than one good called 'A'"),
        ((Good("A"),), (Bidder("a"), Bidder("a")), "more than one bidder called 'a'"),
        ((Good("A"),), (Bidder("a", limits=(Limit((1, 1), 1),)),), "has 2 coefficients"),
    ],
)
def test_impossible_markets_are_refused(goods, bidders, message):
    """Tests that a market is checked once, on construction."""
    with pytest.raises(InputError, match=message):
        Market(goods, bidders)


def test_limits_as_arrays(course_market):
    """Tests the shape that solvers need, also for a bidder without limits."""
    coefficients, bounds = course_market.limits(0)
    assert coefficients.shape == (0, 2)
    assert bounds.shape == (0,)

    coefficients, bounds = course_market.limits(1)
    assert coefficients.tolist() == [[1.0, 1.0]]
    assert bounds.tolist() == [2.0]


def test_allows_looks_at_capacities_and_limits(course_market):
    """Tests the two reasons why a bidder cannot be given a bundle."""
    bundles = np.array([[2, 3], [3, 0], [1, 1], [-1, 0]])

    assert course_market.allows(0, bundles).tolist() == [True, False, True, False]
    assert course_market.allows(1, bundles).tolist() == [False, False, True, False]


def test_bundle_that_costs_the_whole_budget_is_allowed():
    """Tests sums of cents in millions, whose rounding is larger than any absolute tolerance."""
    rng = np.random.default_rng(0)
    for num_goods in (4, 12, 40):
        cents = rng.integers(10**8, 10**10, num_goods)
        budget = Limit(tuple(cents / 100), float(cents.sum()) / 100, "budget")
        smaller = Limit(tuple(cents / 100), float(cents.sum() - 1) / 100, "one cent less")
        goods = tuple(Good(f"g{j}") for j in range(num_goods))
        market = Market(goods, (Bidder("a", limits=(budget,)), Bidder("b", limits=(smaller,))))

        full = market.full_bundle
        assert [market.allows(i, full)[0] for i in (0, 1)] == [True, False]
        assert [market.broken_limits(i, full) for i in (0, 1)] == [[], [smaller]]


@pytest.mark.parametrize("unit", [1e-300, 1e-10, 1e-3, 1.0, 1e3, 1e10, 1e300])
def test_limits_hold_in_any_unit(unit):
    """Tests that two copies are two copies, whatever each of them counts."""
    market = Market(
        (Good("A", 5), Good("B", 5)),
        (
            Bidder("two", limits=(Limit((unit, unit), 2 * unit),)),
            Bidder("no B", limits=(Limit((0.0, unit), 0.0),)),
            Bidder("B is far too dear", limits=(Limit((unit, 1e300), 2 * unit),)),
        ),
    )
    bundles = np.array([[2, 0], [3, 0], [1, 1], [5, 0]])

    assert market.allows(0, bundles).tolist() == [True, False, True, False]
    assert market.allows(1, bundles).tolist() == [True, True, False, True]
    dear = unit < 1e300
    assert market.allows(2, bundles).tolist() == [True, False, not dear, False]


def test_dictionary_round_trip(course_market):
    """Tests that a market in a file is the same market when it comes back."""
    again = Market.from_dict(course_market.to_dict())

    assert again == course_market
    assert again.fingerprint == course_market.fingerprint


def test_fingerprint_tells_markets_apart(course_market):
    """Tests that a limit alone makes another market, since it changes what is feasible."""
    without = Market(course_market.goods, (Bidder("ann"), Bidder("ben", "late")))

    assert without.fingerprint != course_market.fingerprint


@pytest.mark.parametrize("name", ["a\x1b[2J", "a\nb", "a\u202eb", 7])
def test_names_cannot_speak_to_the_terminal(name):
    """Tests that no market, wherever it comes from, carries terminal codes into a table."""
    for build in (
        lambda: Good(name),
        lambda: Bidder(name),
        lambda: Limit((1.0,), 1.0, name),
        lambda: Market((Good("A"),), (Bidder("ann"),), name),
    ):
        with pytest.raises(InputError, match="expected one line of text") as refused:
            build()
        assert str(refused.value).isprintable()


def test_most_that_a_bidder_can_hold():
    """Tests capacities, limits on one good and on several, and fractions."""
    goods = (Good("a", 900), Good("b", 4), Good("c"))
    limits = (Limit((1.0, 0.0, 0.0), 1.0), Limit((0.0, 0.1, 1.0), 0.3))
    market = Market(goods, (Bidder("one", limits=limits), Bidder("all"), Bidder("none")))

    assert market.most(0).tolist() == [1, 3, 0]
    assert market.most(1).tolist() == [900, 4, 1]
    assert market.largest_bundle(0).tolist() == [1, 3, 0]
    assert market.largest_bundle(1).tolist() == market.full_bundle.tolist()


def test_no_bundle_contains_all_others_where_goods_share_a_limit():
    """Tests a limit on the sum, and a limit of a half, which allows nothing."""
    goods = (Good("a", 2), Good("b", 2))
    two, half = (Limit((1.0, 1.0), 2.0),), (Limit((1.0, 1.0), 0.5),)
    market = Market(goods, (Bidder("two", limits=two), Bidder("half", limits=half)))

    assert market.most(0).tolist() == [2, 2]
    assert market.largest_bundle(0) is None
    assert market.most(1).tolist() == [0, 0]
    assert market.largest_bundle(1) is None


def test_words_for_readers_leave_markets_without_them_as_they_were(course_market):
    """Tests that group and unit are kept, and that fingerprints of earlier logs stay."""
    assert course_market.to_dict()["goods"][0] == {"name": "A", "capacity": 2}
    goods = (Good("A", 2, "first term", "seat"), Good("B", 3))
    market = Market(goods, course_market.bidders)
    assert Market.from_dict(market.to_dict()) == market
    assert market.to_dict()["goods"][1] == {"name": "B", "capacity": 3}
    assert market.capacities.tolist() == course_market.capacities.tolist()
    for word in ({"group": "a\nb"}, {"unit": "\x1b[2J"}):
        with pytest.raises(InputError, match="expected one line of text"):
            Good("A", **word)
