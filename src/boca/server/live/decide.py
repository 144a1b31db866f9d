"""
``decide(state, command, now)``: the events that a command causes, or a Refusal.

A pure function of its arguments. Whatever comes from a child process is checked here as if a
stranger had sent it.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NoReturn

from boca.server.clock import from_text, to_text
from boca.server.live import commands as cmd
from boca.server.live import events as ev
from boca.server.live.audience import BIDDERS_PHASE
from boca.server.live.events import Event
from boca.server.live.fold import MOST_ATTEMPTS
from boca.server.live.job_results import outcome_events, plan_events
from boca.server.live.refusal import Refusal
from boca.server.live.rules import LONGEST_MINUTES, MOST_PERSONS, Rules
from boca.server.live.state import ENDED, LiveState
from boca.server.live.submission import check

FORMAT = 1
# A pause gives back at least this much time.
LEAST_SECONDS_AFTER_PAUSE = 300.0
# Outages up to this length move the deadline by themselves; longer ones pause the round.
SHORT_OUTAGE = timedelta(seconds=30)
Rule = Callable[[LiveState, Any, datetime], list[Event]]


def decide(state: LiveState, command: cmd.Command, now: datetime) -> list[Event]:
    """
    The events that a command causes, first to last; never none.

    Parameters
    ----------
    state
        The auction; an empty one for :class:`boca.server.live.commands.Create`.
    command
        What somebody wants.
    now
        The server's time.
    """
    if state.seq < 0 and not isinstance(command, cmd.Create):
        raise Refusal("not-found", "There is no such auction.")
    return RULES[type(command)](state, command, now)


def _refuse_phase(state: LiveState, wish: str) -> NoReturn:
    """The refusal of a command in the wrong phase."""
    raise Refusal("wrong-phase", f"{wish} {PHASE_WORDS[state.phase]}", state.phase)


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


def _text(text: str, what: str, most: int = 2000) -> str:
    """A reason or announcement that is not blank."""
    tidy = text.strip()
    if not tidy:
        raise Refusal("mistakes", f"Please give {what}; nothing was entered.")
    if len(tidy) > most or "\x00" in tidy:
        raise Refusal("mistakes", f"Please shorten {what} to {most} characters of plain text.")
    return tidy


def _create(state: LiveState, command: cmd.Create, now: datetime) -> list[Event]:
    if state.seq >= 0:
        raise Refusal("conflict", "This auction exists already.", state.phase)
    return [
        ev.Created(
            FORMAT,
            command.version,
            command.public_key,
            command.is_rehearsal,
            command.copied_from,
        ),
        ev.Configured(command.rules.to_dict(), command.market.to_dict()),
        ev.Seeded(command.seed),
    ]


def _configure(state: LiveState, command: cmd.Configure, now: datetime) -> list[Event]:
    if state.phase != "draft":
        _refuse_phase(state, "The rules cannot be changed any more.")
    _, market = state.setup
    if state.persons and [b.name for b in market.bidders] != [
        b.name for b in command.market.bidders
    ]:
        raise Refusal(
            "conflict",
            "People were invited for the bidders as they are; make a new auction to change the "
            "list of bidders.",
            state.phase,
        )
    return [ev.Configured(command.rules.to_dict(), command.market.to_dict())]


def _invite(state: LiveState, command: cmd.Invite, now: datetime) -> list[Event]:
    if state.phase in ENDED:
        _refuse_phase(state, "Nobody can be invited any more.")
    person = _text(command.person, "the person's name", most=80)
    if not person.isprintable() or "/" in person:
        raise Refusal("mistakes", "A person's name is one line of text without slashes.")
    if command.bidder is not None:
        if not 0 <= command.bidder < len(state.books):
            raise Refusal("not-found", "There is no such bidder.")
        names = {p.name for p in state.persons if p.bidder == command.bidder}
        if len(names | {person}) > MOST_PERSONS:
            raise Refusal("conflict", f"A bidder has at most {MOST_PERSONS} persons.", state.phase)
    return [ev.Invited(person, command.access, command.bidder)]


def _revoke(state: LiveState, command: cmd.Revoke, now: datetime) -> list[Event]:
    return [ev.Revoked(command.access, _text(command.reason, "a reason"), command.bidder)]


def _join(state: LiveState, command: cmd.Join, now: datetime) -> list[Event]:
    for person in state.persons:
        if (person.name, person.bidder) == (command.person, command.bidder):
            if person.has_joined:
                raise Refusal("conflict", "This person has joined already.", state.phase)
            return [ev.Joined(command.person, command.bidder)]
    raise Refusal("not-found", "This person was not invited.")


def _start(state: LiveState, command: cmd.Start, now: datetime) -> list[Event]:
    if state.phase != "draft":
        _refuse_phase(state, "The auction cannot be started.")
    _, market = state.setup
    invited = {p.bidder for p in state.persons}
    missing = [b.name for i, b in enumerate(market.bidders) if i not in invited]
    if missing:
        raise Refusal(
            "conflict",
            f"Nobody was invited for {', '.join(missing)}; invite somebody for every bidder first.",
            state.phase,
        )
    joined = {p.bidder for p in state.persons if p.has_joined}
    absent = [b.name for i, b in enumerate(market.bidders) if i not in joined]
    if absent and not command.accept_missing:
        raise Refusal(
            "unconfirmed",
            f"Nobody has joined for {', '.join(absent)}; confirm that you want to start without.",
            state.phase,
            details=tuple(absent),
        )
    return [ev.Started(state.configured, command.who)]


def _plan(state: LiveState, command: cmd.Plan, now: datetime) -> list[Event]:
    if state.phase != "planning" or command.from_ != state.plan_from:
        _refuse_phase(state, "This plan is not wanted any more.")
    result = command.result
    if result.stop is not None:
        return _ending(state, result.stop, now, state.round + 1)
    events = plan_events(state, result)
    rules, _ = state.setup
    if rules.open_rounds == "auto" and not state.is_held:
        counts = [0] * len(state.books)
        for event in events:
            if isinstance(event, ev.Asked):
                counts[event.bidder] = len(event.queries)
        events.append(_opening(state, state.round + 1, tuple(counts), now, rules))
    return events


def _opening(
    state: LiveState, number: int, counts: tuple[int, ...], now: datetime, rules: Rules
) -> ev.RoundOpened:
    deadline = now + timedelta(minutes=rules.minutes(number))
    return ev.RoundOpened(number, to_text(deadline), False, counts)


def _ending(state: LiveState, reason: str, now: datetime, number: int) -> list[Event]:
    """No further queries: a last call if the rules have one, else the end."""
    rules, _ = state.setup
    if rules.last_call_minutes and not state.is_last_call:
        deadline = now + timedelta(minutes=rules.last_call_minutes)
        return [ev.RoundOpened(number, to_text(deadline), True, (0,) * len(state.books))]
    return [ev.Stopped(reason)]


def _open_round(state: LiveState, command: cmd.OpenRound, now: datetime) -> list[Event]:
    if state.phase != "ready":
        _refuse_phase(state, "There is no round to open.")
    rules, _ = state.setup
    counts = tuple(
        sum(q.round == state.round for q in book.queries.values()) for book in state.books
    )
    return [_opening(state, state.round, counts, now, rules)]


def _submit(state: LiveState, command: cmd.Submit, now: datetime) -> list[Event]:
    if state.phase != "open":
        # Bidders do not learn of phases that are the auctioneer's business.
        phase = BIDDERS_PHASE.get(state.phase, state.phase)
        _refuse_phase(replace(state, phase=phase), "Nothing can be submitted now.")
    assert state.deadline is not None
    if not 0 <= command.bidder < len(state.books):
        raise Refusal("not-found", "There is no such bidder.")
    if from_text(command.received) > state.deadline:
        raise Refusal(
            "too-late",
            f"This was received at {command.received[11:19]} UTC, after the end of the round at "
            f"{to_text(state.deadline)[11:19]} UTC; nothing was taken.",
            state.phase,
        )
    reason = None
    if command.channel == "operator":
        reason = _text(command.reason or "", "the reason for entering this for the bidder")
    book = state.books[command.bidder]
    if command.submission.basis is not None and command.submission.basis != book.basis:
        latest = book.submissions[-1] if book.submissions else None
        raise Refusal(
            "conflict",
            "Something else was submitted for you in the meantime; look at the check page again.",
            state.phase,
            details=(latest,) if latest else (),
        )
    checked = check(state, command.bidder, command.submission, command.channel)
    if checked.mistakes:
        raise Refusal(
            "mistakes",
            "Nothing was taken: "
            + "; ".join(f"{m.where}: found {m.found}, expected {m.expected}"
                        for m in checked.mistakes[:3]) + ".",
            state.phase,
            checked.mistakes,
        )  # fmt: skip
    if checked.unconfirmed:
        raise Refusal(
            "unconfirmed",
            "Nothing was taken: there are warnings that have not been confirmed.",
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
        checked.wishes or None,
    )
    events: list[Event] = [submitted]
    if _is_last_answer(state, submitted):
        events += _closing(state, now, submitted)
    return events


def _is_last_answer(state: LiveState, submitted: ev.Submitted) -> bool:
    """Whether the rules end the round now, since nothing is open any more."""
    rules, _ = state.setup
    if not rules.close_early or state.is_last_call:
        return False
    settled = _settled(submitted)
    return all(q.query.id in settled for book in state.books for q in book.open)


def _settled(submitted: ev.Submitted) -> set[str | None]:
    """Queries that a submission answers or declines."""
    wishes = {wish.query for wish in submitted.wishes or ()}
    return {report.query for report in submitted.reports} | wishes | set(submitted.declines)


def _closing(state: LiveState, now: datetime, submitted: ev.Submitted | None = None) -> list[Event]:
    """The end of a round, and of the auction's questions if this was the last."""
    settled = _settled(submitted) if submitted is not None else set()
    unanswered = tuple(
        q.query.id for book in state.books for q in book.open if q.query.id not in settled
    )
    events: list[Event] = [ev.RoundClosed(state.round, unanswered)]
    if state.is_last_call:
        events.append(ev.Stopped("the last call has ended"))
    elif state.is_stopping:
        events += _ending(state, "stopped by the auctioneer", now, state.round + 1)
    return events


