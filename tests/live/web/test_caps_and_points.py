"""Spending caps and the activity rule on pages and in calls, and what own bids can cost."""

import os
import re
from pathlib import Path

import pytest
from live_browser import NARROW, WIDE, Visit
from live_server import Person, market_text, new_sale, wait_for
from page_parts import errors_of, fields_of

from boca.cli.admin.links import issue
from boca.core.message import msg, msgn
from boca.live.bots.client import Refused
from boca.live.web.texts import load

GOODS = ("hall", "kitchen", "chairs")
POINTS = (3, 2, 1)
PICTURES = os.environ.get("BOCA_PICTURES", "")


@pytest.fixture(scope="module")
def limited(server, clerk):
    """
    An auction whose first round asks everybody at prices; all goods together have 8 points.

    Club A has a spending cap, Club B fewer points; Club C has neither.
    """
    text = market_text(
        3,
        mechanism='"ml-cca"',
        num_initial="1",
        num_total="4",
        start_prices='{ hall = "5.00", kitchen = "2.00", chairs = "1.00" }',
        points="{ hall = 3, kitchen = 2, chairs = 1 }",
        spending_caps='{ "Club A" = "20.00" }',
        eligibility='{ "Club B" = 5 }',
        reserve='{ hall = "1.00" }',
        listed="true",
    )
    return new_sale(server, clerk, text)


@pytest.fixture(scope="module")
def boss(server):
    """The auctioneer's browser."""
    person = Person(server.url)
    person.enter(f"{server.url}/enter/{issue(server.data, None, 'auctioneer', None, 'Nora')}")
    return person


def composed(sale, bidder, *copies):
    """The fields of the form for the open question of a bidder."""
    (query,) = sale.queries(bidder)
    return {f"copies.{query['id']}.{j}": str(n) for j, n in enumerate(copies)}


def send(sale, bidder):
    """Confirms what the check page shows."""
    page = sale[bidder].get(sale.path("check")).text
    ticks = re.findall(r'name="tick" value="(\w+)"', page)
    fields = {**fields_of(page), "tick": ticks, "do": "confirm"}
    assert sale[bidder].post(sale.path("check"), fields).status_code == 303


def facts_of(page):
    """Names and texts of the list of facts of a page."""
    pairs = re.findall(r"<dt>(.*?)</dt><dd[^>]*>(.*?)</dd>", page)
    return dict(pairs)


def test_rules_are_told_to_everybody_as_they_concern_them(limited, boss):
    """Tests the page Rules of three bidders, of the auctioneer and of the public."""
    club_a, club_b, club_c = (
        limited[f"Club {letter}"].get(limited.path("rules")).text for letter in "ABC"
    )
    assert "Your spending cap is 20.00 EUR" in club_a
    assert "You have no spending cap" in club_b
    assert "your eligibility is 5." in club_b
    assert "your eligibility is 8." in club_c
    staff = boss.get(limited.path("rules")).text
    assert "Club A: at most 20.00 EUR" in staff
    assert "Club B: eligibility 5 at the first prices" in staff
    public = Person(limited.server.url).get(limited.path("public")).text
    assert "One bidder has a spending cap" in public
    for page in (club_a, club_b, club_c, staff, public):
        assert "programs of everybody who takes part can read all of them" in page
        assert "counts as choosing nothing" in page
        assert "can be changed in its own round only" in page  # corrections are free
        assert "Nothing else happens" not in page
        points = re.findall(r'data-label="Points per copy">(\d+)<', page)
        assert points == ["3", "2", "1"]
    for page in (club_b, club_c, public):
        assert "20.00 EUR" not in page


