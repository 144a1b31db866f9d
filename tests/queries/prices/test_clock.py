"""The combinatorial clock auction."""

from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boca.core import DemandQuery, Demands, InputError, Market
from boca.core.randomness import Seeds
from boca.functions import XorTable
from boca.mechanism import Auction, AuctionParams, AuctionState, Phase, run
from boca.queries import Clock, ProfitBids, RaisedBids
from boca.queries.prices.clock import excess_demand, last_prices


def lattice(capacities):
    grids = np.meshgrid(*[np.arange(c + 1) for c in capacities], indexing="ij")
    return np.stack([grid.ravel() for grid in grids], axis=1)


class Bidders:
    """Truthful bidders whose values are functions; they look at every bundle."""

    def __init__(self, market, functions):
        self.bundles = lattice(market.capacities)
        self.functions = functions

    def __call__(self, query):
        function = self.functions[query.bidder]
        if not isinstance(query, DemandQuery):
            return float(function(query.bundle[None])[0])
        profits = function(self.bundles) - self.bundles @ query.prices
        order = np.argsort(-profits, kind="stable")
        if query.num_bundles > 1:
            order = order[self.bundles[order].any(axis=1)]
        return self.bundles[order[: query.num_bundles]]


def start(market, increment=0.1, num_total=60, profit=0, prices=None):
    prices = (1.0,) * market.num_goods if prices is None else prices
    phases = [
        Phase("clock", Clock(prices, increment), share=1.0),
        Phase("raised", RaisedBids()),
    ]
    if profit:
        phases.append(Phase("profit-max", ProfitBids(profit, increment)))
    return AuctionState.start(market, AuctionParams(phases, num_total=num_total))


PARAMS = AuctionParams([Phase("clock", Clock((1.0, 1.0)), share=1.0)], num_total=60)


def unit_demand(values):
    """A bidder that wants one copy of one good."""
    return XorTable(np.eye(len(values), dtype=int), values)


def test_one_good_clears_just_above_the_second_highest_value():
    """
    Tests the textbook: the price of one good rises until the bidder with the second-highest value
    leaves, and the one with the highest gets it.
    """
    market = Market.simple(1, 3)
    functions = [unit_demand([value]) for value in (4.0, 10.0, 7.0)]
    auction = Auction(start(market, increment=0.05))

    outcome = run(auction, Bidders(market, functions))

    assert 7.0 <= last_prices(auction.state)[0] <= 7.0 * 1.05
    assert outcome.allocation.bundles.ravel().tolist() == [0, 1, 0]
    # The clock names lower bounds for the losers, so the winner pays at most the runner-up's value.
    assert 7.0 / 1.05 <= outcome.payments[1] <= 7.0


def test_substitutes_clear_at_competitive_prices():
    """
    Tests an assignment market (Shapley and Shubik, 1971): two goods, three bidders of unit demand.
    Bidders 0 and 1 win; prices end where bidder 2, worth 3 each way, leaves, within an increment.
    """
    market = Market.simple(2, 3)
    functions = [unit_demand([8.0, 5.0]), unit_demand([6.0, 7.0]), unit_demand([3.0, 3.0])]
    auction = Auction(start(market, increment=0.02, num_total=200))

    outcome = run(auction, Bidders(market, functions))

    assert (excess_demand(auction.state) <= 0).all()
    assert outcome.allocation.bundles.tolist() == [[1, 0], [0, 1], [0, 0]]
    np.testing.assert_allclose(last_prices(auction.state), [3.0, 3.0], rtol=0.03)


def test_several_copies_clear_where_demand_meets_supply():
    """Tests a good with capacity 2: it clears when the third bidder leaves."""
    market = Market.simple(1, 3, capacities=[2])
    functions = [XorTable(np.array([[1]]), [value], [2]) for value in (5.0, 3.0, 8.0)]
    auction = Auction(start(market, increment=0.05))

    outcome = run(auction, Bidders(market, functions))

    assert outcome.allocation.bundles.ravel().tolist() == [1, 0, 1]
    assert 3.0 <= last_prices(auction.state)[0] <= 3.0 * 1.05


def test_phases_follow_one_another():
    """Tests clock, raised bids and profit-maximising bids, and that each can only help."""
    market = Market.simple(2, 2)
    together = XorTable(np.array([[1, 1]]), [10.0])  # wants both or nothing
    either = unit_demand([6.0, 6.0])
    auction = Auction(start(market, profit=3))
    run(auction, Bidders(market, [together, either]))

    phases = [record.phase for record in auction.state.history]
    assert set(phases[:-2]) == {"clock"}
    assert phases[-2:] == ["raised", "profit-max"]
    welfare = [record.welfare for record in auction.state.history]
    assert welfare[-2] == pytest.approx(10.0)  # what was wanted is now bid on at its value
    assert all(before <= after + 1e-9 for before, after in pairwise(welfare))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_prices_never_fall_and_rise_only_with_excess_demand(seed):
    """Tests the clock's rule on random markets, round by round."""
    rng = np.random.default_rng(seed)
    market = Market.simple(3, 3, capacities=rng.integers(1, 3, 3).tolist())
    bundles = lattice(market.capacities)[1:]
    functions = [
        XorTable(bundles[chosen], 10 * rng.random(4), market.capacities)
        for chosen in (rng.choice(len(bundles), 4, replace=False) for _ in range(3))
    ]
    auction = Auction(start(market, increment=0.3, num_total=12, prices=(0.5, 0.5, 0.5)))
    run(auction, Bidders(market, functions))

    demands = auction.state.demands
    prices = demands[0].prices
    wanted = sum(own.bundles for own in demands)
    for now, after, total in zip(prices, prices[1:], wanted, strict=False):
        rising = total > market.capacities
        np.testing.assert_allclose(after, now * np.where(rising, 1.3, 1.0))
    assert (wanted[-1] <= market.capacities).all() or len(prices) == 12


