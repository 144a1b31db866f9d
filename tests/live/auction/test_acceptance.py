"""Bidders accept the rules, and two of their people stand behind what they send."""

from dataclasses import replace

import pytest
from live_play import Play
from logged_play import LoggedPlay
from relinked import Rows, verdict_of

from boca.live.auction import commands as cmd
from boca.live.auction import events as ev
from boca.live.auction.audience import Viewer, may_open, seen_by, stirs
from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import Submission, ValueAnswer

NOW = "2026-11-16T09:00:00.000000Z"


def send(play: Play, person: str, amount: str = "5.00", query: str = "r0-b1-q1") -> list[ev.Event]:
    """A person of the first bidder's sends an answer."""
    submission = Submission((ValueAnswer(query, amount),))
    command = cmd.Submit(0, submission, NOW, "page", None, person, person)
    return play.do(command, f"bidder:0/{person}")


def accept(play: Play, person: str = "ann", rules: str | None = None) -> None:
    wanted = play.state.configured if rules is None else rules
    play.do(cmd.Accept(0, person, wanted), f"bidder:0/{person}")


def test_nothing_is_taken_before_the_rules_are_accepted():
    """Tests that the tick comes first, once, by somebody who was invited."""
    play = LoggedPlay(accept_rules=True)
    play.open()
    with pytest.raises(Refusal, match="accept the rules first"):
        send(play, "ann")
    with pytest.raises(Refusal, match="cannot act"):
        accept(play, "mallory")
    with pytest.raises(Refusal, match="read them again"):
        accept(play, rules="0" * 64)
    accept(play)
    send(play, "ann")
    with pytest.raises(Refusal, match="accepted, or need not be"):
        accept(play)
    assert not seen_by(play.state, Viewer("bidder", 0)).must_accept(0)
    assert seen_by(play.state, Viewer("bidder", 1)).accepted == {}
    verdict = verdict_of(play)
    assert verdict["V6"].state != "fails", verdict.summary()
    assert verdict["V4"].state != "fails", verdict.summary()


def test_rules_that_were_changed_are_accepted_again():
    """Tests that a tick stands for the rules that were read, and for no others."""
    play = LoggedPlay(accept_rules=True)
    play.do(cmd.Invite("ann", "access-0", 0))
    accept(play)
    assert not play.state.must_accept(0)
    rules, market = play.state.setup
    play.do(cmd.Configure(rules, market))
    assert play.state.must_accept(0)


def without_tick(rows: Rows) -> None:
    rows[:] = [row for row in rows if row["kind"] != "accepted"]


def tick_of_another(rows: Rows) -> None:
    next(row for row in rows if row["kind"] == "accepted")["body"]["actor"] = "bidder:1/ben"


def tick_of_other_rules(rows: Rows) -> None:
    next(row for row in rows if row["kind"] == "accepted")["body"]["configured"] = "0" * 64


@pytest.mark.parametrize("change", [without_tick, tick_of_another, tick_of_other_rules])
def test_a_forged_acceptance_is_found(change):
    """Tests a tick that was never made, by somebody else, or for other rules."""
    play = LoggedPlay(accept_rules=True)
    play.open()
    accept(play)
    send(play, "ann")
    assert verdict_of(play, change)["V6"].state == "fails"


def test_a_sealed_acceptance_is_that_of_one_bidder():
    """Tests a cut without acceptances: two bidders cannot have sent something after one tick."""
    play = LoggedPlay(accept_rules=True)
    play.open()
    accept(play)
    send(play, "ann")
    send(play, "ann", "6.00")
    assert verdict_of(play, sealed=("accepted",))["V6"].state != "fails"
    play.do(cmd.Accept(1, "ben", play.state.configured), "bidder:1/ben")
    play.answer(1, r0_b2_q1="7.00")
    assert verdict_of(play, sealed=("accepted",))["V6"].state != "fails"

    def one_tick(rows: Rows) -> None:
        rows[:] = [r for r in rows if r["kind"] != "accepted" or r["body"]["bidder"] == 0]

    assert verdict_of(play, one_tick, ("accepted",))["V6"].state == "fails"


