"""Tests of VCG payments."""

from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare, random_reports

from boca.core import (
    InputError,
    Market,
    MissingExtra,
    Outcome,
    Reports,
    SolverError,
)
from boca.payments import economies, quadratic_core, vcg
from boca.payments.accepted import Accepted
from boca.payments.bids import Packing
from boca.payments.economies import Economies, improved
from boca.payments.effort import Effort
from boca.payments.explanation import settle
from boca.payments.options import accepted_options
from boca.payments.sales import sale


def test_one_good_is_a_second_price_auction():
    """Tests Vickrey's auction: the highest bid wins and pays the second highest."""
    outcome = vcg([Reports([[1]], [v]) for v in (10, 7, 3)], Market.simple(1, 3))

    assert outcome.payments.tolist() == [7, 0, 0]
    assert isinstance(outcome, Outcome)
    assert outcome.rule == "VCG"


def test_identical_copies_sell_at_the_highest_losing_bid():
    """Tests three copies for five bidders: everyone who wins pays the fourth bid."""
    outcome = vcg([Reports([[1]], [v]) for v in (9, 8, 6, 5, 1)], Market.simple(1, 5, [3]))

    assert outcome.payments.tolist() == [5, 5, 5, 0, 0]


def test_local_bidders_pay_nothing_against_a_global_one():
    """Tests the textbook weakness of VCG: both locals outbid the global bidder, for free."""
    reports = [Reports([[1, 0]], [10]), Reports([[0, 1]], [10]), Reports([[1, 1]], [10])]

    outcome = vcg(reports, Market.simple(2, 3))

    assert outcome.welfare == 20
    assert outcome.payments.tolist() == [0, 0, 0]


def test_payment_explains_itself():
    """Tests the terms of a payment: others with 6, others without 8, so 2."""
    reports = [Reports([[1, 0]], [5]), Reports([[0, 1], [1, 1]], [6, 8])]

    outcome = vcg(reports, Market.simple(2, 2))
    term = outcome.explanations[0]

    assert (term.others_with, term.others_without, term.payment) == (6, 8, 2)
    assert term.allocation_without.bundles.tolist() == [[0, 0], [1, 1]]
    assert "Without bidder 0 the others would get 8; with bidder 0 they get 6" in outcome.explain()
    assert outcome.to_dict()["bidders"][0]["allocation_without"] == {
        "bidder 1": {"good 0": 1, "good 1": 1}
    }


def test_nobody_reported_anything():
    """Tests that an auction in which nobody speaks ends with nothing, not with an error."""
    pytest.importorskip("pyscipopt")
    outcome = vcg([Reports.empty(2)] * 3, Market.simple(2, 3), verify=True)

    assert outcome.revenue == outcome.welfare == 0
    assert outcome.explain() == ""


def test_reserve_price_is_paid_without_competition():
    """Tests that one bid of 10 pays the reserve price of 4, and that a bid of 3 loses."""
    market = Market.simple(2, 2)
    reports = [Reports([[1, 0]], [10]), Reports([[0, 1]], [3])]

    outcome = vcg(reports, market, reserve=[4, 4])

    assert outcome.payments.tolist() == [4, 0]
    assert outcome.allocation.bundles.tolist() == [[1, 0], [0, 0]]
    assert outcome.surplus == 6  # 10 - 4


