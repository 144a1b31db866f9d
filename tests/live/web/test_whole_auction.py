"""A whole auction in Chromium, from the auctioneer's first click to the verified log."""

import json
import re
import subprocess
import sys

import pytest
from filled_sheets import csv_bytes, csv_table
from live_browser import NARROW, Visit, asked_bundle, check_and_send, confirm, enter, fill_in, worth
from live_server import LiveServer, market_text

from boca.live.bots.bot import Bot
from boca.live.bots.clerk import Clerk
from boca.live.bots.client import Client
from boca.live.bots.truth import read_truths

VALUES = {"hall": 31, "kitchen": 14, "chairs": 2.5}
NAME = "village hall"


@pytest.fixture
def own_server(url, tmp_path):
    """A server of its own, on each database."""
    server = LiveServer(tmp_path / "data", database=url).start()
    yield server
    server.stop()


def press(visit: Visit, button: str) -> None:
    visit.page.get_by_role("button", name=button, exact=True).click()


def do(visit: Visit, here: str, command: str, **fields: str) -> None:
    """The auctioneer's way through a page that confirms a command."""
    visit.page.goto(f"{here}/do/{command}")
    for field, text in fields.items():
        visit.page.locator(f"#{field}").fill(text)
    visit.page.locator("form button.main").click()
    visit.page.wait_for_url(re.compile(r"/(run|outcome)$"))


def create(boss: Visit, url: str, text: str) -> str:
    """Makes an auction from the text of a market file; where it is."""
    boss.page.goto(f"{url}/new")
    boss.page.locator("summary").click()
    boss.page.locator("#text").fill(text.replace("num_total = 5", "num_total = 5000"))
    boss.page.get_by_role("button", name="Preview").first.click()
    assert "num_total = 5000" in boss.page.locator("#problems").inner_text()
    boss.page.locator("#text").fill(text)
    boss.page.get_by_role("button", name="Preview").first.click()
    press(boss, "Create this auction")
    boss.page.wait_for_url("**/bidders")
    return boss.page.url.removesuffix("/bidders")


def invite(boss: Visit, names: dict[str, str]) -> dict[str, str]:
    """Invites somebody for some bidders, on the page of bidders; bidder -> link."""
    for bidder, person in names.items():
        boss.page.get_by_label(f"Person for {bidder}").fill(person)
    press(boss, "Invite")
    links = boss.page.locator(".links li").all()
    return {
        bidder: row.locator(".secret").inner_text()
        for bidder in names
        for row in links
        if bidder in row.inner_text()
    }


def caught_slip(phone: Visit) -> None:
    """Letters are told at their field, a digit too many on the page before sending."""
    fill_in(phone.page, VALUES)
    phone.page.locator("input.money").first.fill("three")
    press(phone, "Check answers")
    phone.page.locator("#problems").wait_for()
    assert phone.page.evaluate("document.activeElement.id") == "problems"
    cells = phone.page.locator("table.matrix td")
    first = cells.filter(has=phone.page.locator("input.money")).first
    bundle = asked_bundle(first)
    first.locator("input.money").fill(f"{15 * worth(bundle, VALUES):.2f}")
    press(phone, "Check answers")
    phone.page.wait_for_url("**/check")
    assert "Is a digit too many?" in phone.page.locator(".warn").inner_text()
    phone.page.get_by_role("link", name="Go back and change something").click()
    fill_in(phone.page, VALUES)


def upload(plain: Visit, here: str, folder) -> None:
    """Answers everything in a spreadsheet, without JavaScript."""
    plain.page.goto(f"{here}/sheet")
    with plain.page.expect_download() as download:
        plain.page.get_by_role("link", name="Download CSV").click()
    rows = csv_table(download.value.path().read_bytes())
    value, goods = rows[0].index("value"), [(g, rows[0].index(g)) for g in VALUES]
    for row in rows[1:]:
        row[value] = f"{sum(VALUES[g] * int(row[k] or 0) for g, k in goods):.2f}"
    file = folder / "answers.csv"
    file.write_bytes(csv_bytes(rows))
    plain.page.locator("#file").set_input_files(file)
    press(plain, "Upload and check")
    plain.page.wait_for_url("**/check*")
    confirm(plain.page)
    assert "spreadsheet" in plain.page.locator("article").inner_text()


