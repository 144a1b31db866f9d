"""The pages of auctioneer and auditor, by plain HTTP: what they refuse, and what they change."""

import html
import re
import time
from types import SimpleNamespace

import pytest
from live_server import Person, market_text, new_sale

from boca.cli.admin.links import issue
from boca.live.web.pages.staff.proofs import conclusion, details
from boca.live.web.render import environment
from boca.live.web.texts import load
from boca_verify.verdict import Check, Finding, Given, Verdict

DE = load("de")


@pytest.fixture(scope="module")
def boss(server):
    """An auctioneer with a session."""
    person = Person(server.url)
    person.enter(f"{server.url}/enter/{issue(server.data, None, 'auctioneer', None, 'Zoe')}")
    return person


@pytest.fixture(scope="module")
def running(server, clerk):
    """An auction of the auctioneer's pages alone, with a round open."""
    return new_sale(server, clerk, market_text(3))


def problems(page) -> str:
    """The list of mistakes at the top of a page."""
    found = re.search(r'<section class="warn" id="problems".*?</section>', page.text, re.DOTALL)
    return re.sub("<[^>]+>", " ", found[0]) if found else ""


def test_mistakes_in_a_market_file_name_line_and_key(boss):
    """Tests TOML that cannot be read and a key with a wrong value, with what stands in the line."""
    wrong = boss.post("/new", {"text": market_text(2, num_total="999")})
    assert wrong.status_code == 422
    assert "key &#39;num_total&#39;" in problems(wrong)
    assert re.search(r"Line \d+: +num_total = 999", problems(wrong))
    broken = boss.post("/new", {"text": 'name = "hall"\n[[goods]\n'})
    assert re.search(r"Line 2: +\[\[goods\]", problems(broken))


def test_creating_twice_makes_one_auction(boss):
    """Tests a double click: the same page sent twice leads to the same auction."""
    fields = {"text": market_text(2), "key": "once-and-only-once"}
    first, second = boss.post("/new/create", fields), boss.post("/new/create", fields)
    assert first.status_code == second.status_code == 303
    assert first.headers["location"] == second.headers["location"]


def test_links_are_shown_once_as_text_mail_and_file(server, boss, clerk):
    """Tests a link per person, a letter, a CSV without formulas, and no second look."""
    auction = clerk.create(market_text(2))
    page = boss.post(
        f"/a/{auction}/bidders",
        {"person-0": "=Ann", "person-1": "Ben", "whose": "auditor", "person-more": "Lou"},
    )
    links = re.findall(r'class="secret">([^<]+)<', page.text)
    assert len(links) == 3
    assert page.text.count('href="mailto:?subject=') == 3
    assert "secret" not in boss.get(f"/a/{auction}/bidders").text
    file = boss.post(
        f"/a/{auction}/bidders/links.csv",
        {"bidder": ["Club A"], "person": ["=Ann"], "link": links[:1]},
    )
    assert file.text.splitlines()[1] == f"Club A,'=Ann,{links[0]}"
    ann = Person(server.url)
    ann.enter(links[0])
    assert ann.get(f"/a/{auction}/me").status_code == 200

    # Revoked, at once and with a reason.
    assert boss.post(f"/a/{auction}/bidders/revoke", {"who": "0/=Ann"}).status_code == 422
    boss.post(f"/a/{auction}/bidders/revoke", {"who": "0/=Ann", "reason": "left the club"})
    assert ann.get(f"/a/{auction}/me").status_code == 401
    assert "no valid link" in boss.get(f"/a/{auction}/bidders").text


def test_commands_want_a_reason_and_what_is_final_the_name(running, boss):
    """Tests that a blank reason, a wrong name and a wrong number are told at their fields."""
    do = running.path("do")
    assert "Please give a reason" in problems(boss.post(f"{do}/pause", {"reason": " "}))
    cookies = f"__Host-boca={boss.cookie}; __Host-boca-language=de"
    form = {"csrf": boss.form_token(), "reason": " "}
    german = boss.client.post(
        f"{boss.url}{do}/pause", data=form, headers={**boss.headers(), "Cookie": cookies}
    )
    assert "Bitte geben Sie einen Grund an" in problems(german)
    few = boss.post(f"{do}/extend", {"minutes": "soon", "reason": "asked for"})
    assert "expected a whole number of minutes" in problems(few)
    cancel = boss.post(f"{do}/cancel", {"reason": "no", "name": "another hall"})
    assert cancel.status_code == 422
    assert "The name does not match" in problems(cancel)
    assert boss.post(f"{do}/close", {"name": "village hall"}).status_code == 409
    assert boss.get(f"{do}/close").status_code == 409
    assert boss.get(f"{do}/nonsense").status_code == 404


