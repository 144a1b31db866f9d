"""The desk: a whole auction, what each role may do, and what survives a restart."""

import json
import logging
import subprocess
import sys
from datetime import timedelta

import pytest
from hand_clock import HandClock
from live_play import market_text
from whole_auction import (
    ZOE,
    bidder_of,
    drive,
    open_desk,
    submit_open,
    value_of,
    wait_until,
)

from boca.core.errors import InputError
from boca.live.auction import commands as cmd
from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import BundleValue, Submission, ValueAnswer
from boca.live.ledger import check_chain, check_signature, read_lines
from boca.live.people import Who


@pytest.fixture
def desk(tmp_path):
    desk = open_desk(tmp_path, is_ticking=False)
    yield desk
    desk.close()


def opened(desk, **keys):
    auction = desk.create(ZOE, market_text(**keys)).result().auction
    for bidder, person in enumerate(("ann", "ben")):
        desk.invite(ZOE, auction, bidder, person).result()
    desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
    wait_until(desk, auction, "open")
    return auction


def test_whole_auction_on_both_databases(tmp_path, url):
    """Tests creation to publication, explained payments and three cuts of one log."""
    desk = open_desk(tmp_path, url)
    state = drive(desk)
    ann, ben = (bidder_of(state.auction, k) for k in (0, 1))
    results = [desk.result(who) for who in (ann, ben)]
    for bidder, result in enumerate(results):
        assert result.units == 100 * value_of(bidder, result.bundle)
        assert result.payment <= result.units
    assert {r.reasons[0].key for r in results} <= {"result.vcg", "result.nothing"}
    heads = set()
    for who in (None, ann, ben, ZOE):
        log = read_lines(desk.log(who, state.auction))
        heads.add(check_chain(log.records))
        assert check_signature(log.head, desk.key.public)
        about = {r.body.get("bidder") for r in log.records if r.body} - {None}
        assert about == ({0, 1} if who is ZOE else {who.bidder} if who else set())
    assert heads == {state.head}
    desk.close()


def test_receipt_proves_what_was_taken(desk):
    """Tests that a receipt has the body, its seal and a signature, and no number."""
    auction = opened(desk)
    ann = bidder_of(auction, 0)
    receipt = desk.submit(ann, Submission((ValueAnswer("r0-b1-q1", "5"),)), "one-key-1").result()
    assert check_signature(receipt.content, desk.key.public)
    assert set(receipt.content) == {
        "v", "auction", "rehearsal", "bidder", "person", "received", "at", "hash", "seal", "body",
        "signature",
    }  # fmt: skip
    assert receipt.content["body"]["reports"] == [
        {"bundle": [0, 0, 1], "query": "r0-b1-q1", "units": 500}
    ]
    assert desk.receipt(ann, receipt.hash).content == receipt.content
    for hash_ in (receipt.hash, "0" * 64):
        with pytest.raises(Refusal, match="no such receipt"):
            desk.receipt(bidder_of(auction, 1), hash_)


def test_restart_keeps_everything(tmp_path):
    """Tests state, drafts, receipts and keys across a restart."""
    desk = open_desk(tmp_path, is_ticking=False)
    auction = opened(desk)
    ann = bidder_of(auction, 0)
    receipt = desk.submit(ann, Submission((ValueAnswer("r0-b1-q1", "5"),)), "one-key-1").result()
    desk.save_drafts(ann, {"r0-b1-q2": "9"}).result()
    before = desk.writer.state(auction)
    desk.close()
    desk = open_desk(tmp_path, is_ticking=False)
    assert desk.writer.state(auction).books == before.books
    assert desk.drafts(ann) == {"r0-b1-q2": "9"}
    assert desk.receipt(ann, receipt.hash).content == receipt.content
    repeated = desk.submit(ann, Submission((ValueAnswer("r0-b1-q1", "5"),)), "one-key-1").result()
    assert repeated.is_repetition
    assert repeated.content == receipt.content
    desk.close()


