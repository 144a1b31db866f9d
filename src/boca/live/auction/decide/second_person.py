"""Acts that need two people: one does them, which proposes them; another does the same."""

from datetime import datetime

from boca.core.message import msg
from boca.live.auction import commands as cmd
from boca.live.auction import events as ev
from boca.live.auction.decide.phases import refuse_phase
from boca.live.auction.events import Event
from boca.live.auction.fold import key_of
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import ENDED, LiveState, Proposal
from boca.live.ledger.canonical import canonical, sha256
from boca.live.plain import to_plain


def second_person(
    state: LiveState, act: ev.Act, who: str, what: str = "", bidder: int | None = None
) -> ev.Proposed | str | None:
    """
    What becomes of an act that somebody wants to do now.

    Its first half, if nobody has proposed it; the hash of the proposal that it approves; None if
    the rules want one person only.

    Parameters
    ----------
    state
        The auction.
    act, bidder, what
        What is done, for whom, and with which content.
    who
        The auctioneer, or the bidder's person.
    """
    rules = state.rules
    if rules is None or state.is_rehearsal:
        return None
    is_wanted = rules.approval if act == "submission" else act in rules.second_person
    if not is_wanted:
        return None
    proposed = ev.Proposed(act, what, bidder)
    pending = state.proposals.get(key_of(proposed))
    # What a bidder's people have proposed is replaced by whatever they propose next.
    is_replaced = act == "submission" and pending is not None and pending.event.what != what
    if pending is None or is_replaced:
        return proposed
    if act == "submission" and pending.who == who:
        raise Refusal(
            "conflict",
            msg(
                "You have sent exactly this before; it counts once another person of yours "
                "confirms it on the page Check and send."
            ),
            state.phase,
        )
    if pending.who == who:
        raise Refusal(
            "conflict",
            msg(
                "You have proposed this yourself; it is carried out once another auctioneer does "
                "the same. You can withdraw it at the desk."
            ),
            state.phase,
        )
    if pending.event.what != what:
        raise Refusal(
            "conflict",
            msg(
                "{who} has proposed something else here, so nothing was done. Do exactly the same, "
                "or withdraw the proposal at the desk first.",
                who=pending.who,
            ),
            state.phase,
        )
    return pending.hash


def content_of(submitted: ev.Submitted) -> str:
    """A hash of what is entered for a bidder, the same for whoever enters the same."""
    plain = to_plain(submitted)
    content = {name: plain.get(name) or [] for name in ("reports", "declines", "demands")}
    return sha256(canonical(content))


def withdraw(state: LiveState, command: cmd.Withdraw, now: datetime) -> list[Event]:
    if state.phase in ENDED:
        refuse_phase(state, msg("Nothing can be withdrawn any more."))
    if find(state, command.proposal) is None:
        raise Refusal("not-found", msg("There is no such proposal any more."), state.phase)
    return [ev.Withdrawn(command.proposal)]


def find(state: LiveState, hash_: str) -> Proposal | None:
    """The pending proposal of a record; what a bidder's people propose is not the auctioneer's."""
    own = [one for one in state.proposals.values() if one.event.act != "submission"]
    return next((one for one in own if one.hash == hash_), None)
