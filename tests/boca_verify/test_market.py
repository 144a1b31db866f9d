"""Markets as the verifier reads them, against the ones that the server has."""

import copy
import random
from fractions import Fraction

import numpy as np
import pytest
from verify import logged

from boca.core import Allocation, Bidder, Good, Limit, Market, Rule
from boca.core.allocation import violations
from boca_verify.bodies import Body, Damaged
from boca_verify.market import LoggedLimit, as_written, read_market

TENTH, THIRD = 0.1, 1 / 3
RULES = (
    Rule("winners", at_most=3),
    Rule("spend", at_most=0.29, share=True, each=True),
    Rule("units", at_least=2, at_most=1234.5, lots=(0,), each=True, if_any=True),
    Rule("lots", at_least=THIRD, share=True, who=(1,), name="a third"),
)


def market(**changes):
    goods = (Good("hall"), Good("chairs", 12), Good("weeks", 5000))
    limits = (Limit((1.0, TENTH, 0.0), 1.2, "room"), Limit((0.0, 1.0, THIRD), 1000.0, "work"))
    bidders = (Bidder("Ann", "a", limits), Bidder("Ben"))
    return Market(goods, bidders, **changes)


def test_what_is_possible_is_the_same_in_both():
    """Tests many allocations at and around every limit, with the words for what is wrong."""
    rng = random.Random(1)
    for size in (1e-7, 1.0, 1024.0, 1e9):
        limit = Limit((1.0 * size, TENTH * size, THIRD * size), 1.2 * size, "room")
        ours = Market(market().goods, (Bidder("Ann", limits=(limit,)), Bidder("Ben")))
        theirs = logged(ours)
        for _ in range(200):
            rows = [tuple(rng.randrange(n) for n in (3, 14, 5)) for _ in range(2)]
            for i, row in enumerate(rows):
                assert theirs.allows(i, row) == bool(ours.allows(i, np.array(row))[0])
            assert list(theirs.problems(rows)) == violations(Allocation(np.array(rows)), ours)


def test_rounding_is_a_billionth_where_limits_are_ordinary():
    """Tests the edge of each kind of size: what rounding explains is possible, and no more."""
    for bound, slack in ((1.0, 1e-9), (0.001, 1e-9), (1023.0, 1e-9), (2.0**20, 2.0**11 * 1e-9),
                         (2.0**-20, 2.0**-29 * 1e-9)):  # fmt: skip
        below, above = (Fraction(bound) + Fraction(slack) * part for part in (Fraction(9, 10), 2))
        limit = LoggedLimit("x", (Fraction(1),), Fraction(bound))
        for total, is_fine in ((below, True), (above, False)):
            assert LoggedLimit("x", (total,), limit.bound).allows((1,)) == is_fine, bound
    assert not LoggedLimit("x", (Fraction(1, 1000),), Fraction(0)).allows((1,))
    assert LoggedLimit("x", (Fraction(0),), Fraction(0)).allows((1,))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.title)
def test_a_buyers_rule_is_read_as_it_was_written(rule):
    """Tests its bounds, its members and what it is called."""
    (read,) = logged(market(sense="buy", rules=(rule,))).rules
    assert (read.bounds, read.title) == (rule.bounds, rule.title)
    assert read.members(2) == rule.members(2)
    for field in ("counts", "who", "lots", "share", "each", "if_any"):
        assert getattr(read, field) == getattr(rule, field)


def test_numbers_are_those_that_people_wrote():
    """Tests shares: 0.29 is 29 hundredths, the double next to a third is a third."""
    assert as_written(0.29) == Fraction(29, 100)
    assert as_written(THIRD, True) == Fraction(1, 3)
    assert as_written(THIRD) == Fraction("0.3333333333333333")


def test_kinds_are_told_apart():
    """Tests sale, purchase and exchange by what the log says of them."""
    holder = Bidder("Cleo", endowment=(1, 0, 0))
    assert logged(market()).kind == "sell"
    assert logged(market(sense="buy")).kind == "buy"
    exchange = logged(Market(market().goods, (holder,)))
    assert (exchange.kind, exchange.bidders[0].endowment) == ("exchange", (1, 0, 0))
    assert exchange.capacities == (1, 12, 5000)


def changed(*path, value=None):
    """A market as plain values with something else in one place."""
    data = copy.deepcopy(market(sense="buy", rules=RULES).to_dict())
    place = data
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return data


@pytest.mark.parametrize(
    "data",
    [
        changed("goods", value=[]),
        changed("bidders", value=[]),
        changed("goods", 0, "capacity", value=0),
        changed("goods", 0, "capacity", value=True),
        changed("goods", 0, "name", value="chairs"),
        changed("goods", 0, "name", value="a\x1b[31m"),
        changed("bidders", 1, "name", value="Ann"),
        changed("bidders", 1, "limits"),
        changed("bidders", 0, "limits", 0, "bound", value=-1),
        changed("bidders", 0, "limits", 0, "bound", value=True),
        changed("bidders", 0, "limits", 0, "coefficients", value=[1]),
        changed("bidders", 0, "limits", 0, "coefficients", value=[1, -1, 1]),
        changed("bidders", 0, "endowment", value=[1, 0, 0]),
        changed("sense", value="give"),
        changed("sense", value="sell"),  # with rules
        changed("rules", 0, "counts", value="luck"),
        changed("rules", 0, "luck", value=1),
        changed("rules", 0, "at_most"),
        changed("rules", 0, "at_most", value=-1),
        changed("rules", 0, "at_most", value=True),
        changed("rules", 0, "share", value=True),
        changed("rules", 0, "each", value=True),
        changed("rules", 0, "who", value=[2]),
        changed("rules", 0, "who", value=[]),
        changed("rules", 1, "at_most", value=1.1),
        changed("rules", 1, "lots", value=[0]),
        changed("rules", 2, "each", value=False),
        changed("rules", 2, "at_least", value=2000),
        changed("rules", 2, "lots", value=[3]),
        changed("rules", 3, "name", value=3),
    ],
)
def test_what_is_no_market_is_damaged(data):
    """Tests what no server writes, as it would be forged."""
    read_market(Body(market(sense="buy", rules=RULES).to_dict()))
    with pytest.raises(Damaged):
        read_market(Body(data))


def test_more_than_exists_cannot_be_held():
    """Tests endowments beyond capacity, and beyond what a limit lets somebody hold."""
    for endowment, limits in (((2, 0, 0), []), ((1, 0, 0), [Limit((1.0, 0, 0), 0.0, "none")])):
        data = market().to_dict()
        data["bidders"][1] |= {
            "endowment": list(endowment),
            "limits": [{"name": x.name, "coefficients": list(x.coefficients), "bound": x.bound}
                       for x in limits],
        }  # fmt: skip
        with pytest.raises(Damaged):
            read_market(Body(data))
