"""What every decision needs: the phase in words, and texts that are not blank."""

from typing import NoReturn

from boca.core.message import joined, msg
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import LiveState


def refuse_phase(state: LiveState, sentence: str) -> NoReturn:
    """The refusal of a command in the wrong phase."""
    both = joined(" ", (sentence, PHASE_WORDS[state.phase]))
    raise Refusal("wrong-phase", both, state.phase)


PHASE_WORDS = {
    "draft": msg("The auction has not started."),
    "planning": msg("The next questions are being worked out."),
    "ready": msg("The next questions are ready; the round has not been opened."),
    "open": msg("A round is open."),
    "paused": msg("The auction is paused."),
    "stuck": msg("Planning failed; the auctioneer has to look at it."),
    "stopped": msg("No further questions are asked."),
    "deciding": msg("The outcome is being computed."),
    "decided": msg("The outcome is decided and not yet published."),
    "published": msg("The auction has ended and its outcome is published."),
    "cancelled": msg("The auction was cancelled."),
}  # fmt: skip


def tidy(text: str, what: str, most: int = 2000) -> str:
    """A reason or announcement that is not blank."""
    tidy = text.strip()
    if not tidy:
        raise Refusal("mistakes", msg("Please give {what}; nothing was entered.", what=what))
    if len(tidy) > most or "\x00" in tidy:
        raise Refusal(
            "mistakes",
            msg("Please shorten {what} to {most} characters of plain text.", what=what, most=most),
        )
    return tidy


def remark(text: str | None) -> str | None:
    """A reason that may be left out."""
    return tidy(text, msg("the reason")) if text and text.strip() else None
