"""A purchase and an exchange in Chromium, from the file that is uploaded to the verified log."""

import re
import subprocess
import sys
import time

import pytest
from live_browser import (
    NARROW,
    Visit,
    asked_bundle,
    check_and_send,
    confirm,
    enter,
    fill_in,
    worth,
)
from live_server import wait_for

FREIGHT = """
name = "freight"

[[lots]]
name = "north"
needed = 2
at_most = 95
baseline = 90

[[lots]]
name = "south"
at_most = 100
baseline = 95

[[lots]]
name = "west"
at_most = 70
baseline = 66

[[suppliers]]
name = "Nord"
incumbent = true

[[suppliers]]
name = "Ost"
groups = ["small"]
at_most = 3

[[suppliers]]
name = "Sued"
groups = ["small"]

[[rules]]
name = "three units each"
units = { at_most = 3 }
each = true

[[scenarios]]
name = "half for small ones"
rules = [{ share_of_units = { at_least = 0.5 }, suppliers = "small" }]

[[scenarios]]
name = "one alone"
rules = [{ winners = { at_most = 1 } }, { units = { at_least = 4 } }]
"""
QUOTA = """
name = "quota"

[[goods]]
name = "cod"
capacity = 4

[[goods]]
name = "plaice"
capacity = 3

[[participants]]
name = "Anna"
endowment = { cod = 3 }

[[participants]]
name = "Birk"
endowment = { cod = 1, plaice = 1 }

[[participants]]
name = "Carla"
endowment = { plaice = 2 }
"""
RULES = """
[auction]
mechanism = "random"
num_initial = 4
num_per_round = 2
num_total = 6
max_value = "5000.00"
round_minutes = [60, 60]
close_early = true
corrections = "always"
publish = "PUBLISH"
"""
COSTS = {
    "Nord": {"north": 61, "south": 92, "west": 55},
    "Ost": {"north": 68, "south": 71, "west": 66},
    "Sued": {"north": 80, "south": 77, "west": 49},
}
VALUES = {
    "Anna": {"cod": 20, "plaice": 60},
    "Birk": {"cod": 70, "plaice": 15},
    "Carla": {"cod": 50, "plaice": 30},
}
# What no page of a purchase or of an exchange says.
NOT_BOUGHT = re.compile(
    r"\b(bidders?|bids?|auctioneer|goods?|copies|winners?|wins|worth (?!reading)|bundle|"
    r"reported values?)\b",
    re.IGNORECASE,
)
NOT_TRADED = re.compile(r"\b(bidders?|bids?|winners?|suppliers?|offers?|lots?)\b", re.IGNORECASE)


def looked_at(visit: Visit, address: str, wrong: re.Pattern[str]) -> None:
    """A page without wrong words, and without what axe finds."""
    visit.page.goto(address)
    # The frame may lead back to auctions, and the footer has hashes.
    words = visit.page.locator("main").inner_text()
    found = wrong.search(words.replace("good until", "").replace("for good", ""))
    assert not found, f"{address}: {words[max(0, found.start() - 60) : found.end() + 60]}"
    assert not visit.axe()


def create(boss: Visit, url: str, text: str, button: str) -> str:
    """Looks at a file and makes what it says; where it is."""
    boss.page.goto(f"{url}/new")
    boss.page.locator("summary").click()
    boss.page.locator("#text").fill(text)
    boss.page.get_by_role("button", name="Preview").first.click()
    boss.page.get_by_role("button", name=button).click()
    boss.page.wait_for_url("**/bidders")
    return boss.page.url.removesuffix("/bidders")


def invited(boss: Visit, names) -> dict[str, str]:
    """Links of somebody for everybody."""
    for name in names:
        boss.page.get_by_label(f"Person for {name}").fill(f"Pat of {name}")
    boss.page.get_by_role("button", name="Invite", exact=True).click()
    boss.page.locator(".links li").first.wait_for()
    rows = [row.inner_text() for row in boss.page.locator(".links li").all()]
    return {n: re.search(r"http\S+", row)[0] for n in names for row in rows if f"of {n}" in row}


