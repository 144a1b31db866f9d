"""Rules across participants: what they count, how they are called, what they refuse."""

from fractions import Fraction

import numpy as np
import pytest

from boca.core import Bidder, Good, InputError, Market
from boca.core.rule import Rule

BUNDLES = np.array([[0, 0, 0], [2, 0, 1], [0, 3, 0]])
COSTS = np.array([0.0, 5.5, 7.0])


@pytest.mark.parametrize(
    ("counts", "lots", "expected"),
    [
        ("winners", None, [0, 1, 1]),
        ("winners", (1, 2), [0, 1, 1]),
        ("winners", (0,), [0, 1, 0]),
        ("lots", None, [0, 2, 1]),
        ("lots", (0, 1), [0, 1, 1]),
        ("units", None, [0, 3, 3]),
        ("units", (2,), [0, 1, 0]),
        ("spend", None, [0, 5.5, 7]),
    ],
)
def test_what_is_counted(counts, lots, expected):
    """Tests every kind, in all lots and in some."""
    assert Rule(counts, at_most=1, lots=lots).amounts(BUNDLES, COSTS).tolist() == expected


def test_what_shares_are_of():
    """Tests units and lots, all and some."""
    needed = np.array([3, 1, 2])
    assert Rule("units", at_most=0.5, share=True).whole(needed) == 6
    assert Rule("units", at_most=0.5, share=True, lots=(0, 1)).whole(needed) == 4
    assert Rule("lots", at_most=0.5, share=True).whole(needed) == 3
    assert Rule("lots", at_most=0.5, share=True, lots=(1,)).whole(needed) == 1


@pytest.mark.parametrize(
    ("rule", "title"),
    [
        (Rule("winners", at_most=3), "at most 3 suppliers"),
        (Rule("winners", at_most=1), "at most 1 supplier"),
        (Rule("units", at_most=0.4, share=True, each=True), "at most 40 % of units each"),
        (Rule("lots", at_least=1, at_most=2), "at least 1 and at most 2 lots"),
        (
            Rule("units", at_least=2, each=True, if_any=True, who=(0, 1), lots=(0,)),
            "at least 2 units each of 2 suppliers in 1 lot if any",
        ),
        (Rule("spend", at_most=1e6, name="the purse"), "the purse"),
    ],
)
def test_titles(rule, title):
    """Tests what messages call a rule that has no name."""
    assert rule.title == title


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"counts": "goods", "at_most": 1}, "expected one of winners, lots, units, spend"),
        ({"counts": "units"}, "no bound"),
        ({"counts": "units", "at_most": -1}, "a number of at least 0"),
        ({"counts": "units", "at_most": np.inf}, "a number of at least 0"),
        ({"counts": "units", "at_most": 1.1, "share": True}, "a share from 0 to 1"),
        ({"counts": "units", "at_least": 3, "at_most": 2}, "expected at most 2"),
        ({"counts": "winners", "at_most": 1, "each": True}, "a number of winners"),
        ({"counts": "winners", "at_most": 0.5, "share": True}, "a number of winners"),
        ({"counts": "spend", "at_most": 1, "lots": (0,)}, "one price for all their lots"),
        ({"counts": "units", "at_least": 1, "if_any": True}, "needs each"),
        ({"counts": "units", "at_most": 1, "each": True, "if_any": True}, "a bound at_least"),
        ({"counts": "units", "at_most": 1, "who": ()}, "some indices from 0 on"),
        ({"counts": "units", "at_most": 1, "lots": (-1,)}, "some indices from 0 on"),
    ],
)
def test_rules_that_mean_nothing_are_refused(settings, message):
    """Tests that no rule is silently ignored."""
    with pytest.raises(InputError, match=message):
        Rule(**settings)


