"""Every rule that a buyer can state: awards, and their check, against trying everything."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from rule_oracle import every_award, every_rule, is_kept, least_cost, purchase

from boca.core import Bidder, Good, Market, Reports, Rule
from boca.payments.awarded import holds
from boca.payments.awards import award
from boca.payments.buyers_rules import Part, exactly, parts

F = Fraction


def test_a_share_of_spend_for_each_that_gets_any():
    """
    Tests two suppliers at 10 for the lot, and one of them at least half of all that is spent if it
    gets any: without reading ``if_any`` both would have to win.
    """
    rule = Rule("spend", 0.5, share=True, each=True, if_any=True)
    market = Market((Good("a"),), (Bidder("A"), Bidder("B")), sense="buy", rules=(rule,))
    offers = [
        Reports(np.array([[1]]), np.array([10.0])),
        Reports(np.array([[1]]), np.array([17.0])),
    ]
    assert award(offers, market).cost == 10


def test_parts_by_hand():
    """Tests whose sums are bounded, by how much, and which offers decide by themselves."""
    needed = np.array([10, 4])
    rule = Rule("units", 0.3, 0.5, who=(0, 2), lots=(0,), share=True, each=True, if_any=True)
    assert list(parts(rule, needed, 3)) == [
        Part((0,), F(3), F(5), False, True, True),
        Part((2,), F(3), F(5), False, True, True),
    ]
    both = Rule("lots", at_most=0.5, share=True)
    assert list(parts(both, needed, 2)) == [Part((0, 1), None, F(1), False, False, False)]
    money = Rule("spend", at_least=1.25)
    assert list(parts(money, needed, 2, 100)) == [Part((0, 1), F(125), None, False, False, False)]
    shares = Rule("spend", at_most=0.4, share=True, each=True)
    assert list(parts(shares, needed, 1, 100)) == [Part((0,), None, F(2, 5), True, False, False)]


@pytest.mark.parametrize(
    ("amount", "wins", "spend", "is_fine"),
    [(3, True, 10, True), (2, True, 10, False), (2, False, 10, True), (6, False, 10, False),
     (5, True, 10, True), (6, True, 10, False), (6, True, 12, True)],
)  # fmt: skip
def test_a_part_of_spend_holds(amount, wins, spend, is_fine):
    """Tests at least 3 and at most 5 of 10, unless nobody wins; a most is never excused."""
    part = Part((0,), F(3, 10), F(1, 2), True, True, False)
    assert part.holds(F(amount), wins, F(spend)) == is_fine


def test_rows_say_what_the_check_says():
    """Tests the rows of a part by hand: shares of spend, and who is excused."""
    part = Part((0,), F(1, 4), F(1, 2), True, True, False)
    (upper, most), (lower, least) = part.rows([F(0), F(8), F(0)], [F(0), F(8), F(4)],
                                              [True, False, False], F(12))  # fmt: skip
    assert (upper.tolist(), most) == ([0, 4, -2], 0)
    assert (lower.tolist(), least) == ([-3, -6, 1], 0)
    plain = Part((0, 1), F(2), F(9), False, False, False)
    rows = list(plain.rows([F(3), F(0)], [F(3), F(1)], [False, False], F(4)))
    assert [(row.tolist(), bound) for row, bound in rows] == [([3, 0], 9), ([-3, 0], -2)]


def test_amounts_are_read_as_they_were_written():
    """Tests that three times a tenth are three tenths, and cents of a large amount cents."""
    assert sum(exactly(np.array([0.1, 0.1, 0.1]))) == F(3, 10)
    assert exactly(np.array([999999999.99])) == [F(99999999999, 100)]


def test_every_rule_is_there():
    """Tests that the product below has every combination of keys that a rule may have."""
    rules = every_rule()
    assert len(rules) == 27 + 2 * 3 * 3 * 2 * 8 + 3 * 2 * 8  # winners, lots and units, spend
    assert len(set(rules)) == len(rules)


@pytest.mark.parametrize("seed", [20001])
def test_the_cheapest_award_keeps_every_rule(seed):
    """
    Tests each combination of kind, bounds, suppliers, lots, share, each and if_any: awards and the
    check of an award against trying everything. In each market some rules bind.
    """
    free = least_cost(*purchase(seed))
    num_binding = 0
    for place, rule in enumerate(every_rule()):
        market, offers, at_most = purchase(seed + 10 * place, rule)
        least = least_cost(market, offers, at_most)
        made = award(offers, market, at_most)
        assert (None if made is None else made.cost) == least, rule
        num_binding += least != free
    assert num_binding > 50


def test_the_check_of_an_award_reads_the_whole_rule():
    """Tests it on awards that keep a rule and on awards that do not, for every rule."""
    said = set()
    for place, rule in enumerate(every_rule()):
        market, offers, at_most = purchase(20001 + place, rule)
        some = award(offers, replace(market, rules=()), np.where(np.isinf(at_most), 9.0, at_most))
        needed = market.capacities.tolist()
        for bundles, costs, outside in list(every_award(market, offers, at_most))[::7]:
            made = replace(
                some,
                market=market,
                at_most=at_most,
                supplied=np.array(bundles),
                costs=np.array(costs, dtype=float),
                outside=np.array(outside),
            )
            expected = is_kept(rule, needed, bundles, costs, outside, at_most)
            assert holds(rule, made) == expected, rule
            said.add(expected)
    assert said == {True, False}
