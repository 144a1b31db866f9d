"""Everybody's share and payment, by the letters of the definition."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from boca.core import Bidder, Good, Market, Reports
from boca.core.rule import Rule
from boca.payments import economies
from boca.payments.economies import Economies
from boca.payments.effort import Effort
from boca.payments.exchanges import exchange_problem
from boca.payments.program import Chosen
from boca.payments.purchases import purchase
from boca.payments.sales import sale
from boca.payments.settlement import Settlement, Unpayable, settle

LOCALS = [Reports([[1, 0]], [10]), Reports([[0, 1]], [10]), Reports([[1, 1]], [12])]
SALE = Market.simple(2, 3)
LOT = Market((Good("a", 1),), (Bidder("A"), Bidder("B")), "sand", "buy")
ALONE = replace(LOT, goods=(Good("a", 2),))
OFFERS = [Reports([[1]], [3]), Reports([[1]], [5])]
# P holds what is worth 2 to it and 10 to Q.
TRADE = Market((Good("a"),), (Bidder("P", endowment=(1,)), Bidder("Q")))
VALUES = [Reports([[1]], [2]), Reports([[1]], [10])]


def test_the_letters_of_a_sale():
    """Tests V = 20 and V_i = 12, so D = 8 each, of 10: the core leaves both 4."""
    settled = settle(sale(LOCALS, SALE), "vcg", Effort())
    assert (settled.V, settled.D) == (20, {0: 8, 1: 8})
    assert settled.shares == {0: 8, 1: 8}
    assert settled.payments.tolist() == [2, 2, 0]
    core = settle(sale(LOCALS, SALE), "core", Effort())
    assert core.shares == {0: 4, 1: 4}
    assert core.payments.tolist() == [6, 6, 0]
    ((members, others, room),) = [(g.members, g.others, g.room) for g in core.binding]
    assert (members, others, room) == ((2,), (0, 1), 8)
    assert core.is_in_core
    offered = settle(sale(LOCALS, SALE), "offered", Effort())
    assert offered.payments.tolist() == [10, 10, 0]
    assert offered.without == {}


def test_reserve_prices_are_paid_on_top():
    """Tests one bid of 10 above a reserve price of 4: D is 6, and 4 is paid."""
    settled = settle(sale([Reports([[1]], [10])], Market.simple(1, 1), [4]), "vcg", Effort())
    assert (settled.V, settled.said(0), settled.D) == (6, 10, {0: 6})
    assert settled.payments.tolist() == [4]


def test_the_letters_of_a_purchase():
    """Tests V = -3 and V_A = -5: A keeps 2, and is paid 5."""
    settled = settle(purchase(OFFERS, LOT, np.array([np.inf])), "vcg", Effort())
    assert (settled.V, settled.D) == (-3, {0: 2})
    assert settled.payments.tolist() == [-5, 0]
    assert settled.outside.tolist() == [0]
    # Outside it costs 4, and nobody is paid more than that.
    limited = settle(purchase(OFFERS, LOT, np.array([4.0])), "vcg", Effort())
    assert limited.D == {0: 1}
    assert limited.payments.tolist() == [-4, 0]


def test_the_letters_of_an_exchange():
    """Tests V = 8 = D of both: VCG shares out twice as much as there is, threshold half each."""
    problem = exchange_problem(VALUES, TRADE)
    settled = settle(problem, "vcg", Effort())
    assert (settled.V, settled.D) == (8, {0: 8, 1: 8})
    assert settled.payments.tolist() == [-10, 2]
    assert settle(problem, "threshold", Effort()).payments.tolist() == [-6, 6]
    assert settle(problem, "small", Effort()).shares == {0: 8}
    assert settle(problem, "none", Effort()).payments.tolist() == [0, 0]


def test_rounding_of_floats_is_no_share():
    """Tests D of a part in 10^13 of the largest worth: 0; of a part in 10^11 it is one."""
    problem = sale([Reports([[1]], [np.pi * 1e9]), Reports([[1]], [1.0])], Market.simple(1, 2))
    best = Chosen(np.array([1, 2]), 0.0, 0.0, "scripted", True)
    for part, is_share in ((1e-13, False), (1e-11, True)):
        worth = problem.options.worth.copy()
        worth[3] = worth[1] * (1 - part)
        own = replace(problem, options=replace(problem.options, worth=worth))
        without = Chosen(np.array([0, 3]), 0.0, 0.0, "scripted", True)
        settled = Settlement(own, "vcg", best, {0: without})
        assert (settled.D[0] > 0) == is_share
    worse = Settlement(problem, "vcg", without, {0: best})
    assert worse.D == {0: 0}  # an absence that knew better without proof


def test_whoever_gives_up_nothing_keeps_all_of_it():
    """Tests floats in the core: without a group, the VCG payment to the last digit."""
    reports = [Reports([[1, 0]], [np.pi]), Reports([[0, 1]], [np.e]), Reports([[1, 0]], [1 / 3])]
    problem = sale(reports, SALE)
    settled = settle(problem, "core", Effort())
    assert settled.shares == settled.D
    assert settled.payments.tolist() == settle(problem, "vcg", Effort()).payments.tolist()


def test_units_are_whole_and_those_of_nothing_are_left_out():
    """Tests odd units of threshold, where D = (3, 3) and V = 3: 2 and 1."""
    values = [Reports([[1]], [0]), Reports([[1]], [3])]
    settled = settle(exchange_problem(values, TRADE), "threshold", Effort())
    assert settled.shares == {0: 2, 1: 1}
    settled = settle(exchange_problem(values, TRADE), "small", Effort())
    assert settled.shares == {0: 3}
    assert all(isinstance(share, Fraction) for share in settled.shares.values())


def test_shares_of_spend_have_no_meaning_but_as_offered():
    """Tests the reason, and that nobody's absence is asked for."""
    market = replace(LOT, rules=(Rule("spend", at_most=1, share=True, who=(0,)),))
    problem = purchase(OFFERS, market, np.array([9.0]))
    with pytest.raises(Unpayable, match="share of units") as caught:
        settle(problem, "vcg", Effort())
    assert caught.value.made.rule == "none"
    assert settle(problem, "offered", Effort()).payments.tolist() == [-3, 0]


