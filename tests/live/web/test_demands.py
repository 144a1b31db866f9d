"""Bundles composed at announced prices, as pages without JavaScript and as calls."""

import json
import re

import pytest
from live_server import NAMES, Person
from page_parts import copies_of, errors_of, fields_of

from boca.cli.admin.links import issue
from boca.live.bots.client import Refused

GOODS = ("hall", "kitchen", "chairs")


def query_of(sale, bidder):
    """The open demand query of a bidder."""
    (query,) = sale.queries(bidder)
    assert query["type"] == "demand"
    return query


def composed(query, *copies, **more):
    """The fields of the form, filled in."""
    fields = {f"copies.{query['id']}.{j}": str(n) for j, n in enumerate(copies)}
    return {**fields, **{f"{name}.{query['id']}": "1" for name in more}}


def cost_of(query, bundle):
    return sum(n * round(100 * float(query["prices"][good])) for good, n in bundle.items()) / 100


def check(sale, bidder, fields):
    return sale[bidder].post(sale.path("me"), {**fields, "do": "check"})


def send(sale, bidder):
    """Ticks and confirms what the check page shows; the receipt's page."""
    club = sale[bidder]
    page = club.get(sale.path("check")).text
    ticks = re.findall(r'name="tick" value="(\w+)"', page)
    fields = {**fields_of(page), "tick": ticks, "do": "confirm"}
    sent = club.post(sale.path("check"), fields)
    assert sent.status_code == 303, sent.text
    return club.get(sent.headers["location"]).text


def test_bundle_is_composed_checked_and_sent(priced, shopper):
    """Tests the way of one bundle: form, cost by the server, check, receipt, answers."""
    club, query = priced[shopper], query_of(priced, shopper)
    page = club.get(priced.path("me")).text
    assert "Which bundle would you take at these prices?" in page
    assert page.count(" per copy") == 3
    # The full bundle was valued at 50.00; what it costs and leaves is told.
    full = cost_of(query, {"hall": 1, "kitchen": 1, "chairs": 3})
    assert f"{full:.2f}" in page
    assert f"{50 - full:.2f}" in page

    fields = composed(query, 1, 0, 2)
    assert club.post(priced.path("me"), {**fields, "do": "draft"}).status_code == 303
    cost = cost_of(query, {"hall": 1, "chairs": 2})
    assert f"<output data-total>{cost:.2f} EUR</output>" in club.get(priced.path("me")).text
    assert check(priced, shopper, fields).status_code == 303
    page = club.get(priced.path("check")).text
    assert copies_of(page) == {"hall": "1", "chairs": "2"}
    assert f"costs {cost:.2f} EUR" in page
    # Whoever turns down the full bundle says that this one leaves as much.
    assert f"Counts as a bid of {50 - full + cost:.2f} EUR" in page
    receipt = send(priced, shopper)
    assert "Wanted at the prices of question 1 of round 2" in receipt
    answers = club.get(priced.path("answers")).text
    assert f"at least {50 - full + cost:.2f} EUR" in answers
    assert f"wanted hall and 2 \u00d7 chairs for {cost:.2f} EUR" in club.get(priced.path("me")).text


def test_nothing_is_an_answer_and_zeros_are_none(priced, shopper):
    """Tests that an untouched form sends nothing, and that wanting nothing takes a tick."""
    club, query = priced[shopper], query_of(priced, shopper)
    assert check(priced, shopper, composed(query, 0, 0, 0)).status_code == 303
    assert "Nothing to send" in club.get(priced.path("check")).text
    assert check(priced, shopper, composed(query, "", "", "", nothing=1)).status_code == 303
    # The full bundle would have left something by the bidder's own word.
    page = club.get(priced.path("check")).text
    assert "You want nothing, but by your other answers" in page
    assert "nothing" in send(priced, shopper)
    (answer,) = [
        q
        for q in priced.client(shopper).get(f"/auctions/{priced.auction}/queries")["queries"]
        if q["id"] == query["id"]
    ]
    assert (answer["status"], answer["bundle"], answer["cost"]) == ("answered", {}, "0.00")