@pytest.mark.parametrize(("gap", "phase"), [(10, "open"), (600, "paused")])
@pytest.mark.parametrize("has_ticked", [True, False])
def test_outage_gives_the_time_back(tmp_path, gap, phase, has_ticked):
    """Tests ten seconds and ten minutes, also of a server that died before its first look."""
    clock = HandClock()
    desk = open_desk(tmp_path, clock=clock, is_ticking=False)
    auction = opened(desk, round_minutes=[5, 5])
    if has_ticked:
        desk.watch.tick()
        desk.writer.do(lambda connection: None).result()
    deadline = desk.writer.state(auction).deadline
    desk.close()
    clock.turn(seconds=gap)
    desk = open_desk(tmp_path, clock=clock, is_ticking=False)
    state = desk.writer.state(auction)
    assert state.phase == phase
    if phase == "open":
        assert (state.deadline - deadline).total_seconds() == gap
    else:
        assert state.seconds_left == 300
    desk.close()


def test_deadline_closes_the_round_a_second_later(tmp_path):
    """Tests the watch: what arrived in time may still be on its way to the queue."""
    clock = HandClock()
    desk = open_desk(tmp_path, clock=clock, is_ticking=False)
    auction = opened(desk, round_minutes=[5, 5])
    deadline = desk.writer.state(auction).deadline
    clock.time = deadline
    clock.turn(milliseconds=900)
    desk.watch.tick()
    ann = bidder_of(auction, 0)
    answer = Submission((ValueAnswer("r0-b1-q1", "5"),))
    desk.submit(ann, answer, "in-time-1", received=deadline).result()
    clock.turn(milliseconds=200)
    desk.watch.tick()
    wait_until(desk, auction, "open")
    desk.writer.do(lambda connection: None).result()
    assert desk.writer.state(auction).books[0].reports
    with pytest.raises(Refusal):
        desk.submit(ann, answer, "too-late-1", received=deadline).result()
    desk.close()


def test_moved_clock_is_noted_and_changes_no_deadline(tmp_path):
    """Tests an hour forwards and backwards."""
    clock = HandClock()
    desk = open_desk(tmp_path, clock=clock, is_ticking=False)
    auction = opened(desk)
    deadline = desk.writer.state(auction).deadline
    for hours in (1, -1):
        clock.jumped = timedelta(hours=hours)
        desk.watch.tick()
    desk.writer.do(lambda connection: None).result()
    assert desk.writer.state(auction).deadline == deadline
    assert desk.health().clock_jump == -3600
    kinds = [json.loads(line).get("envelope", {}).get("kind") for line in desk.log(ZOE, auction)]
    assert kinds.count("clock-jumped") == 2
    desk.close()


def test_clock_that_was_set_back_is_accepted_only_on_request(tmp_path):
    """Tests a restart with a clock an hour early: refused, or noted in the log."""
    clock = HandClock()
    desk = open_desk(tmp_path, clock=clock, is_ticking=False)
    auction = opened(desk)
    desk.close()
    clock.turn(hours=-1)
    with pytest.raises(InputError, match="--accept-clock"):
        open_desk(tmp_path, clock=clock, is_ticking=False)
    desk = open_desk(tmp_path, clock=clock, is_ticking=False, accept_clock=True)
    kinds = [json.loads(line).get("envelope", {}).get("kind") for line in desk.log(ZOE, auction)]
    assert kinds[-2] == "clock-jumped"  # the last line is the head
    assert desk.writer.state(auction).phase == "open"
    desk.close()


def test_full_disk_pauses_open_rounds_and_starts_nothing(tmp_path, monkeypatch):
    """Tests that bidders are told before their answers could be refused."""
    clock = HandClock()
    desk = open_desk(tmp_path, clock=clock, is_ticking=False)
    auction = opened(desk)
    monkeypatch.setattr(desk.watch, "disk_free", lambda: 50_000_000)
    desk.watch.tick()
    desk.writer.do(lambda connection: None).result()
    state = desk.writer.state(auction)
    assert state.phase == "paused"
    assert not desk.health().is_well
    other = desk.create(ZOE, market_text()).result().auction
    with pytest.raises(Refusal, match="disk"):
        desk.command(ZOE, other, cmd.Start("Zoe", True)).result()
    desk.close()


