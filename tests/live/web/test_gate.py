"""Strangers are limited and kept from slowing down people who are signed in."""

import re
import socket
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from hand_clock import HandClock
from live_play import market_text
from live_server import Person, new_address
from served_desk import serving
from whole_auction import ZOE, open_desk

from boca.cli.serve.patience import PatientProtocol
from boca.live.web.gate import Gate, way_back
from boca.live.web.limits import Buckets, Limits, Rate

FEW = Limits(visitors=Rate(0.001, 3), strangers=Rate(0.001, 5), strangers_near=Rate(0.001, 2))


@pytest.fixture
def desk(tmp_path):
    desk = open_desk(tmp_path / "data", clock=HandClock(), is_ticking=False, works=False)
    desk.auction = desk.create(ZOE, market_text(listed=True)).result().auction
    return desk


def ask(url, path="/", address="", **headers):
    return httpx.get(url + path, headers={"X-Forwarded-For": address or new_address(), **headers})


def test_one_address_gets_so_much_and_no_more(desk):
    """Tests that the fourth request of an address is refused, and another address is not."""
    with serving(desk, limits=FEW) as (_, url, _):
        page = f"/a/{desk.auction}/public"
        assert [ask(url, page, "10.9.9.9").status_code for _ in range(4)] == [200, 200, 200, 429]
        assert ask(url, page).status_code == 200
        refused = ask(url, page, "10.9.9.9")
        assert f'href="{page}"' in refused.text  # the page leads back
        assert int(refused.headers["retry-after"]) > 0
        assert "default-src 'none'" in refused.headers["content-security-policy"]
        call = ask(url, f"/api/v1/auctions/{desk.auction}", "10.9.9.9")
        assert call.headers["content-type"] == "application/problem+json"
        assert ask(url, "/health", "10.9.9.9").status_code == 200


def test_all_strangers_together_get_so_much_and_members_the_rest(desk):
    """Tests that people who are signed in are served when strangers are not any more."""
    with serving(desk, limits=FEW) as (_, url, _):
        boss = Person(url)
        boss.enter(f"{url}/enter/{desk.people.first_link().result().token}")
        assert [ask(url).status_code for _ in range(6)] == [200] * 5 + [429]
        late = Person(url)  # whoever has a link is no stranger
        link = f"{url}/enter/{desk.people.first_link().result().token}"
        assert late.enter(link).status_code == 303
        assert boss.get("/").status_code == 200
        assert boss.get(f"/a/{desk.auction}/bidders").status_code == 200


def test_a_credential_that_is_good_for_nothing_makes_a_stranger(desk):
    """Tests that a made-up cookie or token does not lead past the limit."""
    with serving(desk, limits=FEW) as (_, url, _):
        cookie = {"Cookie": "__Host-boca=nonsense"}
        codes = [ask(url, "/", "10.9.9.8", **cookie).status_code for _ in range(4)]
        assert codes == [200, 200, 200, 429]
        token = {"Authorization": "Bearer nonsense"}
        path = f"/api/v1/auctions/{desk.auction}"
        codes = [ask(url, path, "10.9.9.7", **token).status_code for _ in range(4)]
        assert codes == [401, 401, 401, 429]


def test_strangers_get_less_in_the_last_minutes_of_a_round(desk):
    """Tests the precedence of bidders before a deadline."""
    gate = Gate(None, Buckets(iter(range(0, 100, 5)).__next__), FEW, desk)
    state = replace(desk.writer.states[desk.auction], phase="open")
    for minutes, is_near in ((3, False), (1.9, True), (-0.1, False)):
        deadline = desk.now() + timedelta(minutes=minutes)
        desk.writer.states[desk.auction] = replace(state, deadline=deadline)
        assert gate.is_near_deadline() == is_near
    desk.writer.states[desk.auction] = replace(state, deadline=desk.now() + timedelta(minutes=1))
    with serving(desk, limits=FEW) as (_, url, _):
        assert [ask(url).status_code for _ in range(3)] == [200, 200, 429]


def test_public_pages_are_made_once_per_second(desk, monkeypatch):
    """Tests that twenty strangers cost one page, and that those who are known get their own."""
    made = []
    public = desk.public
    monkeypatch.setattr(desk, "public", lambda *words: made.append(1) or public(*words))
    monkeypatch.setattr("boca.live.web.gate.FRESH_SECONDS", 1000.0)
    with serving(desk) as (_, url, _):
        page = f"/a/{desk.auction}/public"
        answers = [ask(url, page) for _ in range(20)]
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.text for answer in answers}) == 1
        assert len({answer.headers["content-length"] for answer in answers}) == 1
        assert len(made) == 1
        ask(url, page + "?find=abc")
        boss = Person(url)
        boss.enter(f"{url}/enter/{desk.people.first_link().result().token}")
        boss.get(page)
        assert len(made) > 2


def test_a_room_full_of_people_comes_in_by_one_address(desk):
    """Tests thirty people behind one router: each looks at a link and uses it."""
    with serving(desk) as (_, url, _):
        room = new_address()
        for _ in range(30):
            person = Person(url, address=room)
            link = f"/enter/{desk.people.first_link().result().token}"
            assert person.get(link).status_code == 200
            assert person.enter(url + link).status_code == 303


def test_links_that_do_not_work_are_counted(desk):
    """Tests that guessing ends after ten, on a page that leads back to the link."""
    with serving(desk) as (_, url, _):
        person = Person(url)
        codes = [person.get(f"/enter/wrong{k}").status_code for k in range(11)]
        assert codes == [404] * 10 + [429]
        refused = person.get("/enter/wrong")
        assert re.search(r'href="/enter/wrong"', refused.text)
        # The right link works for the same address all the same.
        right = f"/enter/{desk.people.first_link().result().token}"
        assert person.get(right).status_code == 200


def test_the_way_back_is_on_this_server():
    """Tests that an address cannot lead elsewhere."""
    assert way_back("GET", "/a/x/me") == "/a/x/me"
    assert way_back("POST", "/enter/x") == "/enter/x"
    assert way_back("POST", "/sessions/link") == "/"
    assert way_back("GET", "//evil.example") == "/"


class Hasty(PatientProtocol):
    head_seconds = 0.3


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_a_connection_that_sends_no_request_is_closed(desk, sent):
    """Tests silence, and a head that never ends; also after a request that was answered."""
    with serving(desk, http=Hasty) as (_, url, _):
        port = int(url.rpartition(":")[2])
        for first in (b"", b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                if first:
                    connection.sendall(first)
                    assert connection.recv(20).startswith(b"HTTP/1.1 200")
                connection.sendall(sent)
                while connection.recv(65536):
                    pass  # until the server closes it; else the socket's own timeout fails


def test_a_body_that_does_not_come_is_not_waited_for(desk):
    """Tests that a form which stops in the middle gets an answer, and its connection ends."""
    with serving(desk, limits=Limits(body_seconds=0.3)) as (_, url, _):
        boss = Person(url)
        boss.enter(f"{url}/enter/{desk.people.first_link().result().token}")
        port = int(url.rpartition(":")[2])
        head = (
            f"POST /sessions/link HTTP/1.1\r\nHost: x\r\nCookie: __Host-boca={boss.cookie}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ncsrf="
        )
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(head.encode())
            answer = b""
            while part := connection.recv(65536):
                answer += part
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"not there after 0.3 seconds" in answer
