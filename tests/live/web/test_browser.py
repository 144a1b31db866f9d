"""Every page in Chromium: wide and narrow, light and dark, without a word to another host."""

import re

import pytest
from live_browser import (
    NARROW,
    WIDE,
    Visit,
    check_and_send,
    compose,
    confirm,
    enter,
    fill_in,
)
from live_server import LiveServer, Person, market_text, new_sale, wait_for
from playwright.sync_api import expect

from boca.cli.admin.links import issue

VALUES = {"hall": 31, "kitchen": 14, "chairs": 2.5}


def answer_round(visit, here: str) -> None:
    """Answers whatever is asked, by mouse and keyboard."""
    visit.page.goto(f"{here}/me")
    if compose(visit.page, VALUES) + fill_in(visit.page, VALUES):
        check_and_send(visit.page)


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
        assert page.locator("[data-demand]").count() == 1
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
            ("me", "sheet", "check", "answers", "push", "rules", "result", "told", "sessions"),
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
    desk_pages(visit, found, look, sale, ended, draft)
    assert found == []
    assert visit.complaints == []
    visit.close()


def desk_pages(visit, found, look, sale, ended, draft) -> None:
    """The pages of auctioneer and auditor, with and without mistakes, in several phases."""
    server, page = sale.server, visit.page
    boss = Person(server.url)
    boss.enter(f"{server.url}/enter/{issue(server.data, None, 'auctioneer', None, 'Zoe')}")
    visit.sign_in(boss)
    look(server.url)
    look(f"{server.url}/new")
    page.locator("summary").click()
    page.locator("#text").fill('name = "x"\n[auction]\nunit = 3\n')
    page.get_by_role("button", name="Preview").first.click()
    page.locator("#problems").wait_for()
    found.extend(visit.axe())
    page.locator("#text").fill(market_text(2))
    page.get_by_role("button", name="Preview").first.click()
    page.get_by_role("button", name="Create this auction").wait_for()
    found.extend(visit.axe())
    for auction, pages in (
        (draft, ("run", "bidders", "do/start", "do/close", "rehearse", "outcome", "proofs")),
        (
            sale,
            ("run", "bidders/1", "do/extend", "do/cancel", "do/announce", "log", "mails", "rules"),
        ),
        (ended, ("run", "bidders", "bidders/1", "outcome", "proofs", "log", "public")),
    ):
        for name in pages:
            look(server.url + auction.path(name))
    page.goto(server.url + sale.path("do/pause"))
    page.get_by_role("button", name="Pause").click()
    page.locator("#problems").wait_for()
    found.extend(visit.axe())
    page.goto(server.url + draft.path("bidders"))
    page.get_by_role("button", name="New link for Pat of Club A").click()
    page.locator(".secret").wait_for()
    found.extend(visit.axe())
    page.get_by_role("link", name="Revoke Pat of Club B").click()
    page.get_by_role("button", name="Revoke").wait_for()
    found.extend(visit.axe())
    page.goto(server.url + sale.path("bidders/16"))
    page.locator("input.money").first.fill("0")
    page.get_by_role("button", name="Check the entry").click()
    page.get_by_label("Why you enter this").wait_for()
    found.extend(visit.axe())


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


def test_a_dead_server_is_noticed_and_a_living_one_found_again(browser, tmp_path):
    """Tests that no countdown runs on without a server, and that the page comes back by itself."""
    server = LiveServer(tmp_path / "data").start()
    try:
        clerk = server.clerk()
        sale = new_sale(server, clerk, market_text(2))
        visit = Visit(browser, server.url)
        enter(visit.page, clerk.link(sale.auction, "Club A", "Robin"))
        offline, countdown = visit.page.locator("#offline"), visit.page.locator(".countdown")
        expect(offline).to_be_hidden()
        expect(countdown).to_have_text(re.compile(r"\d+:\d\d"))
        server.process.kill()
        server.process.wait()
        expect(offline).to_be_visible(timeout=60_000)
        expect(countdown).to_have_text("\u2013")
        server.start()
        expect(offline).to_be_hidden(timeout=60_000)
        expect(visit.page.locator("#status")).to_contain_text("Round 1", timeout=60_000)
    finally:
        server.stop()
