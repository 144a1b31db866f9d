"""Awards side by side: prices of rules, other bounds, conflicts."""

from itertools import combinations

import numpy as np
import pytest

from boca.core import Bidder, Good, InputError, Limit, Market, Reports
from boca.core.rule import Rule
from boca.payments.scenarios import (
    Scenario,
    near,
    run_scenarios,
    smallest_conflict,
    uncovered,
)

MARKET = Market(
    (Good("a"), Good("b"), Good("c")), (Bidder("A"), Bidder("B"), Bidder("C")), sense="buy"
)
OFFERS = [
    Reports(np.array([[1, 1, 1], [1, 0, 0], [0, 1, 0]]), np.array([9.0, 2.0, 3.0])),
    Reports(np.array([[0, 1, 0], [0, 1, 1]]), np.array([2.5, 7.0])),
    Reports(np.array([[0, 0, 1]]), np.array([3.0])),
]
TWO = Rule("winners", at_most=2)
THREE = Rule("winners", at_least=3)


def scenarios(*rules, **options):
    return run_scenarios(OFFERS, MARKET, [Scenario("s", tuple(rules))], [5, 5, 5], **options)[0]


def test_a_rule_has_a_price():
    """Tests A a 2, B b 2.5, C c 3: 7.5; with two suppliers 8 (A b, c outside) or 9."""
    free, ruled = run_scenarios(
        OFFERS, MARKET, [Scenario("cheapest"), Scenario("two", (TWO,))], [5, 5, 5], [4, 4, 4]
    )

    assert (free.award.cost, free.rule_cost, free.savings) == (7.5, 0, 4.5)
    assert (ruled.award.cost, ruled.rule_cost, ruled.savings) == (9, 1.5, 3)
    assert {n.bound: n.cost for n in ruled.neighbours} == {"at most 1": 9, "at most 3": 7.5}


def test_payments_of_a_scenario():
    """Tests that a scenario is paid like an award of its own."""
    paid = scenarios(payments="vcg").award.payments
    np.testing.assert_allclose(paid, [5, 4, 4.5])


def test_payments_that_have_no_meaning_leave_the_award():
    """Tests that somebody indispensable, or a share of spend, is a reason and not an error."""
    every = Rule("winners", at_least=3)
    spend = Rule("spend", at_least=0.1, share=True)
    for rule, reason in ((every, "A is indispensable"), (spend, "enlarge the whole")):
        result = scenarios(rule, payments="core")
        assert result.award.payments is None
        assert result.award.cost == 7.5
        assert reason in result.unpaid
    assert scenarios(payments="core").unpaid == ""


def test_a_smallest_conflict_is_named():
    """Tests that of four rules the two that exclude each other are found, and nothing else."""
    harmless = Rule("units", at_most=3), Rule("lots", at_most=3, each=True)
    result = scenarios(harmless[0], TWO, harmless[1], THREE)

    assert result.award is None
    assert set(result.conflict) == {TWO, THREE}


def test_offers_that_do_not_cover_are_no_conflict_of_rules():
    """Tests that rules are not blamed where nobody offers a lot and there is no price outside."""
    offers = [OFFERS[1], OFFERS[1], Reports.empty(3)]
    result = run_scenarios(offers, MARKET, [Scenario("two", (TWO,))])[0]
    assert result.award is None
    assert (result.conflict, result.uncovered) == ((), (0,))


def test_lots_are_uncovered_by_all_offers_together_or_by_one_of_each():
    """
    Tests enough of every lot, of which no choice of one offer each covers all, units that add up
    over suppliers, an offer beyond its supplier's limits, and a price outside.
    """
    either = Reports(np.array([[1, 0, 0], [0, 1, 0]]), np.array([2.0, 3.0]))
    one_each = [either, OFFERS[2]]
    assert uncovered(one_each, MARKET) == ()
    result = run_scenarios([*one_each, Reports.empty(3)], MARKET, [Scenario("s")])[0]
    assert (result.award, result.conflict, result.uncovered) == (None, (), ())
    need = Market(
        (Good("a", 4),), (Bidder("A"), Bidder("B", limits=(Limit((1.0,), 1.0),))), sense="buy"
    )
    two = Reports(np.array([[2], [1]]), np.array([3.0, 2.0]))
    assert uncovered([two, two], need) == (0,)
    assert uncovered([two, two], need, [np.inf]) == (0,)
    assert uncovered([two, two], need, [5.0]) == ()
    assert uncovered([two, two], Market(need.goods, (Bidder("A"), Bidder("B")), sense="buy")) == ()


@pytest.mark.parametrize("num_rules", [4, 15])
def test_no_rule_of_a_conflict_can_be_left_out(num_rules):
    """Tests both ways of finding it, on rules that conflict where some three come together."""
    rules = [Rule("winners", at_most=k) for k in range(num_rules)]
    bad = {0, 2, 3}

    def is_possible(part):
        return not bad <= {int(rule.at_most) for rule in part}

    conflict = smallest_conflict(rules, is_possible)
    assert {int(rule.at_most) for rule in conflict} == bad
    assert all(is_possible(part) for part in combinations(conflict, 2))


def test_other_bounds_stay_sensible():
    """Tests that no bound gets negative or above everything, and money has no neighbours."""
    assert [bound for _, bound in near(Rule("winners", at_most=0))] == ["at most 1"]
    assert [b for _, b in near(Rule("units", at_most=0.95, share=True))] == ["at most 85 %"]
    assert near(Rule("spend", at_most=100)) == []
    both = Rule("winners", at_least=2, at_most=2)
    assert [bound for _, bound in near(both)] == ["at least 1", "at most 3"]


def test_baselines_are_for_every_lot_or_for_none():
    """Tests that savings are not computed from a part of the lots."""
    assert scenarios(baseline=[4, np.nan, 4]).savings is None
    with pytest.raises(InputError, match="baselines"):
        scenarios(baseline=[4, 4])
