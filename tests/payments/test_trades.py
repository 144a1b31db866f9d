"""Exchanges: trades and payments by hand, and against brute force."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from boca.core import Bidder, Good, InputError, Limit, Market, Reports, SolverError
from boca.core.errors import MissingExtra
from boca.payments import allocate, economies, vcg
from boca.payments.options import choose
from boca.payments.trades import exchange


def exchange_of(capacities, *participants):
    """A market and reports from rows of endowment and values {holding: value}."""
    goods = tuple(Good("abcdefgh"[j], n) for j, n in enumerate(capacities))
    bidders = tuple(Bidder("PQRSTU"[i], endowment=e) for i, (e, _) in enumerate(participants))
    market = Market(goods, bidders)
    reports = [
        Reports(np.array([*values]).reshape(-1, len(goods)), np.array([*values.values()], float))
        for _, values in participants
    ]
    return market, reports


def test_bilateral_trade():
    """Tests a seller's value of 2 and a buyer's of 10: VCG needs 8 from outside, threshold none."""
    pytest.importorskip("pyscipopt")
    market, reports = exchange_of((1,), ((1,), {(1,): 2}), ((), {(1,): 10}))

    trades = exchange(reports, market, "vcg")
    assert trades.gain == 8
    assert trades.payments.tolist() == [-10, 2]
    assert trades.surplus == -8
    assert "need 8 from outside" in trades.explain()
    trades = exchange(reports, market, verify=True)
    assert trades.payments.tolist() == [-6, 6]
    assert trades.surplus == 0
    assert trades.verified_by == "scip"
    assert "P gives a and receives 6" in trades.explain()
    assert trades.moves.tolist() == [[-1], [1]]


def test_two_sellers_of_complements():
    """Tests sellers who value a at 1 and b at 2 and a buyer of both for 12: 4, 5 and 9."""
    market, reports = exchange_of(
        (1, 1), ((1, 0), {(1, 0): 1}), ((0, 1), {(0, 1): 2}), ((), {(1, 1): 12})
    )
    assert exchange(reports, market).payments.tolist() == [-4, -5, 9]


def test_three_shoes():
    """Tests owners of one shoe each, two of which are worth 1: one trade, nobody is needed."""
    owners = [((1,), {(1,): 0, (2,): 1}) for _ in range(3)]
    market, reports = exchange_of((3,), *owners)
    trades = exchange(reports, market)
    assert trades.gain == 1
    assert trades.vcg_discounts.tolist() == [0, 0, 0]


def test_an_endowment_that_nobody_valued_is_named():
    """Tests that a gain is never computed from an invented value."""
    market, reports = exchange_of((2,), ((1,), {(2,): 5}), ((), {(1,): 1}))
    with pytest.raises(InputError, match="'P' has not said what it is worth to keep a"):
        exchange(reports, market)


class TestSecondSolver:
    """Whether another solver is believed, with answers that it did not give."""

    def answered(self, monkeypatch, change, names=("highs", "scip", "gurobi"), price=10):
        """A sale that gains the price less 2; whatever another solver finds is changed."""

        def told(options, effort, *others, solver=None, **more):
            best = choose(options, effort, *others, **more)
            return best if solver is None else replace(best, worth=best.worth + change)

        market, reports = exchange_of((1,), ((1,), {(1,): 2}), ((), {(1,): price}))
        monkeypatch.setattr(economies, "installed", lambda: names)
        monkeypatch.setattr(economies, "choose", told)
        return exchange(reports, market, verify=True).verified_by

    @pytest.mark.parametrize("change", [-1.0, 1.0])
    def test_another_gain_is_an_error(self, monkeypatch, change):
        """Tests one unit more and one less."""
        with pytest.raises(SolverError, match="solver 'scip' found"):
            self.answered(monkeypatch, change)

    def test_less_than_a_unit_is_no_difference(self, monkeypatch):
        """Tests a solver's own rounding, and who is asked."""
        assert self.answered(monkeypatch, 0.9) == "scip"
        assert self.answered(monkeypatch, 0.0, ("highs", "gurobi")) == "gurobi"
        with pytest.raises(MissingExtra, match="second solver"):
            self.answered(monkeypatch, 0.0, ("highs",))

    def test_without_units_a_millionth_is_the_difference(self, monkeypatch):
        """Tests a value that no number of decimals writes: a third of a million."""
        for change in (0.1, -0.1):
            assert self.answered(monkeypatch, change, price=1e6 / 3) == "scip"
        for change in (0.5, -0.5):
            with pytest.raises(SolverError, match="Verification failed"):
                self.answered(monkeypatch, change, price=1e6 / 3)


