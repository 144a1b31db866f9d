"""A bidder's way through an auction that sells, with questions about values and with prices."""

from album import Album
from live_browser import check_and_send, compose, confirm, enter, fill_in
from live_server import LiveServer, wait_for

from boca.cli.serve.demo import DEMOS
from boca.live.bots.bot import Bot
from boca.live.bots.client import Client
from boca.live.bots.truth import read_truths

SHOP = DEMOS["sell"]
DEMO_MARKET, DEMO_BIDDER, DEMO_WORDS = SHOP.market, SHOP.you, SHOP.words
VALUES = {"Apples": 2.2, "Bread": 5.0, "Cheese": 5.5, "Honey": 4.8}


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
    with album.spoken():
        page.reload()
        album.save("receipt-print")
    page.emulate_media(media="screen")
    album.take("me-answered", f"{here}/me")
    album.take("push", f"{here}/push")
    # Questions are drawn at random, and what was asked cannot be an own bid.
    for apples in ("2", "1", "3"):
        page.get_by_label("Apples").fill(apples)
        page.get_by_label("Honey").fill("1")
        page.get_by_label("Your value").fill("8.00")
        with page.expect_navigation():
            page.get_by_role("button", name="Check this bid").click()
        if page.url.endswith("/check"):
            break
    album.take("check-push", f"{here}/check")
    confirm(page)
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
    album.press(page.get_by_role("button", name="Create a link"), "sessions-link")
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
    with album.spoken():
        page.reload()
        form.get_by_label("Honey").fill("1")
        form.get_by_label("Bread").fill("2")
        album.save("demand-typed")
    page.reload()
    form.get_by_label("Honey").fill("1")
    form.get_by_label("Bread").fill("2")
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
