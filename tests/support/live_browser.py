"""Chromium for tests of pages, and what a person does in it."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files

import pytest
from live_server import new_address
from playwright.sync_api import Browser, Locator, Page, sync_playwright

INSTALL = "install it with: apt-get install -y --no-install-recommends chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
WIDE, NARROW = {"width": 1100, "height": 900}, {"width": 375, "height": 800}
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def chromium_path() -> str:
    """Where Chromium is; where it is missing the test says how to get it, or fails if promised."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        message = f"The tests of pages need Chromium; {INSTALL}"
        if os.environ.get("BOCA_NEED_BROWSER"):
            pytest.fail(message)
        pytest.skip(message)
    return path


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser for as long as the block lasts."""
    path = chromium_path()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


class Visit:
    """
    One person's browser, which notes everything that a page should not do.

    Parameters
    ----------
    browser
        Chromium.
    url
        Of the server; no other host is to be asked for anything.
    size, javascript, scheme
        What kind of device it is.
    """

    def __init__(self, browser, url, size=WIDE, javascript=True, scheme="light"):
        self.context = browser.new_context(
            viewport=size,
            java_script_enabled=javascript,
            color_scheme=scheme,
            extra_http_headers={"X-Forwarded-For": new_address()},
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.complaints: list[str] = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda r: r.url.startswith(url) or self.complaints.append(r.url))

    def _note(self, message) -> None:
        # Mistakes in forms answer 422 or 409 on purpose, which Chromium mentions.
        if message.type == "error" and not re.search("status of 4(22|09|04|10)", message.text):
            self.complaints.append(message.text)

    def sign_in(self, person) -> None:
        """Takes over the session of somebody."""
        self.context.add_cookies(
            [
                {
                    "name": "__Host-boca",
                    "value": person.cookie,
                    "domain": "localhost",
                    "path": "/",
                    "secure": True,
                    "httpOnly": True,
                }
            ]
        )

    def axe(self) -> list[str]:
        """What axe finds wrong with the page that is open."""
        self.page.evaluate(AXE)
        found = self.page.evaluate("tags => axe.run({runOnly: tags})", RULES)
        return [f"{self.page.url}: {v['id']}: {v['nodes'][0]['html']}" for v in found["violations"]]

    def close(self) -> None:
        self.context.close()


def enter(page: Page, link: str) -> None:
    """Opens an invitation and presses its button."""
    page.goto(link)
    page.get_by_role("button", name="Enter").click()
    page.wait_for_url(re.compile(r"/me"))


def fill_in(page: Page, values: dict[str, float]) -> int:
    """Types an additive value into every open field of the page of questions; how many."""
    cells = page.locator("table.matrix td").filter(has=page.locator("input.money"))
    for k in range(cells.count()):
        cells.nth(k).locator("input[type=checkbox]").uncheck()
        bundle = asked_bundle(cells.nth(k))
        cells.nth(k).locator("input.money").fill(f"{worth(bundle, values):.2f}")
    return cells.count()


def asked_bundle(cell: Locator) -> str:
    """The bundle that a field of the page of questions asks about, by its label."""
    label = cell.locator("label.hide").first.text_content()
    found = re.search(r": (?:value of holding|value of|price for) (.*) in [A-Z]+$", label or "")
    assert found, label
    return found[1]


def compose(page: Page, values: dict[str, float]) -> int:
    """Wants whatever is worth more than its price, in every open form; how many there are."""
    forms = page.locator("[data-demand]")
    for k in range(forms.count()):
        rows = forms.nth(k).locator("tbody tr")
        wanted = 0
        for row in rows.all():
            price = float(row.locator("small").inner_text().split()[0].replace(",", ""))
            good = row.locator("label").text_content()
            most = int(row.locator(".soft").last.inner_text().split()[-1])
            copies = most if values[good] > price else 0
            row.locator("input").fill(str(copies))
            wanted += copies
        forms.nth(k).get_by_label("I want nothing").set_checked(not wanted)
    return forms.count()


def worth(bundle: str, values: dict[str, float]) -> float:
    """The additive value of a bundle in words, such as ``2 × Apples, Bread and Honey``."""
    total = 0.0
    for part in re.split(r", | and ", bundle):
        counted = re.fullmatch("([0-9]+) \u00d7 (.*)", part)
        copies, good = (int(counted[1]), counted[2]) if counted else (1, part)
        total += copies * values[good]
    return total


def check_and_send(page: Page) -> str:
    """From the page of questions over the check to the receipt; its number."""
    page.get_by_role("button", name="Check answers").click()
    page.wait_for_url(re.compile(r"/check"))
    return confirm(page)


def confirm(page: Page) -> str:
    """Ticks every warning and confirms; the number of the receipt."""
    for box in page.locator("input[name=tick]").all():
        box.check()
    page.get_by_role("button", name="Confirm and send").click()
    page.wait_for_url(re.compile(r"/receipts/"))
    return page.locator(".number").inner_text()
