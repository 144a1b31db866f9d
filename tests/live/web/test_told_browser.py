"""In Chromium: a page tells what is new, keeps what was typed, and sends nothing twice."""

import re

import pytest
from live_browser import Visit, enter, fill_in
from live_server import LiveServer, market_text, new_sale, wait_for
from playwright.sync_api import expect

VALUES = {"hall": 31, "kitchen": 14, "chairs": 2.5}


def test_tab_sound_and_notification_tell_of_a_new_round(browser, server, clerk):
    """Tests that a person who looks elsewhere sees, hears and is shown that a round has opened."""
    sale = new_sale(server, clerk, market_text(2))
    visit = Visit(browser, server.url)
    visit.context.grant_permissions(["notifications"], origin=server.url)
    page = visit.page
    enter(page, clerk.link(sale.auction, "Club A", "Robin"))
    page.goto(server.url + sale.path("told"))
    sound, notify = page.get_by_role("button", name="Sound"), page.locator("[data-notify]")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#told-here")).to_contain_text("You have just heard the sound")
    notify.click()
    expect(notify).to_have_attribute("aria-pressed", "true")
    page.add_init_script(
        "window.shown = [];"
        "window.Notification = class { static permission = 'granted';"
        " constructor(words) { window.shown.push(words); } };"
    )
    page.goto(server.url + sale.path("me"))
    expect(page).to_have_title(re.compile(r"^\(3\) Round 1 is open · "))
    for bidder in sale.tokens:
        sale.answer(bidder)
    wait_for(clerk, sale.auction, "open", round_=1)
    expect(page).to_have_title(re.compile(r"^\(2\) Round 2 is open · "), timeout=30_000)
    assert page.evaluate("window.shown")[-1] == "Round 2 is open"
    assert int(page.evaluate("document.body.dataset.chimes")) >= 1
    assert visit.complaints == []
    visit.close()


@pytest.fixture
def own_server(tmp_path):
    server = LiveServer(tmp_path / "data").start()
    yield server
    if server.process.poll() is None:
        server.stop()


def test_what_was_typed_survives_the_server(browser, own_server):
    """
    Tests that a page without a server sends nothing and keeps what was typed, that a page which is
    loaded again has it, and that an answer which was taken is taken once.
    """
    server, clerk = own_server, own_server.clerk()
    sale = new_sale(server, clerk, market_text(2))
    visit = Visit(browser, server.url)
    page = visit.page
    enter(page, clerk.link(sale.auction, "Club A", "Robin"))
    fill_in(page, VALUES)
    page.locator("input[name^=decline]").first.check()
    typed = [field.input_value() for field in page.locator("input.money").all()]
    server.process.kill()
    server.process.wait()
    expect(page.locator("#offline")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Check answers").click()
    assert page.url.endswith("/me")
    assert [field.input_value() for field in page.locator("input.money").all()] == typed

    server.start()
    page.goto(server.url + sale.path("rules"))
    page.goto(server.url + sale.path("me"))
    expect(page.locator("#restored")).to_be_visible()
    assert [field.input_value() for field in page.locator("input.money").all()] == typed
    assert page.locator("input[name^=decline]").first.is_checked()
    page.locator("input[name^=decline]").first.uncheck()
    page.get_by_role("button", name="Check answers").click()
    page.wait_for_url("**/check")
    page.goto(server.url + sale.path("me"))
    expect(page.locator("#restored")).to_be_hidden()

    # The server takes the answers, and its answer gets lost; the person sends again.
    page.get_by_role("button", name="Check answers").click()
    page.wait_for_url("**/check")
    for box in page.locator("input[name=tick]").all():
        box.check()

    def lose(route) -> None:
        if route.request.method == "POST":
            route.fetch(max_redirects=0)
            route.abort()
        else:
            route.continue_()

    page.route("**/check", lose)
    with page.expect_event("requestfailed"):
        page.get_by_role("button", name="Confirm and send").click(no_wait_after=True)
    page.unroute("**/check")
    page.goto(server.url + sale.path("me"))
    assert "all 3 answered" in page.locator("h1").inner_text()
    receipts = sale.client("Club A").get(f"/auctions/{sale.auction}/receipts")["receipts"]
    assert len(receipts) == 1
    assert page.evaluate("Object.values(sessionStorage).join()").count("31") == 0
    visit.close()


def test_confirming_twice_gives_the_same_receipt(browser, own_server):
    """Tests a kill of the server between two confirmations of one form."""
    server, clerk = own_server, own_server.clerk()
    sale = new_sale(server, clerk, market_text(2))
    visit = Visit(browser, server.url)
    page = visit.page
    enter(page, clerk.link(sale.auction, "Club A", "Robin"))
    fill_in(page, VALUES)
    page.get_by_role("button", name="Check answers").click()
    page.wait_for_url("**/check")
    for box in page.locator("input[name=tick]").all():
        box.check()
    content = page.locator("form input, form button").evaluate_all(
        "fields => fields.filter(f => f.type != 'checkbox' || f.checked)"
        ".map(f => [f.name, f.value])"
    )
    page.get_by_role("button", name="Confirm and send").click()
    page.wait_for_url(re.compile("/receipts/"))
    first = page.url
    server.process.kill()
    server.process.wait()
    server.start()
    fields = [(name, value) for name, value in content if name and name != "remove"]
    again = page.request.post(
        server.url + sale.path("check"),
        form=dict(fields),
        headers={"Origin": server.url},
        max_redirects=0,
    )
    assert again.headers["location"] in first
    receipts = sale.client("Club A").get(f"/auctions/{sale.auction}/receipts")["receipts"]
    assert len(receipts) == 1
    visit.close()
