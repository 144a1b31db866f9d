"""What the server does by itself before and between rounds, and the forms that it keeps."""

import pytest
from hand_clock import HandClock
from live_play import market_text
from whole_auction import ZOE, open_desk, wait_until

from boca.live.auction.refusal import Refusal
from boca.live.people import Who

HOURS = {"days": ["mon", "tue", "wed", "thu", "fri"], "from": "09:00", "to": "17:00"}


@pytest.fixture
def clock():
    """9:00 UTC on Monday, 16 November 2026."""
    return HandClock()


@pytest.fixture
def desk(tmp_path, clock):
    desk = open_desk(tmp_path, clock=clock, is_ticking=False)
    yield desk
    desk.close()


def tick(desk) -> None:
    """One look at the time; whatever waits before and after it is carried out."""
    desk.writer.do(lambda connection: None).result()
    desk.watch.tick()
    desk.writer.do(lambda connection: None).result()


def test_an_auction_starts_by_itself_and_opens_within_its_hours(desk, clock):
    """Tests the planned start, who is missing at that time, and a first round the next morning."""
    text = market_text(starts_at="2026-11-16T18:00", opening_hours=HOURS)
    auction = desk.create(ZOE, text).result().auction
    links = [
        desk.invite(ZOE, auction, bidder, person).result()
        for bidder, person in enumerate(("ann", "ben"))
    ]
    tick(desk)
    assert desk.state_of(auction).phase == "draft"
    assert desk.why_not_started(ZOE, auction) == ""
    clock.turn(hours=9)
    tick(desk)
    assert "Nobody has joined for Ann, Ben" in desk.why_not_started(ZOE, auction)
    for link in links:
        desk.people.enter(link.token).result()
    tick(desk)
    wait_until(desk, auction, "ready")
    tick(desk)
    assert desk.state_of(auction).phase == "ready"  # it is evening
    clock.turn(hours=15)
    tick(desk)
    assert desk.state_of(auction).phase == "open"
    started = [row for row in desk.records(ZOE, auction) if row.kind == "started"]
    assert [row.actor for row in started] == ["server"]


def test_forms_are_kept_until_they_are_forgotten(desk):
    """Tests the forms of auctions that are being set up, and how many there can be."""
    for number in range(50):
        desk.save_setup(ZOE, f"key-{number}", '{"auction": ""}').result()
    with pytest.raises(Refusal, match="50 auctions are being set up"):
        desk.save_setup(ZOE, "one-more", '{"auction": ""}').result()
    desk.save_setup(ZOE, "key-7", "").result()
    assert "key-7" not in desk.setups(ZOE)
    assert len(desk.setups(ZOE)) == 49


def test_an_auctioneer_of_one_auction_edits_that_one_alone(desk):
    """Tests forms of other auctions and of new ones, which are not its business."""
    own, other = (desk.create(ZOE, market_text()).result().auction for _ in range(2))
    dot = Who("access", "session", "auctioneer", own, None, "Dot", "", None)
    desk.save_setup(dot, "own", f'{{"auction": "{own}"}}').result()
    desk.save_setup(ZOE, "other", f'{{"auction": "{other}"}}').result()
    assert list(desk.setups(dot)) == ["own"]
    desk.save_setup(dot, "other", "").result()
    assert "other" in desk.setups(ZOE)
    for auction in (other, ""):
        with pytest.raises(Refusal, match="whole server"):
            desk.save_setup(dot, "new", f'{{"auction": "{auction}"}}').result()
    with pytest.raises(Refusal, match="no such auction"):
        desk.configure(dot, other, market_text())
    with pytest.raises(Refusal, match="whole server"):
        desk.create(dot, market_text())
