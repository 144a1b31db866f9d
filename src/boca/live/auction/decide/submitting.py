"""A submission: in time, on what the person saw, without mistakes."""

from dataclasses import replace
from datetime import datetime

from boca.core.message import joined, msg, msgn
from boca.live.auction import commands as cmd
from boca.live.auction import events as ev
from boca.live.auction.audience import BIDDERS_PHASE
from boca.live.auction.decide.phases import refuse_phase, tidy
from boca.live.auction.decide.rounds import closing, settled_by
from boca.live.auction.decide.second_person import content_of, second_person
from boca.live.auction.events import Event
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import ENDED, LiveState
from boca.live.auction.submission import check
from boca.live.clock import from_text, to_text


def submit(state: LiveState, command: cmd.Submit, now: datetime) -> list[Event]:
    if state.phase != "open":
        # Bidders do not learn of phases that are the auctioneer's business.
        phase = BIDDERS_PHASE.get(state.phase, state.phase)
        refuse_phase(replace(state, phase=phase), msg("Nothing can be submitted now."))
    assert state.deadline is not None
    if not 0 <= command.bidder < len(state.books):
        raise Refusal("not-found", msg("There is no such bidder."))
    senders = [p for p in state.persons if (p.name, p.bidder) == (command.sender, command.bidder)]
    if any(person.is_out for person in senders):
        raise Refusal(
            "forbidden", msg("You cannot act for this bidder any more; nothing was taken.")
        )
    if from_text(command.received) > state.deadline:
        raise Refusal(
            "too-late",
            msg(
                "This was received at {at} UTC, after the end of the round at {end} UTC; nothing "
                "was taken.",
                at=command.received[11:19],
                end=to_text(state.deadline)[11:19],
            ),
            state.phase,
        )
    if command.channel != "operator" and state.must_accept(command.bidder):
        raise Refusal(
            "forbidden",
            msg("Nothing was taken: accept the rules first, on the page Rules."),
            state.phase,
        )
    reason = None
    if command.channel == "operator":
        reason = tidy(command.reason or "", msg("the reason for entering this for the bidder"))
    book = state.books[command.bidder]
    if command.submission.basis is not None and command.submission.basis != book.basis:
        hashes = [taken.hash for taken in book.submissions]
        known = command.submission.basis in hashes
        newer = book.submissions[hashes.index(command.submission.basis) + 1 if known else 0 :]
        named = joined(
            "; ",
            (
                msgn(
                    "{who} sent 1 answer at {time} UTC",
                    "{who} sent {n} answers at {time} UTC",
                    taken.event.num_rows,
                    who=taken.person,
                    time=taken.event.received[11:19],
                )
                for taken in newer[-3:]
            ),
        )
        raise Refusal(
            "conflict",
            msg(
                "Nothing was taken: something else was submitted for you in the meantime "
                "({named}). Look at what counts now, and send again.",
                named=named,
            )
            if named
            else msg(
                "Nothing was taken: something else was submitted for you in the meantime. Look at "
                "what counts now, and send again."
            ),
            state.phase,
            details=newer,
        )
    checked = check(state, command.bidder, command.submission, command.channel)
    if checked.mistakes:
        raise Refusal(
            "mistakes",
            msg(
                "Nothing was taken: {mistakes}.",
                mistakes=joined("; ", (mistake.in_words for mistake in checked.mistakes[:3])),
            ),
            state.phase,
            checked.mistakes,
        )
    if checked.unconfirmed:
        raise Refusal(
            "unconfirmed",
            msg("Nothing was taken: there are warnings that have not been confirmed."),
            state.phase,
            details=checked.unconfirmed,
        )
    shown = tuple(w.id for w in checked.warnings if w.needs_tick)
    submitted = ev.Submitted(
        command.bidder,
        state.round,
        checked.reports,
        checked.declines,
        shown,
        command.channel,
        command.received,
        reason,
        checked.demands or None,
    )
    act: ev.Act = "entry" if command.channel == "operator" else "submission"
    content = content_of(submitted)
    approves = second_person(state, act, command.who, content, command.bidder)
    if isinstance(approves, ev.Proposed):
        return [approves]
    submitted = replace(submitted, approves=approves)
    events: list[Event] = [submitted]
    if is_last_answer(state, submitted):
        events += closing(state, now, submitted)
    return events


def accept(state: LiveState, command: cmd.Accept, now: datetime) -> list[Event]:
    if state.phase in ENDED:
        refuse_phase(state, msg("There is nothing to accept any more."))
    if not state.must_accept(command.bidder):
        raise Refusal("conflict", msg("The rules are accepted, or need not be."), state.phase)
    people = [p for p in state.persons if (p.name, p.bidder) == (command.sender, command.bidder)]
    if not people or any(person.is_out for person in people):
        raise Refusal("forbidden", msg("You cannot act for this bidder."), state.phase)
    if command.configured != state.configured:
        raise Refusal(
            "conflict", msg("The rules were changed since; read them again first."), state.phase
        )
    return [ev.Accepted(command.bidder, command.configured)]


def is_last_answer(state: LiveState, submitted: ev.Submitted) -> bool:
    """Whether the rules end the round now, since nothing is open any more."""
    rules, _ = state.setup
    if not rules.close_early or state.is_last_call:
        return False
    settled = settled_by(submitted)
    return all(q.query.id in settled for book in state.books for q in book.open)
