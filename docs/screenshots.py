"""
Renders every page of the live auction to PNG: ``make screenshots``.

Plays a small auction with bots and one person, one that announces prices, and one from the
auctioneer's desk, and takes a picture of each page on the way, at 1100 and 375 px; some in dark as
well, or all of them (``--dark``), in English or another language (``--language de``).
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
from playwright.sync_api import Browser, Locator
from post_office import PostOffice

from boca.cli.admin.links import issue
from boca.cli.serve.demo import DEMOS
from boca.live.bots.bot import Bot
from boca.live.bots.client import Client
from boca.live.bots.truth import read_truths

SHOP = DEMOS["sell"]
DEMO_MARKET, DEMO_BIDDER, DEMO_WORDS = SHOP.market, SHOP.you, SHOP.words

VALUES = {"Apples": 2.2, "Bread": 5.0, "Cheese": 5.5, "Honey": 4.8}


class Album:
    """
    Takes pictures of one session at two widths.

    A person goes on in English, since buttons are found by their words; pictures are taken in the
    language that was asked for.

    Parameters
    ----------
    browser
        Chromium.
    folder
        Where pictures go.
    language
        Of the pages in the pictures.
    is_dark
        Whether every page is shown in dark as well, and not only some.
    """

    def __init__(self, browser: Browser, folder: Path, language: str, is_dark: bool):
        self.folder, self.language, self.is_dark = folder, language, is_dark
        self.context = browser.new_context(viewport=WIDE, locale="en-GB")
        self.page = self.context.new_page()
        self.page.set_default_timeout(300_000)

    def take(self, name: str, url: str | None = None, dark: bool = False) -> None:
        """Pictures of an address, or of the page that is open, which is loaded again."""
        address = url or self.page.url
        with self.spoken():
            self.page.goto(address)
            self.save(name, dark)
        self.page.goto(address)

    def press(self, button: Locator, name: str) -> None:
        """Pictures of what a form answers that stays where it is."""
        with self.spoken():
            button.click()
            self.page.wait_for_load_state()
            self.save(name)

    @contextmanager
    def spoken(self) -> Iterator[None]:
        """Pages come in the language of the pictures."""
        self.context.add_cookies([cookie("__Host-boca-language", self.language)])
        yield
        self.context.add_cookies([cookie("__Host-boca-language", "en")])

    def save(self, name: str, dark: bool = False) -> None:
        """Pictures of the page that is open, as it is."""
        for scheme in ("light", "dark") if dark or self.is_dark else ("light",):
            self.page.emulate_media(color_scheme=scheme)
            for size, ending in ((WIDE, ""), (NARROW, "-narrow")):
                self.page.set_viewport_size(size)
                file = f"live-{name}{ending}{'-dark' if scheme == 'dark' else ''}.png"
                self.page.screenshot(path=self.folder / file, full_page=True)
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size(WIDE)
        print(name, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    parser.add_argument("--whose", choices=["all", "bidder", "auctioneer"], default="all")
    parser.add_argument("--quick", action="store_true", help="random questions at the desk")
    parser.add_argument("--language", choices=["en", "de", "fr"], default="en")
    parser.add_argument("--dark", action="store_true", help="every page in dark as well")
    arguments = parser.parse_args()
    folder: Path = arguments.out
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, open_browser() as browser:
        settings = Path(temporary) / "server.toml"
        settings.write_text(PostOffice().settings)
        options = ("--settings", str(settings))
        server = LiveServer(Path(temporary) / "data", options=options).start()
        server.boss = server.auctioneer()

        def album() -> Album:
            return Album(browser, folder, arguments.language, arguments.dark)

        try:
            if arguments.whose != "auctioneer":
                play(server, album())
                play_prices(server, album())
            if arguments.whose != "bidder":
                mechanism = "random" if arguments.quick else "svr"
                auction = run_desk(server, album(), mechanism)
                audit(server, album(), auction)
        finally:
            server.stop()


def set_up(album: Album, url: str) -> None:
    """The form, step by step, with a mistake that is told at the end."""
    page = album.page
    page.get_by_role("button", name="Start from this Spectrum").click()
    page.wait_for_url("**/goods")
    setup = page.url.removesuffix("/goods")
    page.locator("#goods-0-price").fill("5000")
    page.locator("#goods-1-price").fill("a lot")
    album.press(page.get_by_role("button", name="Save and continue"), "setup-wrong")
    for step in ("goods", "bidders", "rules", "people", "check"):
        album.take(f"setup-{step}", f"{setup}/{step}")
    page.goto(f"{setup}/goods")
    page.locator("#goods-1-price").fill("2000")
    page.get_by_role("button", name="Check", exact=True).click()
    album.take("setup-fine", f"{setup}/check")


def edit(album: Album, here: str) -> None:
    """A draft that is changed."""
    page = album.page
    album.take("desk-edit", f"{here}/edit")
    page.get_by_role("button", name="Edit in the form").click()
    page.get_by_role("button", name="3. Rules").click()
    page.get_by_label("Own bids per bidder").fill("5")
    page.get_by_role("button", name="Check", exact=True).click()
    album.take("desk-edit-check")
    page.get_by_role("button", name="Save the changes").click()
    page.wait_for_url("**/run")


def audit(server: LiveServer, album: Album, auction: str) -> None:
    """The pages of somebody who may see everything and change nothing."""
    ticket = issue(server.data, None, "auditor", auction, "Lou Lane")
    link = f"{server.url}/enter/{ticket}"
    album.take("audit-enter", link)
    album.page.get_by_role("button", name="Enter").click()
    album.page.wait_for_url(lambda url: "/enter/" not in url)
    album.take("audit-first")
    here = f"{server.url}/a/{auction}"
    for name in ("run", "bidders", "bidders/1", "outcome", "proofs", "log", "told"):
        album.take(f"audit-{name.replace('/', '-')}", f"{here}/{name}")
    album.take("audit-refused", f"{here}/do/publish")


def run_desk(server: LiveServer, album: Album, mechanism: str) -> str:
    """The auctioneer's way through the same auction, played by four bots; returns its number."""
    clerk, page = server.clerk(), album.page
    album.context.add_cookies([cookie("__Host-boca", server.boss.cookie)])
    text = DEMO_MARKET.read_text().replace('"svr"', f'"{mechanism}"')
    album.take("desk-new", f"{server.url}/new")
    set_up(album, server.url)
    page.goto(f"{server.url}/new")
    page.locator("summary").click()
    page.locator("#text").fill(text.replace("num_total = 11", "num_total = 1100"))
    album.press(page.get_by_role("button", name="Preview").first, "desk-new-error")
    page.goto(f"{server.url}/new")
    page.locator("summary").click()
    page.locator("#text").fill(text)
    album.press(page.get_by_role("button", name="Preview").first, "desk-preview")
    page.locator("button.main").click()
    page.wait_for_url("**/bidders")
    auction = page.url.split("/")[-2]
    here = f"{server.url}/a/{auction}"
    album.take("desk-bidders-none")
    for number, name in enumerate(("Ann Adams", "Ben Brown", "Cleo Clark", "Dora Day")):
        page.locator(f"#person-{number}").fill(name)
    page.get_by_label("Send the link by e-mail").first.uncheck()
    album.press(page.get_by_role("button", name="Invite", exact=True), "desk-links")
    truths = read_truths(DEMO_MARKET)
    bots = [
        Bot(Client(server.url, clerk.token(auction, name)), auction, truth)
        for name, truth in truths.items()
    ]
    album.take("desk-bidders", f"{here}/bidders")
    edit(album, here)
    album.take("desk-rehearse", f"{here}/rehearse")
    album.take("desk-draft", f"{here}/run")
    album.take("desk-start", f"{here}/do/start")
    page.get_by_role("button", name="Start the auction").click()
    wait_for(clerk, auction, "open")
    for bot in bots[:2]:
        bot.answer()
    album.take("desk-open", f"{here}/run", dark=True)
    album.take("desk-pause", f"{here}/do/pause")
    album.press(page.get_by_role("button", name="Pause"), "desk-pause-error")
    page.goto(f"{here}/do/pause")
    page.get_by_label("Reason").fill("The projector in the village hall needs a new lamp.")
    page.get_by_role("button", name="Pause").click()
    page.wait_for_url("**/run")
    album.take("desk-paused", f"{here}/run")
    clerk.do(auction, "resume", {"reason": "The lamp is in."})
    album.take("desk-answered", f"{here}/bidders/1")
    album.take("desk-bidder", f"{here}/bidders/3")
    page.locator("input.money").first.fill("31.40")
    page.locator("input[type=checkbox]").nth(1).check()
    album.press(page.get_by_role("button", name="Check the entry"), "desk-entry")
    album.take("desk-announce", f"{here}/do/announce")
    album.take("desk-inquiries", f"{here}/inquiries")
    album.take("desk-mails", f"{here}/mails")
    album.take("desk-revoke", f"{here}/bidders/revoke?who=0%2FAnn+Adams")
    album.take("desk-rules", f"{here}/rules")
    for bot in bots:
        bot.answer()
    page.goto(f"{here}/run")
    wait_for(clerk, auction, "planning", "open")
    album.take("desk-planning", f"{here}/run")
    while wait_for(clerk, auction, "open", "stopped") == "open":
        for bot in bots:
            bot.answer()
    album.take("desk-stopped", f"{here}/run")
    album.take("desk-close", f"{here}/do/close")
    clerk.do(auction, "close")
    wait_for(clerk, auction, "decided")
    album.take("desk-decided", f"{here}/run", dark=True)
    page.goto(f"{here}/outcome")
    for summary in page.locator(".audience summary").all()[:2]:
        summary.click()
    album.save("desk-outcome-open")
    album.take("desk-outcome", f"{here}/outcome", dark=True)
    page.goto(f"{here}/proofs")
    page.get_by_text("holds", exact=True).first.wait_for()
    album.take("desk-proofs", f"{here}/proofs")
    album.take("desk-log", f"{here}/log?kind=submitted")
    clerk.do(auction, "publish")
    album.take("desk-public", f"{here}/public")
    clerk.create(text.replace("on Friday", "on Saturday"), is_rehearsal=True)
    album.take("desk-auctions", server.url, dark=True)
    return auction


