"""Every page in Chromium: wide and narrow, light and dark, without a word to another host."""

import pytest
from live_browser import NARROW, WIDE, Visit, fill_in
from live_server import Person, market_text

from boca.cli.admin import issue


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_pages_are_accessible_and_keep_to_themselves(browser, sale, ended, draft, size, scheme):
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
    page.locator("#text").fill('name = "x"\n[auction]\nunit = 3\n')
    page.get_by_role("button", name="Look at it").first.click()
    page.locator("#problems").wait_for()
    page.locator("summary").click()
    found.extend(visit.axe())
    page.locator("#text").fill(market_text(2))
    page.get_by_role("button", name="Look at it").first.click()
    page.get_by_role("button", name="Make this auction").wait_for()
    found.extend(visit.axe())
    for auction, pages in (
        (draft, ("run", "bidders", "do/start", "do/close", "rehearse", "outcome", "proofs")),
        (sale, ("run", "bidders/1", "do/extend", "do/cancel", "do/announce", "log", "rules")),
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
