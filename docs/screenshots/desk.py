"""The auctioneer's way through an auction that sells, and an auditor's."""

from album import Album
from live_server import LiveServer, wait_for

from boca.cli.admin.links import issue
from boca.cli.serve.demo import DEMOS
from boca.live.bots.bot import Bot
from boca.live.bots.client import Client
from boca.live.bots.truth import read_truths

DEMO_MARKET = DEMOS["sell"].market


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
    for name in ("run", "bidders", "bidders/1", "outcome", "proofs", "log", "told", "sessions"):
        album.take(f"audit-{name.replace('/', '-')}", f"{here}/{name}")
    album.take("audit-refused", f"{here}/do/publish")


def run_desk(server: LiveServer, album: Album, mechanism: str) -> str:
    """The auctioneer's way through the same auction, played by four bots; returns its number."""
    clerk, page = server.clerk(), album.page
    album.sign_in(server.boss.cookie)
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
    with album.spoken():
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
    album.take("desk-archive", f"{server.url}/?show=archive")
    album.take("desk-found", f"{server.url}/?find=friday")
    album.take("desk-found-none", f"{server.url}/?find=monday")
    album.take("desk-sessions", f"{server.url}/sessions")
    return auction
