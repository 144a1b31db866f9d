"""People are told once, whatever the mail server and the machine do."""

import re
from dataclasses import replace

import pytest
from hand_clock import HandClock
from live_play import market_text
from post_office import PostOffice
from whole_auction import ZOE, bidder_of, open_desk, submit_open, wait_until

from boca.core.errors import InputError
from boca.live.auction import commands as cmd
from boca.live.auction.refusal import Refusal
from boca.live.clock import from_text
from boca.live.mail.postman import Postman
from boca.live.mail.settings import MailSettings
from boca.live.people import Who
from boca.live.store import mails as mail_table
from boca.live.web.letters import Letters

URL = "https://auction.example.org"
PEOPLE = {0: ("ann", "ann@example.org"), 1: ("ben", "ben@example.com")}


@pytest.fixture
def office():
    with PostOffice() as office:
        yield office


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def desk(tmp_path, clock, url):
    desk = open_desk(tmp_path, url, clock=clock, is_ticking=False)
    yield desk
    desk.close()


def postman(desk, office) -> Postman:
    settings = MailSettings(
        "127.0.0.1", "Auctions <auctions@example.org>", office.port, security="none"
    )
    letters = Letters(desk, URL, settings)
    man = Postman(desk.writer, desk.database, desk.clock, desk.draw, settings, letters)
    man.settle()
    return man


def invited(desk, by_mail=False, people=PEOPLE, **keys) -> str:
    auction = desk.create(ZOE, market_text(**keys)).result().auction
    for bidder, (person, address) in PEOPLE.items():
        address = address if bidder in people else ""
        desk.invite(ZOE, auction, bidder, person, address=address, by_mail=by_mail).result()
    return auction


def opened(desk, **keys) -> str:
    auction = invited(desk, **keys)
    desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
    wait_until(desk, auction, "open")
    return auction


def told(desk, auction) -> list[tuple[str, str, str]]:
    """Kind, person and state of every mail, the oldest first."""
    rows = sorted(desk.mails(ZOE, auction), key=lambda row: (row.made_at, row.kind, row.who))
    return [(row.kind, row.who.partition("/")[2], row.state) for row in rows]


def test_each_person_is_told_of_everything_once(desk, office, clock):
    """Tests round, end near, end moved and result; whoever has answered hears of no end."""
    auction = opened(desk, round_minutes=[60, 20], close_early=True)
    man = postman(desk, office)
    for _ in range(3):
        man.work()
    assert told(desk, auction) == [("round", "ann", "sent"), ("round", "ben", "sent")]
    assert sorted(office.recipients) == ["ann@example.org", "ben@example.com"]
    submit_open(desk, auction, 0)
    clock.turn(minutes=44, seconds=59)
    man.work()
    assert len(told(desk, auction)) == 2
    clock.turn(minutes=1)
    man.work()
    assert told(desk, auction)[2:] == [("near", "ben", "sent")]
    clock.turn(seconds=1)
    desk.command(ZOE, auction, cmd.Extend(30, "a storm")).result()
    man.work()
    postman(desk, office).work()
    assert told(desk, auction)[3:] == [("moved", "ann", "sent"), ("moved", "ben", "sent")]
    clock.turn(seconds=1)
    desk.command(ZOE, auction, cmd.Cancel("no goods")).result()
    man.work()
    postman(desk, office).work()
    assert told(desk, auction)[5:] == [("cancelled", "ann", "sent"), ("cancelled", "ben", "sent")]
    assert len(office.mails) == 7
    assert len({mail["Message-ID"] for mail in office.mails}) == 7


def test_a_round_that_has_ended_early_is_no_news(desk, office, clock):
    """Tests mails that waited for their mail server while everybody answered."""
    auction = opened(desk, num_initial=1, num_per_round=1, num_total=2, close_early=True)
    man = postman(desk, office)
    office.stop()
    man.work()
    assert told(desk, auction) == [("round", "ann", "waiting"), ("round", "ben", "waiting")]
    for bidder in (0, 1):
        submit_open(desk, auction, bidder)
    wait_until(desk, auction, "open")
    clock.turn(minutes=1)
    office.start()
    man.work()
    assert told(desk, auction) == [
        ("round", "ann", "late"),
        ("round", "ben", "late"),
        ("round", "ann", "sent"),
        ("round", "ben", "sent"),
    ]
    assert all("Round 2" in mail["Subject"] for mail in office.mails)


