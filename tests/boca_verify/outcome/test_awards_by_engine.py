"""The verifier's awards and trades against the engine's, on random markets."""

from dataclasses import replace
from math import floor

import numpy as np
import pytest

from boca.core import Bidder, Good, Limit, Market, Reports, Rule
from boca.core.errors import InputError
from boca.live.auction.rules import Rules
from boca.live.ledger.chain import FIRST, link
from boca.payments import award, exchange
from boca_verify.outcome.award import DecidedAward, check_cheapest, check_paid
from boca_verify.outcome.trades import DecidedTrades, check_gain, check_trade_payments
from boca_verify.rules import read_setup

AT = "2026-11-16T20:00:00.000000Z"


def record(kind, body):
    return link(FIRST, 0, AT, "test", kind, body)


def setup_of(market, at_most, rule):
    prices = {g.name: str(int(p)) for g, p in zip(market.goods, at_most, strict=True) if p < 1e9}
    rules = Rules(unit="1", max_value="1000000", at_most=prices, payment_rule=rule)
    body = {"rules": rules.to_dict(), "market": market.to_dict()}
    return read_setup(record("configured", body))


def random_rule(rng, num_suppliers, num_lots):
    who = tuple(sorted(rng.choice(num_suppliers, 2, replace=False).tolist()))
    lots = tuple(sorted(rng.choice(num_lots, 2, replace=False).tolist()))
    choices = [
        Rule("winners", at_most=2),
        Rule("winners", at_least=2),
        Rule("units", at_most=3, who=who),
        Rule("units", at_least=2, who=who),
        Rule("lots", at_most=2, lots=lots, each=True),
        Rule("units", at_least=2, each=True, if_any=True),
        Rule("units", at_most=0.4, share=True, each=True),
        Rule("spend", at_most=120, who=who),
        Rule("spend", at_least=60, who=who),
        Rule("spend", at_most=0.5, share=True, who=who),
        Rule("lots", at_least=0.5, share=True, who=who),
    ]
    return choices[int(rng.integers(len(choices)))]


def random_purchase(seed):
    """Lots with needs, prices outside for most of them, offers of four suppliers, two rules."""
    rng = np.random.default_rng(seed)
    needed = rng.integers(1, 4, 3)
    limit = Limit((1.0, 1.0, 1.0), 4.0, "at most 4")
    bidders = tuple(Bidder(f"s{i}", limits=(limit,) if i == 0 else ()) for i in range(4))
    rules = tuple(random_rule(rng, 4, 3) for _ in range(int(rng.integers(0, 3))))
    market = Market(tuple(Good(f"l{j}", int(n)) for j, n in enumerate(needed)), bidders,
                    sense="buy", rules=rules)  # fmt: skip
    offers = []
    for _ in range(4):
        rows = {tuple(rng.integers(0, needed + 1).tolist()) for _ in range(5)} - {(0, 0, 0)}
        bundles = np.array(sorted(rows)).reshape(-1, 3)
        costs = bundles @ rng.integers(5, 40, 3) + rng.integers(0, 25, len(bundles))
        offers.append(Reports(bundles, costs.astype(float)))
    at_most = rng.integers(30, 80, 3).astype(float)
    if seed % 4 == 0:
        at_most[0] = np.inf
    return market, offers, at_most


def as_decided(market, offers, at_most, best, payments, rule):
    rows = tuple(
        {tuple(b): int(c) for b, c in zip(r.bundles.tolist(), r.values.tolist(), strict=True)}
        for r in offers
    )
    return DecidedAward(
        setup_of(market, at_most, rule),
        rows,
        record("decided", {"rule": rule, "verified_by": "scip"}),
        tuple(map(tuple, best.supplied.tolist())),
        tuple(best.outside.tolist()),
        payments,
    )


@pytest.mark.parametrize("seed", range(20001, 20026))
def test_awards_and_payments_agree_to_the_unit(seed):
    """Tests the cheapest award, VCG with caps and core payments, with rules of every kind."""
    market, offers, at_most = random_purchase(seed)
    best = award(offers, market, at_most)
    if best is None:
        empty = as_decided(market, offers, at_most, NOBODY, (0,) * 4, "offered")
        assert empty.program.cheapest() is None
        return
    free = as_decided(market, offers, at_most, best, (0,) * 4, "offered")
    assert check_cheapest(free).state == "holds"
    dearer = replace(free, outside=tuple(n + 1 for n in free.outside))
    if np.isfinite(at_most).all():
        assert check_cheapest(dearer).state == "fails"
    for rule in ("vcg", "core"):
        try:
            made = award(offers, market, at_most, rule)
        except InputError:
            continue  # somebody is indispensable, or the rule is about shares of spend
        paid = tuple(floor(p + 1e-6) for p in made.payments.tolist())
        decided = as_decided(market, offers, at_most, made, paid, rule)
        assert check_paid(decided, ()).state == "holds", check_paid(decided, ()).sentence
        if made.winners:
            # Core payments were rounded down, so that a unit more may still be in the core.
            i, units = made.winners[0], 1 if rule == "vcg" else 1 + len(made.winners)
            more = tuple(p + units * (k == i) for k, p in enumerate(paid))
            assert check_paid(replace(decided, payments=more), ()).state == "fails"


class NOBODY:
    supplied = np.zeros((4, 3), dtype=int)
    outside = np.zeros(3, dtype=int)


@pytest.mark.parametrize("seed", range(20101, 20109))
@pytest.mark.parametrize("rule", ["threshold", "vcg"])
def test_trades_and_payments_agree_to_the_unit(seed, rule):
    """Tests gains and payments of random exchanges with stock."""
    rng = np.random.default_rng(seed)
    held = rng.integers(0, 3, (3, 3))
    capacities = held.sum(axis=0) + rng.integers(0, 2, 3) + (held.sum(axis=0) == 0)
    market = Market(
        tuple(Good(f"g{j}", int(n)) for j, n in enumerate(capacities)),
        tuple(Bidder(f"p{i}", endowment=tuple(row) if any(row) else ())
              for i, row in enumerate(held.tolist())),
    )  # fmt: skip
    values, reports = [], []
    for row in held.tolist():
        rows = {tuple(rng.integers(0, capacities + 1).tolist()) for _ in range(5)} | {tuple(row)}
        own = {b: int(np.dot(b, rng.integers(2, 30, 3))) for b in sorted(rows) if any(b)}
        values.append(own)
        bundles = np.array(list(own), dtype=int).reshape(-1, 3)
        reports.append(Reports(bundles, np.array(list(own.values()), dtype=float)))
    best = exchange(reports, market, rule)
    decided = DecidedTrades(
        setup_of(market, [np.inf] * 3, rule),
        tuple(values),
        record("decided", {}),
        tuple(map(tuple, best.allocation.bundles.tolist())),
        tuple(round(p) for p in best.payments.tolist()),
    )
    assert check_gain(decided).state == "holds"
    assert check_trade_payments(decided, ()).state == "holds"
    wrong = replace(decided, payments=(decided.payments[0] + 1, *decided.payments[1:]))
    assert check_trade_payments(wrong, ()).state == "fails"
