"""A supplier's, a trader's and the desk's way through a purchase and an exchange."""

from dataclasses import dataclass
from pathlib import Path

from album import Album
from live_browser import check_and_send, fill_in
from live_server import LiveServer, wait_for

from boca.cli.serve.demo import DEMOS, Demo
from boca.live.bots.clerk import Clerk
from boca.live.bots.recruiting import Tokens, recruit


@dataclass(frozen=True)
class Market:
    """
    One of the demos that do not sell.

    Parameters
    ----------
    name
        Of its pictures.
    demo
        Its file, and whom the person acts for.
    amounts
        What one unit of everything costs the person, or is worth to it.
    own_pages
        Pages that the desk has of this kind alone.
    """

    name: str
    demo: Demo
    amounts: dict[str, float]
    own_pages: tuple[str, ...] = ()

    @property
    def values(self) -> Path | None:
        """The file with the bots' values; None if they are drawn."""
        return self.demo.market if self.demo.has_values else None


ROADS = ("Farm to market", "Market to farm", "Farm to school", "Dairy to market")
PURCHASE = Market(
    "purchase",
    DEMOS["buy"],
    dict(zip(ROADS, (40.0, 40.0, 30.0, 35.0), strict=True)),
    ("scenarios", "letters/1", "letters/4"),
)
EXCHANGE = Market("exchange", DEMOS["exchange"], {"Tomatoes": 2.0, "Beans": 3.5, "Roses": 4.0})


def play_market(
    server: LiveServer, desk: Album, person: Album, market: Market, is_quick: bool
) -> None:
    """From the file to the published result, with a picture of each page of desk and person."""
    clerk, name = server.clerk(), market.name
    desk.sign_in(server.boss.cookie)
    here = set_up(desk, server.url, market, is_quick)
    auction = here.rpartition("/")[2]
    tokens = {bidder: clerk.token(auction, bidder) for bidder in clerk.bidders(auction)}
    team = recruit(Tokens(auction, tokens), server.url, market.values, seed=1)
    *others, me = team.bots
    come_in(person, clerk.link(auction, market.demo.you, "Dora"), name)
    person.take(f"{name}-me-draft", f"{here}/me")
    desk.take(f"{name}-desk-start", f"{here}/do/start")
    clerk.do(auction, "start", {"accept_missing": True})
    wait_for(clerk, auction, "open")
    answer(person, here, market)
    for bot in others[:2]:
        bot.answer()
    desk.take(f"{name}-desk-open", f"{here}/run")
    desk.take(f"{name}-desk-bidder", f"{here}/bidders/4")
    desk.take(f"{name}-desk-entry", f"{here}/bidders/3")
    is_first = True
    while True:
        for bot in others:
            bot.answer()
        if wait_for(clerk, auction, "open", "stopped") == "stopped":
            break
        person.take(f"{name}-me-later", f"{here}/me")
        if person.page.locator("[data-demand]").count() and is_first:
            demand(person, name)
            is_first = False
        me.answer()
    finish(desk, person, clerk, here, market)


def set_up(desk: Album, url: str, market: Market, is_quick: bool) -> str:
    """The form and the file of the same market, and people; where the auction is."""
    name, page = market.name, desk.page
    text = market.demo.market.read_text(encoding="utf-8")
    text = text.replace('"hybrid"', '"random"') if is_quick else text
    page.goto(f"{url}/new")
    page.locator("summary").click()
    page.locator("#text").fill(text)
    desk.press(page.get_by_role("button", name="Preview").first, f"{name}-preview")
    page.locator("button.main").click()
    page.wait_for_url("**/bidders")
    here = page.url.removesuffix("/bidders")
    for step in ("bidders", "edit", "rehearse", "rules"):
        desk.take(f"{name}-desk-{step}", f"{here}/{step}")
    page.goto(f"{url}/new")
    kind = "buy" if name == "purchase" else "exchange"
    page.locator(f"button[value={kind}]").click()
    page.wait_for_url("**/goods")
    for step in ("goods", "bidders", "rules", "people", "check"):
        desk.take(f"{name}-setup-{step}", page.url.rpartition("/")[0] + f"/{step}")
    return here


def come_in(person: Album, link: str, name: str) -> None:
    """The page behind an invitation, and its button."""
    person.take(f"{name}-enter", link)
    person.page.get_by_role("button", name="Enter").click()
    person.page.wait_for_url(lambda url: "/enter/" not in url)


def answer(person: Album, here: str, market: Market) -> None:
    """The first questions, from a slip over the check to the receipt, and pages beside them."""
    name, page = market.name, person.page
    person.take(f"{name}-rules", f"{here}/rules")
    person.take(f"{name}-me", f"{here}/me")
    fill_in(page, market.amounts)
    page.locator("input.money").first.fill("abc")
    person.press(page.get_by_role("button", name="Check answers"), f"{name}-me-error")
    page.goto(f"{here}/me")
    fill_in(page, market.amounts)
    page.locator("input.money").first.fill("190.00")
    page.locator("input[type=checkbox]").last.check()
    page.locator("input.money").last.fill("")
    page.get_by_role("button", name="Check answers").click()
    page.wait_for_url("**/check")
    person.take(f"{name}-check", f"{here}/check")
    page.goto(f"{here}/me")
    fill_in(page, market.amounts)
    check_and_send(page)
    person.take(f"{name}-receipt")
    for step in ("me", "answers", "push", "sheet", "told", "ask", "public"):
        person.take(f"{name}-{step}{'-answered' if step == 'me' else ''}", f"{here}/{step}")


def demand(person: Album, name: str) -> None:
    """A question with prices, filled in."""
    with person.spoken():
        person.page.reload()
        person.page.locator("[data-demand] input.copies").first.fill("1")
        person.save(f"{name}-demand")


def finish(desk: Album, person: Album, clerk: Clerk, here: str, market: Market) -> None:
    """Closed, decided, published, as the desk and as the person see it."""
    name, auction = market.name, here.rpartition("/")[2]
    desk.take(f"{name}-desk-stopped", f"{here}/run")
    if "scenarios" in market.own_pages:
        desk.page.goto(f"{here}/scenarios")
        desk.page.locator("#scenarios table").first.wait_for()
        desk.take(f"{name}-desk-scenarios-before", f"{here}/scenarios")
    desk.take(f"{name}-desk-close", f"{here}/do/close")
    clerk.do(auction, "close")
    wait_for(clerk, auction, "decided")
    person.take(f"{name}-result-before", f"{here}/result")
    desk.page.goto(f"{here}/proofs")
    desk.page.get_by_text("holds", exact=True).first.wait_for()
    for step in ("run", "outcome", "proofs", "do/publish", *market.own_pages):
        desk.take(f"{name}-desk-{step.replace('/', '-')}", f"{here}/{step}")
    clerk.do(auction, "publish")
    desk.take(f"{name}-desk-published", f"{here}/outcome")
    desk.take(f"{name}-desk-log", f"{here}/log")
    person.take(f"{name}-result", f"{here}/result")
    if market.own_pages:
        person.take(f"{name}-letter", f"{here}/letter")
    person.take(f"{name}-public-after", f"{here}/public")
