"""The award report: what its files say is the outcome, and nobody reads what the rules keep."""

import io
import json
import re

import pytest
from live_server import Person, finish, market_text, new_sale, wait_for
from openpyxl import load_workbook
from pypdf import PdfReader

GROUPS = {"hall": "rooms", "kitchen": "rooms"}


def with_groups(text):
    """The market with groups, a unit, and a name that spreadsheets and papers might run."""
    for good, group in GROUPS.items():
        text = text.replace(f'name = "{good}"', f'name = "{good}"\ngroup = "{group}"')
    text = text.replace("capacity = 3", 'capacity = 3\nunit = "row of ten"')
    return text.replace('"Club C"', '"=Club <b>C & Søns"')


@pytest.fixture(scope="module")
def sold(server, clerk):
    """A published auction that publishes its outcome; there are fewer copies than bidders."""
    sale = new_sale(server, clerk, with_groups(market_text(6, num_total="3")))
    finish(sale)
    return sale


@pytest.fixture(scope="module")
def kept(server, clerk):
    """A published auction that publishes nothing."""
    sale = new_sale(server, clerk, market_text(3, num_total="3", publish='"own"'))
    finish(sale)
    return sale


def paper(sale, person):
    """The words of a PDF, on one line."""
    answer = person.get(sale.path("award.pdf"))
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/pdf"
    pages = PdfReader(io.BytesIO(answer.content)).pages
    return " ".join(" ".join(page.extract_text() for page in pages).split())


def book(sale, person):
    """Sheet -> rows of cells."""
    answer = person.get(sale.path("award.xlsx"))
    assert answer.status_code == 200, answer.text
    book = load_workbook(io.BytesIO(answer.content))
    return {sheet.title: [list(row) for row in sheet.values] for sheet in book}


def decided(sale):
    """Bidder -> copies by good, and payment, from the log."""
    lines = map(json.loads, sale.server.boss.get(sale.path("log.jsonl")).text.splitlines())
    bodies = {r["envelope"]["kind"]: r["body"] for r in lines if "envelope" in r}
    market, body = bodies["configured"]["market"], bodies["decided"]
    goods = [good["name"] for good in market["goods"]]
    rows = zip(market["bidders"], body["allocation"], body["payments"], strict=True)
    return {
        bidder["name"]: ({g: n for g, n in zip(goods, bundle, strict=True) if n}, units / 100)
        for bidder, bundle, units in rows
    }


def test_files_say_what_was_decided(sold, server):
    """Tests both files of the auctioneer against the outcome of the API."""
    lines, boss = decided(sold), server.boss
    words, sheets = paper(sold, boss), book(sold, boss)
    rows = {row[0].lstrip("'"): row for row in sheets["By bidder"][1:]}
    assert rows.keys() == lines.keys()
    for name, (bundle, payment) in lines.items():
        assert rows[name][2] == sum(bundle.values())
        assert rows[name][-2] == payment
        assert name in words
        for good, copies in bundle.items():
            assert f"{copies} \u00d7 {good}" in rows[name][1]
    paid = sum(payment for _, payment in lines.values())
    assert f"Payments in all {paid:,.2f} EUR" in words
    goods = {row[1]: row for row in sheets["By good"][1:]}
    for good, group in GROUPS.items():
        assert goods[good][0] == group
        holders = [f"{bundle[good]} \u00d7 {name}" for name, (bundle, _) in lines.items()
                   if good in bundle]  # fmt: skip
        assert goods[good][4].lstrip("'") == (", ".join(holders) or "nobody")
    assert goods["chairs"][2] == "row of ten"
    assert sheets["By good"][0][:3] == ["Group", "Good", "Unit"]
    # Winners come first, whoever receives nothing last.
    copies = [row[2] for row in sheets["By bidder"][1:]]
    assert copies == sorted(copies, key=lambda number: number == 0)


def test_protocol_and_fingerprints_are_those_of_the_log(sold, server):
    """Tests who did what when, and that each hash has its sentence."""
    words, sheets = paper(sold, server.boss), book(sold, server.boss)
    protocol = sheets["Protocol"][1:]
    assert protocol[0][2] == "auction created"
    assert "outcome published" in protocol[-1][2]
    assert any("submission taken, round 1: Club A" in row[2] for row in protocol)
    assert any(row[3] == "program for Club A" for row in protocol)
    head = sold.clerk.client.get(f"/auctions/{sold.auction}")
    log = server.boss.get(sold.path("log.jsonl")).text.strip().splitlines()
    values = {row[0]: row[1] for row in sheets["Fingerprints"]}
    assert any(values["Last record of the log"] in line for line in log[-3:])
    assert values["Last record of the log"] in words.replace(" ", "")
    assert head["rules_hash"] == values["Rules"]
    assert "stands for the whole log" in words


