"""Real people's way through an auction, in Chromium: by mouse, on a phone, without JavaScript."""

import re
from importlib.resources import files

import pytest
from live_browser import NARROW, WIDE, check_and_send, compose, confirm, enter, fill_in
from live_server import market_text, new_address, wait_for

from boca.bots.bot import Bot
from boca.bots.client import Client
from boca.bots.truth import read_truths

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
VALUES = {"hall": 31, "kitchen": 14, "chairs": 2.5}


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
        self.page.set_default_timeout(300_000)
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


def answer_round(visit, here: str) -> None:
    """Answers whatever is asked, by mouse and keyboard."""
    visit.page.goto(f"{here}/me")
    if compose(visit.page, VALUES) + fill_in(visit.page, VALUES):
        check_and_send(visit.page)


def test_whole_auction_by_mouse(browser, server, clerk, tmp_path):
    """
    Tests that three people, with a wide screen, a phone and no JavaScript, and one bot finish an
    auction: typing, a slip that is caught, corrections, own bids, receipts, result.
    """
    text = market_text(4, num_initial="2", num_total="3")
    market = tmp_path / "market.toml"
    market.write_text(text)
    auction = clerk.create(text)
    here = f"{server.url}/a/{auction}"
    kinds = [{}, {"size": NARROW}, {"javascript": False}]
    visits = [Visit(browser, server.url, **kind) for kind in kinds]
    wide, phone, plain = visits
    for visit, name in zip(visits, ("Club A", "Club B", "Club C"), strict=True):
        enter(visit.page, clerk.link(auction, name, f"Pat of {name}"))
        assert "Not started yet" in visit.page.locator(".status").inner_text()
    token = clerk.token(auction, "Club D")
    bot = Bot(Client(server.url, token), auction, read_truths(market)["Club D"])
    clerk.do(auction, "start", {"accept_missing": False})
    # Pages with JavaScript show the questions by themselves.
    wide.page.locator("input.money").first.wait_for()
    phone.page.locator("input.money").first.wait_for()
    assert re.fullmatch(r"[\d:]+", wide.page.locator(".countdown").inner_text())

    # A slip: it is told at the field, and nothing else that was typed is lost.
    fill_in(wide.page, VALUES)
    wide.page.locator("input.money").first.fill("three")
    wide.page.get_by_role("button", name="Check answers").click()
    wide.page.locator("#problems").wait_for()
    assert wide.page.evaluate("document.activeElement.id") == "problems"
    wide.page.locator("#problems a").click()
    assert wide.page.evaluate("document.activeElement.className") == "money"
    for visit in visits:
        answer_round(visit, here)

    # An own bid and a correction, on the phone and without JavaScript.
    for visit in (phone, plain):
        visit.page.goto(f"{here}/push")
        if visit.page.get_by_label("chairs").count():
            visit.page.get_by_label("chairs").fill("3")
            visit.page.get_by_label("kitchen").fill("1")
            visit.page.get_by_label("Your value").fill("19.00")
            visit.page.get_by_role("button", name="Check this bid").click()
            if "/check" in visit.page.url:
                confirm(visit.page)
    plain.page.goto(f"{here}/answers")
    plain.page.locator("input.money").first.fill("33.00")
    plain.page.get_by_role("button", name="Check corrections").click()
    plain.page.wait_for_url("**/check")
    confirm(plain.page)

    bot.answer()
    while wait_for(clerk, auction, "open", "stopped") == "open":
        for visit in visits:
            answer_round(visit, here)
        bot.answer()
    clerk.do(auction, "close")
    wait_for(clerk, auction, "decided")
    clerk.do(auction, "publish")
    for visit in visits:
        visit.page.goto(f"{here}/me")
        visit.page.locator("main").get_by_role("link", name="Result").click()
        visit.page.wait_for_url("**/result")
        assert "EUR" in visit.page.locator("dl.outcome").inner_text()
        assert visit.complaints == []
        visit.close()
    token_result = Client(server.url, token).get(f"/auctions/{auction}/result")
    assert token_result["why"]