def test_bidders_are_told_why_it_rests(running, boss):
    """Tests that the reason of a pause is on every page of a bidder, and gone afterwards."""
    do = running.path("do")
    assert boss.post(f"{do}/pause", {"reason": "A <storm>."}).status_code == 303
    for page in ("me", "answers", "rules"):
        assert "A &lt;storm&gt;." in running["Club A"].get(running.path(page)).text
    assert boss.post(f"{do}/resume", {"reason": "over"}).status_code == 303
    assert "storm" not in running["Club A"].get(running.path("me")).text


def test_bidders_are_told_why_the_deadline_moved(running, boss):
    """Tests that what the page of the command promises holds: everybody is told the reason."""
    more = {"minutes": "5", "reason": "The bus was late."}
    assert boss.post(running.path("do/extend"), more).status_code == 303
    told = running["Club A"].get(running.path("me")).text
    assert "The deadline was moved: The bus was late." in told


def test_entry_for_a_bidder_needs_reason_name_and_ticks(running, boss):
    """Tests the way of an entry on behalf: typed, checked, sent; it stands in the log."""
    page = running.path("bidders/2")
    query = running.queries("Club B")[0]["id"]
    assert boss.post(page, {}).status_code == 422
    assert boss.post(page, {f"value.{query}": "a lot"}).status_code == 422
    checked = boss.post(page, {f"value.{query}": "0"})
    content = re.search(r'name="content" value="([^"]+)"', checked.text)[1].replace("&#34;", '"')
    fields = {"content": content, "basis": "", "reason": "", "name": "village hall"}
    assert "Give a reason" in problems(boss.post(f"{page}/enter", fields))
    fields["reason"] = "Told by phone."
    wrong = boss.post(f"{page}/enter", {**fields, "name": "hall"})
    assert "The name does not match" in problems(wrong)
    unticked = boss.post(f"{page}/enter", fields)
    assert unticked.status_code == 422
    ticks = re.findall(r'name="tick" value="([^"]+)"', unticked.text)
    sent = boss.post(f"{page}/enter", {**fields, "tick": ticks})
    assert sent.status_code == 303
    assert "Told by phone." in boss.get(page).text
    assert "the auctioneer, on behalf" in boss.get(page).text
    receipts = running["Club B"].get(running.path("answers")).text
    assert "receipts/" in receipts


def test_slip_of_a_bidder_is_corrected_on_its_behalf(running, boss):
    """Tests that the auctioneer can correct what the rules permit, and what was there before."""
    page = running.path("bidders/3")
    query = running.queries("Club C")[0]["id"]
    body = {"answers": [{"query": query, "value": "999.00"}]}
    running.client("Club C").post(f"/auctions/{running.auction}/submissions", body, "club-c-slips")
    assert "cannot be read" in problems(boss.post(page, {"correct-0": "a lot"}))
    checked = boss.post(page, {"correct-0": "99.90"})
    assert "999.00 EUR" in checked.text  # what it was
    hidden = dict(re.findall(r'name="(content|basis)" value="([^"]*)"', checked.text))
    fields = {name: html.unescape(value) for name, value in hidden.items()}
    fields |= {"reason": "A digit too many, says Cleo.", "name": "village hall"}
    ticks = re.findall(r'name="tick" value="([^"]+)"', checked.text)
    assert boss.post(f"{page}/enter", {**fields, "tick": ticks}).status_code == 303
    after = boss.get(page).text
    assert "A digit too many, says Cleo." in after
    assert "99.90 EUR" in after


