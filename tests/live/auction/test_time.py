"""Deadlines: received at or before the deadline is the only criterion."""

from datetime import timedelta

import pytest
from live_play import Play, nobody_wins, plan_result

from boca.live.auction import commands as cmd
from boca.live.auction.fold import fold_all
from boca.live.auction.refusal import Refusal
from boca.live.clock import to_text

MILLISECOND = timedelta(milliseconds=1)


def opened(**keys):
    play = Play(round_minutes=[60, 20], **keys)
    play.open()
    return play


@pytest.mark.parametrize(
    ("offset", "is_taken"), [(-MILLISECOND, True), (timedelta(), True), (MILLISECOND, False)]
)
@pytest.mark.parametrize("delay", [timedelta(), timedelta(milliseconds=900)])
def test_received_by_the_deadline_counts_however_long_the_queue_was(offset, is_taken, delay):
    """Tests a millisecond on either side, processed at once and almost a second later."""
    play = opened()
    received = play.state.deadline + offset
    play.clock.time = max(received, play.state.deadline) + delay
    if is_taken:
        play.answer(received=received, r0_b1_q1=5)
        assert play.state.books[0].reports
    else:
        with pytest.raises(Refusal, match="after the end of the round") as refusal:
            play.answer(received=received, r0_b1_q1=5)
        assert refusal.value.cause == "too-late"
        assert not play.state.books[0].reports


def test_round_cannot_close_before_its_deadline():
    """Tests the server's own command at the deadline and just after."""
    play = opened()
    play.clock.time = play.state.deadline
    with pytest.raises(Refusal):
        play.do(cmd.CloseRound(0))
    play.clock.time += MILLISECOND
    play.do(cmd.CloseRound(0))
    assert play.state.phase == "planning"
    assert play.state.books[0].queries["r0-b1-q1"].status == "unanswered"
    with pytest.raises(Refusal, match="being worked out"):
        play.answer(r0_b1_q1=5)


def test_extension_of_the_auctioneer_moves_the_deadline():
    """Tests that what was too late is in time afterwards."""
    play = opened()
    before = play.state.deadline
    play.do(cmd.Extend(10, "the fire alarm went off"))
    assert play.state.deadline == before + timedelta(minutes=10)
    play.clock.time = before + timedelta(minutes=9)
    play.answer(r0_b1_q1=5)


def test_extending_a_round_whose_end_has_passed_counts_from_now():
    """Tests that an extension always gives its minutes."""
    play = opened()
    play.clock.time = play.state.deadline + timedelta(seconds=30)
    play.do(cmd.Extend(10, "sorry"))
    assert play.state.deadline == play.clock.now() + timedelta(minutes=10)


def test_pause_keeps_the_time_that_was_left():
    """Tests pause, extension while paused, and resuming."""
    play = opened()
    play.clock.turn(minutes=50)
    play.do(cmd.Pause("lunch"))
    with pytest.raises(Refusal, match="paused"):
        play.answer(r0_b1_q1=5)
    play.clock.turn(hours=2)
    play.do(cmd.Extend(5, "a longer lunch"))
    play.do(cmd.Resume())
    assert play.state.deadline == play.clock.now() + timedelta(minutes=15)
    play.answer(r0_b1_q1=5)


def test_resuming_leaves_at_least_five_minutes():
    """Tests that nobody comes back from a pause to a round that is over."""
    play = opened()
    play.clock.turn(minutes=59, seconds=59)
    play.do(cmd.Pause("x"))
    play.do(cmd.Resume())
    assert play.state.deadline == play.clock.now() + timedelta(minutes=5)


def test_any_order_of_pause_resume_and_extend_folds_alike():
    """Tests that the log alone gives the deadline that was in force."""
    play = opened()
    for command in (
        cmd.Extend(1, "a"), cmd.Pause("b"), cmd.Extend(2, "c"), cmd.Extend(3, "d"), cmd.Resume(),
        cmd.Pause("e"), cmd.Resume(), cmd.Extend(4, "f"),
    ):  # fmt: skip
        play.clock.turn(minutes=1)
        play.do(command)
        assert fold_all("test", play.entries) == play.state
    # 60 + 1 + 5 + 4 minutes; 8 have passed, of which 4 in pauses, which do not count.
    assert play.state.deadline - play.clock.now() == timedelta(minutes=70 - (8 - 4))


