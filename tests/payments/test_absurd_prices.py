"""Awards where a supplier asks an absurd price: right, or honest about what is not proven."""

from collections import Counter

import numpy as np
import pytest
from absurd_purchases import fault

from boca.core import Bidder, Good, InputError, Market, Reports, Rule
from boca.payments import economies
from boca.payments.awards import NoPayments, award
from boca.payments.program import Chosen

LARGE = 999_999_999.99


def market_of(*rules, suppliers=2):
    """One lot, and suppliers A, B, ..."""
    return Market(
        (Good("a"),), tuple(Bidder(name) for name in "ABCD"[:suppliers]), sense="buy", rules=rules
    )


def offers_of(*costs):
    return [Reports(np.array([[1]]), np.array([cost])) for cost in costs]


def test_awards_are_right_whatever_somebody_asks():
    """Tests 150 purchases with a rule on spend against trying everything."""
    kinds = Counter(fault(seed) for seed in range(20001, 20151))
    assert not [kind for kind in kinds if kind.startswith("wrong")]
    assert kinds["cheapest"] > 80
    assert kinds["not proven"] < 10  # more than 2 * 10^14 units, where somebody has to be paid so


@pytest.mark.parametrize("large", [LARGE, 1e10, 1e13, 1e15])
@pytest.mark.parametrize("share", [0.5, 0.6])
def test_a_price_that_says_no_changes_nothing(large, share):
    """Tests two at 10.10 and one that asks too much, nobody above a share of all that is spent."""
    rule = Rule("spend", at_most=share, share=True, each=True)
    goods = (Good("a"), Good("b"))
    market = Market(goods, tuple(Bidder(name) for name in "ABC"), sense="buy", rules=(rule,))
    offers = [
        Reports(np.array([[1, 0]]), np.array([10.10])),
        Reports(np.array([[0, 1]]), np.array([10.10])),
        Reports(np.array([[1, 0], [1, 1]]), np.array([large, large])),
    ]
    made = award(offers, market, [20, 20])
    assert (made.cost, made.bound, made.is_proven) == (20.2, 20.2, True)


def test_whoever_is_needed_gets_what_it_asks():
    """Tests a rule that makes the dear one win: to the cent, and proven."""
    market = market_of(Rule("spend", at_least=LARGE - 5, who=(0,)))
    made = award(offers_of(LARGE, 3.21), market, [5])
    assert (made.cost, made.bound, made.is_proven) == (LARGE, LARGE, True)
    dear = Market(market.goods * 1, market.bidders, sense="buy", rules=(Rule("winners", 2),))
    made = award(offers_of(LARGE, 3.21), dear, [5])
    assert made.cost == made.bound == 1_000_000_003.2


def test_payments_count_what_is_left_without_somebody():
    """Tests VCG where only the dear one can take over: it is not left out then."""
    market = market_of(Rule("spend", at_most=2e9))
    made = award(offers_of(LARGE, 3.0), market, None, "vcg")
    assert made.payments.tolist() == [0, LARGE]
    core = award(offers_of(LARGE, 3.0), market, None, "core")
    assert core.payments.tolist() == [0, LARGE]


def test_amounts_beyond_the_largest_are_refused():
    """Tests an offer and a price outside, with the limit in the message."""
    with pytest.raises(InputError, match=r"at most 1e\+15"):
        offers_of(1.1e15)
    with pytest.raises(InputError, match=r"price of 'a' is 2e\+15; expected at most 1e\+15"):
        award(offers_of(1, 2), market_of(), [2e15])
    assert award(offers_of(1, 2), market_of(), [1e15]).cost == 1


@pytest.mark.parametrize("unproven", [0, 1])
@pytest.mark.parametrize("rule", ["vcg", "core"])
def test_sums_that_are_not_proven_are_not_paid(monkeypatch, unproven, rule):
    """Tests an open award, and an open one without the winner; as offered needs neither."""
    right, asked = economies.choose, []

    def open_one(*arguments, **named):
        best = right(*arguments, **named)
        asked.append(best)
        is_proven = len(asked) - 1 != unproven
        return Chosen(best.options, best.worth, best.bound + 1, best.method, is_proven)

    monkeypatch.setattr(economies, "choose", open_one)
    with pytest.raises(NoPayments, match="not proven which award is the cheapest"):
        award(offers_of(3, 5), market_of(), [9], rule)
    asked.clear()
    assert award(offers_of(3, 5), market_of(), [9], "offered").payments.tolist() == [3, 0]
