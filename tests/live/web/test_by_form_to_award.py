"""A regulator's auction in Chromium: from a template by form, mail and schedule to the award."""

import io
import re
import subprocess
import sys
from dataclasses import dataclass

import openpyxl
import pytest
from hand_clock import HandClock
from live_browser import Visit, check_and_send, enter, fill_in
from playwright.sync_api import expect
from post_office import PostOffice
from pypdf import PdfReader
from served_desk import serving
from whole_auction import open_desk

from boca.live.desk import Desk
from boca.live.mail.postman import Postman
from boca.live.mail.settings import MailSettings
from boca.live.web.letters import Letters

NAME = "Spectrum licences"
LICENCES = (("Licence", "Blocks", "Reserve price", "Points"),
            ("700 MHz", 3, 5000, 4), ("3.6 GHz", 4, 1000, 1))  # fmt: skip
WORTH = {
    "Alfa": {"700 MHz": 41_000, "3.6 GHz": 9_000},
    "Bravo": {"700 MHz": 30_000, "3.6 GHz": 17_000},
}
PEOPLE = {"Alfa": ("Al", "al@alfa.example"), "Bravo": ("Bo", "bo@bravo.example")}


@dataclass
class House:
    """A server whose clock stands still, and a mail server beside it."""

    desk: Desk
    url: str
    clock: HandClock
    office: PostOffice
    postman: Postman

    def visit(self, browser, name: str) -> Visit:
        """The browser of an auctioneer who has signed in."""
        visit = Visit(browser, self.url)
        link = self.desk.people.first_link("auctioneer", name).result()
        visit.page.goto(f"{self.url}/enter/{link.token}")
        press(visit, "Enter")
        visit.page.set_default_timeout(30_000)
        return visit

    def mails(self, number: int) -> list[tuple[str, str, str]]:
        """Address, subject and text of each mail since the last time; so many there are."""
        before = len(self.office.mails)
        self.postman.work()
        new = self.office.wait(before + number)[before:]
        self.postman.work()
        assert len(self.office.mails) == before + number
        return [(m["To"].addresses[0].addr_spec, m["Subject"], m.get_content()) for m in new]


@pytest.fixture
def house(url, tmp_path):
    clock = HandClock()  # a Monday, 10:00 in Zurich
    desk = open_desk(tmp_path / "data", url, program=None, clock=clock, is_ticking=False)
    with PostOffice() as office, serving(desk, has_mail=True) as (_, address, _):
        settings = MailSettings(
            "127.0.0.1", "Auctions <auctions@example.org>", office.port, security="none"
        )
        letters = Letters(desk, address, settings)
        postman = Postman(desk.writer, desk.database, clock, desk.draw, settings, letters)
        postman.settle()
        yield House(desk, address, clock, office, postman)


def press(visit: Visit, button: str) -> None:
    visit.page.get_by_role("button", name=button, exact=True).click()


def heading(visit: Visit, words: str) -> None:
    """Waits for the heading of a page, which changes by itself."""
    expect(visit.page.locator("h1")).to_contain_text(words, timeout=60_000)


def set_up(boss: Visit, url: str) -> str:
    """Template, spreadsheet, pasted table and rules; where the auction is."""
    page = boss.page
    page.goto(f"{url}/new")
    press(boss, "Start from this Spectrum")
    page.get_by_label("Name of the auction").fill(NAME)
    book, content = openpyxl.Workbook(), io.BytesIO()
    for row in LICENCES:
        book.active.append(row)
    book.save(content)
    page.locator("summary").click()
    sheet = {"name": "bands.xlsx", "mimeType": "application/octet-stream"}
    page.locator("#file").set_input_files([{**sheet, "buffer": content.getvalue()}])
    press(boss, "Use this table")
    assert page.locator("#goods-1-copies").input_value() == "4"
    press(boss, "Save and continue to 2. Bidders")
    page.locator("summary").click()
    page.locator("#pasted").fill("Bidder\tCredits\nAlfa\t14\nBravo\t\n")
    press(boss, "Use this table")
    press(boss, "Save and continue to 3. Rules")
    for label, text in (
        ("Questions in the first round", "3"),
        ("Questions in all", "3"),
        ("Planned start", "2026-11-16T10:20"),
        ("Time zone", "Europe/Zurich"),
        ("From", "10:30"),
        ("To", "18:00"),
        ("Minutes of a last call (0: none)", "0"),
    ):
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_label("Method").select_option("random")
    for tick in ("A round ends early", "Monday", "closing", "publishing"):
        page.get_by_label(tick).first.check()
    press(boss, "Save and continue to 4. People")
    press(boss, "Save and continue to Check")
    press(boss, "Create this auction")
    page.wait_for_url("**/bidders")
    return page.url.removesuffix("/bidders")


def edit(boss: Visit, here: str) -> None:
    """One block less of a band; the page says old and new before it is kept."""
    boss.page.goto(f"{here}/run")
    boss.page.get_by_role("link", name="Edit the draft").click()
    press(boss, "Edit in the form")
    boss.page.locator("#goods-0-copies").fill("2")
    press(boss, "Check")
    assert "3 copies" in boss.page.locator("table").first.inner_text()
    assert "2 copies" in boss.page.locator("table").first.inner_text()
    press(boss, "Save the changes")
    boss.page.wait_for_url("**/run")


def rehearse(boss: Visit, here: str) -> None:
    """Bots play a copy to the end of its questions; one person may close it."""
    boss.page.goto(f"{here}/rehearse")
    boss.page.locator("form button.main").click()
    boss.page.wait_for_url("**/bidders")
    copy = boss.page.url.removesuffix("/bidders")
    do(boss, copy, "start")
    heading(boss, "The questions are over")
    do(boss, copy, "close", name=NAME)
    heading(boss, "Decided, not published")


