"""Pages as a browser without JavaScript gets them: forms, mistakes, receipts."""

import html
import itertools
import json
import re
from urllib.parse import quote

import pytest
from live_server import NAMES, Person, market_text, new_sale
from page_parts import errors_of, fields_of

from boca.live.web.pages.public import verify_command
from boca.live.web.texts import load


def typed(sale, bidder: str, value: str = "10.00") -> dict[str, str]:
    """An amount in every open field."""
    return {f"value.{query['id']}": value for query in sale.queries(bidder)}


def unasked(sale, bidder: str) -> dict[str, str]:
    """Fields of an own bid that is not among the open questions, which are drawn at random."""
    asked = [query["bundle"] for query in sale.queries(bidder)]
    for goods in itertools.product((0, 1), (0, 1), (1, 2)):
        named = zip(("hall", "kitchen", "chairs"), goods, strict=True)
        if {name: n for name, n in named if n} not in asked:
            return {f"good-{j}": str(n) for j, n in enumerate(goods)}
    raise AssertionError(f"{len(asked)} questions cover all eight bundles: {asked}")


def test_link_works_once(draft, clerk):
    """Tests that looking at a link uses nothing up and entering does."""
    sale = draft
    link = clerk.link(sale.auction, "Club A", "Quinn")
    person = Person(sale.server.url)
    assert "Quinn for Club A" in person.client.get(link).text
    assert "Quinn for Club A" in person.client.get(link).text
    assert person.enter(link).status_code == 303
    assert person.get(sale.path("me")).status_code == 200

    again = Person(sale.server.url)
    refused = again.enter(link)
    assert refused.status_code == 410
    assert "This link was used on" in refused.text
    assert not again.cookie


def test_unknown_link_says_what_to_do(server):
    """Tests a link that was copied in part."""
    answer = Person(server.url).get("/enter/abc")
    assert answer.status_code == 404
    assert "copied completely" in answer.text


def test_draft_survives_and_mistakes_lose_nothing(sale, bidder):
    """Tests that a mistake is shown at its field while everything typed is still there."""
    club = sale[bidder]
    values = typed(sale, bidder)
    first, second, _ = values
    answer = club.post(sale.path("me"), {**values, first: "abc", second: "12.345", "do": "check"})
    assert answer.status_code == 422
    assert len(errors_of(answer.text)) == 2
    assert 'value="abc"' in answer.text
    assert f'aria-describedby="{first}-error"' in answer.text

    saved = club.post(sale.path("me"), {**values, "do": "draft"})
    assert saved.status_code == 303
    assert club.get(sale.path("me")).text.count('value="10.00"') == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("-5", "cannot be read"),
        ("1e3", "cannot be read"),
        ("1000.01", "at most 1,000.00 EUR"),
        ("0.0001", "finer than the smallest unit"),
        ("1.234", "can be read in two ways"),
        ("<script>alert(1)</script>", "cannot be read"),
        ("\u0661\u0662", "cannot be read"),
    ],
)
def test_odd_amounts_get_a_sentence(sale, text, words):
    """Tests that nothing is guessed, and nothing typed becomes part of the page's code."""
    club = sale[NAMES[15]]
    first = next(iter(typed(sale, NAMES[15])))
    answer = club.post(sale.path("me"), {first: text, "do": "check"})
    assert answer.status_code == (422 if words else 303)
    assert words in html.unescape(" ".join(errors_of(answer.text)))
    assert "<script>alert" not in answer.text


def test_answers_are_sent_once_however_often_one_clicks(sale, bidder):
    """Tests check, confirm, receipt, and that the same form twice is one submission."""
    club = sale[bidder]
    club.post(sale.path("me"), {**typed(sale, bidder), "do": "check"})
    checked = club.get(sale.path("check"))
    assert "10.00 EUR" in checked.text
    ticks = re.findall(r'name="tick" value="(\w+)"', checked.text)
    form = {**fields_of(checked.text), "tick": ticks, "do": "confirm"}

    first, second = (club.post(sale.path("check"), form) for _ in range(2))
    assert first.status_code == second.status_code == 303
    assert first.headers["location"] == second.headers["location"]
    receipt = club.get(first.headers["location"])
    assert receipt.text.count("10.00 EUR") == 3

    file = club.get(first.headers["location"] + ".json")
    assert json.loads(file.text)["hash"] in first.headers["location"]
    receipts = sale.client(bidder).get(f"/auctions/{sale.auction}/receipts")["receipts"]
    assert [json.loads(file.text)] == receipts