def cookie(name: str, value: str) -> dict[str, object]:
    """A cookie as the browser wants it."""
    return {
        "name": name,
        "value": value,
        "domain": "localhost",
        "path": "/",
        "secure": True,
        "httpOnly": True,
    }


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
    album.press(page.get_by_role("button", name="Check answers"), "me-error")
    page.goto(f"{here}/me")
    fill_in(page, VALUES)
    page.locator("input.money").nth(1).fill("90.00")
    page.locator("input[type=checkbox]").last.check()
    page.locator("input.money").last.fill("")
    page.get_by_role("button", name="Check answers").click()
    page.wait_for_url("**/check")
    album.take("check", f"{here}/check", dark=True)
    album.press(page.get_by_role("button", name="Confirm and send"), "check-error")
    page.goto(f"{here}/me")
    fill_in(page, VALUES)
    check_and_send(page)
    album.take("receipt", dark=True)
    page.emulate_media(media="print")
    album.save("receipt-print")
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
    album.take("sheet", f"{here}/sheet")
    album.take("told", f"{here}/told")
    page.goto(f"{here}/ask")
    page.get_by_role("textbox").fill("Can bread be fetched on Sunday?")
    page.locator("main form button").click()
    album.take("ask", f"{here}/ask")
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
    album.press(page.get_by_role("button", name="Make a link"), "sessions-link")
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
    album.take("demand-rules", f"{here}/rules")
    clerk.do(auction, "start", {"accept_missing": True})
    is_first = True
    while wait_for(clerk, auction, "open", "stopped") == "open":
        page.goto(f"{here}/me")
        if page.locator("[data-demand]").count() and page.locator(".known tbody tr").count() > 1:
            if is_first:
                pictures_of_a_demand(album, here)
            is_first = False
        page.goto(f"{here}/me")
        if compose(page, VALUES) + fill_in(page, VALUES):
            check_and_send(page)
        for bot in bots:
            bot.answer()
    album.take("demand-answers", f"{here}/answers")
    clerk.do(auction, "close")
    wait_for(clerk, auction, "decided")
    clerk.do(auction, "publish")
    album.take("demand-result", f"{here}/result")


