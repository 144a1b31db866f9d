"""
Renders every page of the live auction to PNG: ``make screenshots``.

Plays a small auction with two bots and one person, and takes a picture of each page on the way,
at 1100 and 375 px; some in dark as well. A second auction announces prices.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from live_browser import (
    NARROW,
    WIDE,
    check_and_send,
    compose,
    confirm,
    enter,
    fill_in,
    open_browser,
)
from live_server import LiveServer, wait_for
from playwright.sync_api import Browser, Page

from boca.bots.bot import Bot
from boca.bots.client import Client
from boca.bots.truth import read_truths
from boca.cli.serve.demo import DEMO_BIDDER, DEMO_MARKET, DEMO_WORDS

VALUES = {"Apples": 2.2, "Bread": 5.0, "Cheese": 5.5, "Honey": 4.8}


class Album:
    """
    Takes pictures of one session at two widths.

    Parameters
    ----------
    browser
        Chromium.
    folder
        Where pictures go.
    """

    def __init__(self, browser: Browser, folder: Path):
        self.folder = folder
        self.wide = browser.new_context(viewport=WIDE, locale="en-GB")
        self.narrow = browser.new_context(viewport=NARROW, locale="en-GB")
        self.dark = browser.new_context(viewport=WIDE, color_scheme="dark", locale="en-GB")
        self.page = self.wide.new_page()
        self.page.set_default_timeout(300_000)

    def take(self, name: str, url: str | None = None, dark: bool = False) -> None:
        """Pictures of the page that is open (or of an address) at both widths."""
        if url is not None:
            self.page.goto(url)
        self.save(self.page, name)
        cookies = self.wide.cookies()
        others = [(self.narrow, f"{name}-narrow")] + ([(self.dark, f"{name}-dark")] if dark else [])
        for context, label in others:
            context.add_cookies(cookies)
            other = context.new_page()
            if url is None and self.page.url.endswith(("/check", "/link", "/token")):
                other.set_content(self.page.content(), wait_until="load")
            other.goto(url or self.page.url)
            self.save(other, label)
            other.close()

    def save(self, page: Page, name: str) -> None:
        page.screenshot(path=self.folder / f"live-{name}.png", full_page=True)
        print(f"live-{name}.png", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, open_browser() as browser:
        server = LiveServer(Path(temporary) / "data").start()
        try:
            play(server, Album(browser, folder))
            play_prices(server, Album(browser, folder))
        finally:
            server.stop()


def play(server: LiveServer, album: Album) -> None:
    """The auction, with a picture at every turn."""
    clerk, page = server.clerk(), album.page
    text = DEMO_MARKET.read_text()
    auction = clerk.create(text)
    here = f"{server.url}/a/{auction}"
    truths = read_truths(DEMO_MARKET)
    bots = [
        Bot(Client(server.url, clerk.token(auction, name)), auction, truth)
        for name, truth in truths.items()
        if name != DEMO_BIDDER
    ]
    link = clerk.link(auction, DEMO_BIDDER, "Dora")
    album.take("front", server.url)
    album.take("enter", link)
    enter(page, link)
    album.take("me-draft")
    album.take("rules", f"{here}/rules")
    clerk.do(auction, "announce", {"text": DEMO_WORDS})
    clerk.do(auction, "start", {"accept_missing": True})
    wait_for(clerk, auction, "open")
    album.take("me", f"{here}/me", dark=True)

    fill_in(page, VALUES)
    page.locator("input.money").first.fill("abc")
    page.get_by_role("button", name="Check answers").click()
    album.save(page, "me-error")
    fill_in(page, VALUES)
    page.locator("input.money").nth(1).fill("90.00")
    page.locator("input[type=checkbox]").last.check()
    page.locator("input.money").last.fill("")
    page.get_by_role("button", name="Check answers").click()
    page.wait_for_url("**/check")
    album.take("check", f"{here}/check", dark=True)
    page.get_by_role("button", name="Confirm and send").click()
    album.save(page, "check-error")
    page.goto(f"{here}/me")
    fill_in(page, VALUES)
    check_and_send(page)
    album.take("receipt", dark=True)
    page.emulate_media(media="print")
    album.save(page, "receipt-print")
    page.emulate_media(media="screen")
    album.take("me-answered", f"{here}/me")
    album.take("push", f"{here}/push")
    page.get_by_label("Apples").fill("2")
    page.get_by_label("Honey").fill("1")
    page.get_by_label("Your value").fill("8.00")
    page.get_by_role("button", name="Check this bid").click()
    page.wait_for_url("**/check")
    album.take("check-push", f"{here}/check")
    page.get_by_role("button", name="Confirm and send").click()
    page.wait_for_url("**/receipts/**")
    clerk.do(auction, "pause", {"reason": "The projector in the village hall needs a new lamp."})
    album.take("me-paused", f"{here}/me")
    clerk.do(auction, "resume", {"reason": "The lamp is in."})

    for bot in bots:
        bot.answer()
    album.take("me-planning", f"{here}/me")
    wait_for(clerk, auction, "open")
    album.take("me-later", f"{here}/me")
    while True:
        page.goto(f"{here}/me")
        if fill_in(page, VALUES):
            check_and_send(page)
        for bot in bots:
            bot.answer()
        if wait_for(clerk, auction, "open", "stopped") == "stopped":
            break
    album.take("answers", f"{here}/answers")
    clerk.do(auction, "close")
    wait_for(clerk, auction, "decided")
    album.take("result-before", f"{here}/result")
    clerk.do(auction, "publish")
    album.take("result", f"{here}/result", dark=True)
    album.take("public", f"{here}/public")
    album.take("sessions", f"{here}/sessions")
    page.get_by_role("button", name="Make a link").click()
    album.save(page, "sessions-link")
    album.take("not-found", f"{here}/nowhere")
    album.take("link-used", link)


def play_prices(server: LiveServer, album: Album) -> None:
    """The same market with announced prices: what is new about the pages."""
    clerk, page = server.clerk(), album.page
    text = DEMO_MARKET.read_text().replace('"svr"', '"hybrid"').replace("listed = true", "")
    auction = clerk.create(text)
    here = f"{server.url}/a/{auction}"
    bots = [
        Bot(Client(server.url, clerk.token(auction, name)), auction, truth)
        for name, truth in read_truths(DEMO_MARKET).items()
        if name != DEMO_BIDDER
    ]
    enter(page, clerk.link(auction, DEMO_BIDDER, "Dora"))
    album.take("wish-rules", f"{here}/rules")
    clerk.do(auction, "start", {"accept_missing": True})
    is_first = True
    while wait_for(clerk, auction, "open", "stopped") == "open":
        page.goto(f"{here}/me")
        if page.locator("[data-wish]").count() and page.locator(".known tbody tr").count() > 1:
            if is_first:
                pictures_of_a_wish(album, here)
            is_first = False
        page.goto(f"{here}/me")
        if compose(page, VALUES) + fill_in(page, VALUES):
            check_and_send(page)
        for bot in bots:
            bot.answer()
    album.take("wish-answers", f"{here}/answers")
    clerk.do(auction, "close")
    wait_for(clerk, auction, "decided")
    clerk.do(auction, "publish")
    album.take("wish-result", f"{here}/result")


def pictures_of_a_wish(album: Album, here: str) -> None:
    """One question with prices, from the empty form to another choice."""
    page = album.page
    form = page.locator("[data-wish]").first
    form.get_by_label("Honey").fill("1")
    form.get_by_label("Bread").fill("2")
    album.save(page, "wish-typed")
    page.get_by_role("button", name="Save draft").click()
    album.take("wish", f"{here}/me", dark=True)
    form.get_by_label("Honey").fill("3")
    page.get_by_role("button", name="Check answers").click()
    album.save(page, "wish-error")
    form.get_by_label("Honey").fill("")
    form.get_by_label("Bread").fill("")
    form.get_by_label("I want nothing").check()
    page.get_by_role("button", name="Check answers").click()
    page.wait_for_url("**/check")
    album.take("wish-check", f"{here}/check", dark=True)
    confirm(page)
    album.take("wish-receipt")
    page.goto(f"{here}/answers")
    page.get_by_role("link", name="Choose again").first.click()
    album.take("wish-again")
    form.get_by_label("I want nothing").uncheck()
    compose(page, VALUES)
    page.get_by_role("button", name="Check this choice").click()
    page.wait_for_url("**/check")
    confirm(page)


if __name__ == "__main__":
    sys.exit(main())