def test_a_choice_beyond_the_eligibility_is_refused(limited, boss):
    """Tests page, call and entry on behalf, with the number that may be used."""
    club = limited["Club B"]
    page = club.get(limited.path("me")).text
    assert "you may choose bundles of up to 5 points" in page
    assert [f"{n} point{'s' * (n > 1)}</small>" in page for n in POINTS] == [True] * 3
    fields = composed(limited, "Club B", 1, 1, 1)
    club.post(limited.path("me"), {**fields, "do": "draft"})
    assert "<output data-chosen>6</output>" in club.get(limited.path("me")).text
    wrong = club.post(limited.path("me"), {**fields, "do": "check"})
    assert wrong.status_code == 422
    sentence = "Found a bundle with 6 points; expected at most 5 points, your eligibility."
    assert errors_of(wrong.text) == [sentence]

    (query,) = limited.queries("Club B")
    assert query["eligibility"] == 5
    demands = [{"query": query["id"], "bundle": {"hall": 1, "chairs": 3}}]
    path = f"/auctions/{limited.auction}/submissions"
    with pytest.raises(Refused, match="expected at most 5 points"):
        limited.client("Club B").post(path, {"demands": demands}, "too-many-points")
    entered = boss.post(limited.path("bidders/2"), fields)
    assert "expected at most 5 points" in entered.text


def test_own_page_tells_what_can_be_paid(limited):
    """Tests the sums of Answers and of the check page, and that nothing goes beyond a cap."""
    club = limited["Club A"]
    before = facts_of(club.get(limited.path("answers")).text)
    assert before["Your spending cap"] == "20.00 EUR"
    assert before["Points that you may choose at announced prices"] == "8"
    push = {"good-0": "1", "good-1": "1", "good-2": "0", "amount": "20.01"}
    dear = club.post(limited.path("push"), push)
    assert dear.status_code == 422
    assert "Found 20.01 EUR; expected at most 20.00 EUR, your spending cap." in dear.text
    pushes = [{"bundle": {"hall": 1}, "value": "20.01"}]
    path = f"/auctions/{limited.auction}/submissions"
    with pytest.raises(Refused, match=r"at most 20\.00 EUR, your spending cap"):
        limited.client("Club A").post(path, {"pushes": pushes}, "beyond-the-cap")

    assert club.post(limited.path("push"), {**push, "amount": "12.50"}).status_code == 303
    check = club.get(limited.path("check")).text
    told = "you pay at most 12.50 EUR, whatever the others do; without it, at most 0.00"
    assert told in check
    assert "Your spending cap is 20.00 EUR." in check
    send(limited, "Club A")
    fields = composed(limited, "Club A", 1, 0, 1)
    assert club.post(limited.path("me"), {**fields, "do": "check"}).status_code == 303
    send(limited, "Club A")
    page = club.get(limited.path("answers")).text
    facts = facts_of(page)
    assert facts["Left below the cap"] == "7.50 EUR"
    chosen = "Points that you chose in this round; your eligibility at the next prices"
    assert facts[chosen] == "4"
    assert "you pay at most 12.50 EUR" in page
    table = page.partition("Your 2 bids that can win")[2].partition("</table>")[0]
    amounts = re.findall(r'data-label="You pay at most">([^<]+)<', table)
    # Hall and kitchen for 12.50 would have left 5.50, so hall and a chair leave that at least.
    assert amounts == ["12.50 EUR", "11.50 EUR"]
    assert "your choices at announced prices" in table
    least = re.findall(r'data-label="and at least, by reserve prices">([^<]+)<', table)
    assert least == ["1.00 EUR", "1.00 EUR"]


def choose(sale, **bundles):
    """Everybody answers at the first prices, if it has not, and the next ones are announced."""
    path = f"/auctions/{sale.auction}/submissions"
    for letter, bundle in bundles.items():
        bidder = f"Club {letter}"
        for query in sale.queries(bidder):
            demands = [{"query": query["id"], "bundle": bundle}]
            if query["round"] == 0:
                sale.client(bidder).post(path, {"demands": demands}, f"first-prices-{letter}")
    wait_for(sale.clerk, sale.auction, "open", round_=1)