def test_result_is_told(desk, office, clock):
    """Tests the last mail of an auction that ends well, also by a server that was just started."""
    auction = opened(desk, num_total=2, close_early=True)
    for bidder in (0, 1):
        submit_open(desk, auction, bidder)
    wait_until(desk, auction, "stopped")
    desk.command(ZOE, auction, cmd.Close()).result()
    wait_until(desk, auction, "decided")
    desk.command(ZOE, auction, cmd.Publish()).result()
    postman(desk, office).work()
    assert [row[:2] for row in told(desk, auction)] == [("result", "ann"), ("result", "ben")]
    link = f"{URL}/a/{auction}/result"
    assert all(link in mail.get_content() for mail in office.mails)
    clock.turn(days=2)
    desk.save_address(ZOE, auction, "0/ann", "late@example.org").result()
    postman(desk, office).work()
    assert len(office.mails) == 2  # a day later it is no news


def test_mails_hold_nothing_but_where_to_look(desk, office):
    """Tests that no value, good, question or rival is in a mail."""
    auction = opened(desk)
    submit_open(desk, auction, 1)
    postman(desk, office).work()
    for mail in office.mails:
        text = f"{mail['Subject']} {mail.get_content()}"
        person = mail["To"].addresses[0].username
        rival = {"ann": "ben", "ben": "ann"}[person]
        for word in (rival, rival.title(), "hall,", "kitchen", "chairs", "EUR", "r0-b"):
            assert word not in text
        assert f"{URL}/a/{auction}/me" in text
        assert f"{URL}/a/{auction}/told" in text
        numbers = set(re.findall(r"\d+", text.replace(auction, "")))
        assert numbers <= {"1", "16", "2026", "10", "00"}  # the round, and when it ends


def test_rehearsals_tell_nobody(desk, office):
    """Tests that bots, and people who try things out, get no mails, not even invitations."""
    auction = desk.create(ZOE, market_text(), is_rehearsal=True).result().auction
    desk.invite(ZOE, auction, 0, "ann", address="ann@example.org", by_mail=True).result()
    desk.invite(ZOE, auction, 1, "ben").result()
    desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
    wait_until(desk, auction, "open")
    postman(desk, office).work()
    assert told(desk, auction) == []
    assert office.mails == []


def test_people_choose_what_they_are_told(desk, office):
    """Tests that a person changes its address, unticks a kind, and removes the address."""
    auction = invited(desk)
    ann, ben = bidder_of(auction, 0), bidder_of(auction, 1)
    desk.save_own_address(ann, "other@example.org", ("result",)).result()
    desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
    wait_until(desk, auction, "open")
    man = postman(desk, office)
    man.work()
    assert office.recipients == ["ben@example.com"]
    desk.save_own_address(ben, "", ("round",)).result()
    assert desk.own_address(ben) is None
    assert [row.address for row in desk.mails(ZOE, auction)] == [""]
    assert list(desk.addresses(ZOE, auction)) == ["0/ann"]


def test_revoked_people_are_told_nothing(desk, office):
    auction = invited(desk)
    access = desk.invited(ZOE, auction)[0].accesses[0]
    desk.revoke(ZOE, auction, access, "left").result()
    desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
    wait_until(desk, auction, "open")
    postman(desk, office).work()
    assert office.recipients == ["ben@example.com"]


def test_invitations_have_a_link_that_nobody_else_has_seen(desk, office):
    """Tests that the link in the mail works, and that no table holds its secret."""
    auction = invited(desk, by_mail=True)
    man = postman(desk, office)
    man.work()
    mail = next(m for m in office.mails if m["To"].addresses[0].username == "ann")
    token = re.search(rf"{URL}/enter/(\S+)", mail.get_content())[1]
    with desk.database.connect() as connection:
        tables = [
            str(row)
            for table in ("access", "mail", "address", "event")
            for row in connection.exec_driver_sql(f"SELECT * FROM {table}")
        ]
    assert not [row for row in tables if token in row]
    entered = desk.people.enter(token).result()
    assert (entered.who.bidder, entered.who.person) == (0, "ann")
    assert "example.org" not in "\n".join(desk.log(ZOE, auction))


def test_used_links_are_not_mailed(desk, office):
    """Tests that a link which was used meanwhile stays as it is."""
    auction = desk.create(ZOE, market_text()).result().auction
    link = desk.invite(ZOE, auction, 0, "ann", address="ann@example.org", by_mail=True).result()
    desk.people.enter(link.token).result()
    postman(desk, office).work()
    assert told(desk, auction) == [("invitation", "ann", "late")]


LIARS = ["Ann\r\nBcc: eve@example.org", "Ann\nSubject: x", "ann <eve@example.org>,", "\u202eann"]


