"""In Chromium with a device that makes passkeys: add one, sign out, come back without a link."""

import re

import httpx
import pytest
from live_browser import Visit, enter
from live_server import new_address
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def with_device(visit):
    """A browser that can make passkeys; what it is, for later questions."""
    session = visit.context.new_cdp_session(visit.page)
    session.send("WebAuthn.enable")
    name = session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    return session, name


def test_a_bidder_comes_back_with_a_passkey(browser, server, clerk, sale, bidder):
    """Tests adding, the list, signing out, signing in from three pages, a device that refuses."""
    visit = Visit(browser, server.url)
    session, device = with_device(visit)
    page = visit.page
    enter(page, clerk.link(sale.auction, bidder, "Robin"))
    page.goto(server.url + sale.path("sessions"))
    page.get_by_label("Name of the device").fill("Robin's phone")
    page.get_by_role("button", name="Add a passkey").click()
    row = page.get_by_role("row").filter(has_text="Robin's phone")
    expect(row).to_contain_text("passkey")
    assert visit.axe() == []
    # The device has one already, and says so.
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator("[data-passkey] [role=status]")).to_contain_text("did not work")

    page.get_by_role("button", name="Sign out").click()
    # The list of auctions, a page that needs somebody, and a link that is used up.
    used = clerk.link(sale.auction, bidder, "Sam")
    httpx.post(used, headers={"Origin": server.url, "X-Forwarded-For": new_address()})
    for address in ("/", sale.path("me"), used.removeprefix(server.url)):
        page.goto(server.url + address)
        page.get_by_role("button", name="Sign in with a passkey").click()
        page.wait_for_url(re.compile(r"/me$"))
        expect(page.locator(".who")).to_contain_text("Robin")
        page.goto(server.url + sale.path("sessions"))
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(server.url + "/")

    session.send("WebAuthn.setUserVerified", {**device, "isUserVerified": False})
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.locator("[data-passkey] [role=status]")).to_contain_text("did not work")
    assert visit.axe() == []
    visit.close()


def test_without_script_links_are_what_there_is(browser, server):
    """Tests that nobody sees a button that does nothing."""
    visit = Visit(browser, server.url, javascript=False)
    visit.page.goto(server.url)
    assert not visit.page.locator("[data-passkey]").is_visible()
    visit.close()


@pytest.mark.parametrize("made", ["", "nonsense", "[]", "{}", "[" * 20_000])
def test_strangers_learn_nothing(server, made):
    """Tests nonsense, and forms of other pages."""
    headers = {"Origin": server.url, "X-Forwarded-For": new_address()}
    answer = httpx.post(f"{server.url}/passkey", data={"made": made}, headers=headers)
    assert (answer.status_code, "set-cookie" in answer.headers) == (422, False)
    foreign = {**headers, "Origin": "https://example.org"}
    for path in ("/passkey", "/passkey/begin"):
        assert httpx.post(server.url + path, data={}, headers=foreign).status_code == 403
