"""Exchanges: what the engine trades holds, and what a liar writes is found at its record."""

from functools import cache

import pytest
from golden_log import Change, find
from other_markets import FREIGHT, MarketPlay, purchase, trade, worth_of

from boca.payments.shares import RULES, in_whole_units
from boca_verify.outcome.trades import discounts
from boca_verify.verdict import Verdict

NAMES = ["threshold", "proportional", "small", "vcg"]


@cache
def played(rule: str) -> MarketPlay:
    return trade(rule)


@pytest.mark.parametrize("rule", NAMES)
def test_what_the_engine_trades_holds(rule):
    """Tests every payment rule from the first question, which is about what one has, to the end."""
    play = played(rule)
    verdict = play.verdict()

    assert {check.state for check in verdict.checks} == {"holds"}, verdict.summary()
    assert any(play.state.outcome.payments)
    assert (sum(play.state.outcome.payments) == 0) == (rule != "vcg")
    for i, book in enumerate(play.state.books):
        first = next(iter(book.queries.values())).query.bundle
        assert first == play.file.market.bidders[i].endowment


def paid(participant: int, more: int, back: int | None = None) -> Change:
    """One payment is off; perhaps somebody else's by as much in the other direction."""

    def change(entries):
        body = entries[find(entries, "decided")]["body"]
        for i, units in ((participant, more), (back, -more)):
            if i is not None:
                body["payments"][i] += units
                entries[find(entries, "result", i)]["body"]["payment"] += units

    return change


def fails(verdict: Verdict, check: str, words: str) -> bool:
    """Whether a check fails with these words."""
    return verdict[check].state == "fails" and any(words in f.text for f in verdict.findings)


@pytest.mark.parametrize("rule", NAMES)
@pytest.mark.parametrize("more", [-1, 1])
def test_discounts_that_are_off_by_a_unit_are_found(rule, more):
    """Tests a payment that is off alone, and one that another makes up for."""
    assert fails(played(rule).verdict(paid(1, more)), "V11", "so it should pay")
    assert fails(played(rule).verdict(paid(1, more, back=2)), "V11", "so it should pay")


def test_trades_that_gain_less_are_found():
    """Tests that keeping everything does not pass where trades gain something."""

    def change(entries):
        body = entries[find(entries, "decided")]["body"]
        held = [list(b.endowment) for b in played("threshold").file.market.bidders]
        body.update(allocation=held, payments=[0, 0, 0])
        entries[find(entries, "justified")]["body"]["traders"] = []
        for i, bundle in enumerate(held):
            units = played("threshold").state.books[i].reports[tuple(bundle)].units
            result = entries[find(entries, "result", i)]["body"]
            result.update(bundle=bundle, units=units, payment=0)

    assert fails(played("threshold").verdict(change), "V10", "is possible")


def test_more_than_there_is_cannot_be_held():
    """Tests a good that two hold at once."""

    def change(entries):
        body = entries[find(entries, "decided")]["body"]
        body["allocation"][2] = [4, 0]

    assert fails(played("threshold").verdict(change), "V9", "there are 4")


@pytest.mark.parametrize("key", ["value", "keeps", "gain_without"])
def test_a_wrong_explanation_is_found(key):
    """Tests every sum of the justification."""

    def change(entries):
        entries[find(entries, "justified")]["body"]["traders"][0][key] += 1

    assert fails(played("threshold").verdict(change), "V11", f"it says '{key}'")


def test_whoever_does_not_say_what_keeping_is_worth_keeps_it():
    """Tests a participant that declines the question about what it has: it does not trade."""
    held = played("threshold").file.market.bidders[0].endowment
    play = trade("threshold", lambda i, b: None if (i, b) == (0, held) else worth_of(i, b))

    assert play.state.outcome.allocation[0] == held
    assert play.state.outcome.payments[0] == 0
    assert play.verdict().exit_code == 0

    def change(entries):
        body = entries[find(entries, "decided")]["body"]
        body["allocation"][0] = [0, 0]

    assert fails(play.verdict(change), "V9", "without having said")


@pytest.mark.parametrize("rule", NAMES)
def test_discounts_are_those_of_the_engine(rule):
    """Tests the verifier's own rules against the engine's on numbers with ties and fractions."""
    cases = [
        ([9, 5, 1], 9), ([8, 8], 8), ([9, 9, 9], 9), ([0, 0, 0], 1), ([7, 7, 7, 1], 10),
        ([5, 3, 3, 2], 7), ([1, 1, 1], 2), ([10, 4, 4, 0], 11), ([6, 6, 5], 16), ([3, 2], 5),
    ]  # fmt: skip
    for full, total in cases:
        assert discounts(rule, full, total) == in_whole_units(RULES[rule](full, total))


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["boca", "hybrid"])
@pytest.mark.parametrize("kind", ["buy", "exchange"])
def test_mechanisms_that_learn_buy_and_exchange_live(kind, mechanism):
    """Tests networks of costs and values, and choices at announced prices, up to the verdict."""
    keys = {"mechanism": f'"{mechanism}"', "num_total": "12"}
    play = purchase("vcg", FREIGHT, **keys) if kind == "buy" else trade("threshold", **keys)

    verdict = play.verdict()
    assert {check.state for check in verdict.checks} == {"holds"}, verdict.summary()
    types = {q.query.type for book in play.state.books for q in book.queries.values()}
    assert ("demand" in types) == (mechanism == "hybrid")
    brought = [row.step["brought"] for row in play.state.rounds if row.step["brought"] is not None]
    best = min if kind == "buy" else max
    assert brought[-1] == best(brought)