def test_warnings_need_a_tick(sale, bidder):
    """Tests that a slip of digits is held up until it is confirmed, and that nothing is lost."""
    club = sale[bidder]
    values = typed(sale, bidder)
    first = next(iter(values))
    club.post(sale.path("me"), {**values, first: "0", "do": "check"})
    checked = club.get(sale.path("check"))
    assert "If you do not want to say, decline." in checked.text

    form = {**fields_of(checked.text), "do": "confirm"}
    refused = club.post(sale.path("check"), form)
    assert refused.status_code == 422
    assert "Tick the box" in refused.text
    ticks = re.findall(r'name="tick" value="(\w+)"', checked.text)
    assert club.post(sale.path("check"), {**form, "tick": ticks}).status_code == 303


def test_somebody_else_in_between_is_noticed(sale, bidder, clerk):
    """Tests two persons of one bidder: the second confirms nothing that it has not seen."""
    pat, quinn = sale[bidder], Person(sale.server.url)
    quinn.enter(clerk.link(sale.auction, bidder, "Quinn"))
    values = typed(sale, bidder)
    first = next(iter(values))
    pat.post(sale.path("me"), {first: "10.00", "do": "check"})
    form = fields_of(pat.get(sale.path("check")).text)
    theirs = fields_of(quinn.get(sale.path("check")).text)
    assert quinn.post(sale.path("check"), {**theirs, "do": "confirm"}).status_code == 303

    refused = pat.post(sale.path("check"), {**form, "do": "confirm"})
    assert refused.status_code == 409
    alert = re.search(r'role="alert">([^<]*)<', refused.text)[1]
    assert f"something else was sent for {bidder}" in alert
    assert re.search(r"Quinn sent 10\.00 EUR for .* at .* UTC \(receipt \w{4} \w{4} \w{4}\)", alert)


def test_form_of_another_site_does_nothing(sale, bidder):
    """Tests both locks: the origin that browsers tell, and the session's token."""
    club = sale[bidder]
    values = {**typed(sale, bidder), "do": "draft"}
    assert club.post(sale.path("me"), values, token="0" * 64).status_code == 403
    headers = {**club.headers(), "Origin": "https://evil.example"}
    fields = {**values, "csrf": club.form_token()}
    url = sale.server.url + sale.path("me")
    assert club.client.post(url, data=fields, headers=headers).status_code == 403
    headers = {**club.headers(), "Sec-Fetch-Site": "cross-site"}
    assert club.client.post(url, data=fields, headers=headers).status_code == 403


def test_own_bid_and_correction_go_through_the_check(sale, bidder):
    """Tests a push from the form to the receipt, and another value for it afterwards."""
    club = sale[bidder]
    bid = {**unasked(sale, bidder), "amount": "3.00"}
    nothing = {"good-0": "0", "good-1": "0", "good-2": "0"}
    assert club.post(sale.path("push"), {**bid, "good-2": "9"}).status_code == 422
    assert club.post(sale.path("push"), {**bid, "good-2": "x"}).status_code == 422
    assert club.post(sale.path("push"), {**bid, **nothing}).status_code == 422
    assert club.post(sale.path("push"), {**bid, "amount": "2,5"}).status_code == 422
    assert club.post(sale.path("push"), bid).status_code == 303
    form = fields_of(club.get(sale.path("check")).text)
    assert club.post(sale.path("check"), {**form, "do": "confirm"}).status_code == 303

    assert club.post(sale.path("answers"), {"correct-0": "oops"}).status_code == 422
    assert club.post(sale.path("answers"), {"correct-0": "4.00"}).status_code == 303
    checked = club.get(sale.path("check")).text
    assert "was 3.00 EUR" in checked
    club.post(sale.path("check"), {**fields_of(checked), "do": "confirm"})
    assert "4.00 EUR" in club.get(sale.path("answers")).text
    assert "1 of 2 own bids left" in club.get(sale.path("push")).text


def test_own_bid_can_be_taken_out_before_it_is_sent(sale, bidder):
    """Tests that a draft is no trap."""
    club = sale[bidder]
    bid = {**unasked(sale, bidder), "amount": "30"}
    assert club.post(sale.path("push"), bid).status_code == 303
    key = re.search(r'name="remove" value="([^"]+)"', club.get(sale.path("check")).text)[1]
    club.post(sale.path("check"), {"remove": key})
    assert "Nothing to send" in club.get(sale.path("check")).text


def test_devices_can_be_added_and_revoked(draft):
    """Tests that a link for another device works once, and that revoking works at once."""
    sale = draft
    club = sale["Club B"]
    link = re.search(r'class="secret">([^<]+)<', club.post(sale.path("sessions/link"), {}).text)
    phone = Person(sale.server.url)
    assert phone.enter(link[1]).status_code == 303
    assert phone.get(sale.path("me")).status_code == 200

    ids = re.findall(r'name="id" value="(\w+)"', club.get(sale.path("sessions")).text)
    assert club.post(sale.path("sessions/revoke"), {"id": ids[0]}).status_code == 303
    assert phone.get(sale.path("me")).status_code == 401
    assert club.post(sale.path("sessions/revoke"), {"id": "nothing"}).status_code == 404
    assert club.post(sale.path("sessions/leave"), {}).status_code == 303
    assert club.get(sale.path("me")).status_code == 401