def do(visit: Visit, here: str, command: str, **fields: str) -> None:
    """An auctioneer's way through a page that confirms a command."""
    visit.page.goto(f"{here}/do/{command}")
    for field, text in fields.items():
        visit.page.locator(f"#{field}").fill(text)
    visit.page.locator("form button.main").click()
    visit.page.wait_for_url(re.compile(r"/(run|outcome)$"))


def told_before(visit: Visit, here: str, command: str) -> str:
    """What a page says that confirms a command."""
    visit.page.goto(f"{here}/do/{command}")
    return visit.page.locator("main").inner_text()


def saved(visit: Visit, link: str, path):
    """A file behind a link of the page that is open."""
    with visit.page.expect_download() as download:
        visit.page.get_by_role("link", name=link).click()
    download.value.save_as(path)
    return path


def test_from_a_template_to_a_verified_award(browser, house, tmp_path):
    """
    Tests everything that people see on one way: a draft by form and spreadsheet that is edited,
    links by mail, a rehearsal, a planned start before the opening hours, answers, two auctioneers
    who close and publish, the award on paper and in a workbook, and a log that holds.
    """
    nora, yan = (house.visit(browser, name) for name in ("Nora", "Yan"))
    here = set_up(nora, house.url)
    auction = here.rpartition("/")[2]
    edit(nora, here)

    nora.page.goto(f"{here}/bidders")
    for number, (person, address) in enumerate(PEOPLE.values()):
        nora.page.locator(f"#person-{number}").fill(person)
        nora.page.locator(f"#address-{number}").fill(address)
    press(nora, "Invite")
    assert "/enter/" not in nora.page.content()
    people = {}
    for address, _, text in house.mails(2):
        (bidder,) = [name for name, (_, known) in PEOPLE.items() if known == address]
        people[bidder] = Visit(browser, house.url)
        enter(people[bidder].page, re.search(r"http\S+/enter/\S+", text)[0])
    rehearse(nora, here)

    house.clock.turn(minutes=19)
    house.desk.watch.tick()
    nora.page.goto(f"{here}/run")
    heading(nora, "Not started")
    al = people["Alfa"]
    al.page.goto(f"{here}/me")
    expect(al.page.locator("#status")).to_contain_text("It starts at 16 November 2026, 10:20 CET")
    house.clock.turn(minutes=1)
    house.desk.watch.tick()
    heading(nora, "The next round is ready")
    opens = "the next ones begin at 16 November 2026, 10:30 CET"
    expect(nora.page.locator("#overview")).to_contain_text(opens)
    al.page.goto(f"{here}/me")
    expect(al.page.locator("#status")).to_contain_text(opens)
    assert house.mails(0) == []
    house.clock.turn(minutes=10)
    house.desk.watch.tick()
    heading(nora, "Round 1 is open")
    told = house.mails(2)
    assert {address for address, _, _ in told} == {address for _, address in PEOPLE.values()}

    typed = set()
    for bidder, visit in people.items():
        visit.page.goto(f"{here}/me")
        assert fill_in(visit.page, WORTH[bidder]) == 3
        typed |= {field.input_value() for field in visit.page.locator("input.money").all()}
        check_and_send(visit.page)
        nora.page.goto(f"{here}/bidders/1")
        assert "seal values" in nora.page.locator("main").inner_text()
    nora.page.goto(f"{here}/run")
    heading(nora, "The questions are over")
    told += house.mails(0)

    for command, ready in (("close", "Decided, not published"), ("publish", "Published")):
        assert "you propose it" in told_before(nora, here, command)
        do(nora, here, command, name=NAME)
        assert "Nora has proposed" not in told_before(nora, here, command)
        nora.page.goto(f"{here}/run")
        assert "proposed by Nora" in nora.page.locator("#overview").inner_text()
        assert "Nora has proposed this; it is carried" in told_before(yan, here, command)
        do(yan, here, command, name=NAME)
        yan.page.goto(f"{here}/run")
        heading(yan, ready)
    told += house.mails(2)
    words = "\n".join(part for mail in told for part in mail)
    assert not any(value.partition(".")[0] in words for value in typed)
    assert "MHz" not in words

    yan.page.goto(f"{here}/outcome")
    payments = dict(rows_of(yan))
    paper = PdfReader(saved(yan, "PDF", tmp_path / "award.pdf"))
    text = " ".join(" ".join(page.extract_text() for page in paper.pages).split())
    book = openpyxl.load_workbook(saved(yan, "XLSX", tmp_path / "award.xlsx"))
    assert NAME in text
    assert payments
    assert set(payments) <= set(PEOPLE)
    for bidder, payment in payments.items():
        assert payment in text
        rows = {row[0]: row for row in book["By bidder"].values}
        assert f"{rows[bidder][-2]:,.0f}" in payment
    assert "Yan" in text
    assert "needs a second person: closing" in text

    yan.page.goto(f"{here}/log")
    log = saved(yan, "Download full log", tmp_path / "full.jsonl")
    verdict = subprocess.run(
        [sys.executable, "-m", "boca", "verify", str(log)], capture_output=True, text=True
    )
    assert verdict.returncode == 0, verdict.stdout + verdict.stderr
    assert "Everything holds." in verdict.stdout
    assert auction in log.read_text()
    for visit in (nora, yan, *people.values()):
        assert visit.complaints == []
        visit.close()


def rows_of(visit: Visit) -> list[tuple[str, str]]:
    """Bidder and payment, from the page of the outcome."""
    rows = visit.page.locator("table").first.locator("tbody tr").all()
    return [(row.locator("th").inner_text(), row.locator("td").last.inner_text()) for row in rows]
