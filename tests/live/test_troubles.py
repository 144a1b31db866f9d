"""What goes wrong around a server: it is named, it ends by itself, and it stays where it is."""

import json
import socket
import time
from types import SimpleNamespace

import httpx
import psycopg
import pytest
import sqlalchemy as sa
from hand_clock import HandClock
from live_play import market_text
from live_server import LiveServer, Person
from served_desk import serving
from whole_auction import ZOE, open_desk

from boca.core.errors import InputError
from boca.live.auction.refusal import Refusal
from boca.live.store.database import Database


def test_a_tampered_log_is_named_and_stops_nobody_else(tmp_path, caplog):
    """Tests that the other auctions go on, and that people learn which one is damaged."""
    desk = open_desk(tmp_path, clock=HandClock(), is_ticking=False, works=False)
    bad, good = (desk.create(ZOE, market_text()).result().auction for _ in range(2))
    desk.close()
    database = Database(tmp_path)
    with database.begin() as connection:
        connection.execute(sa.text("DROP TRIGGER event_no_update"))
        connection.execute(
            sa.text(
                "UPDATE event SET body = replace(body, 'Zoe', 'Eve') WHERE auction = :a AND seq = 1"
            ),
            {"a": bad},
        )
    database.close()

    desk = open_desk(tmp_path, clock=HandClock(), is_ticking=False, works=False)
    with serving(desk) as (_, url, _):
        assert desk.state_of(good).phase == "draft"
        assert list(desk.damaged(ZOE)) == [bad]
        assert any(bad in message and "Record 1" in message for message in caplog.messages)
        with pytest.raises(Refusal, match=f"{bad} is damaged.*Record 1"):
            desk.state_of(bad)
        boss = Person(url)
        boss.enter(f"{url}/enter/{desk.people.first_link().result().token}")
        page = boss.get("/").text
        assert bad in page
        assert f"/a/{good}/run" in page
        assert boss.get(f"/a/{bad}/run").status_code == 503
        health = httpx.get(f"{url}/health")
        assert (health.status_code, health.json()["damaged"]) == (200, 1)


def test_postgres_that_was_gone_is_used_again(tmp_path, postgres):
    """Tests that a server is healthy again by itself, with what is on the database's disk."""
    address = postgres.new_database()
    name = sa.make_url(address).database
    desk = open_desk(tmp_path, address, clock=HandClock(), is_ticking=False, works=False)

    def database(allowed):
        with psycopg.connect(
            host=str(postgres.folder), user="boca", dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS {allowed}")
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
            )

    with serving(desk) as (_, url, _):
        auction = desk.create(ZOE, market_text()).result().auction
        database("false")
        with pytest.raises(Refusal, match="nothing was taken"):
            desk.invite(ZOE, auction, 0, "ann").result()
        assert httpx.get(f"{url}/health").status_code == 503
        assert httpx.get(f"{url}/enter/x").status_code == 503  # a sentence, no traceback
        desk.watch.tick()
        wait_for(lambda: desk.writer._queue.empty())
        assert not desk.health().is_well
        database("true")
        desk.watch.tick()
        wait_for(lambda: desk.health().is_well)
        looked = []
        desk.worker = SimpleNamespace(look=lambda name, state: looked.append(name), doing="")
        desk.watch.tick()
        assert looked == [auction]  # what could not be stored is worked out again
        desk.worker = None
        assert httpx.get(f"{url}/health").status_code == 200
        desk.invite(ZOE, auction, 0, "ann").result()
        assert [p.name for p in desk.state_of(auction).persons] == ["ann"]
        with pytest.raises(InputError, match="Another server"):
            Database(tmp_path / "other", address)


def wait_for(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def test_every_line_of_the_log_is_json_whatever_is_sent(tmp_path):
    """Tests requests that are not HTTP, and that monitoring can read all lines about them."""
    server = LiveServer(tmp_path / "data").start()
    try:
        for words in (b"\x00\xff nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\r\n"):
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(words)
                connection.settimeout(5)
                connection.recv(1000)
        httpx.get(f"{server.url}/health")
    finally:
        server.stop()
    lines = server.log.read_text().splitlines()
    plain = [line for line in lines if not line.startswith("{")]
    assert all("Auctioneer's link" in line or "Listening at" in line for line in plain), plain
    seen = [json.loads(line) for line in lines if line.startswith("{")]
    assert any("Invalid HTTP request" in row.get("message", "") for row in seen)


def test_messages_name_no_option_that_does_not_exist(tmp_path):
    """Tests the sentence about a folder that is in use, or cannot be."""
    path = tmp_path / "file"
    path.write_text("")
    first = Database(tmp_path / "data")
    try:
        for folder in (tmp_path / "data", path):
            with pytest.raises(InputError) as error:
                Database(folder)
            assert "--data" not in str(error.value)
    finally:
        first.close()


def test_a_token_of_another_auction_sees_what_strangers_see(tmp_path):
    """Tests listed auctions: somebody with a token learns no less than somebody without."""
    desk = open_desk(tmp_path, clock=HandClock(), is_ticking=False, works=False)
    own = desk.create(ZOE, market_text()).result().auction
    other = desk.create(ZOE, market_text(listed=True)).result().auction
    with serving(desk) as (_, url, _):
        ann = desk.people.enter(desk.invite(ZOE, own, 0, "ann").result().token).result().who
        token = desk.people.api_token(ann).result().token
        headers = {"Authorization": f"Bearer {token}"}
        path = f"{url}/api/v1/auctions/{other}"
        stranger, known = httpx.get(path).json(), httpx.get(path, headers=headers).json()
        assert {**stranger, "server_time": ""} == {**known, "server_time": ""}
        with httpx.stream("GET", f"{path}/events", headers=headers) as stream:
            assert stream.status_code == 200


def test_nothing_is_known_of_an_unlisted_auction_with_a_token_of_another(tmp_path):
    """Tests that the same does not open what strangers cannot see."""
    desk = open_desk(tmp_path, clock=HandClock(), is_ticking=False, works=False)
    own, other = (desk.create(ZOE, market_text()).result().auction for _ in range(2))
    with serving(desk) as (_, url, _):
        ann = desk.people.enter(desk.invite(ZOE, own, 0, "ann").result().token).result().who
        headers = {"Authorization": f"Bearer {desk.people.api_token(ann).result().token}"}
        for path in ("", "/events", "/log"):
            answer = httpx.get(f"{url}/api/v1/auctions/{other}{path}", headers=headers)
            assert answer.status_code == 404
