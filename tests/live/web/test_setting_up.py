"""A newcomer sets an auction up by the form alone, and edits it until it starts."""

import html
import io
import os
import re
from pathlib import Path

import httpx
import openpyxl
import pytest
from live_browser import NARROW, WIDE, Visit
from live_server import Person, market_text, wait_for

from boca.cli.admin.links import issue

GOODS = [("Hall A", 1), ("Hall B", 1), ("Kitchen", 1), ("Stage", 1), ("Bar", 1),
         ("Tables", 6), ("Chairs", 8), ("Lamps", 4)]  # fmt: skip
BIDDERS = ("Choir", "Chess club", "School", "Theatre", "Band", "Parish")
# Where pictures of the pages are kept for whoever wants to look at them.
PICTURES = os.environ.get("BOCA_PICTURES")


@pytest.fixture(scope="module")
def boss(server):
    """An auctioneer with a session."""
    person = Person(server.url)
    token = issue(server.data, None, "auctioneer", None, "Nora")
    person.enter(f"{server.url}/enter/{token}")
    return person


def look(visit, name: str) -> None:
    """A page is not wider than its window; keeps a picture of it, if somebody wants them."""
    visit.page.wait_for_load_state()
    if not name.startswith("plain"):
        assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if PICTURES:
        visit.page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