@pytest.mark.parametrize("rule", ["threshold", "proportional", "small"])
def test_values_without_units_are_shared_out_too(rule):
    """Tests thirds: nothing is left over and nothing is missing but rounding."""
    market, reports = exchange_of((1,), ((1,), {(1,): 2 / 3}), ((), {(1,): 1e6 / 3}))
    trades = exchange(reports, market, rule)
    assert trades.gain == pytest.approx(1e6 / 3 - 2 / 3, rel=1e-12)
    assert trades.surplus == pytest.approx(0, abs=1e-3)
    # Both have the same VCG discount, all of the gain; small gives it to the first of them.
    part = 0 if rule == "small" else trades.gain / 2
    assert trades.payments[1] == pytest.approx(1e6 / 3 - part, rel=1e-9)


def test_markets_that_buy_are_refused():
    """Tests that costs are never taken for values."""
    market, reports = exchange_of((1,), ((), {(1,): 2}))
    with pytest.raises(InputError, match="buys; see award"):
        exchange(reports, replace(market, sense="buy"))
    with pytest.raises(InputError, match="payments"):
        exchange(reports, market, "fair")


def test_a_bundle_beyond_a_limit_is_not_held():
    """Tests that a better bundle that the limits forbid is no option, and what is held is one."""
    limit = Limit((1, 1), 1)
    market, reports = exchange_of((1, 1), ((1, 1), {(1, 1): 1}), ((), {(1, 1): 9, (1, 0): 4}))
    buyer = replace(market.bidders[1], limits=(limit,))
    trades = exchange(reports, replace(market, bidders=(market.bidders[0], buyer)))
    assert trades.gain == 3
    assert trades.moves.tolist() == [[-1, -1], [1, 0]]


