"""Purchases: what the engine awards holds, and what a liar writes is found at its record."""

from functools import cache

import pytest
from golden_log import Change, find
from other_markets import FREIGHT, MarketPlay, cost_of, purchase

from boca.core.errors import InputError
from boca.live.auction import commands as cmd
from boca_verify.verdict import Verdict

RULED = (
    FREIGHT
    + """
[[rules]]
name = "three units each"
units = { at_most = 3 }
each = true

[[rules]]
name = "not all from small ones"
units = { at_most = 3 }
suppliers = "small"
"""
)


@cache
def played(rule: str) -> MarketPlay:
    return purchase(rule, RULED)


@pytest.mark.parametrize("rule", ["offered", "vcg", "core"])
def test_what_the_engine_awards_holds(rule):
    """Tests every payment rule from the first question to publication, with rules that bind."""
    verdict = played(rule).verdict()

    assert {check.state for check in verdict.checks} == {"holds"}, verdict.summary()
    assert len([b for b in played(rule).state.outcome.allocation if any(b)]) >= 2
    assert "No other award costs less" in verdict.summary()


def decided(**fields: object) -> Change:
    """Another award, told to everybody as it is."""

    def change(entries):
        body = entries[find(entries, "decided")]["body"]
        body.update(fields)
        offers = dict(fields.get("offers", {}))
        body.pop("offers", None)
        for i in range(3):
            told = entries[find(entries, "result", i)]["body"]
            if tuple(body["allocation"][i]) != tuple(told["bundle"]):
                told["units"] = offers[i]
            told.update(bundle=body["allocation"][i], payment=body["payments"][i])

    return change


def paid(supplier: int, more: int) -> Change:
    """One payment is off."""

    def change(entries):
        body = entries[find(entries, "decided")]["body"]
        body["payments"][supplier] += more
        entries[find(entries, "result", supplier)]["body"]["payment"] += more

    return change


def term(key: str, more: int, kind: str = "justified") -> Change:
    """A sum of an explanation is off."""

    def change(entries):
        winner = entries[find(entries, "justified")]["body"]["suppliers"][0]
        if kind == "result":
            winner = entries[find(entries, "result", winner["bidder"])]["body"]
        winner[key] += more

    return change


def fails(verdict: Verdict, check: str, words: str) -> bool:
    """Whether a check fails with these words."""
    return verdict[check].state == "fails" and any(words in f.text for f in verdict.findings)


def winner(rule: str) -> int:
    return next(i for i, b in enumerate(played(rule).state.outcome.allocation) if any(b))


@pytest.mark.parametrize("rule", ["offered", "vcg", "core"])
@pytest.mark.parametrize("more", [-1, 1, 40])
def test_a_payment_that_is_off_is_found(rule, more):
    """Tests payments that are off by a unit; core payments may be a unit per winner lower."""
    verdict = played(rule).verdict(paid(winner(rule), more))

    if rule == "core" and more == -1:
        assert verdict.exit_code == 0
    else:
        assert fails(verdict, "V11", "paid"), verdict.summary()


def test_core_payments_that_are_too_low_are_found():
    """Tests that rounding down takes a unit per winner and no more."""
    outcome = played("core").state.outcome
    lowest = [played("core").state.results[i].units for i in range(3)]
    room = max(p - o for p, o in zip(outcome.payments, lowest, strict=True))
    assert room > 3

    supplier = max(range(3), key=lambda i: outcome.payments[i] - lowest[i])
    verdict = played("core").verdict(paid(supplier, -4))
    assert fails(verdict, "V11", "no group could object"), verdict.summary()


def test_a_dearer_award_is_found():
    """Tests an award that leaves out the cheapest winner and buys outside instead."""
    state = played("offered").state
    gone = winner("offered")
    rows = [list(b) for b in state.outcome.allocation]
    outside = [a + b for a, b in zip(state.outcome.outside, rows[gone], strict=True)]
    payments = list(state.outcome.payments)
    rows[gone], payments[gone] = [0, 0, 0], 0
    change = decided(allocation=rows, outside=outside, payments=payments, offers={gone: 0})

    assert fails(played("offered").verdict(change), "V10", "is possible")


def test_an_uncovered_lot_is_found():
    """Tests an award that forgets what is bought outside."""
    state = played("vcg").state
    gone = winner("vcg")
    rows, payments = [list(b) for b in state.outcome.allocation], list(state.outcome.payments)
    rows[gone], payments[gone] = [0, 0, 0], 0
    change = decided(allocation=rows, payments=payments, offers={gone: 0})

    assert fails(played("vcg").verdict(change), "V9", "are covered")


def test_a_broken_rule_is_found():
    """Tests that the award of a purchase without a rule does not pass where the rule holds."""
    free = purchase("offered", FREIGHT)

    def change(entries):
        entries[1]["body"]["market"]["rules"] = [{"counts": "winners", "at_least": 3}]

    assert fails(free.verdict(change), "V9", "breaks the rule 'at least 3 suppliers'")