def press(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


KINDS = {
    "wide": {"size": WIDE},
    "plain": {"size": NARROW, "javascript": False},
    "dark": {"size": NARROW, "scheme": "dark"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_six_bidders_and_eight_goods_by_the_form_alone(browser, server, boss, kind):
    """
    Tests the way of somebody who has never seen a market file: goods, bidders, limits, rules and
    people, one mistake on the way, links for everybody in the end; on a phone, without JavaScript.
    """
    visit = Visit(browser, server.url, **KINDS[kind])
    visit.sign_in(boss)
    page = visit.page
    page.set_default_timeout(20_000)
    page.goto(f"{server.url}/new")
    look(visit, f"{kind}-new")
    found = visit.axe() if kind != "plain" else []
    press(page, "A sale")

    page.get_by_label("Name of the auction").fill(f"Rooms {kind}")
    for number, (name, copies) in enumerate(GOODS):
        page.locator(f"#goods-{number}-name").fill(name)
        if copies > 1:
            page.locator(f"#goods-{number}-copies").fill(str(copies))
    page.locator("#goods-5-copies").fill("six")
    press(page, "Save and continue to 2. Bidders")
    problem = page.locator("#problems a")
    assert problem.inner_text().startswith("Copies of Tables: found 'six'; expected a whole number")
    look(visit, f"{kind}-mistake")
    found += visit.axe() if kind != "plain" else []
    page.locator("#goods-5-copies").fill("6")
    look(visit, f"{kind}-goods")
    press(page, "Save and continue to 2. Bidders")

    page.locator("#every-at_most").fill("12")
    page.locator("#every-conflicts").fill("Hall A + Hall B")
    press(page, "Add 5 rows")
    assert page.locator("#bidders-12-name").count()
    for number, name in enumerate(BIDDERS):
        page.locator(f"#bidders-{number}-name").fill(name)
    page.locator("#bidders-1-at_most_of_each").fill("4")
    page.locator("#bidders-2-forbidden").fill("Bar")
    look(visit, f"{kind}-bidders")
    found += visit.axe() if kind != "plain" else []
    press(page, "Save and continue to 3. Rules")

    page.get_by_label("Method").select_option("random")
    page.get_by_label("Questions in the first round").fill("4")
    page.get_by_label("Questions in all").fill("8")
    page.get_by_label("A round ends early once everybody has answered").check()
    look(visit, f"{kind}-rules")
    found += visit.axe() if kind != "plain" else []
    press(page, "Save and continue to 4. People")

    for number, name in enumerate(BIDDERS):
        page.locator(f"#bidders-{number}-people").fill(f"Pat of {name}")
    page.locator("#auditors").fill("Kim")
    look(visit, f"{kind}-people")
    press(page, "Save and continue to Check")

    page.get_by_role("button", name="Create this auction").wait_for()
    text = page.locator("main").inner_text()
    assert "only one of Hall A, Hall B" in text
    assert "none of Bar" in text
    look(visit, f"{kind}-check")
    found += visit.axe() if kind != "plain" else []
    press(page, "Create this auction")
    page.locator(".secret").first.wait_for()
    assert page.locator(".secret").count() == 7
    look(visit, f"{kind}-links")
    assert found == []
    assert visit.complaints == []
    visit.close()


def test_goods_from_a_spreadsheet_and_bidders_from_the_clipboard(browser, server, boss):
    """Tests a template whose rows are replaced by an XLSX file and by pasted cells."""
    book = openpyxl.Workbook()
    for row in (("Licence", "Blocks", "Reserve price", "Points"), ("700 MHz", 6, 5000, 4),
                ("3.6 GHz", 10, 1000, 1)):  # fmt: skip
        book.active.append(row)
    content = io.BytesIO()
    book.save(content)
    visit = Visit(browser, server.url)
    visit.sign_in(boss)
    page = visit.page
    page.goto(f"{server.url}/new")
    press(page, "Start from this Spectrum")
    page.locator("summary").click()
    sheet = {"name": "bands.xlsx", "mimeType": "application/octet-stream"}
    page.locator("#file").set_input_files([{**sheet, "buffer": content.getvalue()}])
    press(page, "Use this table")
    assert page.locator("#goods-1-name").input_value() == "3.6 GHz"
    assert page.locator("#goods-1-price").input_value() == "1000"
    press(page, "Save and continue to 2. Bidders")
    page.locator("summary").click()
    page.locator("#pasted").fill("Bidder\tCredits\tContact\nAlfa\t20\tAl\nBravo\t\tBo, Bea\n")
    press(page, "Use this table")
    assert page.locator("#bidders-0-credit_budget").input_value() == "20"
    press(page, "4. People")
    assert page.locator("#bidders-1-people").input_value() == "Bo, Bea"
    press(page, "Save and continue to Check")
    # The template seals values from the auctioneer, who can make one link per bidder then.
    assert "expected one name" in page.locator("#problems").inner_text()
    page.locator("#bidders-1-people").fill("Bo")
    press(page, "Save and continue to Check")
    page.get_by_role("button", name="Create this auction").wait_for()
    assert "at most 20 credits" in page.locator("main").inner_text()
    press(page, "Discard this form")
    visit.close()


def test_all_mistakes_lead_to_their_fields(server, boss):
    """Tests the last step of a form with mistakes on three pages, and pages that are not there."""
    begun = boss.post("/new/form", {"pattern": "lots"})
    path = begun.headers["location"].removesuffix("/goods")
    boss.post(f"{path}/goods", {"do": "goods", "name": "", "goods-0-name": "a"})
    boss.post(f"{path}/bidders", {"do": "bidders", "bidders-0-name": "b", "every-at_most": "x"})
    boss.post(f"{path}/rules", {"do": "rules", "num_total": "0"})
    page = boss.get(f"{path}/check")
    assert page.status_code == 422
    links = re.findall(rf'href="{path}/(\w+)\?wrong#([\w-]+)"', page.text)
    assert {("goods", "name"), ("bidders", "every-at_most"), ("rules", "num_total")} <= set(links)
    assert 'id="num_total-error"' in boss.get(f"{path}/rules?wrong").text
    assert boss.post(f"{path}/check", {"do": "make"}).status_code == 422
    assert boss.get(f"{path}/nothing").status_code == 404
    boss.post(f"{path}/check", {"do": "discard"})
    assert boss.get(f"{path}/goods").status_code == 404


def test_the_row_whose_button_was_pressed_is_removed(boss):
    """Tests a table whose first row was emptied in the same moment."""
    path = boss.post("/new/form", {"pattern": "lots"}).headers["location"]
    typed = {f"goods-{k}-name": name for k, name in enumerate(("", "mill", "barn"))}
    page = boss.post(path, {"do": "remove-1", "name": "Farm", **typed}).text
    assert 'value="barn"' in page
    assert 'value="mill"' not in page
    boss.post(path.replace("goods", "check"), {"do": "discard"})


def test_a_draft_has_one_form_however_often_it_is_edited(clerk, boss):
    """Tests that forms of drafts do not pile up, and that one that was left is found again."""
    auction = clerk.create(market_text(2))
    begun = [boss.post(f"/a/{auction}/edit", {"do": "form"}) for _ in range(2)]
    assert begun[0].headers["location"] == begun[1].headers["location"]
    path = begun[0].headers["location"]
    assert f'href="{path}"' in boss.get(f"/a/{auction}/edit").text
    boss.post(path.replace("goods", "check"), {"do": "discard"})
    assert "/setup/" not in boss.get(f"/a/{auction}/edit").text


def test_a_form_that_was_left_is_found_again(boss):
    """Tests that the page for a new auction leads back to what is not finished."""
    begun = boss.post("/new/form", {"pattern": "seats"}).headers["location"]
    assert f'href="{begun}"' in boss.get("/new").text
    filled = boss.post("/new/form", {"do": "fill", "text": market_text(2)})
    assert "Club B" in boss.get(filled.headers["location"].replace("goods", "bidders")).text
    wrong = boss.post("/new/form", {"do": "fill", "text": "name = 3"})
    assert wrong.status_code == 422


def test_a_draft_is_edited_and_everybody_sees_what_changed(browser, server, clerk, boss):
    """
    Tests that links stay good, that the log says old and new, that people are told, and that
    nothing can be edited once the auction has started.
    """
    auction = clerk.create(market_text(3))
    link = clerk.link(auction, "Club A", "Ada")
    visit = Visit(browser, server.url)
    visit.sign_in(boss)
    page = visit.page
    page.goto(f"{server.url}/a/{auction}/run")
    page.get_by_role("link", name="Edit the draft").click()
    look(visit, "edit")
    press(page, "Edit in the form")
    page.locator("#goods-0-copies").fill("2")
    press(page, "Save and continue to 2. Bidders")
    page.locator("#bidders-2-name").fill("Club Z")
    press(page, "Save and continue to 3. Rules")
    page.get_by_label("Own bids per bidder").fill("7")
    press(page, "Save and continue to Check")
    page.get_by_role("button", name="Save the changes").wait_for()
    look(visit, "edit-check")
    rows = page.locator("table").first.inner_text()
    assert "Good hall\t1 copy\t2 copies" in rows
    assert "Bidder number 3\tClub C\tClub Z" in rows
    assert visit.axe() == []
    press(page, "Save the changes")
    page.goto(f"{server.url}/a/{auction}/log?kind=configured")
    look(visit, "edit-log")
    told = page.locator("main").inner_text()
    assert re.search(r"Own bids per bidder: was \d+, is now 7", told)
    assert visit.axe() == []
    ada = Person(server.url)
    assert ada.enter(link).status_code == 303
    assert "please read the page Rules again" in ada.get(f"/a/{auction}/me").text
    assert "Club A" in ada.get(f"/a/{auction}/me").text
    visit.close()

    text = market_text(3).replace('"Club A"', '"Club Q"').replace('"Club B"', '"Club A"')
    moved = boss.post(f"/a/{auction}/edit", {"do": "file", "text": text})
    assert moved.status_code == 409
    assert "People were invited for &#39;Club A&#39;" in moved.text
    for name in ("Club B", "Club Z"):
        clerk.link(auction, name, "Bo")
    clerk.do(auction, "start", {"accept_missing": True})
    assert boss.get(f"/a/{auction}/edit").status_code == 409
    assert boss.post(f"/a/{auction}/edit", {"do": "form"}).status_code == 409


def test_two_people_let_an_auditor_in_and_close(server, clerk, boss):
    """Tests the desk of both: what waits is named, the first cannot confirm, the second can."""
    auction = clerk.create(market_text(2, second_person='["auditor", "close"]'))
    other = Person(server.url)
    other.enter(f"{server.url}/enter/{issue(server.data, None, 'auctioneer', None, 'Yan')}")
    form = {"do": "more", "whose": "auditor", "person-more": "Kim"}
    first = boss.post(f"/a/{auction}/bidders", form)
    assert "another auctioneer does the same" in first.text
    assert "/enter/" not in first.text
    desk = other.get(f"/a/{auction}/run").text
    assert "A link for the auditor Kim:" in desk
    assert "proposed by Nora" in desk
    assert "Look at it and do the same" in desk
    own = boss.get(f"/a/{auction}/run").text
    assert "once somebody else does the same" in own
    assert "Look at it and do the same" not in own
    assert "proposed this yourself" in boss.post(f"/a/{auction}/bidders", form).text
    assert "/enter/" in other.post(f"/a/{auction}/bidders", form).text
    assert "proposed by Nora" not in other.get(f"/a/{auction}/run").text
    assert "letting an auditor in" in boss.get(f"/a/{auction}/rules").text

    form = {"do": "more", "whose": "auditor", "person-more": "Lee"}
    other.post(f"/a/{auction}/bidders", form)
    (proposal,) = re.findall(r'name="proposal" value="(\w+)"', boss.get(f"/a/{auction}/run").text)
    boss.post(f"/a/{auction}/withdraw", {"proposal": proposal})
    assert "Lee" not in boss.get(f"/a/{auction}/run").text


def test_a_bidder_accepts_the_rules_and_two_of_its_people_send(server, clerk, boss):
    """Tests the tick, what waits for the second person, and that drafts are there for both."""
    rules = {"approval": "true", "accept_rules": "true", "num_initial": "1", "num_total": "1"}
    auction = clerk.create(market_text(1, **rules))
    ann, amy = Person(server.url), Person(server.url)
    for person, name in ((ann, "Ann"), (amy, "Amy")):
        person.enter(clerk.link(auction, "Club A", name))
    clerk.do(auction, "start", {"accept_missing": False})
    wait_for(clerk, auction, "open")
    here = f"/a/{auction}"
    assert "accept the rules on the page Rules" in ann.get(f"{here}/me").text
    ann.post(f"{here}/me", {"value.r0-b1-q1": "12.00", "do": "check"})
    assert "once another person of Club A has confirmed" in ann.get(f"{here}/check").text
    assert send(ann, here).status_code == 403
    assert ann.post(f"{here}/rules", {}).status_code == 422
    read = re.search(r'name="rules" value="(\w+)"', ann.get(f"{here}/rules").text)[1]
    assert ann.post(f"{here}/rules", {"rules": "0" * 64, "accept": "yes"}).status_code == 409
    assert ann.post(f"{here}/rules", {"rules": read, "accept": "yes"}).status_code == 303
    assert send(ann, here).headers["location"] == f"{here}/me"
    assert "once you confirm" in amy.get(f"{here}/check").text
    assert "What you sent on" in ann.get(f"{here}/me").text
    assert "Ann has sent answers" in amy.get(f"{here}/me").text
    desk = boss.get(f"{here}/run")
    assert desk.status_code == 200
    assert "proposed by" not in desk.text
    assert "/receipts/" in send(amy, here).headers["location"]
    assert "Ann has sent answers" not in amy.get(f"{here}/answers").text


def send(person: Person, here: str):
    """Confirms what the page Check and send shows."""
    page = person.get(f"{here}/check").text
    fields = {
        name: html.unescape(re.search(rf'name="{name}" value="([^"]*)"', page)[1])
        for name in ("content", "basis")
    }
    ticks = re.findall(r'name="tick" value="([^"]+)"', page)
    return person.post(f"{here}/check", {**fields, "tick": ticks})


def test_a_token_for_reading_reads_and_does_nothing_else(server, clerk, boss):
    """Tests names and scopes of tokens: of a bidder's program, and of the auctioneer's."""
    auction = clerk.create(market_text(1))
    ann = Person(server.url)
    ann.enter(clerk.link(auction, "Club A", "Ann"))
    made = ann.post(f"/a/{auction}/sessions/token", {"name": "board's  copy", "scope": "read"})
    assert "board&#39;s copy" in made.text
    call = f"{server.url}/api/v1/auctions/{auction}"
    header = {"Authorization": f"Bearer {secret(made)}", "Idempotency-Key": "reads-and-writes"}
    assert httpx.get(f"{call}/rules", headers=header).status_code == 200
    assert httpx.post(f"{call}/check", headers=header, json={}).status_code == 200
    sent = httpx.post(f"{call}/submissions", headers=header, json={"declines": ["r0-b1-q1"]})
    assert sent.status_code == 403
    assert "for reading alone" in sent.text
    made = boss.post("/sessions/token", {"name": "wall", "scope": "read"})
    header["Authorization"] = f"Bearer {secret(made)}"
    assert httpx.get(f"{call}/progress", headers=header).status_code == 200
    said = httpx.post(f"{call}/announce", headers=header, json={"text": "hello"})
    assert said.status_code == 403
    made = boss.post("/sessions/token", {})
    header["Authorization"] = f"Bearer {secret(made)}"
    said = httpx.post(f"{call}/announce", headers=header, json={"text": "hello"})
    assert said.status_code == 200


def secret(page) -> str:
    """The token that a page shows this once."""
    return re.search(r'class="secret"[^>]*>([^<]+)<', page.text)[1].strip()


def test_another_language_keeps_what_was_typed(browser, server, boss):
    """Tests that the step which is open comes back in the language, with amounts as it has them."""
    visit = Visit(browser, server.url)
    visit.sign_in(boss)
    page = visit.page
    page.goto(f"{server.url}/new")
    press(page, "A sale")
    page.get_by_label("Name of the auction").fill("Two halls")
    page.locator("#goods-0-name").fill("Hall A")
    page.locator("#goods-0-price").fill("1,200.50")
    press(page, "Deutsch")
    page.get_by_label("Name der Auktion").wait_for()
    assert page.url.endswith("/goods")
    assert page.locator("#name").input_value() == "Two halls"
    assert page.locator("#goods-0-price").input_value() == "1200,50"
    assert page.locator(".languages [aria-current]").inner_text() == "Deutsch"
    page.locator("#goods-0-price").fill("1.300,25")
    press(page, "English")
    page.get_by_label("Name of the auction").wait_for()
    assert page.locator("#goods-0-price").input_value() == "1300.25"
    press(page, "Save and continue to 2. Bidders")
    page.locator("#bidders-0-name").fill("Choir")
    press(page, "Français")
    page.locator("html[lang=fr]").wait_for()
    assert page.locator("#bidders-0-name").input_value() == "Choir"
    assert visit.axe() == []
    assert visit.complaints == []
    visit.close()