@pytest.mark.parametrize("gap", [10, 30])
def test_short_outage_moves_the_deadline_by_itself(gap):
    """Tests a restart within half a minute: nobody loses a second, nobody has to act."""
    play = opened()
    before, alive = play.state.deadline, play.clock.now()
    play.clock.turn(seconds=gap)
    play.do(cmd.Outage(to_text(alive)), "server")
    assert play.state.phase == "open"
    assert play.state.deadline == before + timedelta(seconds=gap)


@pytest.mark.parametrize("minutes", [10, 600])
def test_long_outage_pauses_even_if_the_deadline_passed_meanwhile(minutes):
    """Tests that nobody loses a round because the server was down."""
    play = opened()
    play.clock.turn(minutes=45)
    alive = play.clock.now()
    play.clock.turn(minutes=minutes)
    play.do(cmd.Outage(to_text(alive)), "server")
    assert play.state.phase == "paused"
    assert play.state.seconds_left == 15 * 60
    play.do(cmd.Resume())
    assert play.state.deadline == play.clock.now() + timedelta(minutes=15)


def test_automatic_extension_is_used_by_those_with_open_questions():
    """Tests that one who has answered keeps its extension, and that the second time ends it."""
    play = opened(extensions=1, extension_minutes=10)
    play.answer(1, r0_b2_q1=5, r0_b2_q2=9)
    first = play.state.deadline
    play.clock.time = first + MILLISECOND
    play.do(cmd.CloseRound(0), "server")
    assert play.state.phase == "open"
    assert play.state.deadline == play.clock.now() + timedelta(minutes=10)
    assert [book.num_extensions for book in play.state.books] == [1, 0]
    play.clock.time = play.state.deadline + MILLISECOND
    play.do(cmd.CloseRound(0), "server")
    assert play.state.phase == "planning"


def test_round_ends_early_once_everything_is_answered():
    """Tests `close_early`: the last answer closes the round in the same transaction."""
    play = opened(close_early=True)
    play.answer(0, r0_b1_q1=5, r0_b1_q2=9)
    assert play.state.phase == "open"
    play.answer(1, r0_b2_q1=5, r0_b2_q2=9)
    assert play.state.phase == "planning"


def test_last_call_is_a_round_without_questions():
    """Tests that pushes are taken in it, and that the auction stops after it."""
    play = opened(last_call_minutes=5, close_early=True)
    play.clock.time = play.state.deadline + MILLISECOND
    play.do(cmd.CloseRound(0), "server")
    play.do(cmd.TakePlan(play.state.plan_from, plan_result([], "enough")), "server")
    assert (play.state.phase, play.state.is_last_call) == ("open", True)
    play.clock.time = play.state.deadline + MILLISECOND
    play.do(cmd.CloseRound(play.state.round), "server")
    assert play.state.phase == "stopped"


def test_whole_life():
    """Tests the phases from draft to published, with a held round and a stop after the round."""
    play = Play(open_rounds="by hand")
    phases = [play.state.phase]
    play.start()
    phases.append(play.state.phase)
    play.plan()
    phases.append(play.state.phase)
    play.do(cmd.OpenRound())
    phases.append(play.state.phase)
    play.do(cmd.Stop("enough"))
    play.clock.time = play.state.deadline + MILLISECOND
    play.do(cmd.CloseRound(0), "server")
    phases.append(play.state.phase)
    play.do(cmd.Close())
    phases.append(play.state.phase)
    play.do(cmd.TakeOutcome(nobody_wins()), "server")
    phases.append(play.state.phase)
    play.do(cmd.Publish())
    phases.append(play.state.phase)
    assert phases == [
        "draft", "planning", "ready", "open", "stopped", "deciding", "decided", "published",
    ]  # fmt: skip


def test_pause_while_planning_holds_the_next_round():
    """Tests that the questions come and wait for the auctioneer."""
    play = Play()
    play.start()
    play.do(cmd.Pause("coffee"))
    assert play.state.phase == "planning"
    play.plan()
    assert play.state.phase == "ready"
    play.do(cmd.OpenRound())
    assert play.state.phase == "open"


def test_three_failures_are_stuck_until_somebody_retries():
    """Tests that planning is not tried for ever, and goes on after a retry or a stop."""
    play = Play()
    play.start()
    for _ in range(3):
        play.do(cmd.Fail("plan", "MemoryError", "no", play.state.plan_from), "server")
    assert play.state.phase == "stuck"
    with pytest.raises(Refusal):
        play.do(cmd.Fail("plan", "MemoryError", "no", play.state.plan_from), "server")
    play.do(cmd.Retry())
    assert (play.state.phase, play.state.attempts) == ("planning", 0)
    play.plan()
    assert play.state.phase == "open"