def test_question_with_prices_can_be_declined(priced, shopper):
    """Tests the other box, and that it does not go with a bundle."""
    club, query = priced[shopper], query_of(priced, shopper)
    both = check(priced, shopper, composed(query, 1, 0, 0, decline=1))
    assert both.status_code == 422
    assert "keep one of the two" in errors_of(both.text)[0]
    check(priced, shopper, composed(query, 0, 0, 0, decline=1))
    assert "No answer to question 1 of round 2" in club.get(priced.path("check")).text
    assert "declined" in send(priced, shopper)
    assert "the prices of question 1 of round 2" in club.get(priced.path("answers")).text


@pytest.mark.parametrize(
    ("copies", "more", "words"),
    [
        ((2, 0, 0), {}, "hall: '2' is not a number of copies; expected a whole number from 0 to 1"),
        ((1, "x", 0), {}, "kitchen: 'x' is not"),
        ((1, 0, "-1"), {}, "chairs: '-1' is not"),
        ((0, 0, "1.5"), {}, "chairs: '1.5' is not"),
        ((0, 0, "9" * 50), {}, "chairs: '999999999' is not"),
        ((1, 0, 0), {"nothing": 1}, "Received copies and a tick for wanting nothing"),
        (("<b>", 0, 0), {}, "hall: '<b>' is not"),
    ],
)
def test_mistakes_are_told_at_the_field(priced, copies, more, words):
    """Tests every kind of mistake: one sentence, and what was typed is still there."""
    query = query_of(priced, "Club A")
    answer = check(priced, "Club A", composed(query, *copies, **more))
    assert answer.status_code == 422
    page = answer.text.replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">")
    assert words in page
    if not more:
        assert 'aria-invalid="true"' in page


def test_limits_are_kept(priced):
    """Tests a bidder that can have two copies at most: it is told, and refused otherwise."""
    query = query_of(priced, "Club B")
    assert "at most 2" in priced["Club B"].get(priced.path("me")).text.lower()
    answer = check(priced, "Club B", composed(query, 1, 1, 1))
    assert answer.status_code == 422
    assert "cannot be given" in answer.text


def test_choice_can_be_changed(priced, shopper):
    """Tests the page for choosing again, where the rules permit corrections."""
    club, query = priced[shopper], query_of(priced, shopper)
    assert club.get(priced.path(f"again/{query['id']}")).status_code == 404
    check(priced, shopper, composed(query, 1, 0, 0))
    send(priced, shopper)
    page = club.get(priced.path("answers")).text
    assert 'href="again/2.1"' in page
    page = club.get(priced.path("again/2.1")).text
    assert "so far you wanted hall" in page
    bad = club.post(priced.path(f"again/{query['id']}"), composed(query, 7, 0, 0))
    assert bad.status_code == 422
    sent = club.post(priced.path(f"again/{query['id']}"), composed(query, 1, 1, 3))
    assert sent.status_code == 303
    page = club.get(priced.path("check")).text
    assert "Wanted instead" in page
    # What differs from the former answer carries a sign.
    assert re.findall(r">([+\u2212]\d)</span>", page) == ["+1", "+3"]
    send(priced, shopper)
    chosen = club.get(priced.path("answers")).text.partition("Your choices")[2]
    assert copies_of(chosen) == {"hall": "1", "kitchen": "1", "chairs": "3"}
    # The draft is gone, so nothing is offered for sending twice.
    assert "Nothing to send" in club.get(priced.path("check")).text


def test_values_do_not_answer_prices(priced, shopper):
    """Tests calls: a value for prices and a bundle for a value are refused with a sentence."""
    client, query = priced.client(shopper), query_of(priced, shopper)
    path = f"/auctions/{priced.auction}/submissions"
    for body, words in (
        ({"answers": [{"query": query["id"], "value": "5.00"}]}, "since prices were announced"),
        ({"demands": [{"query": f"r0-{query['id'][3:]}", "bundle": {}}]}, "no prices"),
        ({"demands": [{"query": query["id"], "bundle": {"halls": 1}}]}, "halls"),
        ({"demands": [{"query": query["id"], "bundle": {"hall": 2}}]}, "2 copies"),
        ({"demands": [{"query": query["id"], "bundle": {}}] * 2}, "twice"),
        ({"demands": [{"query": "r9-b1-q1", "bundle": {}}]}, "not asked"),
    ):
        with pytest.raises(Refused, match=words) as refusal:
            client.post(path, body, "key-" + str(abs(hash(words))))
        assert refusal.value.status == 422