def test_draft_is_gone_once_it_was_sent_and_others_stay(desk):
    """Tests that drafts are the bidder's alone, and that sending one row keeps what was typed for
    the rest."""
    auction = opened(desk)
    ann = bidder_of(auction, 0)
    drafts = {"r0-b1-q1": "5", "r0-b1-q2": "7", "push:1,0,0": "1"}
    desk.save_drafts(ann, drafts).result()
    assert desk.drafts(bidder_of(auction, 1)) == {}
    desk.submit(ann, Submission(answers=(ValueAnswer("r0-b1-q1", "5"),)), "a-key-for-it").result()
    assert desk.drafts(ann) == {"r0-b1-q2": "7", "push:1,0,0": "1"}


def test_a_page_is_sent_in_one_commit(tmp_path, url):
    """
    Tests that drafts of pushes and corrections go with the submission that they became, and that a
    form with names that no database takes does no harm to it.
    """
    steps = []
    desk = open_desk(tmp_path, url, is_ticking=False, at_step=steps.append)
    try:
        auction = opened(desk)
        ann = bidder_of(auction, 0)
        desk.save_drafts(ann, {"r0-b1-q1": "5", "push:1,0,0": "9", "push:0,1,0": "4"}).result()
        pushes = (BundleValue({"hall": 1}, "9"),)
        submission = Submission((ValueAnswer("r0-b1-q1", "5"),), pushes=pushes)
        steps.clear()
        shown = ("r0-b1-q1", "push:1,0,0", "x:\0", "x:\ud800", *(f"x:{k}" for k in range(40_000)))
        desk.submit(ann, submission, "sent-from-a-page", drafts=shown).result()
        assert steps.count("before commit") == 1
        assert desk.drafts(ann) == {"push:0,1,0": "4"}
    finally:
        desk.close()


def test_drafts_have_room_for_every_good(desk):
    """Tests the longest names and texts that our own pages make: copies of a hundred goods."""
    auction = opened(desk)
    ann = bidder_of(auction, 0)
    copies = ["1000"] * 100
    drafts = {f"push:{','.join(copies)}": "5", "r0-b1-q1": json.dumps(["", False, copies, False])}
    desk.save_drafts(ann, drafts).result()
    assert desk.drafts(ann) == drafts


@pytest.mark.parametrize("text", ["x" * 2001, "a\x00b", "a\nb", "\ud800"])
def test_strange_drafts_are_refused(desk, text):
    """Tests what a database could not keep."""
    auction = opened(desk)
    with pytest.raises(Refusal):
        desk.save_drafts(bidder_of(auction, 0), {"r0-b1-q1": text}).result()


@pytest.mark.parametrize("text", ["\ud800", "a\x00b", "x" * 100_000, "٣"])
def test_strange_amounts_and_keys_do_not_stop_the_writer(desk, text):
    """Tests that one bidder's letters cannot make the server read-only for all."""
    auction = opened(desk)
    ann = bidder_of(auction, 0)
    for submission in (
        Submission((ValueAnswer("r0-b1-q1", text),)),
        Submission((ValueAnswer(text, "5"),)),
        Submission(declines=(text,)),
        Submission(pushes=(BundleValue({text: 1}, "5"),)),
        Submission((ValueAnswer("r0-b1-q1", "5"),), basis=text),
    ):
        with pytest.raises(Refusal):
            desk.submit(ann, submission, "strange-1").result()
    submit_open(desk, auction, 0)
    assert desk.health().is_well