def do(boss: Visit, here: str, command: str, **fields: str) -> None:
    """The way through a page that confirms a command."""
    boss.page.goto(f"{here}/do/{command}")
    for field, text in fields.items():
        boss.page.locator(f"#{field}").fill(text)
    boss.page.locator("form button.main").click()
    boss.page.wait_for_url(re.compile(r"/(run|outcome)$"))


def verified(here: str, boss: Visit, folder) -> str:
    """What ``boca verify`` prints about the full log, which must hold."""
    boss.page.goto(f"{here}/log")
    with boss.page.expect_download() as download:
        boss.page.get_by_role("link", name="Download full log").click()
    path = folder / "log.jsonl"
    download.value.save_as(path)
    command = [sys.executable, "-m", "boca", "verify", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rounds(clerk, auction: str, visits: dict[str, Visit], here: str, amounts, num: int) -> None:
    """Everybody answers all rounds by hand."""
    for number in range(num):
        wait_for(clerk, auction, "open", round_=number)
        for name, visit in visits.items():
            visit.page.goto(f"{here}/me")
            assert fill_in(visit.page, amounts[name])
            check_and_send(visit.page)
    wait_for(clerk, auction, "stopped")


@pytest.fixture
def boss(browser, server):
    """The buyer or auctioneer, on a wide screen."""
    visit = Visit(browser, server.url)
    server.token()
    visit.sign_in(server.boss)
    yield visit
    visit.close()


def test_a_buyer_and_three_suppliers(browser, server, clerk, boss, tmp_path):
    """
    Tests a whole purchase: a file with a mistake, mended; suppliers with a wide screen, a phone and
    without JavaScript; a spreadsheet with a mistake; scenarios with a conflict; award, letters,
    publication and ``boca verify``.
    """
    rules = RULES.replace("PUBLISH", "outcome")
    boss.page.goto(f"{server.url}/new")
    boss.page.locator("summary").click()
    boss.page.locator("#text").fill(FREIGHT.replace("at_most = 70\n", "") + rules)
    boss.page.get_by_role("button", name="Preview").first.click()
    assert "the lot 'west' has no at-most price" in boss.page.locator("#problems").inner_text()
    here = create(boss, server.url, FREIGHT + rules, "Create this purchase")
    auction = here.rpartition("/")[2]
    links = invited(boss, COSTS)
    kinds = [{}, {"size": NARROW}, {"javascript": False}]
    visits = {
        name: Visit(browser, server.url, **kind) for name, kind in zip(COSTS, kinds, strict=True)
    }
    for name, visit in visits.items():
        visit.page.goto(links[name])
        assert "offer in this purchase" in visit.page.locator("main").inner_text()
        enter(visit.page, links[name])
    do(boss, here, "start")
    wait_for(clerk, auction, "open")

    wide, plain = visits["Nord"], visits["Sued"]
    for page in ("me", "sheet", "answers", "push", "rules", "result"):
        looked_at(wide, f"{here}/{page}", NOT_BOUGHT)
        looked_at(visits["Ost"], f"{here}/{page}", NOT_BOUGHT)
    plain.page.goto(f"{here}/me")
    assert "What must you be paid to supply this?" in plain.page.locator("main").inner_text()
    plain.page.goto(f"{here}/rules")
    told = plain.page.locator("main").inner_text()
    assert "Nobody is paid more than its lots cost elsewhere" in told
    assert "three units each" in told
    assert "95.00 EUR" in told
    assert "half for small ones" not in told  # the buyer's own notes

    file = answers(plain, here, tmp_path)
    upload(plain, file.replace("decline", "decline\n").replace(",,\n", ",abc,\n", 1), tmp_path)
    assert "column price" in plain.page.locator("#problems").inner_text()
    fill_in_sheet(plain, here, file, tmp_path)
    for name in ("Nord", "Ost"):
        visits[name].page.goto(f"{here}/me")
        fill_in(visits[name].page, COSTS[name])
        check_and_send(visits[name].page)
    wait_for(clerk, auction, "open", round_=1)

    boss.page.goto(f"{here}/scenarios")
    boss.page.get_by_text("half for small ones").first.wait_for()
    looked_at(boss, f"{here}/scenarios", NOT_BOUGHT)
    table = boss.page.locator("table").first.inner_text()
    for words in ("as the rules say", "no award", "at most 1 supplier"):
        assert words in table
    for name, visit in visits.items():
        visit.page.goto(f"{here}/me")
        fill_in(visit.page, COSTS[name])
        check_and_send(visit.page)
    wait_for(clerk, auction, "stopped")
    do(boss, here, "close", name="freight")
    wait_for(clerk, auction, "decided")
    for page in ("run", "bidders", "bidders/1", "outcome", "letters/1", "rules", "rehearse"):
        looked_at(boss, f"{here}/{page}", NOT_BOUGHT)
    for page in ("scenarios", "letters/1", "letter"):
        assert wide.page.goto(f"{here}/{page}").status == 404  # not a supplier's, or not yet
    boss.page.goto(f"{here}/letters/1")
    assert "do not send this letter" in boss.page.locator("main").inner_text()
    do(boss, here, "publish", name="freight")

    outcome = clerk.client.get(f"/auctions/{auction}")
    assert outcome["phase"] == "published"
    awarded = 0
    for visit in visits.values():
        visit.page.goto(f"{here}/result")
        text = visit.page.locator("main").inner_text()
        assert "You supply" in text
        assert "You are paid" in text
        visit.page.get_by_role("link", name="Award letter").click()
        letter = visit.page.locator("main").inner_text()
        is_awarded = "Your offer is accepted" in letter
        assert is_awarded or "Thank you for your offers" in letter
        awarded += is_awarded
    assert awarded >= 2
    looked_at(wide, f"{here}/result", NOT_BOUGHT)
    looked_at(boss, f"{here}/public", NOT_BOUGHT)
    assert "No other award costs less" in verified(here, boss, tmp_path)
    assert not [c for visit in (*visits.values(), boss) for c in visit.complaints]


def answers(visit: Visit, here: str, folder) -> str:
    """The open questions as CSV."""
    visit.page.goto(f"{here}/sheet")
    with visit.page.expect_download() as download:
        visit.page.get_by_role("link", name="Download CSV").click()
    return download.value.path().read_text(encoding="utf-8-sig")


def upload(visit: Visit, text: str, folder) -> None:
    file = folder / "answers.csv"
    file.write_text(text, encoding="utf-8")
    visit.page.locator("#file").set_input_files(file)
    visit.page.get_by_role("button", name="Upload and check").click()


def fill_in_sheet(visit: Visit, here: str, text: str, folder) -> None:
    """Every price by the lots of its row."""
    head, *rows = [line for line in text.replace("\r", "").split("\n") if line]
    names = head.split(",")
    lots = [(names.index(lot), cost) for lot, cost in COSTS["Sued"].items()]
    lines = [head]
    for row in rows:
        cells = row.rsplit(",", 5)  # three lots, price, decline
        offset = len(names) - 5
        total = sum(int(cells[k - offset + 1] or 0) * cost for k, cost in lots)
        lines.append(",".join([*cells[:4], f"{total:.2f}", ""]))
    visit.page.goto(f"{here}/sheet")
    upload(visit, "\n".join(lines) + "\n", folder)
    visit.page.wait_for_url("**/check*")
    confirm(visit.page)


def test_an_exchange_of_three(browser, server, clerk, boss, tmp_path):
    """Tests that three participants value holdings, trade, are told why, and the log holds."""
    text = QUOTA + RULES.replace("PUBLISH", "all")
    here = create(boss, server.url, text, "Create this exchange")
    auction = here.rpartition("/")[2]
    links = invited(boss, VALUES)
    visits = {name: Visit(browser, server.url) for name in VALUES}
    for name, visit in visits.items():
        enter(visit.page, links[name])
    do(boss, here, "start")
    wait_for(clerk, auction, "open")
    anna = visits["Anna"]
    for page in ("me", "rules", "push"):
        looked_at(anna, f"{here}/{page}", NOT_TRADED)
    anna.page.goto(f"{here}/me")
    first = anna.page.locator("main").inner_text()
    assert "You now hold 3 \u00d7 cod." in first
    assert "What would it be worth to you to hold this?" in first
    anna.page.goto(f"{here}/rules")
    assert "This rule is not truthful" in anna.page.locator("main").inner_text()
    rounds(clerk, auction, visits, here, VALUES, 2)
    do(boss, here, "close", name="quota")
    wait_for(clerk, auction, "decided")
    for page in ("run", "outcome", "bidders"):
        looked_at(boss, f"{here}/{page}", NOT_TRADED)
    do(boss, here, "publish", name="quota")
    said = []
    for visit in visits.values():
        looked_at(visit, f"{here}/result", NOT_TRADED)
        said.append(visit.page.locator("main").inner_text())
    assert any("You give" in text and "receive" in text for text in said)
    assert "No other trades gain more" in verified(here, boss, tmp_path)


def test_worth_of_words():
    """Tests the reader of bundles that these tests type amounts by."""
    assert worth("2 \u00d7 north and west", COSTS["Nord"]) == 177


STALLS = """
name = "stalls"

[[goods]]
name = "corner"

[[goods]]
name = "square"
capacity = 2

[[bidders]]
name = "Ida"

[[bidders]]
name = "Jon"
"""
WORTH = {"Ida": {"corner": 90, "square": 40}, "Jon": {"corner": 70, "square": 55}}


def test_a_sale_with_ranges(browser, server, clerk, boss, tmp_path):
    """
    Tests that people answer with ranges, on a phone and without JavaScript, are held to them when
    asked again, and that the verifier agrees.
    """
    rules = RULES.replace("PUBLISH", "all").replace('"always"', '"round"')
    rules = rules.replace("num_total = 6", "num_total = 8\nranges = true")
    here = create(boss, server.url, STALLS + rules, "Create this auction")
    auction = here.rpartition("/")[2]
    links = invited(boss, WORTH)
    visits = {
        "Ida": Visit(browser, server.url, size=NARROW),
        "Jon": Visit(browser, server.url, javascript=False),
    }
    for name, visit in visits.items():
        enter(visit.page, links[name])
    visits["Ida"].page.goto(f"{here}/rules")
    assert (
        "its lower end is what you bid" in visits["Ida"].page.locator("main").inner_text().lower()
    )
    do(boss, here, "start")
    narrowed, number = 0, 0
    while clerk.client.get(f"/auctions/{auction}")["phase"] != "stopped":
        state = clerk.client.get(f"/auctions/{auction}")
        if state["phase"] != "open" or state["round"] != number:
            time.sleep(0.1)
            continue
        for name, visit in visits.items():
            visit.page.goto(f"{here}/me")
            assert not visit.axe() if name == "Ida" else True
            cells = visit.page.locator("table.matrix td").filter(
                has=visit.page.locator("input.money")
            )
            said = visit.page.locator("main").inner_text()
            is_narrow = "You said" in said
            for k in range(cells.count()):
                value = worth(asked_bundle(cells.nth(k)), WORTH[name])
                text = f"{value:.2f}" if is_narrow else f"{value - 5:.2f} to {value + 5:.2f}"
                if is_narrow and not narrowed:
                    cells.nth(k).locator("input.money").fill("4000")
                    visit.page.get_by_role("button", name="Check answers").click()
                    assert "within" in visit.page.locator("#problems").inner_text()
                narrowed += is_narrow
                cells.nth(k).locator("input.money").fill(text)
            if cells.count():
                check_and_send(visit.page)
                assert is_narrow or "\u2013" in visit.page.locator("main").inner_text()
        number += 1
    assert narrowed
    looked_at(visits["Ida"], f"{here}/answers", re.compile("r[0-9]-b[0-9]"))
    do(boss, here, "close", name="stalls")
    wait_for(clerk, auction, "decided")
    do(boss, here, "publish", name="stalls")
    verified(here, boss, tmp_path)
    assert not [c for visit in visits.values() for c in visit.complaints]
