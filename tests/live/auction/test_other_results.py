"""Awards and trades from a child process that lies or errs: nothing of it gets into the log."""

from dataclasses import replace

import pytest
from other_markets import FISHING, FREIGHT, MarketPlay, cost_of, worth_of

from boca.live.auction import commands as cmd
from boca.live.auction.refusal import Refusal

RULED = FREIGHT + '\n[[rules]]\nname = "three each"\nunits = { at_most = 3 }\neach = true\n'


def decided(market, rule, truth):
    """An auction that is being decided, and what the engine says."""
    play = MarketPlay(market, rule)
    play.ask(truth)
    play.do(cmd.Close())
    return play, play.outcome()


@pytest.fixture(scope="module")
def bought():
    return {rule: decided(RULED, rule, cost_of) for rule in ("offered", "vcg", "core")}


@pytest.fixture(scope="module")
def traded():
    return decided(FISHING, "threshold", worth_of)


def refused(case, words, **changes):
    """Whether a changed result is refused with these words, and the log stays as it is."""
    play, result = case
    before = play.state
    with pytest.raises(Refusal, match=words):
        play.do(cmd.TakeOutcome(replace(result, **changes)), "server")
    return play.state is before


def other(row, place, value):
    return tuple(value if k == place else x for k, x in enumerate(row))


@pytest.mark.parametrize("rule", ["offered", "vcg", "core"])
def test_payments_that_do_not_follow_are_refused(bought, rule):
    """Tests a payment that is off, and one for whoever supplies nothing."""
    _, result = bought[rule]
    for i, bundle in enumerate(result.allocation):
        more = result.payments[i] + 1000
        words = "would be paid"
        assert refused(bought[rule], words, payments=other(result.payments, i, more)), bundle
        less = result.payments[i] - 1000
        assert refused(bought[rule], words, payments=other(result.payments, i, less))
    assert refused(bought[rule], "is nan", payments=other(result.payments, 0, float("nan")))


def test_awards_that_break_something_are_refused(bought):
    """Tests cover, outside purchases, offers, limits, rules, shape and the second solver."""
    case = bought["offered"]
    _, result = case
    winner = next(i for i, bundle in enumerate(result.allocation) if any(bundle))
    gone = other(result.allocation, winner, (0, 0, 0))
    assert refused(case, "is not covered", allocation=gone)
    known = case[0].state.books[winner].reports
    rows = ((a, b, c) for a in range(3) for b in range(2) for c in range(2) if a + b + c)
    unknown = next(bundle for bundle in rows if bundle not in known)
    assert refused(case, "never offered", allocation=other(result.allocation, winner, unknown))
    assert refused(case, "wrong shape", allocation=result.allocation[:2])
    assert refused(case, "second solver", verified_by=None)
    assert refused(case, "uses the rule", rule="vcg")
    free = decided(FREIGHT, "offered", cost_of)[1]
    assert any(sum(bundle) > 3 for bundle in free.allocation)
    assert refused(case, "breaks the rule 'three each'", allocation=free.allocation,
                   outside=free.outside, payments=free.payments)  # fmt: skip


def test_awards_without_a_winner_have_to_be_awards(bought):
    """Tests what stands behind VCG payments: there, without the winner, and not cheaper."""
    case = bought["vcg"]
    _, result = case
    winner = next(iter(result.without))
    assert refused(case, "lacks the cheapest award", without={})
    rows = {**result.without, winner: result.allocation}
    outside = {**result.outside_without, winner: result.outside}
    assert refused(case, "it is in", without=rows, outside_without=outside)
    rows = {**result.without, winner: ((0, 0, 0),) * 3}
    assert refused(case, "is not covered", without=rows)


def test_lots_without_a_price_outside_are_not_bought_there():
    """Tests that what has no at-most price has to come from suppliers."""
    text = FREIGHT.replace("at_most = 70\n", "")
    case = decided(text, "offered", cost_of)
    outside = other(case[1].outside, 2, 1)
    assert refused(case, "cannot be bought outside", outside=outside)


def test_trades_that_do_not_follow_are_refused(traded):
    """Tests payments, goods that do not exist, values that nobody named, and missing parts."""
    play, result = traded
    more = tuple(p + 1000 for p in result.payments)
    assert refused(traded, "would keep", payments=more)
    less = tuple(p - 1000 for p in result.payments)
    assert refused(traded, "would keep", payments=less)
    assert refused(traded, "not whole", payments=other(result.payments, 1, 0.5))
    assert refused(traded, "there are 4", allocation=other(result.allocation, 0, (4, 0)))
    assert refused(traded, "wrong shape", allocation=result.allocation[:2])
    assert refused(traded, "lacks the best trades", without={})
    unknown = next(
        b for b in ((0, 1), (1, 0), (1, 1), (0, 2)) if b not in play.state.books[0].reports
    )
    holdings = (unknown, (0, 0), (0, 0))
    assert refused(traded, "never valued", allocation=holdings)
    i = next(iter(result.without))
    rows = {**result.without, i: result.allocation}
    assert refused(traded, "cannot be used", without=rows)


def test_a_deficit_is_refused_but_under_vcg(traded):
    """Tests that nobody is left to pay for what others receive."""
    vcg = decided(FISHING, "vcg", worth_of)[1]
    assert sum(vcg.payments) < 0
    assert refused(traded, "nobody would pay the rest", payments=vcg.payments)