def test_auction_with_prices_by_mouse(browser, server, clerk):
    """
    Tests that three people, with a wide screen, a phone and no JavaScript, compose bundles at
    prices, see what they cost, are told of a contradiction, choose again, and see the result.
    """
    text = market_text(3, mechanism='"hybrid"', num_initial="1", num_total="3")
    auction = clerk.create(text)
    here = f"{server.url}/a/{auction}"
    kinds = [{}, {"size": NARROW}, {"javascript": False}]
    visits = [Visit(browser, server.url, **kind) for kind in kinds]
    _, phone, plain = visits
    for visit, name in zip(visits, ("Club A", "Club B", "Club C"), strict=True):
        enter(visit.page, clerk.link(auction, name, f"Pat of {name}"))
    clerk.do(auction, "start", {"accept_missing": False})
    wait_for(clerk, auction, "open")
    for visit in visits:
        answer_round(visit, here)
    wait_for(clerk, auction, "open", round_=1)

    for visit in visits:
        page = visit.page
        page.goto(f"{here}/me")
        assert page.locator("[data-wish]").count() == 1
        page.get_by_label("hall").fill("1")
        page.get_by_label("chairs").fill("2")
        price = float(page.locator("[data-price]").first.get_attribute("data-price"))
        total = f"{3 * price / 100:.2f} EUR"  # the first prices are equal
        if visit is plain:
            page.get_by_role("button", name="Save draft").click()
        assert page.locator("[data-total]").inner_text() == total
        page.get_by_label("chairs").fill("4")
        if visit is not plain:
            assert page.locator("[data-total]").inner_text() == "\u2013"
        page.get_by_role("button", name="Check answers").click()
        page.locator("#problems a").click()
        assert page.get_by_label("hall").input_value() == "1"
        page.get_by_label("hall").fill("0")
        page.get_by_label("chairs").fill("")
        page.get_by_label("I want nothing").check()
        page.get_by_role("button", name="Check answers").click()
        page.wait_for_url("**/check*")
        assert "You want nothing, but" in page.locator("section.warn").inner_text()
        page.get_by_role("link", name="Back").click()
        if visit is phone:
            # Sent all the same, then changed.
            page.get_by_role("button", name="Check answers").click()
            page.wait_for_url("**/check*")
            confirm(page)
            page.goto(f"{here}/answers")
            page.get_by_role("link", name="Choose again").click()
            page.get_by_label("I want nothing").uncheck()
            compose(page, VALUES)
            page.get_by_role("button", name="Check this choice").click()
            page.wait_for_url("**/check*")
            confirm(page)
        else:
            answer_round(visit, here)
    while wait_for(clerk, auction, "open", "stopped") == "open":
        for visit in visits:
            answer_round(visit, here)
    clerk.do(auction, "close")
    wait_for(clerk, auction, "decided")
    clerk.do(auction, "publish")
    for visit in visits:
        visit.page.goto(f"{here}/result")
        assert "EUR" in visit.page.locator("dl.outcome").inner_text()
        assert visit.complaints == []
        visit.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_pages_are_accessible_and_keep_to_themselves(
    browser, sale, priced, ended, draft, size, scheme
):
    """
    Tests every page with axe, at two widths, light and dark; that nothing scrolls sideways; and
    that no page breaks the policy or asks another host for anything.
    """
    url = sale.server.url
    visit = Visit(browser, url, size, scheme=scheme)
    page, found = visit.page, []

    def look(address: str) -> None:
        page.goto(address)
        found.extend(visit.axe())
        overflow = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not overflow, f"{address} scrolls sideways at {size['width']} px"

    look(url)
    look(f"{url}/enter/unknown")
    look(sale.clerk.link(sale.auction, "Club A", "Robin"))
    for auction, bidder, pages in (
        (
            sale,
            "Club P",
            ("me", "sheet", "check", "answers", "push", "rules", "result", "sessions"),
        ),
        (priced, "Club A", ("me", "check", "sheet", "rules")),
        (priced, "Club L", ("me", "answers", "again/r1-b12-q1")),
        (ended, "Club A", ("me", "answers", "result", "public", "nowhere")),
        (draft, "Club A", ("me", "rules")),
    ):
        visit.sign_in(auction[bidder])
        if auction is sale:
            page.goto(url + sale.path("me"))
            fill_in(page, {"hall": 1, "kitchen": 0, "chairs": 900})
            page.get_by_role("button", name="Check answers").click()
            found.extend(visit.axe())
            fill_in(page, {"hall": 1, "kitchen": 0, "chairs": 90})
            page.get_by_role("button", name="Check answers").click()
            page.wait_for_url("**/check")
        if auction is priced and bidder == "Club A":
            page.goto(url + priced.path("me"))
            page.get_by_label("hall").fill("7")
            page.get_by_role("button", name="Check answers").click()
            page.locator("#problems").wait_for()
            found.extend(visit.axe())
            page.get_by_label("hall").fill("")
            page.get_by_label("I want nothing").check()
            page.get_by_role("button", name="Check answers").click()
            page.wait_for_url("**/check")
        for name in pages:
            look(url + auction.path(name))
    receipts = ended.client("Club A").get(f"/auctions/{ended.auction}/receipts")["receipts"]
    visit.sign_in(ended["Club A"])
    look(url + ended.path(f"receipts/{receipts[0]['hash']}"))
    assert found == []
    assert visit.complaints == []
    visit.close()


def test_policy_blocks_what_was_smuggled_in(browser, sale):
    """Tests that the policy works at all: an inline script in our own page does not run."""
    visit = Visit(browser, sale.server.url)
    visit.page.goto(sale.server.url)
    visit.page.evaluate(
        "() => { const s = document.createElement('script');"
        " s.textContent = 'window.smuggled = 1'; document.body.append(s); }"
    )
    assert visit.page.evaluate("window.smuggled") is None
    assert any("Content Security Policy" in complaint for complaint in visit.complaints)
    visit.close()


def test_typing_is_never_taken_away(browser, sale, bidder, clerk):
    """Tests that news on the page of questions is offered, not forced, while somebody types."""
    visit = Visit(browser, sale.server.url)
    visit.sign_in(sale[bidder])
    visit.page.goto(sale.server.url + sale.path("me"))
    visit.page.locator("input.money").first.fill("12")
    sale.answer(bidder)  # somebody else of the same bidder was quicker
    visit.page.locator("#stale").wait_for()
    assert visit.page.locator("input.money").first.input_value() == "12"
    visit.close()