def test_each_reader_gets_what_the_rules_give(sold, server):
    """Tests that bids are told to the staff alone, and own results to their owners alone."""
    stranger, club = Person(server.url), sold["Club A"]
    for person in (stranger, club):
        words, sheets = paper(sold, person), book(sold, person)
        assert "Reported value" not in words
        assert sheets["By bidder"][0] == [
            "Bidder", "Receives", "Copies in all", "Pays (EUR)"]  # fmt: skip
        assert not any("Club B" in str(row[2]) for row in sheets["Protocol"])
    assert "For Club A alone" in paper(sold, club)
    assert "Your result" in book(sold, club)
    winner = next(name for name, (bundle, _) in decided(sold).items() if bundle)
    own = {row[0]: row[1] for row in book(sold, sold[winner])["Your result"]}
    assert own["Others without you"] + own["Others with you"] == own["You pay"]
    assert "Your result" not in book(sold, stranger)
    assert any("Club A" in row[2] for row in book(sold, club)["Protocol"])
    assert not any("Club A" in row[2] for row in book(sold, stranger)["Protocol"])
    assert "further records are sealed" in paper(sold, stranger)


def test_rules_that_keep_the_outcome_keep_the_report(kept, server):
    """Tests publish = own: a bidder has its own part, the public nothing."""
    for suffix in ("pdf", "xlsx"):
        assert Person(server.url).get(kept.path(f"award.{suffix}")).status_code == 404
    words, sheets = paper(kept, kept["Club A"]), book(kept, kept["Club A"])
    assert "By bidder" not in sheets
    assert not re.search("Club [BC]", words)
    assert not re.search("Club [BC]", str(sheets))
    assert "By bidder" in book(kept, server.boss)


def test_nothing_is_handed_out_before_its_reader_may_know(server, clerk):
    """Tests an open auction, then one that is decided and not published."""
    sale = new_sale(server, clerk, market_text(2, num_total="3"))
    people = (server.boss, sale["Club A"], Person(server.url))
    for person in people:
        assert person.get(sale.path("award.pdf")).status_code == 404
    for bidder in sale.tokens:
        sale.answer(bidder, "20.00")
    wait_for(clerk, sale.auction, "stopped")
    clerk.do(sale.auction, "close")
    wait_for(clerk, sale.auction, "decided")
    assert "DRAFT: the outcome is decided and not published." in paper(sale, server.boss)
    for person in people[1:]:
        assert person.get(sale.path("award.xlsx")).status_code == 404
    assert server.boss.get(sale.path("award.docx")).status_code == 404


def test_names_are_neither_formulas_nor_markup(sold, server):
    """Tests a bidder whose name begins a formula and holds tags."""
    words = paper(sold, server.boss)
    assert "=Club <b>C & Søns" in words
    names = [row[0] for row in book(sold, server.boss)["By bidder"]]
    assert "'=Club <b>C & Søns" in names


def test_remarks_of_any_length_and_letters_are_printed(server, clerk):
    """Tests what an announcement can hold: control characters, and lines for more than a page."""
    sale = new_sale(server, clerk, market_text(1, num_total="3"))
    text = "Please read \x0b this.\n" + "\n".join(f"Line {k}" for k in range(200))
    clerk.do(sale.auction, "announce", {"text": text})
    finish(sale)
    assert "Line 199" in paper(sale, server.boss)
    protocol = book(sale, server.boss)["Protocol"]
    assert any("Please read \ufffd this." in str(row[2]) for row in protocol)


def test_same_report_is_the_same_file(sold, server):
    """Tests that nothing but what the report says is in its files."""
    first, second = (server.boss.get(sold.path("award.pdf")).content for _ in range(2))
    words = [
        [page.extract_text() for page in PdfReader(io.BytesIO(content)).pages][1:]
        for content in (first, second)
    ]
    assert words[0] == words[1]


def test_outcome_pages_show_winners_first_and_who_has_each_good(sold, server):
    """Tests the table by good on the pages of staff, bidder and public."""
    for person, page in (
        (server.boss, "outcome"),
        (sold["Club A"], "result"),
        (Person(server.url), "public"),
    ):
        text = person.get(sold.path(page)).text
        assert "By good" in text
        assert 'href="award.pdf"' in text
        assert '<th scope="rowgroup" colspan="3">rooms</th>' in text
        assert '<th scope="rowgroup" colspan="3">Other goods</th>' in text
        assert "receive nothing:" in text or "Receives nothing:" in text


def test_rules_say_what_a_copy_is_and_where_it_belongs(sold, server):
    """Tests units and groups on the page that bidders agree to, and in the preview."""
    text = with_groups(market_text(2))
    for page in (sold["Club A"].get(sold.path("rules")), server.boss.post("/new", {"text": text})):
        assert "<small>row of ten</small>" in page.text
        assert re.findall(r'scope="rowgroup"[^>]*>([^<]+)', page.text) == ["rooms", "Other goods"]
