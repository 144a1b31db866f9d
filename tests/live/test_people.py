"""Links work once, sessions end, and only hashes of secrets are kept."""

from concurrent.futures import wait

import pytest
import sqlalchemy as sa
from hand_clock import HandClock
from live_play import market_text
from whole_auction import open_desk

from boca.cli.main import run
from boca.live.auction.refusal import Refusal
from boca.live.ledger import read_lines


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def desk(tmp_path, url, clock):
    desk = open_desk(tmp_path, url, clock=clock, is_ticking=False, works=False)
    yield desk
    desk.close()


def auctioneer(desk):
    return desk.people.enter(desk.people.first_link().result().token).result()


def invited(desk):
    """An auction, and the link of Ann."""
    zoe = auctioneer(desk).who
    auction = desk.create(zoe, market_text()).result().auction
    return zoe, auction, desk.invite(zoe, auction, 0, "ann").result()


def test_link_works_once(desk):
    """Tests that looking at a link leaves it, and that the second use says when the first was."""
    _, auction, link = invited(desk)
    for _ in range(2):  # mail scanners look more than once
        offer = desk.people.invitation(link.token)
        assert (offer.person, offer.bidder_name, offer.auction_name) == (
            "ann", "Ann", "village hall",
        )  # fmt: skip
        assert offer.is_valid
    entered = desk.people.enter(link.token).result()
    assert desk.people.who(entered.token).auction == auction
    with pytest.raises(Refusal, match="used on 2026-11-16 at 09:00"):
        desk.people.enter(link.token).result()
    assert not desk.people.invitation(link.token).is_valid


def test_of_many_clicks_at_once_one_works(desk):
    """Tests the race for a link: one session, whatever the order."""
    _, _, link = invited(desk)
    futures = [desk.people.enter(link.token) for _ in range(10)]
    wait(futures, 30)
    assert sum(future.exception() is None for future in futures) == 1


def test_first_sign_in_is_in_the_log(desk):
    """Tests `joined`, which comes once per person."""
    _, auction, link = invited(desk)
    who = desk.people.enter(link.token).result().who
    other = desk.people.other_device(who).result()
    desk.people.enter(other.token).result()
    desk.writer.do(lambda connection: None).result()
    assert [p.has_joined for p in desk.writer.state(auction).persons] == [True]


@pytest.mark.parametrize(("days", "is_valid"), [(13.9, True), (14.1, False)])
def test_links_grow_old(desk, clock, days, is_valid):
    """Tests the fourteen days of an invitation."""
    _, _, link = invited(desk)
    clock.turn(days=days)
    assert desk.people.invitation(link.token).is_valid == is_valid
    if not is_valid:
        with pytest.raises(Refusal, match="no longer valid"):
            desk.people.enter(link.token).result()


@pytest.mark.parametrize(("role", "minutes"), [("auctioneer", 60), ("bidder", 12 * 60)])
def test_idle_sessions_end(desk, clock, role, minutes):
    """Tests that use prolongs a session and idleness ends it."""
    if role == "auctioneer":
        token = auctioneer(desk).token
    else:
        token = desk.people.enter(invited(desk)[2].token).result().token
    for _ in range(3):
        clock.turn(minutes=minutes - 1)
        assert desk.people.who(token) is not None
        desk.writer.do(lambda connection: None).result()
    clock.turn(minutes=minutes + 1)
    assert desk.people.who(token) is None


def test_no_session_outlives_fourteen_days(desk, clock):
    """Tests that constant use does not keep a session for ever."""
    token = desk.people.enter(invited(desk)[2].token).result().token
    for _ in range(14 * 4 - 1):
        clock.turn(hours=6)
        assert desk.people.who(token) is not None
        desk.writer.do(lambda connection: None).result()
    clock.turn(hours=7)
    assert desk.people.who(token) is None


def test_revoked_session_ends_with_the_next_request(desk):
    """Tests that nothing is kept in a cache."""
    zoe, auction, link = invited(desk)
    entered = desk.people.enter(link.token).result()
    desk.revoke(zoe, auction, entered.who.access, "lost the telephone").result()
    assert desk.people.who(entered.token) is None
    assert desk.writer.state(auction).persons  # the person stays invited


def revoked_on_the_command_line(data, url, access):
    """What an operator types, beside the server or without it."""
    assert run(["admin", "revoke", str(data), access, *(["--db", url] if url else [])]) == 0


def revocations(desk, zoe, auction):
    """Who revoked what of whom, by the log."""
    records = read_lines(desk.log(zoe, auction)).records
    bodies = [record.body for record in records if record.kind == "revoked"]
    return [(body["actor"], body["access"], body.get("person")) for body in bodies]