def correct_and_push(phone: Visit, here: str) -> None:
    """A correction and an own bid, on a phone."""
    phone.page.goto(f"{here}/answers")
    phone.page.locator("input.money").first.fill("33.00")
    press(phone, "Check corrections")
    phone.page.wait_for_url("**/check")
    confirm(phone.page)
    phone.page.goto(f"{here}/push")
    phone.page.get_by_label("chairs").fill("3")
    phone.page.get_by_label("Your value").fill("7.60")
    press(phone, "Check this bid")
    if "/check" in phone.page.url:
        confirm(phone.page)


def saved(visit: Visit, link: str, path):
    """A file behind a link of the page that is open."""
    with visit.page.expect_download() as download:
        visit.page.get_by_role("link", name=link).click()
    download.value.save_as(path)
    return path


def verify(log, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "boca", "verify", str(log), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_auctioneer_people_and_bots_finish_an_auction_that_verifies(browser, own_server, tmp_path):
    """
    Tests all of it: an auctioneer who creates, pauses, extends, closes and publishes in the
    browser; one person on a phone, one without JavaScript; two bots; and a log that holds.
    """
    server = own_server
    text = market_text(4, num_initial="4", num_per_round="1", num_total="5", publish='"all"')
    market = tmp_path / "market.toml"
    market.write_text(text)
    boss = Visit(browser, server.url)
    boss.page.goto(server.auctioneer_link)
    press(boss, "Enter")
    boss.page.goto(f"{server.url}/sessions")
    press(boss, "Create a token")
    clerk = Clerk(Client(server.url, boss.page.locator(".secret").inner_text()))
    here = create(boss, server.url, text)
    auction = here.rpartition("/")[2]
    links = invite(boss, {"Club A": "Ann", "Club B": "Ben"})
    phone = Visit(browser, server.url, size=NARROW)
    plain = Visit(browser, server.url, javascript=False)
    enter(phone.page, links["Club A"])
    enter(plain.page, links["Club B"])
    truths = read_truths(market)
    bots = [
        Bot(Client(server.url, clerk.token(auction, name)), auction, truths[name])
        for name in ("Club C", "Club D")
    ]
    do(boss, here, "start")
    # Pages with JavaScript show the questions by themselves.
    phone.page.locator("input.money").first.wait_for()
    boss.page.get_by_role("heading", name="Round 1 is open").wait_for()

    do(boss, here, "pause", reason="The lamp is broken.")
    plain.page.goto(f"{here}/me")
    assert "The lamp is broken." in plain.page.locator(".status").inner_text()
    assert plain.page.get_by_role("button", name="Check answers").count() == 0
    do(boss, here, "resume", reason="A new lamp.")
    before = boss.page.locator(".status time").get_attribute("datetime")
    do(boss, here, "extend", minutes="10", reason="For the time lost.")
    assert boss.page.locator(".status time").get_attribute("datetime") > before

    phone.page.goto(f"{here}/me")
    caught_slip(phone)
    check_and_send(phone.page)
    receipt = saved(phone, "Save as file", tmp_path / "receipt.json")
    correct_and_push(phone, here)
    upload(plain, here, tmp_path)
    for bot in bots:
        bot.answer()

    # The second round, with one question each, opens by itself once it is planned.
    boss.page.get_by_role("heading", name="Round 2 is open").wait_for()
    for visit in (phone, plain):
        visit.page.goto(f"{here}/me")
        fill_in(visit.page, VALUES)
        check_and_send(visit.page)
    for bot in bots:
        bot.answer()
    boss.page.get_by_role("heading", name="The questions are over").wait_for()
    do(boss, here, "close", name=NAME)
    boss.page.get_by_role("link", name="Look at the outcome and publish").click()
    assert "agrees" in boss.page.locator("dl.outcome").inner_text()
    do(boss, here, "publish", name=NAME)

    for visit in (phone, plain):
        visit.page.goto(f"{here}/me")
        visit.page.locator("main").get_by_role("link", name="Result").click()
        assert "EUR" in visit.page.locator("dl.outcome").inner_text()
    boss.page.goto(f"{here}/log")
    full = saved(boss, "Download full log", tmp_path / "full.jsonl")
    public = saved(boss, "Download public log", tmp_path / "public.jsonl")
    key = json.loads(full.read_text().splitlines()[0])["body"]["public_key"]
    for log in (full, public):
        verdict = verify(log, "--receipt", str(receipt), "--key", key)
        assert verdict.returncode == 0, verdict.stdout + verdict.stderr
        assert "Everything holds." in verdict.stdout
    for visit in (boss, phone, plain):
        assert visit.complaints == []
        visit.close()
