"""What the server writes down about requests, and what it must not."""

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from live_server import Person
from served_desk import serving
from whole_auction import drive, open_desk

from boca.live.web.journal import Journal


@pytest.fixture
def lines(tmp_path):
    """A server that keeps its journal in a list."""
    journal: list[str] = []
    with serving(open_desk(tmp_path / "data"), journal=journal.append) as (desk, url, _):
        yield desk, url, journal


def test_requests_are_lines_with_templates_instead_of_addresses(lines):
    """Tests a link, a wrong page, a mistake and a refused call: no secret is written down."""
    desk, url, journal = lines
    state = drive(desk)
    link = desk.people.first_link().result()
    person = Person(url)
    person.get(f"/enter/{link.token}")
    person.enter(f"{url}/enter/{link.token}")
    person.get(f"/a/{state.auction}/public?find=secret")
    person.get("/nowhere/secret")
    httpx.get(f"{url}/api/v1/auctions/{state.auction}/progress")
    while len(journal) < 5:  # a line is written once its answer is out
        time.sleep(0.01)
    seen = [json.loads(line) for line in journal]
    assert [(s["method"], s["route"], s["status"], s["role"], s["level"]) for s in seen] == [
        ("GET", "/enter/{token}", 200, "public", "info"),
        ("POST", "/enter/{token}", 303, "public", "info"),
        ("GET", "/a/{auction}/public", 200, "auctioneer", "info"),
        ("GET", "-", 404, "auctioneer", "warning"),
        ("GET", "/api/v1/auctions/{auction}/progress", 401, "public", "warning"),
    ]
    text = "".join(journal)
    assert all(word not in text for word in ("secret", link.token, person.cookie, state.auction))
    assert all(s["ms"] >= 0 and s["time"].endswith("Z") for s in seen)


def test_requests_without_an_answer_are_noted(tmp_path):
    """Tests a crash on the way: the line is written all the same."""
    desk = open_desk(tmp_path / "data")
    journal: list[str] = []

    async def failing(scope, receive, send):
        raise ConnectionError

    app = Journal(failing, journal.append, desk.clock)
    # In a thread of its own, since tests with a browser leave a running loop behind in this one.
    with ThreadPoolExecutor(1) as pool, pytest.raises(ConnectionError):
        pool.submit(asyncio.run, app({"type": "http", "method": "GET"}, None, None)).result()
    assert json.loads(journal[0])["status"] == 499
    desk.close()
