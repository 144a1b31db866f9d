"""Rounds: questions come in, the round opens, its time is over, no more are asked."""

from dataclasses import replace
from datetime import datetime, timedelta

from boca.core.message import Message, msg
from boca.live.auction import commands as cmd
from boca.live.auction import events as ev
from boca.live.auction.decide.phases import refuse_phase, remark, tidy
from boca.live.auction.events import Event
from boca.live.auction.job_results import plan_events
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import Rules
from boca.live.auction.seat_market import is_courses
from boca.live.auction.state import LiveState
from boca.live.clock import to_text


def plan(state: LiveState, command: cmd.TakePlan, now: datetime) -> list[Event]:
    if state.phase != "planning" or command.from_ != state.plan_from:
        refuse_phase(state, msg("This plan is not wanted any more."))
    result = command.result
    if result.stop is not None:
        end = no_more_questions(state, result.stop, now, state.round + 1)
        if result.step.get("record") is None:
            return end
        seen = ev.Reviewed(state.round, result.step, result.seconds, result.versions)
        return [seen, *end]
    events = plan_events(state, result)
    rules, _ = state.setup
    if rules.open_rounds == "auto" and not state.is_held and is_open(rules, now):
        counts = [0] * len(state.books)
        for event in events:
            if isinstance(event, ev.Asked):
                counts[event.bidder] = len(event.queries)
        events.append(opening(state, state.round + 1, tuple(counts), now, rules))
    return events


def is_open(rules: Rules, now: datetime) -> bool:
    """Whether a round can open by the opening hours."""
    return rules.hours is None or rules.hours.is_open(now)


def opens_by_itself(state: LiveState, now: datetime) -> bool:
    """Whether a round that waits for the opening hours can open now."""
    if state.phase != "ready" or state.is_held or state.rules is None:
        return False
    return state.rules.open_rounds == "auto" and is_open(state.rules, now)


def opening(
    state: LiveState, number: int, counts: tuple[int, ...], now: datetime, rules: Rules
) -> ev.RoundOpened:
    deadline = rules.later(now, timedelta(minutes=rules.minutes(number)))
    return ev.RoundOpened(number, to_text(deadline), False, counts)


def no_more_questions(state: LiveState, reason: str, now: datetime, number: int) -> list[Event]:
    """No further queries: a last call if the rules have one, else the end."""
    rules, _ = state.setup
    if rules.last_call_minutes and not state.is_last_call:
        deadline = rules.later(now, timedelta(minutes=rules.last_call_minutes))
        return [ev.RoundOpened(number, to_text(deadline), True, (0,) * len(state.books))]
    return [_stopped(reason)]


def _stopped(reason: str) -> ev.Stopped:
    return ev.Stopped(reason, reason.to_dict() if isinstance(reason, Message) else None)


def open_round(state: LiveState, command: cmd.OpenRound, now: datetime) -> list[Event]:
    if state.phase != "ready":
        refuse_phase(state, msg("There is no round to open."))
    rules, _ = state.setup
    if rules.hours is not None and not is_open(rules, now):
        soon = to_text(rules.hours.next_open(now))
        raise Refusal(
            "wrong-phase",
            msg(
                "Rounds open within the opening hours of the rules; the next ones begin at {time} "
                "UTC.",
                time=soon[:16].replace("T", ", "),
            ),
            state.phase,
        )
    counts = tuple(
        sum(q.round == state.round for q in book.queries.values()) for book in state.books
    )
    opened = opening(state, state.round, counts, now, rules)
    return [replace(opened, reason=remark(command.reason))]


def settled_by(submitted: ev.Submitted) -> set[str | None]:
    """Queries that a submission answers or declines."""
    demands = {demand.query for demand in submitted.demands or ()}
    return {report.query for report in submitted.reports} | demands | set(submitted.declines)


def closing(state: LiveState, now: datetime, submitted: ev.Submitted | None = None) -> list[Event]:
    """The end of a round, and of the auction's questions if this was the last."""
    settled = settled_by(submitted) if submitted is not None else set()
    unanswered = tuple(
        q.query.id for book in state.books for q in book.open if q.query.id not in settled
    )
    events: list[Event] = [ev.RoundClosed(state.round, unanswered)]
    if is_courses(state.market):
        return [*events, _stopped(msg("the deadline has passed"))]
    if state.is_last_call:
        events.append(_stopped(msg("the last call has ended")))
    elif state.is_stopping:
        events += no_more_questions(state, msg("stopped by the auctioneer"), now, state.round + 1)
    return events


def close_round(state: LiveState, command: cmd.CloseRound, now: datetime) -> list[Event]:
    if state.phase != "open" or command.round != state.round:
        refuse_phase(state, msg("The round is not open."))
    assert state.deadline is not None
    if now <= state.deadline:
        raise Refusal("wrong-phase", msg("The deadline has not passed."), state.phase)
    rules, _ = state.setup
    entitled = [
        i
        for i, book in enumerate(state.books)
        if book.open and book.num_extensions < rules.extensions
    ]
    if not entitled:
        return closing(state, now)
    more = timedelta(minutes=rules.extension_minutes)
    until = rules.later(max(state.deadline, now), more)
    moved = ev.DeadlineMoved(state.round, to_text(state.deadline), to_text(until), "extension")
    used: list[Event] = [ev.ExtensionUsed(i) for i in entitled]
    return [*used, moved]


def stop(state: LiveState, command: cmd.Stop, now: datetime) -> list[Event]:
    reason = tidy(command.reason, msg("a reason"))
    match state.phase:
        case "open" if is_courses(state.market):
            closed = ev.RoundClosed(state.round, ())
            return [
                ev.Stopping(reason),
                closed,
                _stopped(msg("by registrar: {reason}", reason=reason)),
            ]
        case "open" | "paused" if not state.is_stopping and not state.is_last_call:
            return [ev.Stopping(reason)]
        case "planning" | "stuck" | "ready":
            return no_more_questions(
                state, msg("by auctioneer: {reason}", reason=reason), now, state.round + 1
            )
        case _:
            refuse_phase(state, msg("There is nothing to stop."))