def test_without_endowments_it_is_a_sale():
    """Tests that the same reports give the same allocation and VCG payments as an auction."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        market = Market.simple(3, 3)
        reports = []
        for _ in range(3):
            bundles = np.unique(rng.integers(0, 2, (4, 3)), axis=0)
            bundles = bundles[bundles.any(axis=1)]
            reports.append(Reports(bundles, rng.integers(1, 30, len(bundles)).astype(float)))
        trades, sale = exchange(reports, market, "vcg"), vcg(reports, market)
        assert trades.gain == allocate(reports, market).surplus == sale.values.sum()
        np.testing.assert_allclose(trades.payments, sale.payments)


def random_exchange(seed):
    """A tiny exchange with whole values."""
    rng = np.random.default_rng(seed)
    num_goods, num = int(rng.integers(1, 4)), int(rng.integers(2, 5))
    stock = rng.integers(0, 2, num_goods)
    endowments = rng.integers(0, 2, (num, num_goods))
    capacities = np.maximum(stock + endowments.sum(axis=0), 1)
    rows = []
    for i in range(num):
        values = {}
        for _ in range(rng.integers(1, 5)):
            bundle = tuple(int(n) for n in rng.integers(0, capacities + 1))
            values[bundle] = int(rng.integers(0, 30))
        values[tuple(int(n) for n in endowments[i])] = int(rng.integers(0, 20))
        values = {b: 0 if not any(b) else v for b, v in values.items()}
        rows.append((tuple(int(n) for n in endowments[i]), values))
    return exchange_of(tuple(int(c) for c in capacities), *rows)


def best_gain(market, reports, without=()):
    """The largest gain over all holdings that were valued."""
    choices = []
    for i, report in enumerate(reports):
        held = market.endowments[i]
        values = {tuple(b): v for b, v in zip(report.bundles.tolist(), report.values, strict=True)}
        values[(0,) * market.num_goods] = 0.0
        keeps = values[tuple(held.tolist())]
        own = {b: v - keeps for b, v in values.items()}
        choices.append({tuple(held.tolist()): 0.0} if i in without else own)
    gains = [
        sum(choice[b] for choice, b in zip(choices, holdings, strict=True))
        for holdings in product(*choices)
        if (np.array(holdings).sum(axis=0) <= market.capacities).all()
    ]
    return max(gains)


def check_exchange(seed):
    """One random exchange against brute force; also what benchmarks/award.py calls."""
    market, reports = random_exchange(seed)
    best = best_gain(market, reports)
    for rule in ("vcg", "threshold", "proportional", "small"):
        trades = exchange(reports, market, rule)
        assert trades.gain == best, seed
        assert trades.is_proven
        discounts = [best - best_gain(market, reports, [i]) for i in range(market.num_bidders)]
        assert trades.vcg_discounts.tolist() == discounts, seed
        utilities = trades.gains - trades.payments
        assert (utilities >= 0).all()
        assert (utilities <= trades.vcg_discounts).all()
        if rule != "vcg":
            assert trades.surplus == max(0, best - sum(discounts)), seed
    return "deficit" if sum(discounts) > best else "balanced"


@pytest.mark.parametrize("block", range(3))
def test_trades_and_payments_against_brute_force(block):
    """Tests gains, discounts, individual rationality and the budget, 100 exchanges each."""
    kinds = [check_exchange(seed) for seed in range(100 * block, 100 * (block + 1))]
    assert {*kinds} == {"deficit", "balanced"}


def test_who_keeps_what_it_holds_does_not_trade():
    """
    Tests participants who stay out, with and without a word about their endowment, and an
    exchange in which nobody pays.
    """
    market, reports = exchange_of((1,), ((1,), {(1,): 2}), ((), {(1,): 10}), ((), {(1,): 6}))

    free = exchange(reports, market, "none")
    assert free.allocation.bundles.tolist() == [[0], [1], [0]]
    assert (free.payments.tolist(), free.gain) == ([0, 0, 0], 8)
    second = exchange(reports, market, keeping=[1])
    assert second.allocation.bundles.tolist() == [[0], [0], [1]]
    assert second.payments.tolist() == [-4, 0, 4]
    silent = [Reports.empty(1), *reports[1:]]
    assert exchange(silent, market, keeping=[0]).allocation.bundles.tolist() == [[1], [0], [0]]
    with pytest.raises(InputError, match="has not said what it is worth to keep"):
        exchange(silent, market)
    assert free.without == ()
    assert free.vcg_discounts.tolist() == [0, 0, 0]
    assert "Nobody pays more" not in free.explain()


FAIR = (
    "Nobody pays more than its trade is worth to it, and what is paid is received; in return, "
    "telling the truth is not always the best answer."
)


def test_trades_explain_themselves():
    """Tests all words: who gives, gets, pays and receives, and nothing of R, who keeps b."""
    market, reports = exchange_of(
        (1, 1), ((1, 0), {(1, 0): 2}), ((), {(1, 0): 10}), ((0, 1), {(0, 1): 3})
    )
    for rule, paid, gained, last in (
        ("threshold", 6, 4, FAIR),
        (
            "vcg",
            10,
            8,
            "These payments need 8 from outside the exchange, as VCG mostly does; threshold needs "
            "nothing.",
        ),
    ):
        seller, buyer, end = exchange(reports, market, rule).explain().splitlines()
        assert seller == (
            f"P gives a and receives {paid}. The trade costs it 2; it gains {gained}, where all "
            "together would gain 8 less without it."
        )
        assert buyer == (
            f"Q gets a and pays {10 - gained}. The trade is worth 10 to it; it gains {gained}, "
            "where all together would gain 8 less without it."
        )
        assert end == last

    market, reports = exchange_of(
        (1, 1), ((1, 0), {(1, 0): 1, (0, 1): 4}), ((0, 1), {(0, 1): 2, (1, 0): 2})
    )
    assert exchange(reports, market).explain().splitlines() == [
        "P gives a and gets b and pays 1. The trade is worth 3 to it; it gains 2, where all "
        "together would gain 3 less without it.",
        "Q gives b and gets a and receives 1. The trade is worth 0 to it; it gains 1, where all "
        "together would gain 3 less without it.",
        FAIR,
    ]


def test_a_free_gift_pays_nothing_and_needs_nothing():
    """Tests VCG payments of 0 and above: nothing comes from outside, and truth is the best."""
    market, reports = exchange_of((1,), ((), {(1,): 10}))
    assert exchange(reports, market, "vcg").explain() == (
        "P gets a and pays 0. The trade is worth 10 to it; it gains 10, where all together would "
        "gain 10 less without it."
    )
    market, reports = exchange_of((1,), ((), {(1,): 10}), ((), {(1,): 7}))
    assert exchange(reports, market, "vcg").explain() == (
        "P gets a and pays 7. The trade is worth 10 to it; it gains 3, where all together would "
        "gain 3 less without it."
    )


def test_trades_as_plain_values():
    """Tests everything that a file has, proven or not, verified or not."""
    market, reports = exchange_of((2,), ((2,), {(2,): 2, (1,): 1}), ((), {(1,): 11}))
    trades = exchange(reports, market)
    data = {
        "gain": 10,
        "bound": 10,
        "status": "optimal",
        "payment_rule": "threshold",
        "surplus": 0,
        "participants": [
            {"participant": "P", "holds": {"a": 1}, "moves": {"a": -1}, "gain": -1, "pays": -6},
            {"participant": "Q", "holds": {"a": 1}, "moves": {"a": 1}, "gain": 11, "pays": 6},
        ],
    }
    assert trades.to_dict() == data
    other = replace(trades, is_proven=False, verified_by="scip")
    assert other.to_dict() == data | {"status": "not proven", "verified_by": "scip"}