def test_roles_are_kept_apart(desk):
    """Tests every command of the auctioneer with a bidder's and an auditor's session."""
    auction = opened(desk)
    auditor = Who("a", "session", "auditor", auction, None, "Eve", "", None)
    for who in (bidder_of(auction, 0), auditor):
        for call in (
            lambda w: desk.create(w, market_text()),
            lambda w: desk.copy(w, auction),
            lambda w: desk.configure(w, auction, market_text()),
            lambda w: desk.invite(w, auction, 0, "eve"),
            lambda w: desk.revoke(w, auction, "x", "y"),
            lambda w: desk.command(w, auction, cmd.Stop("x")),
            lambda w: desk.enter_for(w, auction, 0, Submission(), "x"),
        ):
            with pytest.raises(Refusal) as refusal:
                call(who)
            assert refusal.value.cause == "forbidden"
    for call in (desk.bidder, desk.result, desk.drafts):
        with pytest.raises(Refusal):
            call(ZOE)
    with pytest.raises(Refusal):
        desk.progress(bidder_of(auction, 0), auction)
    assert desk.progress(auditor, auction).rows
    stranger = Who("a", "session", "auditor", "another", None, "Eve", "", None)
    with pytest.raises(Refusal, match="no such auction"):
        desk.progress(stranger, auction)


def test_server_commands_cannot_be_sent_by_the_auctioneer(desk):
    """Tests that plans and outcomes come from the server alone."""
    auction = opened(desk)
    for command in (cmd.CloseRound(0), cmd.Outage("x"), cmd.ClockJump(1), cmd.Fail("plan", "", "")):
        with pytest.raises(Refusal):
            desk.command(ZOE, auction, command).result()


def test_unlisted_auction_looks_like_none_to_the_public(desk):
    """Tests that a stranger learns nothing from an id."""
    sentences = []
    for auction in (opened(desk), "nosuchauction123"):
        with pytest.raises(Refusal) as refusal:
            desk.public(auction)
        sentences.append((refusal.value.sentence, refusal.value.phase))
    assert sentences[0] == sentences[1]
    listed = opened(desk, listed=True)
    assert desk.public(listed).heading.phase == "open"
    assert desk.public(listed).outcome == ()


def test_operator_entry_has_a_receipt_and_a_reason(desk):
    """Tests what is entered for a bidder who telephoned."""
    auction = opened(desk)
    answer = Submission((ValueAnswer("r0-b1-q1", "5"),))
    receipt = desk.enter_for(ZOE, auction, 0, answer, "by telephone", "op-key-1").result()
    assert receipt.content["body"]["reason"] == "by telephone"
    assert receipt.content["person"] == "Zoe"
    assert desk.receipt(bidder_of(auction, 0), receipt.hash).content == receipt.content


def test_copy_is_a_rehearsal_with_the_same_rules(desk):
    """Tests that a rehearsal is marked for ever and points to what it copies."""
    auction = opened(desk)
    copy = desk.copy(ZOE, auction).result().auction
    state = desk.writer.state(copy)
    assert (state.is_rehearsal, state.copied_from, state.phase) == (True, auction, "draft")
    assert state.rules == desk.writer.state(auction).rules
    assert state.seed != desk.writer.state(auction).seed


def test_values_do_not_reach_the_ordinary_log(desk, caplog):
    """Tests that nothing here writes amounts or secrets to Python's logging."""
    caplog.set_level(logging.DEBUG)
    auction = opened(desk)
    submit_open(desk, auction, 0)
    assert "300" not in caplog.text
    assert "token" not in caplog.text


def test_server_process_never_loads_engine_or_solver(tmp_path):
    """Tests a real process after a whole auction with the real engine in its children."""
    program = """
import sys
from pathlib import Path
from whole_auction import drive, open_desk
desk = open_desk(Path(sys.argv[1]), program=None)
assert drive(desk).phase == "published"
desk.close()
names = ("jax", "optax", "highspy", "pyscipopt", "gurobipy", "boca.mechanism", "boca.payments")
print([name for name in names if name in sys.modules])
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.strip() == "[]", ended.stderr
