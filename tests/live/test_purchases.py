"""Purchases at the desk: what suppliers never see, sealed scenarios, and files that are refused."""

import json
from pathlib import Path

import pytest
from live_play import MECHANISMS
from other_markets import AUCTION, FISHING, FREIGHT, MarketPlay, cost_of, purchase
from whole_auction import ZOE, open_desk

from boca.core.errors import InputError
from boca.live.auction import commands as cmd
from boca.live.auction import events as ev
from boca.live.auction.audience import PUBLIC, Viewer, may_open, seen_by
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import BuyersNotes, read_auction_file
from boca.live.auction.views import setup as setup_view
from boca.live.web.setting_up.buyers_rules import rule_words
from boca.live.web.texts import load_for
from boca.live.web.views.rules_words import rules_words
from boca.live.work import child
from boca.live.work.requests import can_compare, check_request, compare_request

RULES = AUCTION.replace("PAYMENT", "vcg")
SMALL = """
[[rules]]
name = "for small ones"
units = { at_least = 1 }
suppliers = "small"
"""


def test_suppliers_never_learn_what_a_buyer_notes():
    """Tests baseline and scenarios: neither the log nor any view of a supplier has them."""
    play = purchase("offered")
    assert "keep the incumbent" in play.state.notes.scenarios
    (noted,) = [entry.event for entry in play.entries if isinstance(entry.event, ev.Noted)]
    for viewer in (Viewer("bidder", 0), PUBLIC):
        assert not may_open(noted, viewer, play.state, 5)
        assert seen_by(play.state, viewer).notes == BuyersNotes()
    assert may_open(noted, Viewer("auditor"), play.state, 5)
    configured = play.entries[1].event
    assert "incumbent" not in str(configured)
    assert "95" not in str(configured.rules["at_most"])


def test_sealed_scenarios_stay_sealed(tmp_path):
    """Tests that nobody but an auditor compares awards while offers are sealed from the buyer."""
    desk = open_desk(tmp_path)
    try:
        text = FREIGHT + RULES
        auction = desk.create(ZOE, text + "sealed_from_auctioneer = true\n").result().auction
        with pytest.raises(Refusal, match="sealed"):
            desk.comparison(ZOE, auction)
        plain = desk.create(ZOE, text).result().auction
        assert desk.comparison(ZOE, plain) is None
        assert not can_compare(desk.state_of(plain))
    finally:
        desk.close()


def test_scenarios_are_awards_on_confirmed_offers():
    """Tests costs, savings, the price of rules and a conflict, by hand and against the award."""
    text = FREIGHT.replace("at_most = 70\n", "at_most = 70\nbaseline = 66\n") + SMALL
    text += '\n[[scenarios]]\nname = "none"\nrules = [{ units = { at_least = 50 } }]\n'
    play = MarketPlay(text, "offered")
    play.ask(cost_of)
    data = child.scenarios(compare_request(play.state))
    rows = {row["name"]: row for row in data["scenarios"]}
    assert list(rows) == [
        "@binding", "@cheapest", "keep the incumbent", "none", "@at_most:2", "@each:50",
    ]  # fmt: skip
    play.end()
    paid = sum(play.state.outcome.payments)
    outside = sum(n * u for n, u in zip(play.state.outcome.outside, (90, 100, 70), strict=True))
    assert rows["@binding"]["cost"] == paid + outside
    assert rows["@binding"]["savings"] == 2 * 80 + 95 + 66 - paid - outside
    assert rows["@binding"]["rule_cost"] == rows["@binding"]["cost"] - rows["@cheapest"]["cost"]
    assert rows["none"]["cost"] is None
    assert rows["none"]["conflict"] == ["at least 50 units"]
    assert data["warning"] == ""
    assert data["num_offers"] == sum(len(book.reports) for book in play.state.books)


