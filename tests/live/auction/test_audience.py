"""Who may open which record, kind by kind."""

import pytest
from live_play import Play, nobody_wins

from boca.live.auction import commands as cmd
from boca.live.auction import events as ev
from boca.live.auction.audience import OPEN, PUBLIC, WITH_ALL, Viewer, may_open, seen_by, stirs
from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import Submission, ValueAnswer
from boca.live.auction.views import progress

ANN, BEN = Viewer("bidder", 0), Viewer("bidder", 1)
AUDITOR, AUCTIONEER = Viewer("auditor"), Viewer("auctioneer")


def published(**keys):
    play = Play(round_minutes=[60, 20], **keys)
    play.open()
    play.answer(0, r0_b1_q1=5)
    play.answer(1, r0_b2_q1=7)
    play.do(cmd.Stop("enough"))
    play.clock.turn(minutes=61)
    play.do(cmd.CloseRound(0), "server")
    play.do(cmd.Close())
    play.do(cmd.TakeOutcome(nobody_wins()), "server")
    play.do(cmd.Publish())
    return play


def opened(play, viewer):
    """Kinds of the records whose bodies a viewer may read, with whom they are about."""
    return {
        (entry.event.kind, getattr(entry.event, "bidder", None))
        for entry in play.entries
        if may_open(entry.event, viewer, play.state, play.state.round)
    }


def test_each_bidder_opens_its_own_records_and_the_public_ones():
    """Tests `publish = "own"`: nothing about another bidder, ever."""
    play = published()
    own = opened(play, ANN)
    assert {(kind, 0) for kind in ("invited", "joined", "asked", "submitted", "result")} <= own
    assert not {pair for pair in own if pair[1] == 1}
    kinds = {kind for kind, _ in own}
    assert {"configured", "started", "round-opened", "stopping", "published", "seeded"} <= kinds
    assert not {"planned", "decided", "justified", "round-closed"} & kinds


@pytest.mark.parametrize(
    ("publish", "more"),
    [
        ("own", set()),
        ("outcome", {"decided"}),
        ("all", {"decided", "justified", "planned", "asked", "submitted"}),
    ],
)
def test_the_public_opens_what_the_rules_publish(publish, more):
    """Tests the three settings of `publish`."""
    kinds = {kind for kind, _ in opened(published(publish=publish), PUBLIC)}
    always = {"created", "configured", "seeded", "started", "round-opened", "stopping", "stopped",
              "closed", "published"}  # fmt: skip
    assert kinds == always | more


def test_auditor_opens_everything_at_any_time():
    """Tests an auction under way."""
    play = Play()
    play.open()
    play.answer(0, r0_b1_q1=5)
    assert len(opened(play, AUDITOR)) == len(
        {(e.event.kind, getattr(e.event, "bidder", None)) for e in play.entries}
    )


def test_sealed_auction_hides_values_from_the_auctioneer_until_decided():
    """Tests the rule that protects bidders from the one who runs the auction."""
    play = Play(sealed_from_auctioneer=True)
    play.open()
    play.answer(0, r0_b1_q1=123)
    kinds = {kind for kind, _ in opened(play, AUCTIONEER)}
    assert not {"submitted", "asked", "planned", "seeded"} & kinds
    view = progress(seen_by(play.state, AUCTIONEER), play.clock.now(), True)
    assert "12300" not in repr(seen_by(play.state, AUCTIONEER))
    assert [row.num_answered for row in view.rows] == [1, 0]
    assert "12300" in repr(seen_by(play.state, AUDITOR))
    done = published(sealed_from_auctioneer=True)
    assert ("submitted", 0) in opened(done, AUCTIONEER)


def test_questions_are_hidden_until_the_round_is_opened():
    """Tests a round that waits for the auctioneer's button."""
    play = Play(open_rounds="by hand")
    play.start()
    play.plan()
    seen = seen_by(play.state, ANN)
    assert (seen.phase, seen.round, dict(seen.books[0].queries)) == ("planning", -1, {})
    play.do(cmd.OpenRound())
    assert len(seen_by(play.state, ANN).books[0].queries) == 2


def test_to_a_bidder_the_others_have_done_nothing():
    """Tests that the state behind a bidder's pages holds nothing of the others."""
    play = Play()
    play.open()
    before = seen_by(play.state, ANN)
    play.answer(1, r0_b2_q1=77)
    play.submit(Submission((ValueAnswer("r0-b2-q2", "99"),)), 1)
    assert seen_by(play.state, ANN) == before


def test_head_is_that_of_the_last_opening():
    """Tests that the hash on a bidder's page does not move with the others' submissions."""
    play = Play()
    play.open()
    head = seen_by(play.state, ANN).head
    assert head == play.state.head
    play.answer(1, r0_b2_q1=7)
    assert seen_by(play.state, ANN).head == head != play.state.head


def test_stream_of_a_bidder_is_silent_about_the_others():
    """Tests that a submission stirs its own bidder and the desk, nobody else."""
    play = Play()
    play.open()
    num = len(play.entries)
    play.answer(1, r0_b2_q1=7)
    entries = play.entries[num:]
    assert stirs(entries, ANN) == set()
    assert stirs(entries, BEN) == {"queries"}
    assert stirs(entries, AUDITOR) == {"progress"}
    assert stirs(entries, PUBLIC) == set()


def test_every_kind_is_decided_about():
    """Tests that a new kind of event is not opened to the public by accident."""
    private = {"seeded", "invited", "revoked", "joined", "extension-used", "round-closed",
               "retried", "failed", "result", "clock-jumped", "noted", "enrolled", "rated",
               "compared", "priced", "seated", "believed", "proposed", "withdrawn",
               "accepted", "inquired", "replied"}  # fmt: skip
    assert OPEN | WITH_ALL | private == set(ev.KINDS)


@pytest.mark.parametrize("phase", ["ready", "stuck"])
def test_refusals_tell_bidders_nothing_of_the_auctioneers_phases(phase):
    """Tests that a submission at the wrong time is refused as during any planning."""
    refusals = []
    for hidden in (False, True):
        play = Play(open_rounds="by hand")
        play.start()
        if hidden and phase == "ready":
            play.plan()
        if hidden and phase == "stuck":
            for _ in range(3):
                play.do(cmd.Fail("plan", "Error", "x", play.state.plan_from), "server")
        with pytest.raises(Refusal) as refusal:
            play.do(cmd.Submit(0, Submission(), "2026-11-16T09:00:00.000000Z"))
        refusals.append((refusal.value.sentence, refusal.value.phase, refusal.value.cause))
    assert refusals[0] == refusals[1]