def _close_round(state: LiveState, command: cmd.CloseRound, now: datetime) -> list[Event]:
    if state.phase != "open" or command.round != state.round:
        _refuse_phase(state, "The round is not open.")
    assert state.deadline is not None
    if now <= state.deadline:
        raise Refusal("wrong-phase", "The deadline has not passed.", state.phase)
    rules, _ = state.setup
    entitled = [
        i
        for i, book in enumerate(state.books)
        if book.open and book.num_extensions < rules.extensions
    ]
    if not entitled:
        return _closing(state, now)
    until = max(state.deadline, now) + timedelta(minutes=rules.extension_minutes)
    moved = ev.DeadlineMoved(state.round, to_text(state.deadline), to_text(until), "extension")
    used: list[Event] = [ev.ExtensionUsed(i) for i in entitled]
    return [*used, moved]


def _extend(state: LiveState, command: cmd.Extend, now: datetime) -> list[Event]:
    if state.phase not in ("open", "paused"):
        _refuse_phase(state, "There is no deadline to move.")
    if not 0 < command.minutes <= LONGEST_MINUTES:
        raise Refusal(
            "mistakes",
            f"Found {command.minutes:g} minutes; expected more than 0 and at most "
            f"{LONGEST_MINUTES}.",
            state.phase,
        )
    assert state.deadline is not None
    start = max(state.deadline, now) if state.phase == "open" else state.deadline
    until = start + timedelta(minutes=command.minutes)
    reason = f"by auctioneer: {_text(command.reason, 'a reason')}"
    return [ev.DeadlineMoved(state.round, to_text(state.deadline), to_text(until), reason)]


