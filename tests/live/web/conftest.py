"""One real server and one real browser for all tests of pages."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from live_browser import open_browser
from live_server import NAMES, LiveServer, finish, market_text, new_sale, wait_for
from post_office import PostOffice

from boca.live.bots.clerk import Clerk

# The server's folder and a program of the auctioneer, once a test has wanted it, and auctions that
# tests of several files use.
CLERKS: list[tuple[Path, Clerk]] = []
SHARED: set[str] = set()


@pytest.fixture(scope="module", autouse=True)
def room_for_others():
    """Ends what the tests of a file have started: a server has room for ten auctions under way."""
    yield
    for data, clerk in CLERKS:
        with closing(sqlite3.connect(f"file:{data}/auctions.db?mode=ro", uri=True)) as log:
            rows = log.execute("SELECT auction, kind FROM event").fetchall()
        ended = {auction for auction, kind in rows if kind in ("published", "cancelled")}
        started = {auction for auction, kind in rows if kind == "started"}
        for auction in started - ended - SHARED:
            clerk.do(auction, "cancel", {"reason": "The tests of this file are over."})


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """``boca serve`` in a process of its own, with a mail server that nobody has switched on."""
    folder = tmp_path_factory.mktemp("live")
    settings = folder / "server.toml"
    settings.write_text(PostOffice().settings)
    server = LiveServer(folder / "data", options=("--settings", str(settings))).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def clerk(server):
    """A program of the auctioneer."""
    clerk = server.clerk()
    CLERKS.append((server.data, clerk))
    yield clerk
    CLERKS.clear()


@pytest.fixture(scope="session")
def sale(server, clerk):
    """An auction with an open round and many bidders: every test takes some of its own."""
    sale = new_sale(server, clerk, market_text(len(NAMES)))
    SHARED.add(sale.auction)
    return sale


@pytest.fixture(scope="session")
def unused(sale):
    """Bidders that no test has used."""
    return iter(NAMES)


@pytest.fixture
def bidder(unused):
    """A bidder of the open auction that only this test uses."""
    return next(unused)


@pytest.fixture(scope="session")
def priced(server, clerk):
    """An auction whose open round asks everybody for a bundle at prices; full bundles are known."""
    text = market_text(12, mechanism='"hybrid"', num_initial="1", num_total="3")
    sale = new_sale(server, clerk, text.replace('"Club B"', '"Club B"\nat_most = 2'))
    SHARED.add(sale.auction)
    for bidder in sale.tokens:
        sale.answer(bidder, "50.00")
    wait_for(clerk, sale.auction, "open", round_=1)
    (query,) = sale.queries("Club L")
    demands = [{"query": query["id"], "bundle": {"hall": 1, "kitchen": 1, "chairs": 3}}]
    path = f"/auctions/{sale.auction}/submissions"
    sale.client("Club L").post(path, {"demands": demands}, "club-l-has-chosen")
    return sale


@pytest.fixture(scope="session")
def unpriced(priced):
    """
    Bidders with prices that no test has used.

    Some belong to tests by name: Club A, whose question stays open, Club B, which has limits, and
    Club L, which has chosen.
    """
    return iter(NAMES[2:11])


@pytest.fixture
def shopper(unpriced):
    """A bidder of the auction with prices that only this test uses."""
    return next(unpriced)


@pytest.fixture(scope="session")
def draft(server, clerk):
    """An auction that has not started."""
    return new_sale(server, clerk, market_text(2), start=False)


@pytest.fixture(scope="session")
def ended(server, clerk):
    """An auction that is published; it was paused and resumed on its way."""
    sale = new_sale(server, clerk, market_text(3, num_total="3"))
    clerk.do(sale.auction, "pause", {"reason": "A storm."})
    clerk.do(sale.auction, "resume", {"reason": "It is over."})
    finish(sale)
    return sale


@pytest.fixture(scope="session")
def browser():
    """Chromium."""
    with open_browser() as browser:
        yield browser