def test_what_is_not_proven_is_not_shared_out_where_shares_need_proofs(monkeypatch):
    """Tests a purchase, an open award and an open absence; a sale goes on and says so."""
    right = Economies.solve
    for place in ("best", "without"):

        def opened(self, needs_shares, place=place):
            best, without = right(self, needs_shares)
            if place == "best":
                return replace(best, is_proven=False), without
            return best, {i: replace(own, is_proven=False) for i, own in without.items()}

        monkeypatch.setattr(Economies, "solve", opened)
        with pytest.raises(Unpayable) as caught:
            settle(purchase(OFFERS, LOT, np.array([9.0])), "vcg", Effort())
        assert (str(caught.value), caught.value.dealer) == ("", None)
        assert settle(sale(LOCALS, SALE), "vcg", Effort()).payments.tolist() == [2, 2, 0]
        monkeypatch.undo()


def test_nothing_can_be_chosen():
    """Tests lots that nobody offers."""
    assert (
        settle(purchase([Reports.empty(1)] * 2, LOT, np.array([np.inf])), "vcg", Effort()) is None
    )


def test_another_solver_is_asked_where_that_is_wanted(monkeypatch):
    """Tests its name, with shares and without, and a settlement that nobody was to confirm."""
    asked = []
    monkeypatch.setattr(economies, "installed", lambda: ("highs", "scip"))
    monkeypatch.setattr(economies, "asked", lambda options, best, *more: asked.append(best) or best)
    for problem in (sale(LOCALS, SALE), exchange_problem(VALUES, TRADE)):
        for rule in ("vcg", "none"):
            assert settle(problem, rule, Effort(), verify=True).verified_by == "scip"
            assert asked
            asked.clear()
            assert settle(problem, rule, Effort()).verified_by is None
            assert asked == []
    alone = purchase([Reports([[2]], [3]), Reports([[1]], [1])], ALONE, np.array([np.inf]))
    with pytest.raises(Unpayable) as caught:
        settle(alone, "vcg", Effort(), verify=True)
    assert caught.value.made.verified_by == "scip"
