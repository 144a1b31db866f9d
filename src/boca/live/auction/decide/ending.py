"""After the questions: the outcome, its publication; and what can happen at any time."""

from datetime import datetime

from boca.core.message import msg
from boca.live.auction import commands as cmd
from boca.live.auction import events as ev
from boca.live.auction.decide.phases import refuse_phase, remark, tidy
from boca.live.auction.decide.second_person import second_person
from boca.live.auction.events import Event
from boca.live.auction.fold import MOST_ATTEMPTS
from boca.live.auction.job_results import outcome_events
from boca.live.auction.state import ENDED, LiveState


def close(state: LiveState, command: cmd.Close, now: datetime) -> list[Event]:
    if state.phase != "stopped":
        refuse_phase(state, msg("The outcome cannot be computed now."))
    approves = second_person(state, "close", command.who)
    if isinstance(approves, ev.Proposed):
        return [approves]
    return [ev.Closed(remark(command.reason), approves)]


def retry(state: LiveState, command: cmd.Retry, now: datetime) -> list[Event]:
    if state.phase == "stuck":
        return [ev.Retried("plan", remark(command.reason))]
    if state.phase == "deciding":
        return [ev.Retried("decide", remark(command.reason))]
    refuse_phase(state, msg("There is no job to start again."))


def fail(state: LiveState, command: cmd.Fail, now: datetime) -> list[Event]:
    if state.job != command.job or (command.from_ and command.from_ != state.plan_from):
        refuse_phase(state, msg("This job is not wanted any more."))
    if state.attempts >= MOST_ATTEMPTS:
        refuse_phase(state, msg("This job has failed often enough."))
    return [
        ev.Failed(command.job, state.attempts + 1, command.error[:200], command.message[-4000:])
    ]


def outcome(state: LiveState, command: cmd.TakeOutcome, now: datetime) -> list[Event]:
    if state.phase != "deciding":
        refuse_phase(state, msg("This outcome is not wanted any more."))
    return outcome_events(state, command.result)


def publish(state: LiveState, command: cmd.Publish, now: datetime) -> list[Event]:
    if state.phase != "decided":
        refuse_phase(state, msg("There is nothing to publish."))
    rules, _ = state.setup
    approves = second_person(state, "publish", command.who)
    if isinstance(approves, ev.Proposed):
        return [approves]
    return [ev.Published(rules.publish, state.head, remark(command.reason), approves)]


def cancel(state: LiveState, command: cmd.Cancel, now: datetime) -> list[Event]:
    if state.phase in ENDED:
        refuse_phase(state, msg("The auction cannot be cancelled."))
    return [ev.Cancelled(tidy(command.reason, msg("a reason")))]


def announce(state: LiveState, command: cmd.Announce, now: datetime) -> list[Event]:
    if state.phase in ENDED:
        refuse_phase(state, msg("Nothing can be announced any more."))
    return [ev.Announced(tidy(command.text, msg("a text")))]


def clock_jump(state: LiveState, command: cmd.ClockJump, now: datetime) -> list[Event]:
    direction = "forwards" if command.seconds > 0 else "backwards"
    return [ev.ClockJumped(abs(command.seconds), direction)]
