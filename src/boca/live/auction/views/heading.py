"""What every page shows about an auction."""

from dataclasses import dataclass
from datetime import datetime

from boca.live.auction.state import Announcement, LiveState, Phase


@dataclass(frozen=True)
class Heading:
    """
    What every page shows about an auction.

    Parameters
    ----------
    auction, name, is_rehearsal
        Which one it is.
    phase, round, num_rounds, is_last_call
        Where it stands, as the viewer may know it; the round is -1 before the first.
    deadline, seconds_left
        The end of the open round; seconds left once a pause ends.
    now
        The server's time.
    rules_hash, head
        Hash of the rules, and of the log at the last opening (the last hash for those who see
        everything).
    announcements
        Texts of the auctioneer, latest last.
    is_stopping
        Whether this round is the last with questions.
    reason
        Why the auction is paused or was cancelled; empty in all other phases.
    deadline_reason
        Why the deadline of the open round was moved last, as the log has it; empty if it was not.
    stopping_reason
        Why no round with questions follows this one.
    changed
        When goods, bidders or rules of a draft were changed last, if people were invited before.
    """

    auction: str
    name: str
    is_rehearsal: bool
    phase: Phase
    round: int
    num_rounds: int
    is_last_call: bool
    deadline: datetime | None
    seconds_left: float | None
    now: datetime
    rules_hash: str
    head: str
    announcements: tuple[Announcement, ...]
    is_stopping: bool
    reason: str = ""
    deadline_reason: str = ""
    stopping_reason: str = ""
    changed: datetime | None = None


def heading(state: LiveState, now: datetime) -> Heading:
    """The part that every page shows."""
    rules, _ = state.setup
    return Heading(
        state.auction,
        state.name,
        state.is_rehearsal,
        state.phase,
        state.round,
        rules.num_rounds,
        state.is_last_call,
        state.deadline,
        state.seconds_left,
        now,
        state.configured,
        state.head,
        state.announcements,
        state.is_stopping,
        _reason(state),
        state.deadline_reason,
        state.stopping_reason,
        state.changed if state.phase == "draft" else None,
    )


def _reason(state: LiveState) -> str:
    """Why the auction rests or was given up."""
    if state.phase == "paused":
        return state.pause_reason
    return state.stop_reason if state.phase == "cancelled" else ""