@pytest.mark.parametrize("name", LIARS)
def test_names_cannot_add_headers(desk, office, name):
    """
    Tests a liar among the names. Most of these are refused when they are given; whatever got
    into a row all the same stays in its place.
    """
    auction = invited(desk, by_mail=True, people={0: PEOPLE[0]})
    man = postman(desk, office)
    (row,) = desk.mails(ZOE, auction)
    liar = replace(row, who=f"0/{name}", event="other")
    desk.writer.do(lambda c: mail_table.add(c, [liar])).result()
    man.work()
    assert office.recipients == ["ann@example.org"] * len(office.mails)
    for mail in office.mails:
        assert {"bcc", "cc"}.isdisjoint(key.lower() for key in mail)
        assert mail.get_all("Subject") == ["Invitation: village hall"]
        (to,) = mail["To"].addresses
        assert to.addr_spec == "ann@example.org"


def test_wrong_addresses_are_refused_when_inviting(desk):
    auction = desk.create(ZOE, market_text()).result().auction
    with pytest.raises(InputError, match="expected one such as"):
        desk.invite(ZOE, auction, 0, "ann", address="ann@example.org\r\nBcc: x@y.z")


def test_dead_mail_server_harms_nothing_and_pauses_grow(desk, clock):
    """Tests that mails wait with growing pauses, that the auction goes on, and that all arrive."""
    office = PostOffice()  # nobody listens yet
    auction = opened(desk, round_minutes=[600, 600])
    man = postman(desk, office)
    pauses = []
    for attempt in range(1, 5):
        man.work()
        rows = desk.mails(ZOE, auction)
        assert {(row.state, row.attempts) for row in rows} == {("waiting", attempt)}
        assert rows[0].problem == "refused"
        due = from_text(rows[0].due_at)
        pauses.append((due - clock.now()).total_seconds())
        submit_open(desk, auction, attempt % 2)
        clock.time = due
    assert pauses == sorted(set(pauses))
    with office:
        man.work()
        assert len(office.mails) == 2
    assert [row[2] for row in told(desk, auction)] == ["sent", "sent"]


def test_mail_server_that_refuses_one_takes_the_others(desk, office, clock):
    """Tests that 5xx ends a mail, that 4xx lets it wait, and that neither concerns anybody else."""
    people = {**PEOPLE}
    auction = opened(desk, people=people)
    office.refusals = {"ann@example.org": "550 No such user", "ben@example.com": "450 Busy"}
    man = postman(desk, office)
    man.work()
    assert told(desk, auction) == [("round", "ann", "failed"), ("round", "ben", "waiting")]
    office.refusals = {}
    clock.turn(minutes=1)
    man.work()
    assert told(desk, auction) == [("round", "ann", "failed"), ("round", "ben", "sent")]


def test_news_that_are_old_are_not_sent(desk, clock):
    """Tests that nobody hears of a round that is over."""
    office = PostOffice()
    auction = opened(desk, round_minutes=[60, 60])
    man = postman(desk, office)
    man.work()
    clock.turn(minutes=61)
    with office:
        man.work()
        assert office.mails == []
    assert {row[2] for row in told(desk, auction)} == {"late"}


def test_broken_connection_after_the_text_is_not_repeated(desk, office, monkeypatch):
    """Tests the one moment in which nobody can know: told at most once, and said so."""
    auction = opened(desk, people={0: PEOPLE[0]})
    monkeypatch.setattr("boca.live.mail.postman.PATIENCE", 0.5)
    office.answers.clear()
    man = postman(desk, office)
    man.work()
    office.answers.set()
    assert told(desk, auction) == [("round", "ann", "unsure")]
    man.work()
    assert len(office.mails) == 1


def test_what_was_on_its_way_at_a_kill_stays_unsure(desk, office):
    """Tests what a new server makes of a mail whose fate the old one did not live to know."""
    auction = opened(desk, people={0: PEOPLE[0]})
    man = postman(desk, office)
    man._collect()
    key = desk.mails(ZOE, auction)[0].key
    desk.writer.do(lambda c: mail_table.mark(c, key, state="sending")).result()
    postman(desk, office).work()
    assert told(desk, auction) == [("round", "ann", "unsure")]
    assert office.mails == []


def test_only_staff_read_the_list_of_mails(desk, office):
    """Tests that addresses are seen by their owner, the auctioneer and auditors."""
    auction = invited(desk)
    with pytest.raises(Refusal):
        desk.mails(bidder_of(auction, 0), auction)
    with pytest.raises(Refusal):
        desk.addresses(bidder_of(auction, 0), auction)
    other = Who("k", "session", "auditor", "x" * 16, None, "Kim", "", None)
    with pytest.raises(Refusal):
        desk.mails(other, auction)
    with pytest.raises(Refusal):
        desk.save_address(replace(ZOE, role="auditor"), auction, "0/ann", "x@example.org")