@pytest.fixture
def pair():
    """An auction in which two people of each bidder stand behind what it sends."""
    play = LoggedPlay(approval=True)
    for bidder, names in enumerate((("ann", "amy"), ("ben", "bea"))):
        for name in names:
            play.do(cmd.Invite(name, f"access-{name}", bidder))
            play.do(cmd.Join(name, bidder), f"bidder:{bidder}/{name}")
    play.do(cmd.Start("Zoe"))
    play.plan()
    return play


def test_what_waits_for_a_second_person_is_the_bidders_alone(pair):
    """
    Tests that the auctioneer cannot withdraw it, and, where values are sealed, does not get the
    hash of what was sent: an amount can be found by trying all of them.
    """
    send(pair, "ann")
    (pending,) = pair.state.proposals.values()
    with pytest.raises(Refusal, match="no such proposal"):
        pair.do(cmd.Withdraw(pending.hash), "auctioneer:Zoe")
    sealed = replace(pair.state, rules=replace(pair.state.rules, sealed_from_auctioneer=True))
    zoe, kim, ann, ben = (
        Viewer("auctioneer"), Viewer("auditor"), Viewer("bidder", 0), Viewer("bidder", 1)
    )  # fmt: skip
    assert may_open(pending.event, zoe, pair.state, 0)
    assert not may_open(pending.event, zoe, sealed, 0)
    assert may_open(ev.Proposed("close"), zoe, sealed, 0)
    assert may_open(pending.event, kim, sealed, 0)
    assert may_open(pending.event, ann, sealed, 0)
    assert not may_open(pending.event, ben, sealed, 0)
    entry = ev.Entry(pending.event, 9, pair.clock.now(), "", "", "bidder:0/ann")
    assert stirs([entry], ann) == {"queries"}
    assert stirs([entry], ben) == set()


def test_what_one_person_sends_counts_once_another_confirms_it(pair):
    """Tests the same content by the same person, by another one, and other content."""
    (proposed,) = send(pair, "ann")
    assert isinstance(proposed, ev.Proposed)
    assert pair.state.books[0].reports == {}
    with pytest.raises(Refusal, match="another person of yours"):
        send(pair, "ann")
    (other,) = send(pair, "amy", "6.00")  # replaces the first one
    assert isinstance(other, ev.Proposed)
    (submitted,) = send(pair, "ann", "6.00")
    assert isinstance(submitted, ev.Submitted)
    assert [report.units for report in pair.state.books[0].reports.values()] == [600]
    verdict = verdict_of(pair)
    assert verdict["V8"].state != "fails", verdict.summary()
    assert verdict["V4"].state != "fails", verdict.summary()


def test_others_do_not_see_what_waits(pair):
    """Tests that a proposal is the bidder's own business."""
    send(pair, "ann")
    assert list(seen_by(pair.state, Viewer("bidder", 0)).proposals) == ["submission/0"]
    assert seen_by(pair.state, Viewer("bidder", 1)).proposals == {}
    assert seen_by(pair.state, Viewer("public")).proposals == {}


def test_an_auction_with_one_person_per_bidder_does_not_start():
    """Tests that nobody finds out in the round that a second person is missing."""
    play = LoggedPlay(approval=True)
    with pytest.raises(Refusal, match="invite a second one for Ann, Ben"):
        play.start()


def alone(rows: Rows) -> None:
    del rows[-1]["body"]["approves"]


def by_the_same(rows: Rows) -> None:
    rows[-1]["body"]["actor"] = "bidder:0/ann"


def by_the_other_bidder(rows: Rows) -> None:
    next(row for row in rows if row["kind"] == "proposed")["body"]["actor"] = "bidder:1/ben"


def other_amount(rows: Rows) -> None:
    rows[-1]["body"]["reports"][0]["units"] = 700


@pytest.mark.parametrize("change", [alone, by_the_same, by_the_other_bidder, other_amount])
def test_a_forged_confirmation_is_found(pair, change):
    """Tests what a server would write that let one person alone bind a bidder."""
    send(pair, "ann")
    send(pair, "amy")
    assert verdict_of(pair)["V8"].state != "fails"
    assert verdict_of(pair, change)["V8"].state == "fails"