def pictures_of_a_demand(album: Album, here: str) -> None:
    """One question with prices, from the empty form to another choice."""
    page = album.page
    form = page.locator("[data-demand]").first
    form.get_by_label("Honey").fill("1")
    form.get_by_label("Bread").fill("2")
    album.save("demand-typed")
    page.get_by_role("button", name="Save draft").click()
    album.take("demand", f"{here}/me", dark=True)
    form.get_by_label("Honey").fill("3")
    album.press(page.get_by_role("button", name="Check answers"), "demand-error")
    page.goto(f"{here}/me")
    form.get_by_label("Honey").fill("")
    form.get_by_label("Bread").fill("")
    form.get_by_label("I want nothing").check()
    page.get_by_role("button", name="Check answers").click()
    page.wait_for_url("**/check")
    album.take("demand-check", f"{here}/check", dark=True)
    confirm(page)
    album.take("demand-receipt")
    page.goto(f"{here}/answers")
    page.get_by_role("link", name="Choose again").first.click()
    album.take("demand-again")
    form.get_by_label("I want nothing").uncheck()
    compose(page, VALUES)
    page.get_by_role("button", name="Check this choice").click()
    page.wait_for_url("**/check")
    confirm(page)


if __name__ == "__main__":
    sys.exit(main())
