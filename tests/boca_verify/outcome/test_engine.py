"""The verifier against the engine on random markets; ``benchmarks/verify.py`` does more of them."""

import pytest
from verify import AMOUNTS, Case, decided, disagreements, random_case, to_outcome

from boca.core import Market
from boca_verify.outcome.payments import best_without, payment_findings


@pytest.mark.parametrize("seed", range(40))
def test_verifier_and_engine_agree_to_the_unit(seed):
    """Tests VCG and core, reserve prices, capacities, limits, ties and values up to 10^12."""
    assert disagreements(random_case(seed)) == []


def test_random_markets_have_something_of_everything():
    """Tests the test above: limits, reserve prices, several copies, all kinds of amounts."""
    cases = [random_case(seed) for seed in range(40)]

    assert {case.amounts for case in cases} == set(AMOUNTS)
    assert sum(any(case.reserve) for case in cases) >= 10
    assert sum(any(b.limits for b in case.market.bidders) for case in cases) >= 10
    assert sum(case.market.capacities.max() > 1 for case in cases) >= 10


# Two locals against a global bidder: VCG charges them nothing, the core 10 together.
LOCALS = Case(Market.simple(2, 3), (0, 0), ({(1, 0): 8}, {(0, 1): 8}, {(1, 1): 10}), "by hand")


def findings(payments: tuple[int, ...]) -> list[str]:
    outcome = to_outcome(LOCALS, "core", ((1, 0), (0, 1), (0, 0)), payments)
    without = {i: best_without(outcome, i) for i in outcome.winners}
    return [finding.sentence for finding in payment_findings(outcome, without)]


@pytest.mark.parametrize("payments", [(5, 5, 0), (2, 8, 0), (8, 2, 0), (6, 6, 0)])
def test_core_payments_pass(payments):
    """Tests payments that nobody can outbid, up to a unit of rounding for each winner."""
    assert findings(payments) == []


@pytest.mark.parametrize(
    ("payments", "sentence"),
    [
        ((4, 5, 0), "bidder 2 could offer 10 units"),
        ((0, 0, 0), "bidder 2 could offer 10 units"),
        ((7, 6, 0), "the winners pay 13 units above reserve prices; 10 units is enough"),
        ((9, 1, 0), "pays 9 units; expected 0 units to 8 units"),
        ((5, 5, 1), "gets nothing and pays 1 units"),
    ],
)
def test_wrong_core_payments_are_told(payments, sentence):
    """Tests a group that could offer more, too much revenue, more than a bid, a loser who pays."""
    assert any(sentence in text for text in findings(payments)), findings(payments)


def test_the_engines_core_payments_are_the_cheapest():
    """Tests the example against the engine: five each, nearest to VCG."""
    assert decided(LOCALS, "core")[1].payments == (5, 5, 0)
