"""Tests of how the methods hand over to each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare, random_reports

from boca.core import Economy, Market, Reports
from boca.milp import installed
from boca.payments import vcg, winners
from boca.payments.bids import Packing
from boca.payments.effort import Effort
from boca.payments.winners import WinnerDetermination, by_milp

ONLY = {
    "search": Effort(few_nodes=10**6, iterations=0),
    "branching": Effort(few_nodes=0, iterations=10**9, search_nodes=()),
    "milp": Effort(few_nodes=0, iterations=0, search_nodes=()),
}


@settings(max_examples=40, deadline=None)
@given(auctions(max_bidders=5), st.sampled_from(sorted(ONLY)), st.sampled_from([0, 10**7]))
def test_every_method_finds_the_optimum(auction, method, size):
    """Tests each rung alone, with values of a few units and of ten million and a few."""
    reports, market = auction
    reports = [type(r)(r.bundles, size + r.values) for r in reports]
    packing = Packing.from_reports(reports, market)
    if not len(packing):
        return

    accepted = WinnerDetermination(packing, ONLY[method]).accept(Economy.main(market.num_bidders))

    assert accepted.surplus == accepted.bound == best_welfare(reports, market)
    assert accepted.is_proven


@settings(max_examples=40, deadline=None)
@given(auctions(max_bidders=5), st.sampled_from([10**9, 10**12 - 10]))
def test_units_below_the_solvers_tolerance_are_decided(auction, size):
    """
    Tests that a program, whose tolerance is thousands of units at this size, is followed by a
    proof to the unit.
    """
    reports, market = auction
    reports = [type(r)(r.bundles, size + r.values) for r in reports]
    packing = Packing.from_reports(reports, market)
    if not len(packing):
        return

    accepted = WinnerDetermination(packing, ONLY["milp"]).accept(Economy.main(market.num_bidders))

    assert accepted.surplus == accepted.bound == best_welfare(reports, market)
    assert accepted.is_proven


def test_many_bidders_with_large_whole_numbers():
    """
    Tests sixty bidders, too many for the search: pairs of goods at 10^12 less a little, of which
    a chain of seven fits; which chain is best is decided by the last digits.
    """
    rng = np.random.default_rng(9)
    num_goods, num_bidders = 14, 60
    rows = np.array([[j, (j + 1) % num_goods] for j in rng.integers(0, num_goods, num_bidders)])
    bundles = np.zeros((num_bidders, num_goods), dtype=int)
    bundles[np.arange(num_bidders)[:, None], rows] = 1
    digits = rng.integers(0, 10, num_bidders)
    market = Market.simple(num_goods, num_bidders)

    def best(size):
        reports = [Reports(b[None], [size + d]) for b, d in zip(bundles, digits, strict=True)]
        packing = Packing.from_reports(reports, market)
        determination = WinnerDetermination(packing, Effort())
        return determination.accept(Economy.main(num_bidders))

    # Seven pairs use all goods: even ones or odd ones, each pair at its best bidder.
    first = {j: max((d for d, r in zip(digits, rows, strict=True) if r[0] == j), default=None)
             for j in range(num_goods)}  # fmt: skip
    chains = [[first[j] for j in range(start, num_goods, 2)] for start in (0, 1)]
    expected = max(sum(chain) for chain in chains if None not in chain)
    for size in (10**6, 10**9, 10**12 - 10):
        accepted = best(size)
        assert accepted.surplus == 7 * size + expected
        assert accepted.bound == accepted.surplus


def test_an_economy_starts_from_what_others_know():
    """Tests that a marginal economy whose start reaches the main bound needs no work."""
    reports = [Reports([[1]], [5.0]), Reports([[1]], [5.0]), Reports([[1]], [3.0])]
    market = Market.simple(1, 3)
    packing = Packing.from_reports(reports, market)
    determination = WinnerDetermination(packing, Effort())
    main = determination.accept(Economy.main(3))
    loser = 1 - int(packing.owners[main.bids][0])

    again = determination.accept(Economy.without(1 - loser, 3), starts=[np.array([loser])])

    assert again.surplus == again.bound == 5
    assert packing.owners[again.bids].tolist() == [loser]


def test_bounds_of_programs_hold():
    """Tests the widened bound of a solver against the exact optimum, on decimals."""
    for seed in range(10):
        reports, market = random_reports(6, 20, 10, 0.35, seed)
        packing = Packing.from_reports(reports, market)
        exact = WinnerDetermination(packing, Effort()).accept(Economy.main(6))
        everything = np.ones(len(packing), dtype=bool)

        answer = by_milp(packing, everything, np.zeros(0, dtype=int), "highs")

        assert answer.is_finished
        assert answer.bound >= exact.surplus
        assert answer.bound <= exact.surplus * (1 + 1e-6)
        assert packing.surplus[answer.bids].sum() == pytest.approx(exact.surplus, rel=1e-9)


@pytest.mark.parametrize("solver", ["highs", "scip"])
@pytest.mark.parametrize("copies", [10**6, 10**8])
def test_one_copy_too_many_is_too_many_for_any_solver(solver, copies):
    """
    Tests bids for a half and for a half and one more copy: together they exceed the capacity by
    less than a solver's tolerance, which once gave away what is not there.
    """
    if solver not in installed():
        pytest.skip(f"{solver} is not installed")
    half = copies // 2
    reports = [Reports([[half]], [10.0]), Reports([[half + 1]], [7.0]), Reports([[half]], [5.0])]
    packing = Packing.from_reports(reports, Market.simple(1, 3, [copies]))
    everything = np.ones(3, dtype=bool)

    answer = by_milp(packing, everything, np.zeros(0, dtype=int), solver)

    assert answer.bids.tolist() == [0, 2]
    assert answer.bound == 15
    assert answer.is_finished


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 4), st.integers(-2, 2), st.integers(1, 9)), min_size=2, max_size=6
    )
)
def test_shares_of_a_million_are_counted_to_the_copy(wishes):
    """Tests quarters of a million, give or take a copy or two, against every set of bids."""
    pytest.importorskip("pyscipopt")
    market = Market.simple(1, len(wishes), [10**6])
    reports = [
        Reports([[min(250_000 * quarters + more, 10**6)]], [float(value)])
        for quarters, more, value in wishes
    ]

    outcome = vcg(reports, market, verify=True)

    assert outcome.welfare == best_welfare(reports, market)
    assert outcome.verified_by == "scip"


def test_time_that_runs_out_leaves_bids_that_fit(monkeypatch):
    """
    Tests that a solver whose bids exceed the capacity, and that has no time to mend it, leaves
    the bids that it began with and has not finished.
    """
    pytest.importorskip("pyscipopt")
    half = 500_000
    reports = [Reports([[half]], [10.0]), Reports([[half + 1]], [7.0])]
    packing = Packing.from_reports(reports, Market.simple(1, 2, [2 * half]))
    clock = iter([0.0, 0.0, 2.0])
    monkeypatch.setattr(winners, "perf_counter", lambda: next(clock))

    answer = by_milp(packing, np.ones(2, dtype=bool), np.array([1]), "scip", seconds=1.0)

    assert answer.bids.tolist() == [1]
    assert answer.bound == 17
    assert not answer.is_finished