def test_whoever_is_indispensable_is_told_before_the_close():
    """Tests the warning beside the scenarios, where VCG would have no limit."""
    text = FREIGHT + '\n[[rules]]\nlots = { at_least = 1 }\nsuppliers = "incumbents"\n'
    play = MarketPlay(text, "vcg")
    play.ask(cost_of)
    assert "Nord is indispensable" in child.scenarios(compare_request(play.state))["warning"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (FREIGHT.replace("at_most = 70\n", "") + RULES, "the lot 'west' has no at-most price"),
        (FREIGHT + RULES.replace("vcg", "threshold"), "expected one of \"vcg\", \"core\""),
        (FISHING + RULES.replace("vcg", "core"), "expected one of \"threshold\""),
        (FREIGHT + RULES + 'reserve = { north = "3" }\n', "key 'reserve'"),
        (FISHING.replace("capacity = 3", "capacity = 3\nreserve = 2") + RULES, "an exchange has"),
        (FREIGHT + SMALL.replace("units", "share_of_spend").replace("= 1", "= 0.2") + RULES,
         "shares of spend"),
        (FREIGHT.replace("at_most = 70", "at_most = 70.005") + RULES, "finer than"),
        (FISHING.replace("cod = 3", "cods = 3") + RULES, "which is no good of this market"),
        (FISHING.replace("cod = 3", "cod = 9") + RULES, "hold 10 copies of 'cod'"),
        (FREIGHT.replace('"incumbents"', '"incumbent"') + RULES, "found 'incumbent'"),
        (FISHING + '[[bidders]]\nname = "Ann"\n' + RULES, "bidders and participants"),
    ],
)  # fmt: skip
def test_files_that_cannot_work_are_refused_before_anybody_is_asked(text, words):
    """Tests messages that name the key and what to do."""
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        read_auction_file(text, MECHANISMS)


@pytest.mark.parametrize("name", ["procurement/award.toml", "exchange/live.toml"])
def test_examples_can_be_uploaded_as_they_are(name):
    """Tests that the examples make a purchase and an exchange that the engine takes."""
    text = (Path(__file__).parents[2] / "examples" / name).read_text()
    file = read_auction_file(text, MECHANISMS)
    request = json.loads(json.dumps(check_request(file.rules, file.market)))
    assert child.check(request)["num_bidders"] == file.market.num_bidders


def test_rules_are_told_in_words_and_others_are_counted():
    """Tests that a supplier reads whether a rule is about it, and nobody else's name."""
    play = MarketPlay(FREIGHT + SMALL, "vcg")
    view = setup_view(play.state)
    t = load_for(view.rules, view.market)
    (rule,) = view.market.rules
    assert "2 other suppliers supply together: at least 1" in rule_words(t, view, rule, 0)
    assert "2 suppliers, of which you are one supply" in rule_words(t, view, rule, 1)
    assert "Ost and Sued" in rule_words(t, view, rule, is_staff=True)
    told = " ".join(s for part in rules_words(t, view, 0).sections for s in part.sentences)
    assert "is not always best for you" in told  # a rule asks for at least something
    assert "Ost" not in told
    honest = MarketPlay(FREIGHT, "vcg")
    view = setup_view(honest.state)
    told = " ".join(s for part in rules_words(t, view, 0).sections for s in part.sentences)
    assert "Asking for exactly what you need is best for you" in told


def test_a_sealed_buyer_is_told_why_nothing_can_be_awarded():
    """Tests that reasons without amounts are told, and whatever else a child says is not."""
    play = MarketPlay(FREIGHT, "vcg", sealed_from_auctioneer="true")
    play.ask(cost_of)
    play.do(cmd.Close())
    for message in ("No award: the rule 'x' cannot hold.", "the offer 123 broke something"):
        play.do(cmd.Fail("decide", "Rubbish", message, play.state.plan_from), "server")
    told = [failure.message for failure in seen_by(play.state, Viewer("auctioneer")).failures]
    assert told == ["No award: the rule 'x' cannot hold.", ""]