def test_an_exceeded_at_most_price_is_found():
    """Tests VCG payments above what lots cost outside, where an "at least" rule binds."""
    text = FREIGHT + "\n[[rules]]\nwinners = { at_least = 2 }\n"
    play = by_hand(text, "vcg", [(0, (2, 1, 0), 9), (1, (0, 0, 1), 5), (2, (0, 0, 1), 500)])

    assert play.state.outcome.payments == (280, 70, 0)  # 2 x 90 + 100, and 70: at-most prices
    assert play.verdict().exit_code == 0
    assert fails(play.verdict(paid(1, 30)), "V11", "so it should be paid 70 EUR")


def test_offers_that_were_never_made_and_losers_that_are_paid_are_found():
    """Tests a bundle without an offer, and money for nothing."""
    play = played("vcg")
    loser = next(i for i, b in enumerate(play.state.outcome.allocation) if not any(b))
    assert fails(play.verdict(paid(loser, 5)), "V11", "supplies nothing and is paid 5 EUR")

    rows = [list(b) for b in play.state.outcome.allocation]
    bundle = next(
        b
        for b in ([1, 1, 1], [1, 0, 0], [2, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1])
        if tuple(b) not in play.state.books[loser].reports
    )
    rows[loser] = bundle
    change = decided(allocation=rows, offers={loser: 1})
    assert fails(play.verdict(change), "V9", "which it never offered")


@pytest.mark.parametrize(
    ("key", "kind"),
    [("offer", "justified"), ("cost_without", "justified"), ("more", "result"), ("most", "result")],
)
def test_a_wrong_explanation_is_found(key, kind):
    """Tests every sum that a supplier or an auditor is told."""
    assert fails(played("vcg").verdict(term(key, 1, kind)), "V11", f"it says '{key}'")


def test_a_payment_without_an_explanation_is_found():
    """Tests that no winner can be left out of what explains the payments."""

    def change(entries):
        entries[find(entries, "justified")]["body"]["suppliers"].pop()

    verdict = played("vcg").verdict(change)
    assert fails(verdict, "V11", "does not explain the payments of the suppliers")


def test_no_award_is_told_in_words_and_loses_nothing():
    """Tests rules that cannot hold on these offers: the reason is told, the answers stay."""
    text = FREIGHT + '\n[[rules]]\nname = "all three"\nwinners = { at_least = 3 }\n'
    play = MarketPlay(text, "vcg")
    play.ask(lambda i, bundle: None if i == 1 else cost_of(i, bundle))
    play.do(cmd.Close())
    with pytest.raises(InputError, match=r"the rule 'all three' cannot hold.*kept in the log"):
        play.outcome()
    assert sum(len(book.reports) for book in play.state.books) == 16


def test_an_indispensable_supplier_is_named():
    """Tests that nobody is paid without a limit: who it is and what to do is told instead."""
    text = FREIGHT + '\n[[rules]]\nlots = { at_least = 1 }\nsuppliers = "incumbents"\n'
    play = MarketPlay(text, "vcg")
    play.ask(cost_of)
    play.do(cmd.Close())
    with pytest.raises(InputError, match=r"Nord is indispensable.*relax a rule"):
        play.outcome()


def by_hand(text: str, rule: str, offers: list[tuple[int, tuple[int, ...], int]]) -> MarketPlay:
    """A purchase in which suppliers make these offers, asked or not, and no others."""
    play = MarketPlay(text, rule, num_initial="1", num_total="1")
    play.start()
    play.plan_by_engine()
    for supplier, bundle, units in offers:
        asked = {question.query.bundle for question in play.state.books[supplier].open}
        if bundle not in asked:
            play.push(supplier, bundle, units)
    said = {(supplier, bundle): units for supplier, bundle, units in offers}
    play.answer_all(lambda i, bundle: said.get((i, bundle)))
    play.plan_by_engine()
    play.end()
    return play


def test_an_offer_above_the_at_most_price_is_paid_in_full():
    """Tests the cap where a rule asks for a second supplier: nobody is paid less than it asks."""
    text = FREIGHT + "\n[[rules]]\nwinners = { at_least = 2 }\n"
    play = by_hand(text, "vcg", [(0, (2, 1, 0), 9), (1, (0, 0, 1), 90), (2, (0, 0, 1), 500)])

    assert play.state.outcome.payments == (280, 90, 0)
    assert play.verdict().exit_code == 0
    assert fails(play.verdict(paid(1, -20)), "V11", "should be paid 90 EUR")


def test_core_payments_are_rounded_down():
    """Tests profits of four thirds each: three units of payment, which no group can underbid."""
    text = """
name = "thirds"
[[lots]]
name = "a"
at_most = 20
[[lots]]
name = "b"
at_most = 20
[[lots]]
name = "c"
at_most = 20
""" + "".join(f'[[suppliers]]\nname = "{name}"\n' for name in ("Ann", "Ben", "Cleo", "Dora"))
    offers = [(0, (1, 0, 0), 2), (1, (0, 1, 0), 2), (2, (0, 0, 1), 2), (3, (1, 1, 1), 10)]
    play = by_hand(text, "core", offers)

    assert play.state.outcome.payments == (3, 3, 3, 0)
    assert play.verdict().exit_code == 0
    change = [paid(0, 1), paid(1, 1)]
    assert fails(play.verdict(lambda e: [c(e) for c in change]), "V11", "would do with 1 EUR less")
