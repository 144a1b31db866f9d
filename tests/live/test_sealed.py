"""A sealed auction stays sealed: nobody gives itself a way to read the bidders' answers."""

import pytest
from hand_clock import HandClock
from live_play import market_text
from whole_auction import open_desk

from boca.cli.main import run
from boca.live.auction import commands as cmd
from boca.live.auction.refusal import Refusal
from boca.live.desk.bidder import Readers


@pytest.fixture
def desk(tmp_path, url):
    desk = open_desk(tmp_path / "data", url, clock=HandClock(), is_ticking=False, works=False)
    desk.url_of_database = url
    yield desk
    desk.close()


def sealed(desk, **rules):
    """A sealed auction in which Ann's person has joined by the link that she got."""
    zoe = desk.people.enter(desk.people.first_link().result().token).result().who
    text = market_text(sealed_from_auctioneer=True, **rules)
    auction = desk.create(zoe, text).result().auction
    link = desk.invite(zoe, auction, 0, "ann").result()
    ann = desk.people.enter(link.token).result().who
    return zoe, auction, ann


def actors(desk, zoe, auction, kind="invited"):
    """Who caused the records of a kind."""
    return [row.actor for row in desk.records(zoe, auction) if row.kind == kind]


def operators_link(desk, capsys, auction, *options):
    """The link that whoever runs the server makes on the command line."""
    command = ["admin", "link", str(desk.database.data), "--auction", auction, *options]
    if desk.url_of_database is not None:
        command += ["--db", desk.url_of_database]
    assert run(command) == 0
    return capsys.readouterr().out.strip().rpartition("/")[2]


def test_the_auctioneer_makes_no_auditor(desk):
    """Tests the first way of reading all values: an auditor's link for oneself."""
    zoe, auction, _ = sealed(desk)
    with pytest.raises(Refusal, match="boca admin link DATA --role auditor"):
        desk.invite(zoe, auction, None, "Zoe again").result()


@pytest.mark.parametrize("person", ["ann", "another ann"])
def test_the_auctioneer_makes_no_second_link_for_a_bidder_that_has_joined(desk, person):
    """Tests the second way: a link of a person who is known, or of one more person."""
    zoe, auction, _ = sealed(desk)
    with pytest.raises(Refusal, match="boca admin link DATA --role bidder"):
        desk.invite(zoe, auction, 0, person).result()


def test_a_link_that_was_lost_before_anybody_used_it_is_replaced(desk):
    """Tests that a new link ends the one before, so that a bidder never has two."""
    zoe, auction, _ = sealed(desk)
    first = desk.invite(zoe, auction, 1, "ben").result()
    second = desk.invite(zoe, auction, 1, "ben").result()
    with pytest.raises(Refusal, match="no longer valid"):
        desk.people.enter(first.token).result()
    assert desk.people.enter(second.token).result().who.person == "ben"


def test_people_who_were_invited_before_keep_an_auction_from_being_sealed(desk):
    """Tests the way around: invite an auditor first, seal the auction then."""
    zoe = desk.people.enter(desk.people.first_link().result().token).result().who
    auction = desk.create(zoe, market_text()).result().auction
    desk.invite(zoe, auction, None, "Zoe again").result()
    with pytest.raises(Refusal, match="were invited while"):
        desk.configure(zoe, auction, market_text(sealed_from_auctioneer=True)).result()


def test_a_link_of_the_operator_stands_in_the_log_and_on_the_bidders_pages(desk, capsys):
    """Tests that whoever runs the server can give access, and that everybody learns of it."""
    zoe, auction, ann = sealed(desk)
    assert desk.readers(ann) == Readers((), ())
    token = operators_link(desk, capsys, auction, "--role", "auditor", "--person", "Eve")
    desk.people.enter(token).result()
    assert desk.readers(ann) == Readers((), ("Eve",))
    token = operators_link(
        desk, capsys, auction, "--role", "bidder", "--bidder", "Ann", "--person", "ann's proxy"
    )
    proxy = desk.people.enter(token).result().who
    assert (proxy.role, proxy.bidder) == ("bidder", 0)
    assert desk.readers(ann) == Readers(("ann's proxy",), ("Eve",))
    assert desk.readers(proxy) == Readers(("ann",), ("Eve",))
    assert actors(desk, zoe, auction)[1:] == ["operator:command line"] * 2
    names = {(p.name, p.bidder) for p in desk.state_of(auction).persons}
    assert names == {("ann", 0), ("Eve", None), ("ann's proxy", 0)}


def test_further_devices_and_programs_of_a_person_stand_in_the_log(desk):
    """
    Tests that whoever uses a bidder's first link and sends on a link for another device is seen.
    """
    zoe, auction, intruder = sealed(desk)
    ann = desk.people.enter(desk.people.other_device(intruder).result().token).result().who
    assert desk.readers(ann) == Readers(("ann",), ())
    desk.people.api_token(ann).result()
    assert actors(desk, zoe, auction)[1:] == ["bidder:0/ann"] * 2
    assert desk.readers(ann) == Readers(("ann", "ann"), ())


def test_links_are_free_again_once_the_values_are(desk):
    """Tests that the rule ends with what it protects, and does not hold where nothing is sealed."""
    zoe = desk.people.enter(desk.people.first_link().result().token).result().who
    auction = desk.create(zoe, market_text()).result().auction
    for bidder in (0, 0, None):
        desk.people.enter(desk.invite(zoe, auction, bidder, "x").result().token).result()
    rehearsal = desk.copy(zoe, auction).result().auction
    desk.configure(zoe, rehearsal, market_text(sealed_from_auctioneer=True)).result()
    for _ in range(2):
        desk.people.enter(desk.invite(zoe, rehearsal, 0, "bot").result().token).result()


def test_a_cancelled_auction_stays_sealed(desk, capsys):
    """Tests that nobody reads the values of an auction by cancelling it."""
    zoe, auction, ann = sealed(desk)
    desk.command(zoe, auction, cmd.Cancel("The hall burned down.")).result()
    with pytest.raises(Refusal, match="invited any more"):
        desk.invite(zoe, auction, None, "Zoe again").result()
    desk.people.enter(operators_link(desk, capsys, auction, "--role", "auditor")).result()
    assert desk.readers(ann) == Readers((), ("auditor",))
    assert actors(desk, zoe, auction)[-1] == "operator:command line"
