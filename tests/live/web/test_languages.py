"""Each person reads its own language, and an amount means the same in all of them."""

import io
import re
from datetime import UTC, datetime

import pytest
from live_play import MECHANISMS
from live_server import Person, market_text, new_sale
from pypdf import PdfReader

from boca.core.errors import InputError
from boca.core.message import joined, msg
from boca.live.auction.decide.phases import PHASE_WORDS, tidy
from boca.live.auction.money import Money
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import read_auction_file
from boca.live.web import texts
from boca.live.web.views.draft import Draft, respelled

LANGUAGES = [name for name in texts.languages() if name != "en"]
EN, DE = Money("EUR", "0.01", "en"), Money("EUR", "0.01", "de")


class Speaker(Person):
    """Somebody whose browser keeps a language."""

    language = ""

    def headers(self) -> dict[str, str]:
        headers = super().headers()
        if self.language:
            cookie = f"__Host-boca-language={self.language}"
            headers["Cookie"] = "; ".join(filter(None, (headers.get("Cookie", ""), cookie)))
        return headers


def speaker(person: Person, language: str) -> Speaker:
    other = Speaker(person.url, person.cookie)
    other.language = language
    return other


@pytest.fixture(scope="module")
def sale(server, clerk):
    return new_sale(server, clerk, market_text(3, max_value='"9000.00"'))


def test_choosing_a_language_sets_a_cookie_and_leads_back(server, sale):
    """Tests the footer's form; nobody is led to another server by it."""
    person = sale["Club A"]
    fields = {"language": "de", "back": sale.path("me?show=open")}
    answer = person.client.post(f"{server.url}/language", data=fields, headers=person.headers())
    assert answer.headers["location"] == sale.path("me?show=open")
    assert "__Host-boca-language=de" in answer.headers["set-cookie"]
    for back in ("https://example.org/", "//example.org", "/\\example.org", "\\\\example.org"):
        fields = {"language": "de", "back": back}
        answer = person.client.post(f"{server.url}/language", data=fields, headers=person.headers())
        assert answer.headers["location"] == "/"
    fields = {"language": "xx", "back": "/"}
    answer = person.client.post(f"{server.url}/language", data=fields, headers=person.headers())
    assert "set-cookie" not in answer.headers
    foreign = {**person.headers(), "Origin": "https://example.org"}
    answer = person.client.post(f"{server.url}/language", data=fields, headers=foreign)
    assert answer.status_code == 403


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_of_a_bidder_is_in_its_language(sale, language):
    """Tests that pages say their language and hold no sentence of another one."""
    t = texts.load(language)
    person = speaker(sale["Club A"], language)
    english = texts.load("en").sentences
    for name in ("me", "sheet", "check", "answers", "push", "rules", "told", "sessions", "nowhere"):
        page = person.get(sale.path(name)).text
        assert f'<html lang="{language}"' in page
        words = re.sub(r"<[^>]*>", " ", page)
        same = {k for k, s in english.items() if t.sentences[k] == s}
        for key in ("frame.skip", "frame.server_time", "frame.questions", "me.check", "push.lead"):
            assert key in same or english[key] not in words, (name, key)
    assert "class=" in page


def test_amounts_are_typed_and_read_in_the_persons_language(sale):
    """
    Tests one bidder's two people: what one types in German is the same amount on the other's
    English page, on the check and in the log, and a slip does not become an amount.
    """
    english = sale["Club B"]
    german = speaker(english, "de")
    first, *_ = sale.queries("Club B")
    field = f"value.{first['id']}"
    german.post(sale.path("me"), {field: "1.234,50", "do": "draft"})
    assert 'value="1.234,50"' in german.get(sale.path("me")).text
    assert 'value="1,234.50"' in english.get(sale.path("me")).text
    check = german.get(sale.path("check")).text
    assert "1.234,50" in check
    assert "Bestätigen und senden" in check

    wrong = german.post(sale.path("me"), {field: "1.5", "do": "check"})
    assert wrong.status_code == 422
    assert "kann nicht gelesen werden" in wrong.text
    wrong = english.post(sale.path("me"), {field: "1,5", "do": "check"})
    assert wrong.status_code == 422

    german.post(sale.path("me"), {field: "1.234,50", "do": "draft"})
    page = german.get(sale.path("check")).text
    hidden = dict(re.findall(r'name="(basis|content)" value="([^"]*)"', page))
    content = hidden["content"].replace("&#34;", '"')
    ticks = re.findall(r'name="tick" value="([^"]*)"', page)
    # The language is changed in another tab meanwhile: the form means what it meant.
    sent = english.post(
        sale.path("check"), {"basis": hidden["basis"], "content": content, "tick": ticks}
    )
    assert sent.status_code == 303, sent.text
    receipt = english.get(sent.headers["location"]).text
    assert "1,234.50 EUR" in receipt
    assert "1.234,50 EUR" in german.get(sent.headers["location"]).text