def _pause(state: LiveState, command: cmd.Pause, now: datetime) -> list[Event]:
    reason = _text(command.reason, "a reason")
    if state.phase == "open":
        assert state.deadline is not None
        left = max((state.deadline - now).total_seconds(), 0.0)
        return [ev.Paused(reason, left)]
    if state.phase == "planning" and not state.is_held:
        return [ev.Paused(reason)]
    _refuse_phase(state, "There is nothing to pause.")


def _resume(state: LiveState, command: cmd.Resume, now: datetime) -> list[Event]:
    if state.phase != "paused":
        _refuse_phase(state, "There is nothing to resume.")
    left = max(state.seconds_left or 0.0, LEAST_SECONDS_AFTER_PAUSE)
    return [ev.Resumed(command.reason.strip(), to_text(now + timedelta(seconds=left)))]


def _outage(state: LiveState, command: cmd.Outage, now: datetime) -> list[Event]:
    if state.phase != "open":
        _refuse_phase(state, "No round was open.")
    assert state.deadline is not None
    alive = from_text(command.alive_at)
    gap = now - alive
    if command.restored_from:
        left = max((state.deadline - alive).total_seconds(), 0.0)
        reason = f"the log, which ends at {command.alive_at}, was restored from"
        return [ev.Paused(f"{reason} {command.restored_from}", left)]
    if gap <= timedelta():
        raise Refusal("wrong-phase", "The server was not down.", state.phase)
    if gap > SHORT_OUTAGE:
        left = max((state.deadline - alive).total_seconds(), 0.0)
        return [ev.Paused(f"the server was down from {command.alive_at} to {to_text(now)}", left)]
    until = state.deadline + gap
    return [ev.DeadlineMoved(state.round, to_text(state.deadline), to_text(until), "outage")]