def test_bids_at_the_reserve_price_lose():
    """
    Tests bids that are reserve prices added up by hand: the floating-point sum is a little lower,
    and a surplus of 4e-15 once was the whole market.
    """
    reserve = [2.3, 8.7, 6.6, 2.6, 1.1]
    reports = [Reports([[1, 1, 0, 1, 1], [1, 1, 1, 1, 1]], [14.7, 21.3])]

    outcome = vcg(reports, Market.simple(5, 1), reserve=reserve)

    assert not outcome.allocation.bundles.any()
    assert outcome.revenue == 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 99), min_size=2, max_size=8),
    st.lists(st.tuples(st.integers(0, 255), st.sampled_from([0, 0, 1, 20])), max_size=6),
    st.sampled_from([vcg, quadratic_core]),
)
def test_decimal_reserve_prices_are_paid_to_the_digit(tenths, wishes, rule):
    """
    Tests bids at or a little above decimal reserve prices: who is above wins something, and nobody
    pays less than the reserve prices or more than its bid.
    """
    reserve = [f"{price / 10}" for price in tenths]
    bundles = [[1, *(wish >> good & 1 for good in range(1, len(tenths)))] for wish, _ in wishes]
    prices = [
        sum((Decimal(r) * n for r, n in zip(reserve, b, strict=True)), Decimal(0)) for b in bundles
    ]
    reports = [Reports.empty(len(tenths))] + [
        Reports([bundle], [float(price + Decimal(above) / 10)])
        for bundle, price, (_, above) in zip(bundles, prices, wishes, strict=True)
    ]
    market = Market.simple(len(tenths), len(reports), [len(reports)] * len(tenths))

    outcome = rule(reports, market, reserve=[float(price) for price in reserve])

    is_above = [False] + [above > 0 for _, above in wishes]
    assert outcome.allocation.bundles.any(axis=1).tolist() == is_above
    expected = [float(p) if won else 0.0 for p, won in zip([0, *prices], is_above, strict=True)]
    assert outcome.payments == pytest.approx(expected, rel=1e-12)  # copies suffice for all
    assert (outcome.utilities >= 0).all()


@settings(max_examples=60, deadline=None)
@given(auctions())
def test_payments_are_the_harm_to_others(auction):
    """Tests the formula by brute force, and with it rationality and no deficit."""
    reports, market = auction

    outcome = vcg(reports, market)

    for i in range(market.num_bidders):
        others = [j for j in range(market.num_bidders) if j != i]
        harm = best_welfare(reports, market, others) - (outcome.welfare - outcome.values[i])
        assert outcome.payments[i] == pytest.approx(harm)
    assert (outcome.payments >= 0).all()
    assert (outcome.utilities >= 0).all()


@settings(max_examples=40, deadline=None)
@given(auctions())
def test_reserve_prices_are_a_floor(auction):
    """Tests that nobody pays less than the reserve prices of what it gets, nor more than it bid."""
    reports, market = auction
    reserve = np.full(market.num_goods, 0.75)

    outcome = vcg(reports, market, reserve)

    assert (outcome.payments >= outcome.allocation.bundles @ reserve - 1e-12).all()
    assert (outcome.utilities >= 0).all()


def test_second_solver_agrees():
    """Tests that verification solves every economy and names its solver."""
    pytest.importorskip("pyscipopt")
    reports, market = random_reports(5, 40, 12, 0.4, seed=5)

    outcome = vcg(reports, market, verify=True)

    assert outcome.verified_by == "scip"
    assert np.array_equal(outcome.payments, vcg(reports, market).payments)


def confirmed(reports, bids, bound=None, effort=None, without=None):
    """Whether SCIP confirms that these bids are the best, of everybody or without somebody."""
    problem = sale(reports, Market.simple(reports[0].num_goods, len(reports)))
    packing, numbers = problem.options.packing()
    surplus = float(packing.surplus[bids].sum()) if bound is None else bound
    accepted = Accepted.of(packing, np.array(bids, dtype=np.int64), surplus, "branching")
    chosen = accepted_options(problem.options, packing, numbers, accepted)
    asking = Economies(problem, effort or Effort(), "scip")
    if without is None:
        asking._confirm(problem.options, chosen, "main")
    else:
        asking._confirm_without(without, chosen)
    return asking.verifier is not None


@pytest.mark.parametrize("size", [1, 10**6])
def test_disagreement_is_an_error(size):
    """
    Tests that verification can fail: an answer that is one unit too low is found out, also where
    one unit is a part in a million of the bids.
    """
    pytest.importorskip("pyscipopt")
    reports = [Reports([[1, 0]], [5 * size]), Reports([[1, 0]], [5 * size + 1])]
    with pytest.raises(SolverError, match="Verification failed in the economy 'main'"):
        confirmed(reports, [0])