def test_saved_anywhere_continues_the_same(tmp_path):
    """Tests that a clock auction saved in the middle of a round ends as if nothing had happened."""
    market = Market.simple(2, 3)
    functions = [unit_demand([8.0, 5.0]), unit_demand([6.0, 7.0]), unit_demand([3.0, 3.0])]
    bidders = Bidders(market, functions)
    whole = Auction(start(market, profit=2))
    run(whole, bidders)

    part = Auction(start(market, profit=2))
    for _ in range(4):
        for query in part.ask():
            part.tell_demand(query.bidder, bidders(query))
    query = part.ask()[0]
    part.tell_demand(query.bidder, bidders(query))
    part.save(tmp_path / "state.json")
    resumed = Auction.load(tmp_path / "state.json")
    run(resumed, bidders)

    assert [d.to_dict() for d in resumed.state.demands] == [
        d.to_dict() for d in whole.state.demands
    ]
    assert resumed.state.reports == whole.state.reports
    assert [r.row() for r in resumed.state.history] == [r.row() for r in whole.state.history]


def test_answers_that_cannot_be_are_refused():
    """Tests that a wrong answer is named and leaves the query open."""
    market = Market.simple(2, 2)
    auction = Auction(start(market))
    auction.ask()
    with pytest.raises(InputError, match="at most 1"):
        auction.tell_demand(0, [[1, 0], [0, 1]])
    with pytest.raises(InputError, match="expected between"):
        auction.tell_demand(0, [[2, 0]])
    auction.tell_demand(0, [[1, 0]])
    with pytest.raises(InputError, match="no open demand query"):
        auction.tell_demand(0, [[1, 0]])
    assert len(auction.ask()) == 1


def test_prices_must_fit_the_market():
    """Tests that an auctioneer who forgot a price hears of it before the first round."""
    with pytest.raises(InputError, match="1 start prices"):
        Auction(start(Market.simple(2, 2), prices=(1.0,)))
    with pytest.raises(InputError, match="start price"):
        Clock(start_prices=(0.0,))
    with pytest.raises(InputError, match="increment"):
        Clock(increment=0)


def test_clock_goes_on_from_the_latest_prices_when_bidders_miss_rounds():
    """Tests that no old prices are taken for the last ones because most answers end there."""
    prices = [1.05**k * np.ones(2) for k in range(3)]
    hall = np.array([1, 0])
    missed_last = Demands.empty(2).add(prices[0], hall).add(prices[1], hall)
    missed_first = Demands.empty(2).add(prices[1], hall).add(prices[2], hall)
    came_last = Demands.empty(2).add(prices[2], hall)
    for order in permutations([missed_last, missed_first, came_last]):
        state = AuctionState.of(Market.simple(2, 3), PARAMS, demands=order)
        assert last_prices(state).tolist() == prices[2].tolist()
        assert excess_demand(state).tolist() == [1, -1]


def test_prices_that_came_back_are_the_last_ones_of_most_answers():
    """Tests a clock whose prices return to what they had been."""
    here, there, hall = np.array([1.0, 1.0]), np.array([2.0, 1.0]), np.array([1, 0])
    demands = Demands.empty(2).add(here, hall).add(there, hall).add(here, hall)
    short = Demands.empty(2).add(here, hall).add(there, hall)
    state = AuctionState.of(Market.simple(2, 2), PARAMS, demands=[short, demands])
    assert last_prices(state).tolist() == [1.0, 1.0]


def test_supplementary_bids_do_not_need_the_first_bidder():
    """Tests that profit-maximising bids are asked for although bidder 0 never answered."""
    hall = np.array([1, 0])
    silent, wanting = Demands.empty(2), Demands.empty(2).add(np.ones(2), hall)
    state = AuctionState.of(Market.simple(2, 2), PARAMS, demands=[silent, wanting])
    assert len(ProfitBids().plan(state, {}, Seeds(0)).questions) == 2


def test_declined_bundles_are_not_asked_again():
    """Tests that raised and supplementary bids leave out what a bidder would not value."""
    hall = np.array([[1, 0]])
    demands = [Demands.empty(2).add(np.ones(2), hall[0])] * 2
    state = AuctionState.of(
        Market.simple(2, 2), PARAMS, demands=demands, declined=[hall, np.zeros((0, 2), dtype=int)]
    )
    assert [q.bidder for q in RaisedBids().plan(state, {}, Seeds(0)).questions] == [1]
    asked = replace(state, pending=(DemandQuery(0, np.ones(2), 3),))
    named = asked.demand(0, np.array([[1, 0], [0, 1]]))
    assert [query.bundle.tolist() for query in named.pending] == [[0, 1]]
