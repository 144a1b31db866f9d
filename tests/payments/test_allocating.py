"""Tests of the allocation from reports."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare, random_reports

from boca.core import Bidder, Economy, Good, InputError, Limit, Market, Reports, check_feasible
from boca.core.errors import InfeasibleAllocation
from boca.milp import installed
from boca.payments import allocate, allocating
from boca.payments.accepted import Accepted, Solved
from boca.payments.allocating import ask_solver, to_result
from boca.payments.bids import TIE, Packing, lottery_number
from boca.payments.effort import Effort

MARKET = Market.simple(1, 3)
REPORTS = [Reports([[1]], [value]) for value in (5.0, 4.0, 3.0)]


def test_what_was_accepted_is_checked_and_valued_by_the_reports(monkeypatch):
    """Tests cents with a reserve price of 1, and bids that no method may accept."""
    reports = [Reports([[1]], [value]) for value in (5.25, 4.0, 3.0)]
    packing = Packing.from_reports(reports, MARKET, [1.0])
    accepted = Accepted(np.array([0]), 425.0, 500.0, "milp", False)
    result = to_result(packing, accepted, reports, MARKET, Economy.main(3), 7.0)

    assert result.allocation.bundles.tolist() == [[1], [0], [0]]
    assert result.values.tolist() == [5.25, 0, 0]
    assert (result.surplus, result.bound, result.welfare) == (4.25, 5.0, 5.25)
    assert (result.method, result.status, result.seconds) == ("milp", "not proven", 7.0)
    assert result.gap == pytest.approx(0.75 / 4.25)
    proven = to_result(
        packing, Accepted.of(packing, np.array([0]), 425.0, "search"), reports, MARKET,
        Economy.main(3), 7.0,
    )  # fmt: skip
    assert proven.status == "optimal"
    for bids, economy in (([0, 1], Economy.main(3)), ([0], Economy.without(0, 3))):
        wrong = Accepted(np.array(bids), 1.0, 1.0, "milp", True)
        with pytest.raises(InfeasibleAllocation):
            to_result(packing, wrong, reports, MARKET, economy, 7.0)


def test_a_solver_alone_is_told_who_takes_part_and_when_to_stop(monkeypatch):
    """Tests an economy without bidder 0, whose bid is no start; 4 of 9 seconds are over."""
    asked = []

    def by_milp(packing, is_open, start, solver, gap, seconds):
        asked.append((is_open.tolist(), start.tolist(), solver, gap, seconds))
        return Solved(np.array([1]), 4.0, True)

    monkeypatch.setattr(allocating, "by_milp", by_milp)
    monkeypatch.setattr(allocating, "perf_counter", lambda: 104.0)
    packing = Packing.from_reports(REPORTS, MARKET)
    effort = Effort(max_seconds=9.0, gap=0.5, began=100.0)
    for start in (np.array([0]), np.array([2]), None):
        ask_solver(packing, Economy.without(0, 3), "scip", effort, start)
    open_bids = [False, True, True]
    assert asked == [(open_bids, bids, "scip", 0.5, 5.0) for bids in ([], [2], [])]

    monkeypatch.setattr("boca.payments.effort.perf_counter", lambda: 100.0)
    result = allocate(REPORTS, MARKET, Economy.without(0, 3), solver="scip")
    assert (result.method, result.surplus, result.bound) == ("milp", 4, 4)
    assert asked[-1] == (open_bids, [], "scip", 0.0, np.inf)


def test_work_takes_the_time_from_its_beginning(monkeypatch):
    clock = iter([100.0, 103.0])
    effort = Effort(began=next(clock))
    monkeypatch.setattr(allocating, "perf_counter", lambda: next(clock))
    result = allocating._allocate(REPORTS, MARKET, None, None, None, effort)
    assert (result.seconds, result.method, result.surplus) == (3.0, "search", 5)
    assert result.is_proven
    assert allocating.AllocationResult(result.allocation, result.values, 5, 5, "x", 0.0).is_proven


@settings(max_examples=150, deadline=None)
@given(auctions())
def test_brute_force_agrees(auction):
    """Tests capacities, limits, ties and every economy against all possible acceptances."""
    reports, market = auction
    num = market.num_bidders
    for economy in (Economy.main(num), Economy.without(0, num)):
        result = allocate(reports, market, economy)

        check_feasible(result.allocation, market, economy)
        assert result.welfare == pytest.approx(best_welfare(reports, market, economy.bidders))
        assert result.bound >= result.welfare
        assert result.gap == pytest.approx(0)


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

    result = allocate(reports, market, reserve=reserve)

    assert result.surplus == pytest.approx(best_welfare(reports, market, reserve=reserve))


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

    result = allocate(reports, market)

    assert result.welfare == 9  # 5 + 4: two copies for three bidders
    assert result.allocation.bundles.tolist() == [[1], [1], [0]]


def test_nobody_reported_anything():
    """Tests the very start of an auction."""
    result = allocate([Reports.empty(2)] * 2, Market.simple(2, 2))

    assert result.welfare == result.bound == result.gap == 0
    assert not result.allocation.bundles.any()


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

    result = allocate(alone, market)
    assert result.method == "search"
    assert np.flatnonzero(result.allocation.bundles[:, 0]).tolist() == [expected]

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


def test_many_bidders_are_solved_by_branching():
    """Tests a market with more bidders than the search takes on, one bid each."""
    pytest.importorskip("pyscipopt")
    num = 60
    rng = np.random.default_rng(2)
    reports = [
        Reports(rng.integers(0, 2, (1, 6)) | np.eye(6, dtype=int)[i % 6], [1 + i % 7])
        for i in range(num)
    ]
    market = Market.simple(6, num)

    result = allocate(reports, market)

    assert result.method == "branching"
    assert result.status == "optimal"
    assert result.welfare == pytest.approx(allocate(reports, market, solver="scip").welfare)


@pytest.mark.parametrize("value", [10**6, 10**9, 10**12 - 1])
@pytest.mark.parametrize("solver", [None, "highs"])
def test_one_unit_decides(value, solver):
    """Tests two bids that differ by one: the higher one wins, whoever comes first."""
    if solver is not None and value > 10**7:
        pytest.skip("a solver alone decides up to its tolerance")
    market = Market.simple(2, 2)
    for bids in ((value, value + 1), (value + 1, value)):
        reports = [Reports([[1, 1]], [bid]) for bid in bids]

        result = allocate(reports, market, solver=solver)

        assert result.surplus == value + 1
        assert result.bound == value + 1
        assert result.status == "optimal"


@settings(max_examples=80, deadline=None)
@given(auctions(), st.sampled_from([10**6, 10**9, 10**11]), st.booleans())
def test_whole_numbers_are_decided_to_the_unit(auction, size, has_reserve):
    """
    Tests bids that are equal but for their last digits against brute force, which counts in
    whole numbers; with reserve prices, surpluses are whole numbers as well.
    """
    reports, market = auction
    large = [Reports(r.bundles, size + r.values) for r in reports]
    reserve = np.full(market.num_goods, 3.0) if has_reserve else None

    result = allocate(large, market, reserve=reserve)

    assert result.surplus == best_welfare(large, market, reserve=reserve)
    assert result.bound == result.surplus


def test_numbers_that_are_not_whole_keep_their_tie():
    """Tests that decimals are compared as before: a part in 10^9 of the largest bid is a tie."""
    market = Market.simple(2, 2)
    reports = [Reports([[1, 1]], [1.0 + 1e-10]), Reports([[1, 0]], [1.0])]

    assert allocate(reports, market).allocation.bundles.tolist() == [[0, 0], [1, 0]]


def test_time_is_over_before_it_began():
    """Tests that the best so far comes with a bound that holds, and says that it is not proven."""
    reports, market = random_reports(60, 30, 25, 0.2, seed=4)
    exact = allocate(reports, market)

    result = allocate(reports, market, max_seconds=1e-9)

    check_feasible(result.allocation, market)
    assert result.status == "not proven"
    assert result.surplus <= exact.surplus <= result.bound
    assert result.gap > 0


def test_a_gap_is_enough():
    """Tests that the work ends as soon as the bound is as near as was asked for."""
    reports, market = random_reports(60, 30, 25, 0.2, seed=4)
    exact = allocate(reports, market)

    result = allocate(reports, market, gap=0.5)

    assert result.surplus * 1.5 >= result.bound >= exact.surplus
    assert result.gap <= 0.5


def test_progress_is_told():
    """Tests that whoever waits hears of the best surplus and its bound."""
    reports, market = random_reports(60, 10, 12, 0.2, seed=4)
    told = []

    result = allocate(reports, market, progress=told.append)

    assert told[-1].surplus == result.surplus
    assert told[-1].bound == result.bound
    assert all(step.bound >= result.surplus for step in told)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"max_seconds": 0}, "time limit 0"), ({"gap": -1}, "gap -1"), ({"gap": np.nan}, "gap nan")],
)
def test_limits_must_make_sense(arguments, words):
    """Tests that a limit nobody can keep is refused by name."""
    with pytest.raises(InputError, match=words):
        allocate([Reports.empty(1)], Market.simple(1, 1), **arguments)


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


@pytest.mark.parametrize("copies", [2, 10**5, 10**7])
@pytest.mark.parametrize("fewest_first", [True, False])
def test_fewest_copies_win_ties_whatever_the_capacities(copies, fewest_first):
    """
    Tests bids of the same value for 2 and 3 copies where there are up to a hundred million: what
    nobody asks for must not make a copy too small to count.
    """
    market = Market.simple(11, 2, [1] + [copies] * 10)
    bundles = [[1, 1] + [0] * 9, [1, 2] + [0] * 9]
    rows = bundles if fewest_first else bundles[::-1]

    for value in range(10, 16):
        result = allocate([Reports([row], [float(value)]) for row in rows], market)

        assert result.method == "search"
        assert result.allocation.bundles.sum() == 2


@pytest.mark.parametrize(
    ("num_winners", "num_copies", "largest"),
    [
        (1, 250_000, 1),
        (2, 111_111, 1),
        (9, 10_000, 1),
        (14, 4_444, 1),
        (1, 12_500, 10**10),
        (2, 55, 10**12),
        (9, 50, 10**11),
    ],
)
def test_fewest_copies_win_ties_up_to_the_stated_limit(num_winners, num_copies, largest):
    """
    Tests the last size for which the rule is promised: two rivals offer the same for all copies
    of a good and for one copy less, among others whose values add up with rounding.
    """
    rng = np.random.default_rng(0)

    def draw():
        value = largest * rng.random()
        return round(value) if largest > 1 else value

    copies = num_copies - num_winners  # of the last good; all others have one
    market = Market.simple(num_winners + 1, num_winners + 1, [1] * num_winners + [copies])
    goods = np.eye(num_winners + 1, dtype=int)
    for _ in range(20):
        others = [Reports([good], [draw()]) for good in goods[1:num_winners]]
        value, fewer = draw(), bool(rng.random() < 0.5)
        rivals = [
            Reports([goods[0] + number * goods[-1]], [value])
            for number in (copies - fewer, copies - (not fewer))
        ]

        result = allocate([*rivals, *others], market)

        assert result.method == "search"
        assert result.allocation.bundles[:, -1].sum() == copies - 1


def test_a_bound_may_hide_what_counts_as_a_tie():
    """
    Tests the stated limit of bounds on decimals: one copy at 1 wins against two at 1 + 1e-10, and
    the bound is 1; with whole numbers a unit in 10^10 is no tie.
    """
    market = Market.simple(2, 2)

    tied = allocate([Reports([[1, 0]], [1.0]), Reports([[1, 1]], [1 + 1e-10])], market)
    whole = allocate([Reports([[1, 0]], [10**10]), Reports([[1, 1]], [10**10 + 1])], market)

    assert (tied.surplus, tied.bound, tied.method) == (1.0, 1.0, "search")
    assert whole.surplus == whole.bound == 10**10 + 1


@settings(max_examples=60, deadline=None)
@given(auctions(max_bidders=5), st.integers(0, 10**6), st.sampled_from([1e-12, 1e-10, 1e-9]))
def test_bounds_on_decimals_hold_up_to_a_tie(auction, seed, size):
    """Tests values that nearly tie by brute force: what a bound hides is less than a tie."""
    reports, market = auction
    rng = np.random.default_rng(seed)
    reports = [Reports(r.bundles, 0.37 * r.values + size * rng.random(len(r))) for r in reports]

    result = allocate(reports, market)

    packing = Packing.from_reports(reports, market)
    best = best_welfare(reports, market)
    assert best < result.bound + TIE * packing.scale
    assert result.surplus <= result.bound