def test_sealed_values_are_on_no_page_of_the_auctioneer(server, clerk, boss):
    """Tests that the desk of a sealed auction shows counts and no values, bundles or chart."""
    sale = new_sale(server, clerk, market_text(2, sealed_from_auctioneer="true"))
    sale.answer("Club A", "77.77")
    for page in ("run", "bidders", "bidders/1", "log", "log.jsonl", "outcome", "proofs"):
        text = boss.get(sale.path(page)).text
        assert "77.77" not in text, page
        # As a number: hashes, of which the log has thousands of digits, may hold these by chance.
        assert not re.search(r"\b7777\b", text), page
    assert "seal values and questions" in boss.get(sale.path("bidders/1")).text
    refused = boss.post(sale.path("bidders/1"), {})
    assert refused.status_code == 403


def test_sealed_auctions_are_not_unsealed_in_three_clicks(server, clerk, boss):
    """Tests that the page makes no auditor's or second link, and bidders read who can read them."""
    sale = new_sale(server, clerk, market_text(2, sealed_from_auctioneer="true"))
    page = boss.get(sale.path("bidders")).text
    assert "boca admin link DATA" in page
    assert 'value="auditor"' not in page
    assert 'value="again"' not in page
    for fields in (
        {"do": "more", "whose": "auditor", "person-more": "Zoe"},
        {"do": "again", "who": "0/Pat of Club A"},
    ):
        refused = boss.post(sale.path("bidders"), fields)
        assert refused.status_code == 403
        assert "/enter/" not in refused.text
    link = issue(server.data, None, "auditor", sale.auction, "Eve")
    Person(server.url).enter(f"{server.url}/enter/{link}")
    for name in ("me", "answers", "push", "rules", "sessions", "sheet"):
        text = sale["Club A"].get(sale.path(name)).text
        assert "An auditor can read your answers: Eve." in text, name
        assert "one other device, program, passkey or unused link" in text, name
    rules = sale["Club A"].get(sale.path("rules")).text
    assert "nobody but you and an auditor sees your answers" in rules
    assert "nobody but you, the auctioneer" not in rules
    log = boss.get(sale.path("log")).text
    assert "whoever runs the server" in log


def test_auditors_see_the_same_pages_without_buttons(server, ended, boss):
    """Tests that an auditor's pages have no form that changes anything, and no link to one."""
    lou = Person(server.url)
    link = f"{server.url}/enter/{issue(server.data, None, 'auditor', ended.auction, 'Lou')}"
    assert lou.enter(link).headers["location"] == ended.path("run")
    assert 'href="/?show=archive"' in lou.get("/").text
    for page in ("run", "bidders", "bidders/1", "outcome", "log", "proofs", "rules"):
        text = lou.get(ended.path(page)).text
        # Everybody may choose a language.
        assert re.findall(r'<form method="post"( action="[^"]*")?', text) == [' action="/language"']
        assert 'href="do/' not in text, page
    own, theirs = (p.get(ended.path("log.jsonl")).text.splitlines() for p in (lou, boss))
    assert own[:-1] == theirs[:-1]  # the signed head has the time


def test_the_outcome_page_shows_what_each_audience_sees(ended, boss):
    """Tests that the auctioneer's page and the bidder's and public pages say the same."""
    page = boss.get(ended.path("outcome")).text
    result = ended["Club A"].get(ended.path("result")).text
    payment = re.search(r"You pay</dt><dd>([^<]+)<", result)[1]
    section = page[page.index("<summary>Club A") :]
    assert re.search(r"You pay</dt><dd>([^<]+)<", section)[1] == payment
    for row in re.findall(r'<tr><th scope="row">Club.*?</tr>', result):
        assert row in page
    names = re.findall(r"audience.><summary>([^<]+)<", page)
    wins = [f'<tr><th scope="row">{name}</th>' in page for name in names]
    assert wins == sorted(wins, reverse=True)


def test_many_who_receive_nothing_are_folded():
    """Tests that a list of names is open for a dozen, and behind a click for more."""
    template = environment().get_template("outcome.html")
    for number, is_folded in ((12, False), (13, True)):
        lines = [SimpleNamespace(name=f"Club {k}", wins=False) for k in range(number)]
        page = template.render(
            t=load("en"), lines=lines, is_preview=True, has_bids=False, goods=(), rule=""
        )
        assert f"{number} receive nothing:" in page
        assert f"and Club {number - 1}." in page
        assert ("<details>" in page) == is_folded