def _stop(state: LiveState, command: cmd.Stop, now: datetime) -> list[Event]:
    reason = _text(command.reason, "a reason")
    match state.phase:
        case "open" | "paused" if not state.is_stopping and not state.is_last_call:
            return [ev.Stopping(reason)]
        case "planning" | "stuck" | "ready":
            return _ending(state, f"by auctioneer: {reason}", now, state.round + 1)
        case _:
            _refuse_phase(state, "There is nothing to stop.")


def _close(state: LiveState, command: cmd.Close, now: datetime) -> list[Event]:
    if state.phase != "stopped":
        _refuse_phase(state, "The outcome cannot be computed now.")
    return [ev.Closed()]


def _retry(state: LiveState, command: cmd.Retry, now: datetime) -> list[Event]:
    if state.phase == "stuck":
        return [ev.Retried("plan")]
    if state.phase == "deciding":
        return [ev.Retried("decide")]
    _refuse_phase(state, "There is no job to start again.")


def _fail(state: LiveState, command: cmd.Fail, now: datetime) -> list[Event]:
    if state.job != command.job or (command.from_ and command.from_ != state.plan_from):
        _refuse_phase(state, "This job is not wanted any more.")
    if state.attempts >= MOST_ATTEMPTS:
        _refuse_phase(state, "This job has failed often enough.")
    return [
        ev.Failed(command.job, state.attempts + 1, command.error[:200], command.message[-4000:])
    ]


def _outcome(state: LiveState, command: cmd.Outcome, now: datetime) -> list[Event]:
    if state.phase != "deciding":
        _refuse_phase(state, "This outcome is not wanted any more.")
    return outcome_events(state, command.result)


def _publish(state: LiveState, command: cmd.Publish, now: datetime) -> list[Event]:
    if state.phase != "decided":
        _refuse_phase(state, "There is nothing to publish.")
    rules, _ = state.setup
    return [ev.Published(rules.publish, state.head)]


def _cancel(state: LiveState, command: cmd.Cancel, now: datetime) -> list[Event]:
    if state.phase in ENDED:
        _refuse_phase(state, "The auction cannot be cancelled.")
    return [ev.Cancelled(_text(command.reason, "a reason"))]


def _announce(state: LiveState, command: cmd.Announce, now: datetime) -> list[Event]:
    if state.phase in ENDED:
        _refuse_phase(state, "Nothing can be announced any more.")
    return [ev.Announced(_text(command.text, "a text"))]


def _clock_jump(state: LiveState, command: cmd.ClockJump, now: datetime) -> list[Event]:
    direction = "forwards" if command.seconds > 0 else "backwards"
    return [ev.ClockJumped(abs(command.seconds), direction)]


RULES: dict[type[cmd.Command], Rule] = {
    cmd.Create: _create,
    cmd.Configure: _configure,
    cmd.Invite: _invite,
    cmd.Revoke: _revoke,
    cmd.Join: _join,
    cmd.Start: _start,
    cmd.Plan: _plan,
    cmd.OpenRound: _open_round,
    cmd.Submit: _submit,
    cmd.CloseRound: _close_round,
    cmd.Extend: _extend,
    cmd.Pause: _pause,
    cmd.Resume: _resume,
    cmd.Outage: _outage,
    cmd.Stop: _stop,
    cmd.Close: _close,
    cmd.Retry: _retry,
    cmd.Fail: _fail,
    cmd.Outcome: _outcome,
    cmd.Publish: _publish,
    cmd.Cancel: _cancel,
    cmd.Announce: _announce,
    cmd.ClockJump: _clock_jump,
}
