"""What an auctioneer can do with an auction, and when."""

from collections.abc import Mapping
from dataclasses import dataclass

from boca.core.errors import InputError
from boca.core.message import msg
from boca.live.auction import commands as cmd
from boca.live.auction.commands import Command
from boca.live.auction.state import ENDED, Phase
from boca.live.auction.views import Heading

RUNNING: tuple[Phase, ...] = ("planning", "ready", "open", "paused", "stuck")
NOT_ENDED: tuple[Phase, ...] = ("draft", *RUNNING, "stopped", "deciding", "decided")


@dataclass(frozen=True)
class Action:
    """
    One button of the desk.

    Parameters
    ----------
    name
        Of the command, in addresses and in the texts.
    phases
        When it can be pressed.
    fields
        What its page asks for: ``reason``, ``remark`` for a reason that may be left out,
        ``minutes``, ``text``, or ``name`` for typing the auction's name, where nothing can be taken
        back.
    next_in
        Phases in which it is the next thing to do.
    """

    name: str
    phases: tuple[Phase, ...]
    fields: tuple[str, ...] = ()
    next_in: tuple[Phase, ...] = ()

    def is_possible(self, heading: Heading) -> bool:
        """Whether the auction's phase permits it."""
        if heading.phase not in self.phases:
            return False
        is_last = heading.is_stopping or heading.is_last_call
        return not (self.name == "stop" and heading.phase in ("open", "paused") and is_last)


ACTIONS = {
    action.name: action
    for action in (
        Action("start", ("draft",), ("remark",), next_in=("draft",)),
        Action("open", ("ready",), ("remark",), next_in=("ready",)),
        Action("resume", ("paused",), ("remark",), next_in=("paused",)),
        Action("retry", ("stuck", "deciding"), ("remark",), next_in=("stuck",)),
        Action("close", ("stopped",), ("remark", "name"), next_in=("stopped",)),
        Action("publish", ("decided",), ("remark", "name"), next_in=("decided",)),
        Action("extend", ("open", "paused"), ("minutes", "reason")),
        Action("pause", ("open", "planning"), ("reason",)),
        Action("stop", RUNNING, ("reason",)),
        Action("announce", NOT_ENDED, ("text",)),
        Action("cancel", NOT_ENDED, ("reason", "name")),
    )
}


def possible_actions(heading: Heading) -> list[Action]:
    """What can be done now, the next thing first, what cannot be taken back last."""
    actions = [action for action in ACTIONS.values() if action.is_possible(heading)]
    return sorted(actions, key=lambda action: heading.phase not in action.next_in)


def is_over(heading: Heading) -> bool:
    """Whether nothing can happen any more."""
    return heading.phase in ENDED


def command_of(action: Action, fields: Mapping[str, str], person: str) -> Command:
    """
    The command of a confirmed page.

    Parameters
    ----------
    action
        Which button.
    fields
        What was typed.
    person
        Who pressed it.
    """
    reason = fields.get("reason", "")
    remark = reason.strip() or None
    match action.name:
        case "start":
            return cmd.Start(person, "missing" in fields, remark)
        case "open":
            return cmd.OpenRound(remark)
        case "resume":
            return cmd.Resume(reason)
        case "retry":
            return cmd.Retry(remark)
        case "close":
            return cmd.Close(remark)
        case "publish":
            return cmd.Publish(remark)
        case "extend":
            return cmd.Extend(read_minutes(fields.get("minutes", "")), reason)
        case "pause":
            return cmd.Pause(reason)
        case "stop":
            return cmd.Stop(reason)
        case "announce":
            return cmd.Announce(fields.get("text", ""))
        case _:
            return cmd.Cancel(reason)


def read_minutes(text: str) -> float:
    """A whole number of minutes."""
    tidy = text.strip()
    if not (tidy.isascii() and tidy.isdecimal() and len(tidy) < 6):
        raise InputError(
            msg("Found '{text}'; expected a whole number of minutes, such as 10.", text=tidy[:20])
        )
    return float(tidy)