def test_a_market_keeps_rules_sense_and_endowments():
    """Tests the way through plain values, and that markets without them look as before."""
    goods, bidders = (Good("a", 2), Good("b")), (Bidder("A"), Bidder("B"))
    rule = Rule("units", at_least=0.5, who=(1,), lots=(0,), share=True)
    buying = Market(goods, bidders, sense="buy", rules=(rule,))
    assert Market.from_dict(buying.to_dict()) == buying
    trading = Market(goods, (Bidder("A", endowment=(1, 1)), Bidder("B")))
    assert Market.from_dict(trading.to_dict()) == trading
    assert trading.endowments.tolist() == [[1, 1], [0, 0]]
    assert trading.is_exchange
    plain = Market(goods, bidders)
    assert not plain.is_exchange
    assert plain.to_dict().keys() == {"name", "goods", "bidders"}
    assert plain.to_dict()["bidders"][0].keys() == {"name", "type", "limits"}
    assert len({market.fingerprint for market in (buying, trading, plain)}) == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sense": "rent"}, "expected one of sell, buy"),
        ({"rules": (Rule("units", at_most=1),)}, "sells and has rules"),
        ({"sense": "buy", "rules": (Rule("units", at_most=1, who=(2,)),)}, "number 2 of 2"),
        ({"sense": "buy", "rules": (Rule("units", at_most=1, lots=(1,)),)}, "number 1 of 1 lots"),
        ({"bidders": (Bidder("A", endowment=(1, 1)),)}, "2 numbers"),
        ({"bidders": (Bidder("A", endowment=(3,)),)}, "hold 3 copies of 'a', which has 2"),
        ({"bidders": (Bidder("A", endowment=(1,)),), "sense": "buy"}, "are for exchanges"),
    ],
)
def test_markets_that_contradict_themselves(changes, message):
    """Tests what a market refuses about senses, rules and endowments."""
    settings = {"goods": (Good("a", 2),), "bidders": (Bidder("A"), Bidder("B"))} | changes
    with pytest.raises(InputError, match=message):
        Market(**settings)


def test_endowments_are_whole_and_within_limits():
    """Tests what a participant cannot hold."""
    from boca.core import Limit

    with pytest.raises(InputError, match="whole numbers"):
        Bidder("A", endowment=(0.5,))
    limited = Bidder("A", limits=(Limit((1.0,), 1.0, "one"),), endowment=(2,))
    with pytest.raises(InputError, match="its limit 'one'"):
        Market((Good("a", 2),), (limited,))


def test_costs_and_holdings_are_never_sold():
    """Tests that no rule for sales takes costs for values, nor gives away what somebody holds."""
    from boca.core import Reports
    from boca.payments import allocate, quadratic_core, vcg

    goods, bidders = (Good("a"),), (Bidder("A"), Bidder("B"))
    buying = Market(goods, bidders, sense="buy")
    trading = Market(goods, (Bidder("A", endowment=(1,)), Bidder("B")))
    reports = [Reports([[1]], [3]), Reports([[1]], [5])]
    for market, message in ((buying, "reports are costs"), (trading, "hold something before")):
        for rule in (allocate, vcg, quadratic_core):
            with pytest.raises(InputError, match=message):
                rule(reports, market)


def test_titles_with_names():
    """Tests that few are named, many are counted, and a name of its own wins."""
    suppliers, lots = ["Ann", "Ben", "Cleo", "Dora"], ["a", "b"]
    about = Rule("units", at_least=2, who=(1, 2, 3), lots=(1,))
    assert about.titled(suppliers, lots) == "at least 2 units of Ben, Cleo and Dora in b"
    everybody = Rule("lots", at_least=1, who=(0, 1, 2, 3))
    assert everybody.titled(suppliers, lots) == "at least 1 lot of 4 suppliers"
    assert Rule("lots", at_least=1, who=(0,)).title == "at least 1 lot of 1 supplier"
    assert Rule("lots", at_least=1, who=(0,), name="Ann").titled(suppliers, lots) == "Ann"


def test_bounds_are_exactly_what_was_written():
    """Tests tenths, a third as a float, amounts with cents, and a bound that is not there."""
    assert Rule("units", 0.3, share=True).bounds == (Fraction(3, 10), None)
    assert Rule("units", at_most=1 / 3, share=True).bounds == (None, Fraction(1, 3))
    assert Rule("spend", 0.1, 999999999.99).bounds == (Fraction(1, 10), Fraction(99999999999, 100))
    assert Rule("spend", at_most=1 / 3).bounds[1] == Fraction("0.3333333333333333")