def test_zone_is_shown_beside_utc(sale, bidder):
    """Tests the fallback for people without JavaScript."""
    club = sale[bidder]
    answer = club.post(sale.path("sessions/zone"), {"zone": "Europe/Vienna"})
    zone = re.search(r"__Host-boca-zone=([^;]+)", answer.headers["set-cookie"])[1]
    headers = club.headers()
    headers["Cookie"] += f"; __Host-boca-zone={zone}"
    page = club.client.get(sale.server.url + sale.path("me"), headers=headers).text
    assert re.search(r"\d\d:\d\d CES?T\)", page)


def test_paused_auction_keeps_drafts_and_sends_nothing(server, clerk):
    """Tests what a pause means for a bidder who is typing, and what a deadline's end means."""
    sale = new_sale(server, clerk, market_text(2))
    club = sale["Club A"]
    values = typed(sale, "Club A")
    club.post(sale.path("me"), {**values, "do": "check"})
    form = fields_of(club.get(sale.path("check")).text)
    clerk.do(sale.auction, "pause", {"reason": "A storm."})
    assert club.post(sale.path("me"), {**values, "do": "draft"}).status_code == 303
    refused = club.post(sale.path("check"), {**form, "do": "confirm"})
    assert refused.status_code == 409
    assert "The auction is paused, and so is its clock" in club.get(sale.path("me")).text
    clerk.do(sale.auction, "resume", {"reason": "It is over."})
    assert club.get(sale.path("me")).text.count('value="10.00"') == 3
    clerk.do(sale.auction, "cancel", {"reason": "The hall has burnt down."})
    assert "was cancelled" in club.get(sale.path("me")).text


def test_nothing_is_out_before_publication(sale, bidder):
    """Tests that result and log wait."""
    assert "not published yet" in sale[bidder].get(sale.path("result")).text
    assert sale[bidder].get(sale.path("log.jsonl")).status_code == 404
    assert Person(sale.server.url).get(sale.path("public.jsonl")).status_code == 404


def test_result_explains_the_payment(ended):
    """Tests the end: everybody sees its own result, and a winner's sum adds up to its payment."""
    sale = ended
    won = 0
    for bidder in sale.people:
        page = sale[bidder].get(sale.path("result")).text
        result = sale.client(bidder).get(f"/auctions/{sale.auction}/result")
        assert f"{result['payment']} EUR" in page
        if result["bundle"]:
            won += 1
            assert "You pay the difference" in page
            amounts = re.findall(r'<td class="amount">\D*([0-9.]+) EUR</td></tr>', page)
            without, with_you, pays = map(float, amounts[:3])
            assert without - with_you == pytest.approx(pays) == float(result["payment"])
        log = sale[bidder].get(sale.path("log.jsonl")).text.splitlines()
        assert json.loads(log[-1])["head"]
    assert won


def test_public_finds_a_receipt_in_the_published_log(ended):
    """Tests the page of an ended auction for people who were not there."""
    public = Person(ended.server.url)
    assert "Who receives what" in public.get(ended.path("public")).text
    receipts = ended.client("Club A").get(f"/auctions/{ended.auction}/receipts")["receipts"]
    record = receipts[0]["hash"]
    assert "Yes, this record is in" in public.get(ended.path(f"public?find={record}")).text
    number = " ".join(record[k : k + 4] for k in (0, 4, 8))
    for typed in (
        number,
        number.upper(),
        record[:12],
        f" {record[:20]} ",
        number.replace(" ", "-"),
    ):
        found = public.get(ended.path(f"public?find={quote(typed)}")).text
        assert "Yes, this record is in" in found, typed
    for typed in ("abc", record[:11], f"{record}0", "0" * 12, "%" * 12, "_" * 64):
        missing = public.get(ended.path(f"public?find={quote(typed)}")).text
        assert "No record of this auction" in missing, typed


def test_strangers_are_not_sent_to_another_project():
    """Tests that the command on the public page installs a clone: the index has another boca."""
    install, check = verify_command(load("en"), "a1", "ab" * 32).splitlines()
    assert install.startswith("pip install ./src/boca_verify ")
    assert "clone of boca" in install
    assert "Klon von boca" in verify_command(load("de"), "a1", "ab" * 32)
    assert check == f"boca-verify a1-public.jsonl --key {'ab' * 32}"
