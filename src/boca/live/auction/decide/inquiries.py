"""What bidders ask the auctioneer, and what the auctioneer replies."""

from datetime import datetime

from boca.core.message import msg
from boca.live.auction import commands as cmd
from boca.live.auction import events as ev
from boca.live.auction.decide.phases import refuse_phase, tidy
from boca.live.auction.events import Event
from boca.live.auction.refusal import Refusal
from boca.live.auction.seat_market import is_courses
from boca.live.auction.state import ENDED, LiveState

# Inquiries of one bidder that nobody has answered; more would fill the log.
MOST_WAITING = 5


def inquire(state: LiveState, command: cmd.Inquire, now: datetime) -> list[Event]:
    if state.phase in ENDED or is_courses(state.market):
        refuse_phase(state, msg("Nothing can be asked any more."))
    waiting = [i for i in state.inquiries if i.bidder == command.bidder and i.reply is None]
    if len(waiting) >= MOST_WAITING:
        raise Refusal(
            "conflict",
            msg(
                "{n} of your questions wait for an answer; ask more once they have one.",
                n=MOST_WAITING,
            ),
        )
    return [ev.Inquired(command.bidder, tidy(command.text, msg("a question")))]


def reply(state: LiveState, command: cmd.Reply, now: datetime) -> list[Event]:
    if state.phase in ENDED:
        refuse_phase(state, msg("Nothing can be answered any more."))
    inquiry = next((i for i in state.inquiries if i.hash == command.to), None)
    if inquiry is None:
        raise Refusal("not-found", msg("There is no such question."))
    if inquiry.reply is not None:
        raise Refusal("conflict", msg("This question was answered before."))
    text = tidy(command.text, msg("an answer"))
    if command.question is None:
        return [ev.Replied(command.to, text, inquiry.bidder)]
    return [ev.Replied(command.to, text, question=tidy(command.question, msg("the question")))]
