"""Every rule that a buyer can state: the verifier against trying everything."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from rule_oracle import cost_of, every_award, every_rule, is_kept, least_cost, purchase

from boca.core import Rule
from boca.live.auction.rules import Rules
from boca.live.ledger.chain import FIRST, link
from boca_verify.outcome.award import AwardProgram, DecidedAward, award_problems
from boca_verify.outcome.buyers_rules import Promise, promises
from boca_verify.rules import read_setup

AT = "2026-11-16T20:00:00.000000Z"


def record(kind, body):
    return link(FIRST, 0, AT, "test", kind, body)


def setup_of(market, at_most, rule):
    """What a log says about a purchase in whole units."""
    pairs = zip(market.goods, at_most, strict=True)
    prices = {good.name: str(int(price)) for good, price in pairs if np.isfinite(price)}
    rules = Rules(unit="1", max_value="1000000", at_most=prices, payment_rule=rule)
    body = {"rules": rules.to_dict(), "market": market.to_dict()}
    return read_setup(record("configured", body))


def offered(offers):
    """Bundle -> units of money of each supplier."""
    return tuple(
        {tuple(b): int(c) for b, c in zip(r.bundles.tolist(), r.values.tolist(), strict=True)}
        for r in offers
    )


@pytest.mark.parametrize("seed", [20001])
def test_the_cheapest_award_keeps_every_rule(seed):
    """Tests each combination of kind, bounds, suppliers, lots, share, each and if_any."""
    for place, rule in enumerate(every_rule()):
        market, offers, at_most = purchase(seed + 10 * place, rule)
        best = AwardProgram(setup_of(market, at_most, "offered"), offered(offers)).cheapest()
        least = least_cost(market, offers, at_most)
        assert (None if best is None else -best.worth) == least, rule


def test_awards_are_checked_against_the_whole_rule():
    """Tests every rule on awards that keep it, and on awards that do not."""
    said = set()
    for place, rule in enumerate(every_rule()):
        market, offers, at_most = purchase(20001 + place, rule)
        setup, needed = setup_of(market, at_most, "offered"), market.capacities.tolist()
        body = record("decided", {"rule": "offered", "verified_by": "scip"})
        for bundles, costs, outside in list(every_award(market, offers, at_most))[::11]:
            made = DecidedAward(
                setup, offered(offers), body, tuple(map(tuple, bundles)), outside, (0,) * 3
            )
            assert made.cost == cost_of(costs, outside, at_most)
            problems = award_problems(made, False, True)
            expected = is_kept(rule, needed, bundles, costs, outside, at_most)
            assert problems == ([] if expected else [f"it breaks the rule '{rule.title}'."])
            said.add(expected)
    assert said == {True, False}


def test_promises_by_hand():
    """Tests bounds in units of money, shares of units, and what options use of the rows."""
    market, _, at_most = purchase(20001)
    cents = replace(setup_of(market, at_most, "offered"), unit="0.01")
    (spend,) = promises(Rule("spend", 1.5, 2.255), cents)
    assert (spend.least, spend.most) == (150, Fraction("225.5"))
    assert spend.bounds() == [225, -150]
    assert spend.uses(7, True, 9, 50) == [7, -7]
    shares = Promise(Rule("spend", 0.25, 0.5, (0,), None, True, True, True), (0,),
                     Fraction(1, 4), Fraction(1, 2))  # fmt: skip
    assert shares.bounds() == [0, 0]
    assert shares.uses(8, False, 8, 12) == [8, -24]
    assert shares.uses(0, True, 0, 12) == [0, -12]
    assert shares.uses(0, False, 4, 12) == [-4, 4]
    needed = np.array(cents.full)
    units = list(promises(Rule("units", at_most=0.5, who=(0, 2), share=True, each=True), cents))
    assert [(p.who, p.most) for p in units] == [((0,), Fraction(needed.sum(), 2)),
                                                ((2,), Fraction(needed.sum(), 2))]  # fmt: skip
