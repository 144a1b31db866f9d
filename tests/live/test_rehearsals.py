"""Rehearsals: bots that the server starts, and that none of it ever counts."""

import time

import pytest
from live_play import market_text
from served_desk import serving
from whole_auction import ZOE, bidder_of, open_desk, submit_open, wait_until

from boca.live.auction import commands as cmd
from boca.live.auction.refusal import Refusal
from boca.live.ledger import check_signature


@pytest.fixture
def served(tmp_path):
    """A desk with a quick engine behind a real port, and its rehearsals."""
    with serving(open_desk(tmp_path / "data")) as (desk, _, app):
        yield desk, app.state.site.rehearsals


def test_bots_play_a_copied_auction_to_its_published_end(served):
    """Tests the whole way: copy as a rehearsal, bots by one call, questions, outcome."""
    desk, rehearsals = served
    real = desk.create(ZOE, market_text(close_early=True)).result().auction
    rehearsal = desk.copy(ZOE, real).result().auction
    assert desk.state_of(rehearsal).is_rehearsal
    rehearsals.start(ZOE, rehearsal, [0, 1], {1: "shading:0.5"}, think="0")
    assert rehearsals.is_running(rehearsal)
    with pytest.raises(Refusal, match="at work already"):
        rehearsals.start(ZOE, rehearsal, [0])
    desk.command(ZOE, rehearsal, cmd.Start("Zoe", accept_missing=False)).result()
    wait_until(desk, rehearsal, "stopped")
    books = desk.state_of(rehearsal).books
    assert all(book.reports and not book.open for book in books)
    desk.command(ZOE, rehearsal, cmd.Close()).result()
    wait_until(desk, rehearsal, "decided")
    desk.command(ZOE, rehearsal, cmd.Publish()).result()
    # Nobody tells the bots; they see the end themselves.
    limit = time.monotonic() + 60
    while rehearsals.is_running(rehearsal) and time.monotonic() < limit:
        time.sleep(0.1)
    assert not rehearsals.is_running(rehearsal)
    assert desk.state_of(real).phase == "draft"


def test_bots_end_with_the_server(served):
    """Tests the pipe: whoever started the bots is gone, so they go."""
    desk, rehearsals = served
    auction = desk.create(ZOE, market_text(), is_rehearsal=True).result().auction
    rehearsals.start(ZOE, auction, [0])
    child = rehearsals._children[auction]
    child.stdin.close()
    child.stdin = None
    assert child.wait(60) == 0


@pytest.mark.parametrize("is_rehearsal", [True, False])
def test_receipts_say_whether_they_count(served, is_rehearsal):
    """Tests that a receipt of a rehearsal cannot be shown around as one that binds."""
    desk, _ = served
    auction = desk.create(ZOE, market_text(), is_rehearsal=is_rehearsal).result().auction
    for bidder, person in enumerate(("ann", "ben")):
        desk.invite(ZOE, auction, bidder, person).result()
    desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
    wait_until(desk, auction, "open")
    submit_open(desk, auction, 0)
    ann = bidder_of(auction, 0)
    receipt = desk.receipt(ann, desk.bidder(ann).basis).content
    assert receipt["rehearsal"] is is_rehearsal
    assert check_signature(receipt, desk.key.public)
    assert not check_signature({**receipt, "rehearsal": not is_rehearsal}, desk.key.public)


def test_real_auctions_have_no_bots_of_the_server(served):
    """Tests that the server itself never bids where it counts."""
    desk, rehearsals = served
    real = desk.create(ZOE, market_text()).result().auction
    with pytest.raises(Refusal, match="rehearsals only"):
        rehearsals.start(ZOE, real, [0])
    assert not desk.people.of_auction(real)
    with pytest.raises(Refusal, match="at least one bidder"):
        rehearsals.start(ZOE, desk.copy(ZOE, real).result().auction, [7])


def test_a_rehearsal_can_never_become_real(served):
    """
    Tests that nothing after the first record of a log can change what it says, and that no other
    rules can say it either.
    """
    desk, _ = served
    auction = desk.create(ZOE, market_text(), is_rehearsal=True).result().auction
    desk.configure(ZOE, auction, market_text()).result()
    assert desk.state_of(auction).is_rehearsal
    for key in ("is_rehearsal", "rehearsal"):
        with pytest.raises(Exception, match=key):
            desk.configure(ZOE, auction, market_text() + f"\n{key} = false\n")
    state = desk.state_of(auction)
    create = cmd.Create(*state.setup, 1, desk.key.public, "0", is_rehearsal=False)
    with pytest.raises(Refusal):
        desk.writer.send(auction, create, ZOE.actor).result()
    assert desk.state_of(auction).is_rehearsal
    # A copy is another auction with a log and an id of its own, and says where it comes from.
    copy = desk.copy(ZOE, auction, is_rehearsal=False).result().auction
    assert copy != auction
    assert desk.state_of(copy).copied_from == auction
    assert desk.state_of(auction).is_rehearsal