def test_everything_about_an_outcome_is_in_one_notation(server, ended):
    """Tests the sums behind payments, on the page of a bidder, of the auctioneer, and on paper."""
    boss = speaker(server.boss, "de")
    people = [speaker(person, "de") for person in ended.people.values()]
    pages = [boss.get(ended.path("outcome")).text]
    pages += [person.get(ended.path("result")).text for person in people]
    for person in people:  # the auctioneer's has what the verifier says, which speaks English
        paper = PdfReader(io.BytesIO(person.get(ended.path("award.pdf")).content))
        pages.append(" ".join(page.extract_text() for page in paper.pages))
    for page in pages:
        assert "0,00 EUR" in page
        found = re.search(r".{80}\d\.\d\d (EUR|</)", page, re.DOTALL)
        assert not found, found[0]


def test_dates_follow_the_language():
    at = datetime(2026, 11, 18, 9, 5, tzinfo=UTC)
    assert texts.load("en").moment(at) == "18 November 2026, 09:05 UTC"
    assert texts.load("de").moment(at) == "18. November 2026, 09:05 Uhr UTC"
    if "fr" in LANGUAGES:
        assert texts.load("fr").moment(at.replace(day=1)) == "1er novembre 2026, 09:05 UTC"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1.234,50", "1,234.50"),
        ("5 \u2013 6", "5.00 \u2013 6.00"),
        ("1.5", "?1.5"),
        ("", ""),
        ("x", "x"),
    ],
)
def test_drafts_change_their_marks_and_not_their_meaning(text, shown):
    """Tests amounts, ranges, and texts that mean something in one language only."""
    assert respelled(Draft(text), DE, EN).text == shown
    if shown.startswith("?"):
        with pytest.raises(InputError):
            EN.parse(shown)
        # Whoever typed it sees it as it was typed.
        assert respelled(Draft(shown), EN, DE).text == text


def test_sentences_of_the_auction_are_said_in_german():
    """Tests what money and phases say in English, gaps within gaps included."""
    t = texts.load("de")
    for text in ("", "abc", "1.5", "1,234", "1.000,001", "6 \u2013 5"):
        with pytest.raises(InputError) as error:
            DE.parse_range(text)
        assert re.match("Der (Betrag|Bereich) ", t.read(error.value.message)), str(error.value)
    for words in PHASE_WORDS.values():
        said = t.read(joined(" ", (msg("Nothing can be submitted now."), words)))
        assert said.startswith("Jetzt kann nichts eingesendet werden. ")
        assert words not in said
    with pytest.raises(Refusal) as refusal:
        tidy(" ", msg("a reason"))
    told = t.read(refusal.value.sentence)
    assert told == "Bitte geben Sie einen Grund an; nichts wurde eingetragen."
    assert t.read(msg("an open question")) == "eine offene Frage"
    assert t.read("an open question") == "an open question"  # somebody's own words


def test_limits_and_times_are_said_in_german():
    """Tests every limit of a market file, and whole hours."""
    t = texts.load("de")
    text = market_text(1).replace("capacity = 3", "capacity = 3\ncredits = 1")
    text = text.replace('"hall"\n', '"hall"\ncredits = 2\n').replace(
        '"kitchen"\n', '"kitchen"\ncredits = 1\n'
    )
    limits = (
        'at_most = 3\nat_most_of_each = 2\nforbidden = ["kitchen"]\n'
        'conflicts = [["hall", "chairs"]]\ncredit_budget = 4\n'
    )
    market = read_auction_file(
        text.replace('name = "Club A"\n', f'name = "Club A"\n{limits}'), MECHANISMS
    ).market
    assert t.limits(market.bidders[0]) == [
        "höchstens 3 insgesamt",
        "höchstens 2 von jedem",
        "nicht kitchen",
        "nur eines von hall, chairs",
        "höchstens 4 Punkte",
    ]
    stop = msg("the budget of {n} queries per {one} is used up", n=11, one=msg("supplier"))
    assert t.read(stop) == "alle 11 Fragen je Lieferant sind gestellt"
    clash = msg("one at a time: {goods}", goods="Algebra, Logic")
    assert t.read(clash) == "nur eines zur selben Zeit: Algebra, Logic"
    assert t.read(msg("Thu {hours}", hours="9:00-10:00")) == "Do 9:00-10:00"
    assert t.decimal(2.55, 1) == "2,5"
    times = [t.minutes(minutes) for minutes in (1, 60, 90, 480, 2.5)]
    assert times == ["1 Minute", "60 Minuten", "90 Minuten", "8 Stunden", "2,5 Minuten"]