@pytest.mark.parametrize("rule", [vcg, quadratic_core])
def test_without_time_nothing_is_verified(rule):
    """Tests that a second solver that could not prove anything is not said to have agreed."""
    pytest.importorskip("pyscipopt")
    reports, market = random_reports(20, 30, 20, 0.2, seed=0)

    assert rule(reports, market, verify=True, max_seconds=1e-9).verified_by is None


def test_a_solver_without_time_confirms_nothing():
    """Tests a wrong answer of 0 instead of 12: without time it is not contradicted, but open."""
    pytest.importorskip("pyscipopt")
    reports = [Reports([[1, 0]], [5]), Reports([[0, 1]], [7])]
    late = Effort(max_seconds=1e-9)
    assert not confirmed(reports, [], effort=late)
    assert not confirmed(reports, [0, 1], effort=late)
    assert confirmed(reports, [0, 1])


def test_something_better_within_the_gap_is_no_contradiction():
    """
    Tests bids that are within 20 % of the bound: 12 instead of 10 does not contradict them, yet
    they are not verified; above their bound it does.
    """
    pytest.importorskip("pyscipopt")
    reports = [Reports([[1]], [10]), Reports([[1]], [12])]
    assert not confirmed(reports, [0], bound=12.0)
    with pytest.raises(SolverError, match="we found 10, the solver 'scip' found 12"):
        confirmed(reports, [0], bound=11.0)


@settings(max_examples=40, deadline=None)
@given(auctions(), st.sampled_from([10**7, 10**9, 10**12 - 10]))
def test_large_whole_bids_are_verified(auction, size):
    """
    Tests that solvers confirm bids of which a unit is below their tolerance: they came to their
    end, and that is all they can say.
    """
    pytest.importorskip("pyscipopt")
    reports, market = auction
    reports = [Reports(r.bundles, size + r.values) for r in reports]

    assert vcg(reports, market, verify=True).verified_by == "scip"


def test_verification_names_the_bidder_who_is_missing():
    """Tests that an error speaks of bidders by name."""
    pytest.importorskip("pyscipopt")
    reports = [Reports([[1]], [v]) for v in (3, 2, 1)]
    with pytest.raises(SolverError, match="in the economy 'without bidder 0'"):
        confirmed(reports, [2], without=0)


@settings(max_examples=40, deadline=None)
@given(auctions(), st.sampled_from([10**6, 10**9, 10**11]))
def test_payments_of_whole_bids_are_whole(auction, size):
    """Tests the formula in whole numbers: differences of one unit reach the payments."""
    reports, market = auction
    reports = [Reports(r.bundles, size + r.values) for r in reports]

    outcome = vcg(reports, market)

    for i in range(market.num_bidders):
        others = [j for j in range(market.num_bidders) if j != i]
        harm = best_welfare(reports, market, others) - (outcome.welfare - outcome.values[i])
        assert outcome.payments[i] == harm


def test_time_that_runs_out_marks_the_payments():
    """Tests that payments from unproven terms are in their range, and marked as such."""
    reports, market = random_reports(60, 30, 25, 0.2, seed=4)

    outcome = vcg(reports, market, max_seconds=1e-9)

    winners = np.flatnonzero(outcome.allocation.bundles.any(axis=1))
    assert outcome.status == "not proven"
    assert outcome.unproven == tuple(winners.tolist())
    assert (outcome.payments >= 0).all()
    assert (outcome.utilities >= 0).all()
    assert "NOT PROVEN" in outcome.explain()
    assert outcome.to_dict()["status"] == "not proven"
    exact = vcg(reports, market)
    assert exact.status == "optimal"
    assert outcome.bound >= exact.surplus
    for term in outcome.explanations:
        assert term.bound_without >= exact.explanations[term.bidder].others_without - 1e-9


