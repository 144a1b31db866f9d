"""
``decide(state, command, now)``: the events that a command causes, or a Refusal.

A pure function of its arguments. Whatever comes from a child process is checked here as if a
stranger had sent it.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from boca.core.message import msg
from boca.live.auction import commands as cmd
from boca.live.auction.decide import (
    courses,
    ending,
    inquiries,
    rounds,
    second_person,
    setting_up,
    submitting,
    timing,
)
from boca.live.auction.events import Event
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import LiveState

Rule = Callable[[LiveState, Any, datetime], list[Event]]


def decide(state: LiveState, command: cmd.Command, now: datetime) -> list[Event]:
    """
    The events that a command causes, first to last; never none.

    Parameters
    ----------
    state
        The auction; an empty one for :class:`boca.live.auction.commands.Create`.
    command
        What somebody wants.
    now
        The server's time.
    """
    if state.seq < 0 and not isinstance(command, cmd.Create):
        raise Refusal("not-found", msg("There is no such auction."))
    return RULES[type(command)](state, command, now)


RULES: dict[type[cmd.Command], Rule] = {
    cmd.Create: setting_up.create,
    cmd.Configure: setting_up.configure,
    cmd.Invite: setting_up.invite,
    cmd.Withdraw: second_person.withdraw,
    cmd.Revoke: setting_up.revoke,
    cmd.Join: setting_up.join,
    cmd.Accept: submitting.accept,
    cmd.Start: setting_up.start,
    cmd.TakePlan: rounds.plan,
    cmd.OpenRound: rounds.open_round,
    cmd.Submit: submitting.submit,
    cmd.Rate: courses.rate,
    cmd.Compare: courses.compare,
    cmd.TakePrices: courses.prices,
    cmd.TakeSeating: courses.seating,
    cmd.Change: courses.change,
    cmd.CloseRound: rounds.close_round,
    cmd.Extend: timing.extend,
    cmd.Pause: timing.pause,
    cmd.Resume: timing.resume,
    cmd.Outage: timing.outage,
    cmd.Stop: rounds.stop,
    cmd.Close: ending.close,
    cmd.Retry: ending.retry,
    cmd.Fail: ending.fail,
    cmd.TakeOutcome: ending.outcome,
    cmd.Publish: ending.publish,
    cmd.Cancel: ending.cancel,
    cmd.Announce: ending.announce,
    cmd.Inquire: inquiries.inquire,
    cmd.Reply: inquiries.reply,
    cmd.ClockJump: ending.clock_jump,
}
