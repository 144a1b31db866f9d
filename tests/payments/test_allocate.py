"""Tests of the allocation from reports."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from payment_oracle import auctions, best_welfare, random_reports

from boca.core import Bidder, Economy, Good, InputError, Limit, Market, Reports, check_feasible
from boca.milp import installed
from boca.payments import allocate
from boca.payments.allocate import NODE_LIMITS
from boca.payments.bids import Packing, lottery_number
from boca.payments.branch_and_bound import search


@settings(max_examples=150, deadline=None)
@given(auctions())
def test_brute_force_agrees(auction):
    """Tests capacities, limits, ties and every economy against all possible acceptances."""
    reports, market = auction
    num = market.num_bidders
    for economy in (Economy.main(num), Economy.without(0, num)):
        found = allocate(reports, market, economy)

        check_feasible(found.allocation, market, economy)
        assert found.welfare == pytest.approx(best_welfare(reports, market, economy.bidders))
        assert found.bound >= found.welfare
        assert found.gap == pytest.approx(0)


@settings(max_examples=30, deadline=None)
@given(auctions(ties=False))
def test_solver_alone_agrees(auction):
    """Tests the program that takes over where the search gives up."""
    reports, market = auction

    assert allocate(reports, market, solver="highs").welfare == pytest.approx(
        best_welfare(reports, market)
    )


@settings(max_examples=30, deadline=None)
@given(auctions(max_bidders=3))
def test_reserve_prices_are_a_further_bidder(auction):
    """Tests that surplus, not welfare, is maximised when the seller values its goods."""
    reports, market = auction
    reserve = np.linspace(0.5, 2, market.num_goods)

    found = allocate(reports, market, reserve=reserve)

    assert found.surplus == pytest.approx(best_welfare(reports, market, reserve=reserve))


def test_report_beyond_limit_never_wins():
    """Tests that a bidder that may hold one good does not win two, whatever it offers."""
    limit = Limit((1.0, 1.0), 1.0)
    market = Market((Good("a"), Good("b")), (Bidder("x", limits=(limit,)), Bidder("y")))
    reports = [Reports([[1, 1], [1, 0]], [100, 3]), Reports([[0, 1]], [2])]

    assert allocate(reports, market).welfare == 5  # 3 + 2


def test_three_bids_can_clash_where_no_pair_does():
    """Tests capacities above one, where compatible pairs do not make a compatible set."""
    market = Market.simple(1, 3, [2])
    reports = [Reports([[1]], [value]) for value in (5, 4, 3)]

    found = allocate(reports, market)

    assert found.welfare == 9  # 5 + 4: two copies for three bidders
    assert found.allocation.bundles.tolist() == [[1], [1], [0]]


def test_nobody_reported_anything():
    """Tests the very start of an auction."""
    found = allocate([Reports.empty(2)] * 2, Market.simple(2, 2))

    assert found.welfare == found.bound == found.gap == 0
    assert not found.allocation.bundles.any()


def test_tie_gives_away_fewest_copies():
    """Tests the second part of the tie rule: 4 for both goods is no better than 4 for one."""
    market = Market.simple(3, 3)
    reports = [Reports([[1, 1, 0]], [4]), Reports([[0, 1, 1]], [4]), Reports([[0, 1, 0]], [4])]

    assert allocate(reports, market).allocation.bundles.tolist() == [[0] * 3, [0] * 3, [0, 1, 0]]


def test_tie_is_decided_by_lottery_number_not_by_order_of_reports():
    """Tests the last part of the tie rule: the fixed number of bidder and bundle decides."""
    market = Market.simple(2, 3)
    alone = [Reports([[1, 0]], [7]) for _ in range(3)]
    expected = max(range(3), key=lambda i: lottery_number(i, np.array([1, 0])))

    found = allocate(alone, market)
    assert found.method == "search"
    assert np.flatnonzero(found.allocation.bundles[:, 0]).tolist() == [expected]

    more = [Reports([[0, 1], [1, 0]], [0.5, 7]), *alone[1:]]
    again = allocate([Reports(more[0].bundles[::-1], more[0].values[::-1]), *alone[1:]], market)
    assert again.allocation == allocate(more, market).allocation


def test_dominated_reports_leave_no_trace():
    """Tests that paying no more for more never matters, and that the smaller bundle stays."""
    market = Market.simple(2, 1)
    packing = Packing.from_reports([Reports([[1, 1], [1, 0], [0, 1]], [5, 5, 0])], market)

    assert packing.bundles.tolist() == [[1, 0]]


@pytest.mark.parametrize("solver", [name for name in ("scip", "gurobi") if name in installed()])
@pytest.mark.parametrize("density", [0.2, 0.6])
def test_second_solver_agrees_on_lsvm_sized_reports(solver, density):
    """Tests six bidders with about a hundred reports each over 18 goods."""
    reports, market = random_reports(6, 100, 18, density, seed=3)

    ours = allocate(reports, market)

    assert ours.method == "search"
    assert allocate(reports, market, solver=solver).welfare == pytest.approx(ours.welfare, abs=1e-7)


def test_search_that_gives_up_hands_over(monkeypatch):
    """Tests that an incomplete search says so, and that the solver then finds the same welfare."""
    reports, market = random_reports(5, 30, 12, 0.3, seed=1)
    assert not search(Packing.from_reports(reports, market), node_limit=1).complete
    complete = allocate(reports, market)

    monkeypatch.setattr(import_module("boca.payments.allocate"), "NODE_LIMITS", ((12, 1),))
    handed_over = allocate(reports, market)

    assert (complete.method, handed_over.method) == ("search", "milp")
    assert handed_over.welfare == pytest.approx(complete.welfare)


def test_many_bidders_are_solved_by_the_solver():
    """Tests a market with more bidders than the search takes on, one bid each."""
    num = NODE_LIMITS[-1][0] + 12
    rng = np.random.default_rng(2)
    reports = [
        Reports(rng.integers(0, 2, (1, 6)) | np.eye(6, dtype=int)[i % 6], [1 + i % 7])
        for i in range(num)
    ]
    market = Market.simple(6, num)

    found = allocate(reports, market)

    assert found.method == "milp"
    assert found.welfare == pytest.approx(allocate(reports, market, solver="scip").welfare)


def test_wrong_reports_are_refused():
    """Tests that a missing bidder and a missing good are named."""
    market = Market.simple(2, 2)
    with pytest.raises(InputError, match="reports of 1 bidders"):
        allocate([Reports.empty(2)], market)
    with pytest.raises(InputError, match="about 3 goods"):
        allocate([Reports.empty(3)] * 2, market)
    with pytest.raises(InputError, match="reserve prices of shape"):
        allocate([Reports.empty(2)] * 2, market, reserve=[1.0])
    with pytest.raises(InputError, match="negative"):
        allocate([Reports.empty(2)] * 2, market, reserve=[1.0, -1.0])
