"""Children that misbehave: three attempts, then stuck; nothing wrong is ever logged."""

import sys
from functools import partial
from pathlib import Path

import pytest
import whole_auction
from live_play import MECHANISMS, market_text
from whole_auction import NO_DELAYS, ZOE, bidder_of, drive, essence, open_desk, wait_until

from boca.core.errors import InputError
from boca.live.auction import commands as cmd
from boca.live.auction.refusal import Refusal
from boca.live.desk import Desk
from boca.live.work.jobs import Worker

NAUGHTY = Path(whole_auction.__file__).with_name("naughty_child.py")
PLANNING = [
    "killed", "out_of_memory", "crashes", "rubbish", "not_a_number", "list_instead",
    "huge_bundle", "empty_bundle", "short_bundle", "float_bundle", "same_twice", "too_many",
    "unknown_bidder", "nothing_at_all",
]  # fmt: skip
DECIDING = [
    "killed", "wrong_payment", "wrong_sums", "everything_to_all", "never_reported", "unverified",
    "other_rule",
]  # fmt: skip


def naughty_desk(folder, behaviours, limit=60.0):
    script = folder / "behaviours"
    script.write_text("\n".join(behaviours))
    worker = partial(
        Worker,
        program=(sys.executable, "-E", str(NAUGHTY), str(script)),
        delays=NO_DELAYS,
        limit=lambda state: limit,
    )
    return Desk(folder / "data", make_worker=worker, mechanisms=MECHANISMS)


def started(desk):
    auction = desk.create(ZOE, market_text(close_early=True)).result().auction
    for bidder, person in enumerate(("ann", "ben")):
        desk.invite(ZOE, auction, bidder, person).result()
    desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
    return auction


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """How the auction ends when every child behaves."""
    desk = open_desk(tmp_path_factory.mktemp("calm"))
    ending = essence(drive(desk))
    desk.close()
    return ending


@pytest.mark.parametrize("behaviour", PLANNING)
def test_misbehaving_once_is_tried_again(tmp_path, behaviour, calm):
    """Tests that the second attempt brings the questions that the first one should have."""
    desk = naughty_desk(tmp_path, [behaviour])
    state = drive(desk)
    assert [failure.job for failure in state.failures] == ["plan"]
    assert essence(state) == calm
    desk.close()


@pytest.mark.parametrize("behaviour", DECIDING)
def test_wrong_outcome_is_never_logged(tmp_path, behaviour, calm):
    """Tests that the sums are done again before an outcome counts."""
    desk = naughty_desk(tmp_path, ["good"] * 4 + [behaviour])
    state = drive(desk)
    assert [failure.job for failure in state.failures] == ["decide"]
    assert essence(state) == calm
    desk.close()


def test_known_bundle_is_not_asked_again(tmp_path):
    """Tests the second round, in which something is known."""
    desk = naughty_desk(tmp_path, ["good", "known_bundle"])
    state = drive(desk)
    assert "known" in state.failures[0].message
    desk.close()


def test_hanging_child_is_killed(tmp_path):
    """Tests the time limit."""
    desk = naughty_desk(tmp_path, ["hangs"], limit=2.0)
    auction = started(desk)
    state = wait_until(desk, auction, "open")
    assert "too long" in state.failures[0].message
    desk.close()


def test_three_failures_are_stuck_and_a_retry_goes_on(tmp_path, calm):
    """Tests that the auctioneer is told why, and that nothing is tried by itself after that."""
    desk = naughty_desk(tmp_path, ["crashes"] * 3)
    auction = started(desk)
    state = wait_until(desk, auction, "stuck")
    assert [failure.attempt for failure in state.failures] == [1, 2, 3]
    assert "the engine has a bug" in state.failures[0].message
    desk.close()

    again = naughty_desk(tmp_path, [])
    assert again.writer.state(auction).phase == "stuck"  # a restart does not retry
    again.command(ZOE, auction, cmd.Retry()).result()
    wait_until(again, auction, "open")
    again.close()


def test_cancelled_auction_kills_its_child(tmp_path):
    """Tests that nobody waits for a result that nobody wants."""
    desk = naughty_desk(tmp_path, ["hangs"])
    auction = started(desk)
    while desk.worker.doing == "idle":
        pass
    desk.command(ZOE, auction, cmd.Cancel("rain")).result()
    while desk.worker.doing != "idle":
        pass
    assert desk.writer.state(auction).phase == "cancelled"
    assert not desk.writer.state(auction).failures
    desk.close()


def test_stopping_while_planning_needs_no_plan(tmp_path):
    """Tests that the auctioneer can end the questions while a child works."""
    desk = naughty_desk(tmp_path, ["hangs"])
    auction = started(desk)
    desk.command(ZOE, auction, cmd.Stop("enough")).result()
    assert desk.writer.state(auction).phase == "stopped"
    desk.close()


def test_bidders_never_hear_of_failures(tmp_path):
    """Tests that a stuck auction looks to bidders as if it were being planned."""
    desk = naughty_desk(tmp_path, ["crashes"] * 3)
    auction = started(desk)
    wait_until(desk, auction, "stuck")
    assert desk.bidder(bidder_of(auction, 0)).heading.phase == "planning"
    with pytest.raises(Refusal):
        desk.progress(bidder_of(auction, 0), auction)
    desk.close()


def test_program_that_cannot_start_is_a_failure(tmp_path):
    """Tests that trouble on the server's own side, such as no memory for a process, is told too."""
    worker = partial(Worker, program=("/no/such/program",), delays=NO_DELAYS)
    desk = Desk(tmp_path, make_worker=worker, mechanisms=MECHANISMS)
    auction = started(desk)
    state = wait_until(desk, auction, "stuck")
    assert state.failures[0].error == "FileNotFoundError"
    desk.close()


def test_auctions_do_not_wait_for_a_verification(tmp_path, calm):
    """
    Tests a verification that does not end: another auction is planned, decided and previewed all
    the same, and the end of the server ends it.
    """
    desk = naughty_desk(tmp_path, ["hangs"])
    verification = desk.worker.verify(["{}"], "key")
    while (tmp_path / "behaviours").read_text():
        pass  # until the child has read that it is to hang
    assert essence(drive(desk)) == calm
    assert desk.preview(market_text()).result(60).num_goods == 3
    assert not verification.done()
    desk.close()
    with pytest.raises(InputError, match="signal 9"):
        verification.result(10)