def test_economies_are_told_by_name():
    """Tests that progress names the main economy and then each winner that is left out."""
    told = []
    reports = [Reports([[1]], [v]) for v in (10, 7, 3)]

    vcg(reports, Market.simple(1, 3), progress=lambda step: told.append(step.stage))

    assert told == ["main economy", "without bidder 0"]

    told.clear()
    reports = [Reports.empty(2)] * 9
    reports[1], reports[8] = Reports([[1, 0]], [5]), Reports([[0, 1]], [5])
    vcg(reports, Market.simple(2, 9), progress=lambda step: told.append(step.stage))
    assert told == ["main economy", "without bidder 1", "without bidder 8"]


def test_missing_second_solver_says_how_to_get_one(monkeypatch):
    """Tests that verification is never skipped in silence."""
    monkeypatch.setattr(economies, "installed", lambda: ("highs",))
    with pytest.raises(MissingExtra, match=r"boca-assignment\[scip\]"):
        vcg([Reports([[1]], [1])], Market.simple(1, 1), verify=True)


def test_rounding_is_removed_but_errors_are_not():
    """Tests that -1e-12 becomes 0 while -0.1, or more than the bid, is refused."""
    zero, bid = np.zeros(1), np.array([5.0])

    assert settle(np.array([-1e-12]), zero, bid, 5.0).tolist() == [0.0]
    assert settle(np.array([5 + 1e-12]), zero, bid, 5.0).tolist() == [5.0]
    with pytest.raises(SolverError, match="less than the least"):
        settle(np.array([-0.1]), zero, bid, 5.0)
    with pytest.raises(SolverError, match="more than its bid"):
        settle(np.array([5.1]), zero, bid, 5.0)


def test_rounding_of_payments_is_relative_to_values():
    """
    Tests that a surplus of 1e-9 above a reserve price of 5 does not turn rounding into an error,
    and that solvers have no more room than before.
    """
    reserve, bid = np.array([5.0]), np.array([5 + 1e-9])

    assert settle(np.array([5 - 1e-14]), reserve, bid, 1e-9).tolist() == [5.0]
    with pytest.raises(SolverError, match="less than the least"):
        settle(np.array([5 - 1e-10]), reserve, bid, 1e-9)


def test_plausible_mistakes_get_an_answer():
    """Tests reports by number, and arguments in the wrong order."""
    market = Market.simple(2, 2)
    reports = [Reports.empty(2), Reports.empty(2)]
    with pytest.raises(InputError, match="list of Reports"):
        vcg(dict(enumerate(reports)), market)
    with pytest.raises(InputError, match="order"):
        vcg(market, reports)


def test_losers_do_not_repeat_the_allocation():
    """
    Tests that JSON names the allocation without a bidder only where it is another one: repeated
    for every loser, it grows with the square of the number of bidders.
    """
    reports = [Reports([[1]], [5.0]), Reports([[1]], [3.0]), Reports([[1]], [2.0])]

    bidders = vcg(reports, Market.simple(1, 3)).to_dict()["bidders"]

    assert bidders[0]["allocation_without"] == {"bidder 1": {"good 0": 1}}
    assert bidders[1]["allocation_without"] is bidders[2]["allocation_without"] is None


def test_one_unit_of_a_billion_billion_is_an_improvement():
    """Tests that bids of another economy are taken if they are worth one unit more, and no less."""
    largest = 10**12
    market = Market.simple(1, 3)
    reports = [Reports([[1]], [largest - 1]), Reports([[1]], [largest]), Reports([[1]], [largest])]
    packing = Packing.from_reports(reports, market, np.zeros(1))
    assert packing.is_whole

    def taken(own, better):
        partner = SimpleNamespace(packing=packing, best_known=lambda is_open: np.array([better]))
        accepted = Accepted.of(packing, np.array([own]), float(largest), "search")
        return improved(partner, accepted, np.ones(3, dtype=bool)).bids.tolist()

    assert taken(0, 1) == [1]
    assert taken(1, 2) == [1]  # worth the same
