"""Bids from reports and choices at prices, against the server's own computation."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from verify import random_case

from boca.core import Bidder, Good, Limit, Market
from boca.live.auction.choices import PricedChoice, proven_bids
from boca.live.verify.outcome.bids import bids_of
from boca.live.verify.questions import Demanded, LoggedBook, Reported

MARKET = Market(
    (Good("hall"), Good("kitchen"), Good("chairs", 2)),
    (Bidder("Ann", limits=(Limit((1.0, 1.0, 1.0), 3.0),)),),
)
bundles = st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 2))
amounts = st.integers(0, 12)
choices = st.tuples(bundles, st.tuples(amounts, amounts, amounts))


def setup_of(market: Market):
    """Rules for a market; the largest value is 30 units."""
    return replace(random_case(1).setup("vcg"), market=market, reserve=(0, 0, 0), most_units=30)


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