def test_the_next_round_has_what_was_chosen(limited):
    """Tests the page and the call of a later round, and that earlier choices are final."""
    choose(limited, A={"hall": 1, "chairs": 1}, B={}, C={"kitchen": 1})
    numbers = [limited.queries(f"Club {letter}")[0]["eligibility"] for letter in "ABC"]
    assert numbers == [4, 0, 2]
    page = limited["Club B"].get(limited.path("me")).text
    assert "you have no points left" in page
    answers = limited["Club A"].get(limited.path("answers")).text
    assert "Choose again" not in answers
    assert "can be changed in its own round only" in answers
    wrong = limited["Club B"].post(
        limited.path("me"), {**composed(limited, "Club B", 0, 0, 1), "do": "check"}
    )
    assert "expected nothing; you have no points left to choose with" in wrong.text


@pytest.mark.parametrize(("name", "size"), [("wide", WIDE), ("narrow", NARROW)])
def test_pages_in_a_browser(browser, limited, boss, name, size):
    """Tests points while somebody types, and that pages keep to the window and to axe's rules."""
    choose(limited, A={"hall": 1, "chairs": 1}, B={}, C={"kitchen": 1})
    visit = Visit(browser, limited.server.url, size)
    visit.sign_in(limited["Club C"])
    page = visit.page
    page.goto(limited.server.url + limited.path("me"))
    page.locator("input.copies").nth(2).fill("2")
    assert page.locator("[data-chosen]").inner_text() == "2"
    page.locator("input.copies").nth(0).fill("1")
    assert page.locator("[data-chosen]").inner_text() == "5"
    page.locator("input.copies").nth(0).fill("x")
    assert page.locator("[data-chosen]").inner_text() == "\u2013"
    look(visit, f"points-me-{name}")
    visit.context.clear_cookies()
    visit.sign_in(limited["Club A"])
    for path in ("me", "answers", "rules"):
        page.goto(limited.server.url + limited.path(path))
        if path == "answers":
            page.locator("details.body summary").click()
        look(visit, f"points-{path}-{name}")
    visit.context.clear_cookies()
    visit.sign_in(boss)
    begun = boss.post("/new/form", {"pattern": "spectrum"}).headers["location"]
    for path in (begun, begun.replace("/goods", "/bidders"), limited.path("rules")):
        for language in ("en", "de", "fr"):
            speak(visit, language)
            page.goto(limited.server.url + path)
            look(visit, f"points-{path.rpartition('/')[2]}-desk-{name}-{language}")
    assert visit.complaints == []
    visit.close()


def speak(visit, language):
    """Chooses a language, as the foot of a page does."""
    chosen = {"name": "__Host-boca-language", "value": language, "secure": True}
    visit.context.add_cookies([{**chosen, "domain": "localhost", "path": "/"}])


def look(visit, name):
    """A page keeps to its window and to axe's rules; a picture of it, if somebody wants them."""
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    assert visit.axe() == []
    if PICTURES:
        visit.page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


@pytest.mark.parametrize("language", ["de", "fr"])
@pytest.mark.parametrize(
    "sentence",
    [
        msg("at most {most}, your spending cap", most="20.00 EUR"),
        msg("a bundle that costs {amount}", amount="20.01 EUR"),
        msg("a bundle with {points}", points=msgn("1 point", "{n} points", 1)),
        msg("a bundle with {points}", points=msgn("1 point", "{n} points", 6)),
        msg("nothing; you have no points left to choose with"),
        msg("at most {points}, your eligibility", points=msgn("1 point", "{n} points", 5)),
        msg("a choice of the open round; earlier ones are final"),
    ],
)
def test_refusals_are_said_in_every_language(language, sentence):
    """Tests that no English sentence is left on a page in German or French."""
    said = load(language).read(sentence)
    assert said != sentence
    assert not re.search(r"\b(your|bundle|earlier|most|with)\b", said)
