"""Time: more of it, pauses, and what an outage took."""

from datetime import datetime, timedelta

from boca.core.message import msg
from boca.live.auction import commands as cmd
from boca.live.auction import events as ev
from boca.live.auction.decide.phases import refuse_phase, remark, tidy
from boca.live.auction.events import Event
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import LONGEST_MINUTES
from boca.live.auction.state import LiveState
from boca.live.clock import from_text, to_text

# How the log says that the auctioneer moved a deadline; the other reasons are words of their own.
BY_AUCTIONEER = "by auctioneer"
# A pause gives back at least this much time.
LEAST_SECONDS_AFTER_PAUSE = 300.0
# Outages up to this length move the deadline by themselves; longer ones pause the round.
SHORT_OUTAGE = timedelta(seconds=30)


def extend(state: LiveState, command: cmd.Extend, now: datetime) -> list[Event]:
    if state.phase not in ("open", "paused"):
        refuse_phase(state, msg("There is no deadline to move."))
    if not 0 < command.minutes <= LONGEST_MINUTES:
        raise Refusal(
            "mistakes",
            msg(
                "Found {n} minutes; expected more than 0 and at most {most}.",
                n=f"{command.minutes:g}",
                most=LONGEST_MINUTES,
            ),
            state.phase,
        )
    assert state.deadline is not None
    start = max(state.deadline, now) if state.phase == "open" else state.deadline
    until = state.setup[0].later(start, timedelta(minutes=command.minutes))
    reason = f"{BY_AUCTIONEER}: {tidy(command.reason, 'a reason')}"
    return [ev.DeadlineMoved(state.round, to_text(state.deadline), to_text(until), reason)]


def pause(state: LiveState, command: cmd.Pause, now: datetime) -> list[Event]:
    reason = tidy(command.reason, msg("a reason"))
    if state.phase == "open":
        assert state.deadline is not None
        return [ev.Paused(reason, _seconds_left(state, now))]
    if state.phase == "planning" and not state.is_held:
        return [ev.Paused(reason)]
    refuse_phase(state, msg("There is nothing to pause."))


def resume(state: LiveState, command: cmd.Resume, now: datetime) -> list[Event]:
    if state.phase != "paused":
        refuse_phase(state, msg("There is nothing to resume."))
    left = max(state.seconds_left or 0.0, LEAST_SECONDS_AFTER_PAUSE)
    deadline = state.setup[0].later(now, timedelta(seconds=left))
    return [ev.Resumed(remark(command.reason) or "", to_text(deadline))]


def _seconds_left(state: LiveState, moment: datetime) -> float:
    """How much of the round's time is left at a moment."""
    assert state.deadline is not None
    return state.setup[0].time_between(moment, state.deadline).total_seconds()


def outage(state: LiveState, command: cmd.Outage, now: datetime) -> list[Event]:
    if state.phase != "open":
        refuse_phase(state, msg("No round was open."))
    assert state.deadline is not None
    alive = from_text(command.alive_at)
    gap = now - alive
    if command.restored_from:
        left = _seconds_left(state, alive)
        reason = f"the log, which ends at {command.alive_at}, was restored from"
        return [ev.Paused(f"{reason} {command.restored_from}", left)]
    if gap <= timedelta():
        raise Refusal("wrong-phase", msg("The server was not down."), state.phase)
    if gap > SHORT_OUTAGE:
        left = _seconds_left(state, alive)
        return [ev.Paused(f"the server was down from {command.alive_at} to {to_text(now)}", left)]
    until = state.setup[0].later(state.deadline, gap)
    return [ev.DeadlineMoved(state.round, to_text(state.deadline), to_text(until), "outage")]
