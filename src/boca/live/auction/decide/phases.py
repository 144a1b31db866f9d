"""What every decision needs: the phase in words, and texts that are not blank."""

from typing import NoReturn

from boca.live.auction.refusal import Refusal
from boca.live.auction.state import LiveState


def refuse_phase(state: LiveState, sentence: str) -> NoReturn:
    """The refusal of a command in the wrong phase."""
    raise Refusal("wrong-phase", f"{sentence} {PHASE_WORDS[state.phase]}", state.phase)


PHASE_WORDS = {
    "draft": "The auction has not started.",
    "planning": "The next questions are being worked out.",
    "ready": "The next questions are ready; the round has not been opened.",
    "open": "A round is open.",
    "paused": "The auction is paused.",
    "stuck": "Planning failed; the auctioneer has to look at it.",
    "stopped": "No further questions are asked.",
    "deciding": "The outcome is being computed.",
    "decided": "The outcome is decided and not yet published.",
    "published": "The auction has ended and its outcome is published.",
    "cancelled": "The auction was cancelled.",
}  # fmt: skip


def tidy(text: str, what: str, most: int = 2000) -> str:
    """A reason or announcement that is not blank."""
    tidy = text.strip()
    if not tidy:
        raise Refusal("mistakes", f"Please give {what}; nothing was entered.")
    if len(tidy) > most or "\x00" in tidy:
        raise Refusal("mistakes", f"Please shorten {what} to {most} characters of plain text.")
    return tidy


def remark(text: str | None) -> str | None:
    """A reason that may be left out."""
    return tidy(text, "the reason") if text and text.strip() else None