def test_the_server_checks_its_own_log(ended, boss):
    """Tests that the proofs of a decided auction come by themselves and hold."""
    deadline = time.monotonic() + 120
    while "being checked" in (page := boss.get(ended.path("proofs")).text):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    assert "Everything holds." in page
    assert len(re.findall(r'<th scope="row">V\d+</th>', page)) == 11
    cookies = f"__Host-boca={boss.cookie}; __Host-boca-language=de"
    headers = {**boss.headers(), "Cookie": cookies}
    page = boss.client.get(boss.url + ended.path("proofs"), headers=headers).text
    assert "Alles stimmt." in page
    assert "Die Zahlungen folgen aus den Geboten" in page


def test_verdicts_are_concluded_in_the_readers_language():
    """Tests logs that fail, that have not ended, and that are sealed in part."""
    holds = Check("V1", "holds", "3 records.")
    late = Finding("It came late.", 7)
    wrong = Check.of("V6", [late, Finding("A receipt is missing.")], "", notes=["Read it."])
    sealed = Check("V9", "sealed", "Sealed.")
    for checks, has_ended, sentence in (
        ((holds, wrong, sealed), True, "Etwas ist falsch: V6 stimmt nicht."),
        ((holds, sealed), True, DE("proofs.rest_holds")),
        ((holds, sealed), False, f"{DE('proofs.rest_holds')} {DE('proofs.not_ended')}"),
        ((holds,), True, "Alles stimmt."),
    ):
        verdict = Verdict(checks, Given(), has_ended=has_ended)
        assert conclusion(DE, verdict.to_dict()) == sentence
    assert details(DE, holds.to_dict()) == ["3 records."]
    assert details(DE, wrong.to_dict()) == [
        "Eintrag 7: It came late.", "A receipt is missing.", "Read it."
    ]  # fmt: skip


def test_the_log_can_be_filtered(ended, boss):
    """Tests kind and bidder, alone and together, and a page that is not there."""

    def kinds(query: str) -> list[str]:
        text = boss.get(ended.path(f"log?{query}")).text
        return re.findall(r'<td data-label="What">([^<]+?)(?: <|<)', text)

    assert set(kinds("kind=submitted")) == {"submission taken"}
    assert len(kinds("kind=submitted&bidder=0")) < len(kinds("kind=submitted"))
    assert kinds("kind=nonsense") == []
    assert kinds("page=999") == kinds("page=1")


def test_a_rehearsal_gets_its_programs_and_stays_one(server, boss, clerk, draft):
    """Tests that ticked bidders are played by programs, which join and answer by themselves."""
    made = boss.post(draft.path("rehearse"), {"bot": ["0", "1"], "time": "short", "key": "r" * 9})
    auction = made.headers["location"].split("/")[2]
    page = boss.get(f"/a/{auction}/run").text
    assert "<title>REHEARSAL" in page
    assert "Nothing here is binding" in page
    again = boss.post(f"/a/{auction}/rehearse", {"bot": ["0"], "do": "again"})
    assert again.status_code == 409  # they are at work
    real = boss.post(draft.path("rehearse"), {"bot": ["0"], "do": "again"})
    assert real.status_code == 403
    boss.post(f"/a/{auction}/do/start", {})
    deadline = time.monotonic() + 120
    while "submission taken" not in boss.get(f"/a/{auction}/log").text:
        assert time.monotonic() < deadline
        time.sleep(0.5)
    assert clerk.client.get(f"/auctions/{auction}")["is_rehearsal"]
    boss.post(f"/a/{auction}/do/cancel", {"reason": "enough", "name": "village hall"})


def test_an_ended_auction_is_copied_as_a_new_one(server, boss, clerk):
    """Tests that the same sale can be held again, once the first one is over, and pressed once."""
    sale = new_sale(server, clerk, market_text(2), start=False)
    copy = {"do": "new", "key": "the-same-again"}
    assert boss.post(sale.path("rehearse"), copy).status_code == 409
    assert "Copy as a new auction" not in boss.get(sale.path("rehearse")).text
    boss.post(sale.path("do/cancel"), {"reason": "rain", "name": "village hall"})
    assert "Copy as a new auction" in boss.get(sale.path("rehearse")).text
    places = {boss.post(sale.path("rehearse"), copy).headers["location"] for _ in range(2)}
    (place,) = places  # the second press made no second auction
    copy = clerk.client.get(f"/auctions/{place.split('/')[2]}")
    assert (copy["phase"], copy["is_rehearsal"], copy["name"]) == ("draft", False, "village hall")