def test_contradiction_needs_a_tick(priced, shopper):
    """Tests that programs get the warning with its id, and that confirming it is enough."""
    client, query = priced.client(shopper), query_of(priced, shopper)
    path = f"/auctions/{priced.auction}"
    body = {"demands": [{"query": query["id"], "bundle": {}}]}
    warnings = client.post(f"{path}/check", body, "x" * 8)["warnings"]
    assert [w["kind"] for w in warnings] == ["something-is-better"]
    with pytest.raises(Refused, match="not been confirmed"):
        client.post(f"{path}/submissions", body, "first-try")
    confirmed = {**body, "confirmed": [w["id"] for w in warnings]}
    receipt = client.post(f"{path}/submissions", confirmed, "second-try")
    assert receipt["body"]["demands"] == [{"query": query["id"], "bundle": [0, 0, 0]}]
    # Sent again with the same key, it is the same receipt.
    assert client.post(f"{path}/submissions", confirmed, "second-try") == receipt


def test_forged_content_takes_nothing(priced, shopper):
    """Tests what somebody may put into the hidden field of the check page."""
    club, query = priced[shopper], query_of(priced, shopper)
    check(priced, shopper, composed(query, 1, 0, 0))
    fields = fields_of(club.get(priced.path("check")).text)
    for content in (
        "5",
        "[[]]",
        json.dumps([[query["id"], "", False, ["1", "0"], False]]),
        json.dumps([[query["id"], "", False, ["x", "0", "0"], False]]),
        json.dumps([[query["id"], "", False, [1, 0, 0], False]]),
        json.dumps([[query["id"], "", False, "100", False]]),
        json.dumps([[query["id"], "", False, ["9" * 5000, "0", "0"], False]]),
        json.dumps([["again:" + query["id"], "", False, ["4", "0", "0"], False]]),
    ):
        sent = club.post(priced.path("check"), {**fields, "content": content, "do": "confirm"})
        taken = sent.status_code == 303
        # Copies that were left out are none: two numbers for three goods are a bundle as well.
        assert not taken or '"1", "0"]' in content, content


def test_sheet_says_where_prices_are_answered(priced, sale):
    """Tests that nobody looks for these questions in a spreadsheet in vain."""
    words = "are answered on the page Questions"
    assert words in priced["Club A"].get(priced.path("sheet")).text
    assert words not in sale["Club P"].get(sale.path("sheet")).text


def test_rules_tell_what_wanting_means(priced, sale):
    """Tests that bidders can read how a wanted bundle becomes a bid, where it can."""
    words = "counts as your bid, with what your choices show"
    assert words in priced["Club A"].get(priced.path("rules")).text
    assert words not in sale["Club P"].get(sale.path("rules")).text


def test_auctioneer_enters_a_choice_for_a_bidder(priced, server, shopper):
    """Tests a choice told by phone: composed, checked with its warning, entered with a reason."""
    boss = Person(server.url)
    boss.enter(f"{server.url}/enter/{issue(server.data, None, 'auctioneer', None, 'Zoe')}")
    page = priced.path(f"bidders/{NAMES.index(shopper) + 1}")
    query = query_of(priced, shopper)
    assert f"which bundle would {shopper} take" in boss.get(page).text
    assert boss.post(page, composed(query, 9, 0, 0)).status_code == 422
    checked = boss.post(page, composed(query, 0, 0, 0, nothing=1)).text
    assert "You want nothing, but" in checked
    fields = {**fields_of(checked), "reason": "Told by phone.", "name": "village hall"}
    ticks = re.findall(r'name="tick" value="(\w+)"', checked)
    sent = boss.post(f"{page}/enter", {**fields, "tick": ticks})
    assert sent.status_code == 303, sent.text
    assert "wanted nothing" in priced[shopper].get(priced.path("me")).text
    assert "the auctioneer, on behalf" in boss.get(page).text
