"""Bids from reports and choices at prices, against the server's own computation."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verify import logged, random_case

from boca.core import Bidder, Good, Limit, Market
from boca.live.auction.choices import PricedChoice, proven_bids
from boca_verify.bodies import Body, Damaged
from boca_verify.outcome.bids import bids_of, check_own_award, check_own_trade
from boca_verify.questions import Demanded, LoggedBook, Reported

MARKET = Market(
    (Good("hall"), Good("kitchen"), Good("chairs", 2)),
    (Bidder("Ann", limits=(Limit((1.0, 1.0, 1.0), 3.0),)),),
)
PURCHASE = replace(MARKET, sense="buy")
EXCHANGE = replace(MARKET, bidders=(replace(MARKET.bidders[0], endowment=(1, 0, 0)),))
bundles = st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 2))
amounts = st.integers(0, 12)
choices = st.tuples(bundles, st.tuples(amounts, amounts, amounts))


def setup_of(market: Market):
    """Rules for a market; the largest value is 30 units."""
    return replace(
        random_case(1).setup("vcg"), market=logged(market), reserve=(0, 0, 0), most_units=30
    )


@given(st.dictionaries(bundles.filter(any), amounts, max_size=4), st.lists(choices, max_size=6))
@settings(max_examples=300, deadline=None)
def test_bids_are_the_servers(reports, wanted):
    """Tests two computations of the same numbers, also where choices contradict one another."""
    book = LoggedBook(
        reports={bundle: Reported(units, 0) for bundle, units in reports.items()},
        demands={f"q{k}": Demanded(bundle, prices, 0) for k, (bundle, prices) in enumerate(wanted)},
    )
    said = [PricedChoice(prices, bundle) for bundle, prices in wanted]

    assert bids_of(setup_of(MARKET), 0, book) == proven_bids(reports, said, MARKET, 0, 30)


def test_a_wanted_bundle_is_worth_its_price():
    """Tests the simplest proof: who wants it at a price would pay that price."""
    book = LoggedBook(demands={"q1": Demanded((1, 0, 1), (5, 9, 2), 0)})

    assert bids_of(setup_of(MARKET), 0, book) == {(1, 0, 1): 7}


def test_a_wanted_bundle_beats_a_reported_one():
    """Tests that a forgone surplus is added: 20 for the kitchen at 9 leaves 11."""
    book = LoggedBook(
        reports={(0, 1, 0): Reported(20, 0)}, demands={"q1": Demanded((1, 0, 1), (5, 9, 2), 0)}
    )

    assert bids_of(setup_of(MARKET), 0, book)[1, 0, 1] == 18  # 7 + 11


@given(st.dictionaries(bundles.filter(any), amounts, max_size=4), st.lists(choices, max_size=6))
@settings(max_examples=300, deadline=None)
def test_offers_are_the_servers(reports, supplied):
    """Tests the same of suppliers, whose choices prove what they need at most."""
    book = LoggedBook(
        reports={bundle: Reported(units, 0) for bundle, units in reports.items()},
        demands={f"q{k}": Demanded(b, prices, 0) for k, (b, prices) in enumerate(supplied)},
    )
    said = [PricedChoice(prices, bundle) for bundle, prices in supplied]

    assert bids_of(setup_of(PURCHASE), 0, book) == proven_bids(reports, said, PURCHASE, 0, 30)


@given(
    st.lists(amounts, min_size=12, max_size=12),
    st.lists(st.tuples(amounts, amounts, amounts), min_size=1, max_size=4),
    st.lists(bundles.filter(any), max_size=2),
)
@settings(max_examples=100, deadline=None)
def test_offers_of_honest_suppliers_are_between_cost_and_price(costs, prices, named):
    """Tests that nobody who answers truly is bound to supply below its cost."""
    everything = list(product(range(2), range(2), range(3)))
    cost = dict(zip(everything, costs, strict=True)) | {(0, 0, 0): 0}
    possible = [bundle for bundle in everything if sum(bundle) <= 3]
    supplied = [
        Demanded(
            max(possible, key=lambda b: sum(map(int.__mul__, b, price)) - cost[b]),
            price,
            0,
        )
        for price in prices
    ]
    book = LoggedBook(
        reports={bundle: Reported(cost[bundle], 0) for bundle in named},
        demands={f"q{k}": demand for k, demand in enumerate(supplied)},
    )
    offers = bids_of(setup_of(PURCHASE), 0, book)

    for demand in supplied:
        if any(demand.bundle):
            offer = offers[demand.bundle]
            assert cost[demand.bundle] <= offer
            assert offer <= max(demand.price_of(demand.bundle), cost[demand.bundle])


def told(bundle: tuple[int, int, int], units: int, payment: int) -> Body:
    """What a result says to one participant."""
    return Body({"bundle": list(bundle), "units": units, "payment": payment})


def test_an_award_that_a_supplier_was_told_is_its_own_offer():
    """Tests each lie by one unit: cost, pay below it, pay for nothing, never offered."""
    book = LoggedBook(reports={(1, 0, 0): Reported(8, 0)})
    setup = setup_of(PURCHASE)

    check_own_award(setup, book, 0, told((1, 0, 0), 8, 8))
    check_own_award(setup, book, 0, told((0, 0, 0), 0, 0))
    for lie, words in (
        (told((1, 0, 0), 7, 8), "it says that Ann asks"),
        (told((1, 0, 0), 8, 7), "Ann is paid"),
        (told((0, 0, 0), 0, 1), "Ann is paid"),
        (told((0, 1, 0), 8, 8), "which it never offered"),
    ):
        with pytest.raises(Damaged, match=words):
            check_own_award(setup, book, 0, lie)


def test_a_trade_that_a_participant_was_told_is_worth_its_price():
    """Tests each lie by one unit: pay without a trade, another value, more than the gain."""
    book = LoggedBook(reports={(1, 0, 0): Reported(8, 0), (0, 1, 0): Reported(11, 0)})
    setup = setup_of(EXCHANGE)

    check_own_trade(setup, book, 0, told((1, 0, 0), 8, 0))
    check_own_trade(setup, book, 0, told((0, 1, 0), 11, 3))
    check_own_trade(setup, book, 0, told((0, 0, 0), 0, -8))
    for lie, words in (
        (told((1, 0, 0), 8, 1), "does not trade and pays"),
        (told((0, 1, 0), 12, 3), "it says that Ann values"),
        (told((0, 1, 0), 11, 4), "more than its trade is worth"),
        (told((0, 0, 1), 11, 3), "which it never valued"),
        (told((0, 0, 0), 0, -7), "more than its trade is worth"),
    ):
        with pytest.raises(Damaged, match=words):
            check_own_trade(setup, book, 0, lie)