def test_what_the_operator_revokes_is_in_the_log(desk, clock, tmp_path, url):
    """
    Tests two sessions of Ann: the first ends without naming her, since she has another way in; the
    second, which is the last one, names her. Each is noted once.
    """
    zoe, auction, link = invited(desk)
    first = desk.people.enter(link.token).result()
    other = desk.people.other_device(first.who).result()
    second = desk.people.enter(other.token).result()
    desk.watch.tick()
    assert revocations(desk, zoe, auction) == []

    expected = []
    for entered, person in ((first, None), (second, "ann")):
        revoked_on_the_command_line(tmp_path, url, entered.who.access)
        assert desk.people.who(entered.token) is None
        expected.append(("operator:command line", entered.who.access, person))
        for _ in range(2):
            clock.turn(minutes=1)
            desk.watch.tick()
            desk.writer.do(lambda connection: None).result()
            assert revocations(desk, zoe, auction) == expected
    assert [person.is_out for person in desk.writer.state(auction).persons] == [True]


def test_what_the_operator_revokes_without_a_server_is_noted_at_the_next_start(
    tmp_path, url, clock
):
    """Tests a link that was never used; one of the whole server belongs to no log."""
    desk = open_desk(tmp_path, url, clock=clock, is_ticking=False, works=False)
    zoe, auction, link = invited(desk)
    everywhere = desk.people.first_link().result()
    desk.close()
    for access in (link.access, everywhere.access):
        revoked_on_the_command_line(tmp_path, url, access)
        revoked_on_the_command_line(tmp_path, url, access)  # twice is no more than once

    desk = open_desk(tmp_path, url, clock=clock, is_ticking=False, works=False)
    desk.watch.tick()
    desk.writer.do(lambda connection: None).result()
    assert revocations(desk, zoe, auction) == [("operator:command line", link.access, "ann")]
    assert desk.people.invitation(everywhere.token).is_valid is False
    desk.close()


def test_nobody_revokes_somebody_elses_session(desk):
    """Tests that another's id looks like none at all."""
    zoe, auction, link = invited(desk)
    ann = desk.people.enter(link.token).result().who
    ben = desk.people.enter(desk.invite(zoe, auction, 1, "ben").result().token).result().who
    sentences = []
    for access in (ben.access, "no such id"):
        with pytest.raises(Refusal) as refusal:
            desk.people.revoke_own(ann, access).result()
        sentences.append(refusal.value.sentence)
    assert sentences[0] == sentences[1]


def test_tokens_are_for_programs_and_cookies_for_pages(desk):
    """Tests that neither works in the other's place."""
    entered = desk.people.enter(invited(desk)[2].token).result()
    token = desk.people.api_token(entered.who).result().token
    assert desk.people.who(token, "api").person == "ann"
    assert desk.people.who(token, "session") is None
    assert desk.people.who(entered.token, "api") is None


def test_signing_out_ends_the_session(desk):
    """Tests the button."""
    entered = auctioneer(desk)
    desk.people.sign_out(entered.who).result()
    assert desk.people.who(entered.token) is None


@pytest.mark.parametrize("token", ["", "x", "\ud800", "a" * 10_000, "' OR 1=1 --", "\x00"])
def test_strange_tokens_are_nobody(desk, token):
    """Tests what scanners send."""
    assert desk.people.who(token) is None
    assert desk.people.invitation(token) is None
    with pytest.raises(Refusal):
        desk.people.enter(token).result()


def test_secrets_are_nowhere_in_the_database(desk):
    """Tests every table, and the files of SQLite, for links, sessions and tokens."""
    zoe, auction, link = invited(desk)
    entered = desk.people.enter(link.token).result()
    api = desk.people.api_token(entered.who).result()
    unused = desk.invite(zoe, auction, 1, "ben").result()
    secrets = [link.token, entered.token, api.token, unused.token]
    assert all(len(secret) == 43 for secret in secrets)
    with desk.database.connect() as connection:
        dump = "".join(
            repr(connection.execute(sa.text(f"SELECT * FROM {table}")).all())
            for table in ("event", "access", "draft", "meta")
        )
    files = b"".join(p.read_bytes() for p in desk.database.data.iterdir() if p.is_file())
    for secret in secrets:
        assert secret not in dump
        assert secret.encode() not in files
    key = desk.key.private_hex()
    assert key not in dump
    assert files.count(key.encode()) == 1  # the key file alone
