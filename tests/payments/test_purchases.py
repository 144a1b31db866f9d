"""A purchase as a problem: offers, units from outside, and what is no deal."""

import numpy as np
import pytest

from boca.core import Bidder, Good, InputError, Limit, Market, Reports
from boca.core.rule import Rule
from boca.payments.economies import Economies
from boca.payments.effort import Effort
from boca.payments.program import Chosen
from boca.payments.purchases import checked_prices, purchase
from boca.payments.settlement import Unpayable, settle

INF = np.inf
PRICE = np.array([9.0])


def lots(*needed, suppliers=2, rules=()) -> Market:
    goods = tuple(Good(name, n) for name, n in zip("ab", needed, strict=False))
    bidders = tuple(Bidder(name) for name in "ABC"[:suppliers])
    return Market(goods, bidders, "sand", "buy", rules)


def chosen(*options) -> Chosen:
    return Chosen(np.array(options), 0.0, 0.0, "scripted", True)


def test_a_purchase_is_nothing_every_offer_and_units_from_outside():
    """Tests costs as worths below 0, uses of lots, and three units outside as one and two."""
    offers = [Reports([[1, 0], [2, 1]], [3, 9]), Reports([[0, 5]], [7])]
    problem = purchase(offers, lots(3, 1), np.array([4, INF]))
    options = problem.options
    assert options.owners.tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3]
    assert options.worth.tolist() == [0, -3, -9, 0, -7, 0, -4, 0, -8]
    assert options.bounds.tolist() == [-3, -1]
    assert options.uses[[1, 2, 4, 6, 8]].tolist() == [[-1, 0], [-2, -1], [0, -1], [-1, 0], [-2, 0]]
    assert problem.bundles[[4, 6, 8]].tolist() == [[0, 5], [1, 0], [2, 0]]
    assert problem.no_deal.tolist() == [0, 3]
    assert (problem.stage, problem.needs_proof, problem.unpayable) == ("award", True, "")
    assert problem.dealers(chosen(0, 4, 6, 7)) == [1]


def test_without_an_only_supplier_there_is_no_award():
    """
    Tests a purchase that uses nothing without its supplier: it looks like a sale in which nobody
    wins, and its lots would stay uncovered.
    """
    problem = purchase([Reports([[1]], [3])], lots(1, suppliers=1), np.array([INF]))
    assert not problem.options.keep(np.array([0])).is_plain
    with pytest.raises(Unpayable) as caught:
        settle(problem, "vcg", Effort())
    assert caught.value.dealer == 0
    assert caught.value.made.bundles.tolist() == [[1]]


def test_nobody_begins_with_a_choice_that_covers_nothing():
    """Tests time that is short: without A, its units come from elsewhere from the beginning."""
    problem = purchase([Reports([[1]], [3]), Reports([[1]], [5])], lots(1), PRICE)
    best, without = Economies(problem, Effort(max_seconds=100.0)).solve(needs_shares=True)
    assert (best.worth, without[0].worth) == (-3, -5)
    own = problem.options.keep(Economies(problem, Effort())._numbers_without(0))
    start = problem.start(own)
    assert own.broken_rows(start) == []
    assert own.total(start) == -5


def test_a_rule_can_forbid_to_have_no_deal():
    """Tests a supplier that has to deliver: it is always a dealer, and nobody can do without it."""
    each = Rule("units", at_least=1, each=True, who=(0,))
    problem = purchase([Reports([[1]], [3]), Reports([[1]], [1])], lots(1, rules=(each,)), PRICE)
    assert problem.no_deal.tolist() == [-1, 1]
    settled = settle(problem, "offered", Effort())
    assert problem.dealers(settled.best) == [0]
    with pytest.raises(Unpayable) as caught:
        settle(problem, "vcg", Effort())
    assert caught.value.dealer == 0
    # An offer that breaks it is none, so the supplier has no option at all.
    assert purchase([Reports.empty(1), Reports([[1]], [1])], lots(1, rules=(each,)), PRICE) is None


def test_only_vcg_is_limited_by_what_lots_cost_outside():
    """Tests D = 10 under "at least 1 of A", a price outside of 5, and one of nothing."""
    some = Rule("units", at_least=1, who=(0,))
    market = lots(1, suppliers=2, rules=(some,))
    offers = [Reports([[1]], [3]), Reports([[1]], [1])]
    problem = purchase(offers, market, np.array([5]))
    taken = np.flatnonzero(problem.options.worth == -3)
    assert problem.most(chosen(int(taken[0]), 2), 0) == 2
    bare = purchase(offers, market, np.array([INF]))
    assert bare.most(chosen(1, 2), 0) is None
    dear = purchase(offers, market, np.array([2]))
    assert dear.most(chosen(1, 2), 0) == 0


def test_prices_outside_are_one_of_each_lot():
    """Tests none, and what is refused."""
    assert checked_prices(None, lots(1, 1)).tolist() == [INF, INF]
    for wrong in ([1], [1, -1], [1, np.nan]):
        with pytest.raises(InputError, match="at-most prices"):
            checked_prices(wrong, lots(1, 1))


def test_offers_beyond_a_suppliers_limits_and_of_nothing_are_no_options():
    """Tests a limit of one unit, and an empty bundle."""
    limit = Limit((1.0,), 1.0)
    market = Market((Good("a", 3),), (Bidder("A", limits=(limit,)), Bidder("B")), "sand", "buy")
    offers = [Reports([[1], [2]], [3, 4]), Reports([[0], [3]], [0, 9])]
    problem = purchase(offers, market, np.array([INF]))
    assert problem.bundles.tolist() == [[0], [1], [0], [3]]
    assert problem.options.worth.tolist() == [0, -3, 0, -9]


def test_a_choice_to_begin_with_buys_outside_what_is_missing():
    """Tests three units of which A offers one for less than the price outside: 1 + 2 x 4."""
    problem = purchase([Reports([[1]], [1]), Reports.empty(1)], lots(3), np.array([4.0]))
    start = problem.start(problem.options)
    assert problem.options.broken_rows(start) == []
    assert problem.options.total(start) == -9
    dear = purchase([Reports([[1]], [5]), Reports.empty(1)], lots(3), np.array([4.0]))
    assert dear.options.total(dear.start(dear.options)) == -12
