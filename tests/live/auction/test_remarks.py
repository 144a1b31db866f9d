"""Reasons that the auctioneer may give, or leave out, with routine steps."""

import pytest
from live_play import Play, nobody_wins

from boca.live.auction import commands as cmd
from boca.live.auction.events import from_body
from boca.live.auction.refusal import Refusal

KINDS = ("started", "round-opened", "closed", "retried", "published")


def played(*reasons: str | None) -> Play:
    """An auction from start to publication, with a reason for each of the kinds above."""
    start, opening, closing, retry, publication = reasons
    play = Play(is_rehearsal=True, open_rounds="by hand")
    for bidder, person in enumerate(("ann", "ben")):
        play.do(cmd.Invite(person, f"access-{bidder}", bidder))
    play.do(cmd.Start("Zoe", True, start))
    play.plan()
    play.do(cmd.OpenRound(opening))
    play.do(cmd.Stop("enough is known"))
    play.clock.turn(days=1)
    play.do(cmd.CloseRound(0))
    play.do(cmd.Close(closing))
    play.do(cmd.Retry(retry))
    play.do(cmd.TakeOutcome(nobody_wins()))
    play.do(cmd.Publish(publication))
    return play


def bodies(play: Play) -> dict[str, dict[str, object]]:
    """The body of the record of each kind."""
    return {entry.event.kind: entry.event.to_body() for entry in play.entries}


def test_reasons_stand_in_the_log():
    """Tests that what the auctioneer says about a step is evidence, without blanks around it."""
    play = played("all are here", " the hall is full ", "no more bids", "more memory", "as agreed")
    reasons = [bodies(play)[kind]["reason"] for kind in KINDS]
    assert reasons == ["all are here", "the hall is full", "no more bids", "more memory",
                       "as agreed"]  # fmt: skip


def test_left_out_reasons_leave_no_field():
    """Tests that such records look as they did before there were reasons, and are read alike."""
    play = played(None, "", "  ", None, None)
    for kind in KINDS:
        body = bodies(play)[kind]
        assert "reason" not in body
        assert from_body(kind, body).reason is None


def test_endless_reason_is_refused():
    """Tests that a reason is as short as any other text of the log."""
    with pytest.raises(Refusal, match="shorten the reason"):
        played("x" * 2001, None, None, None, None)
