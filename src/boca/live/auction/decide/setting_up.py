"""Before the start: rules, people, the start itself."""

from datetime import datetime, timedelta

from boca.core.message import msg
from boca.live.auction import commands as cmd
from boca.live.auction import events as ev
from boca.live.auction.decide.phases import refuse_phase, remark, tidy
from boca.live.auction.decide.second_person import second_person
from boca.live.auction.events import Event
from boca.live.auction.kind import ONE, kind_of
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import MOST_PERSONS, Rules
from boca.live.auction.seat_market import SeatMarket, is_courses
from boca.live.auction.state import ENDED, LiveState
from boca.live.clock import to_text

FORMAT = 1
# How the log calls whoever starts an auction at its planned start.
PLANNED = "as planned"


def create(state: LiveState, command: cmd.Create, now: datetime) -> list[Event]:
    if state.seq >= 0:
        raise Refusal("conflict", msg("This auction exists already."), state.phase)
    return [
        ev.Created(
            FORMAT,
            command.version,
            command.public_key,
            command.is_rehearsal,
            command.copied_from,
        ),
        *_configured(command, now),
        ev.Seeded(command.seed),
    ]


def _configured(command: cmd.Create | cmd.Configure, now: datetime) -> list[Event]:
    """Rules and market, and what a buyer notes for itself; students apart from courses."""
    start = command.rules.start_moment
    if start is not None and start < now:
        raise Refusal(
            "mistakes",
            msg(
                "The planned start, {time}, has passed; give a later one, or none.",
                time=_in_zone(command.rules, start),
            ),
        )
    if isinstance(command.market, SeatMarket):
        enrolled = ev.Enrolled(command.market.students)
        return [enrolled, ev.Configured(command.rules.to_dict(), command.market.offer)]
    configured = ev.Configured(command.rules.to_dict(), command.market.to_dict())
    if command.notes.is_empty:
        return [configured]
    notes = command.notes
    return [configured, ev.Noted(notes.baseline, notes.groups, notes.scenarios)]


def _in_zone(rules: Rules, moment: datetime) -> str:
    """A moment by the clocks of the rules."""
    return f"{moment.astimezone(rules.zone):%Y-%m-%d, %H:%M} {rules.time_zone}"


def configure(state: LiveState, command: cmd.Configure, now: datetime) -> list[Event]:
    if state.phase != "draft":
        refuse_phase(state, msg("The rules cannot be changed any more."))
    _, market = state.setup
    if is_courses(market) or is_courses(command.market):
        raise Refusal(
            "conflict",
            msg(
                "Allocations of courses are made from uploaded tables; make a new one to "
                "change them."
            ),
            state.phase,
        )
    _check_places(state, [bidder.name for bidder in command.market.bidders])
    was_sealed = state.rules is not None and state.rules.sealed_from_auctioneer
    is_sealed = command.rules.sealed_from_auctioneer and not state.is_rehearsal
    if state.persons and is_sealed and not was_sealed:
        raise Refusal(
            "conflict",
            msg(
                "People were invited while the auctioneer could make links for "
                "everybody; make a new auction to seal values from the auctioneer."
            ),
            state.phase,
        )
    return _configured(command, now)


def _check_places(state: LiveState, names: list[str]) -> None:
    """
    Whoever was invited acts for the bidder at a place of the list, so these bidders keep theirs.

    They can be renamed, and bidders for whom nobody was ever invited can be added and removed
    behind them.
    """
    _, market = state.setup
    one = ONE[kind_of(market)]
    for place in sorted({p.bidder for p in state.persons if p.bidder is not None}):
        name = market.bidders[place].name
        if name in names and names.index(name) != place:
            what = msg(
                "'{name}' would be number {number} of the list instead",
                name=name,
                number=names.index(name) + 1,
            )
        elif place >= len(names):
            what = msg("'{name}' would not be in the list", name=name)
        else:
            continue
        raise Refusal(
            "conflict",
            msg(
                "People were invited for '{name}', number {number} of the list, and {what}. Keep "
                "each {one} with invited people at its place; it can be renamed, and others can "
                "be added behind it.",
                name=name,
                number=place + 1,
                what=what,
                one=one,
            ),
            state.phase,
        )


def invite(state: LiveState, command: cmd.Invite, now: datetime) -> list[Event]:
    # A cancelled auction stays sealed, so what opens it is noted.
    is_noted = command.origin is not None and state.phase == "cancelled"
    if state.phase in ENDED and not is_noted:
        refuse_phase(state, msg("Nobody can be invited any more."))
    if command.origin is None and state.guards_links:
        _check_sealed(state, command)
    person = tidy(command.person, msg("the person's name"), most=80)
    if not person.isprintable() or "/" in person:
        raise Refusal("mistakes", msg("A person's name is one line of text without slashes."))
    if command.bidder is not None:
        if not 0 <= command.bidder < len(state.books):
            raise Refusal(
                "not-found", msg("There is no such {one}.", one=ONE[kind_of(state.setup[1])])
            )
        names = {p.name for p in state.persons if p.bidder == command.bidder}
        if len(names | {person}) > MOST_PERSONS:
            one = ONE[kind_of(state.setup[1])]
            raise Refusal(
                "conflict",
                msg("A {one} has at most {n} persons.", one=one, n=MOST_PERSONS),
                state.phase,
            )
    approves = None
    if command.origin is None and (command.bidder is None or _has_joined(state, command.bidder)):
        act: ev.Act = "auditor" if command.bidder is None else "link"
        approves = second_person(state, act, command.who, person, command.bidder)
    if isinstance(approves, ev.Proposed):
        return [approves]
    return [ev.Invited(person, command.access, command.bidder, approves)]


def _has_joined(state: LiveState, bidder: int) -> bool:
    """Whether somebody acts for a bidder, or has, so that a further link could be misused."""
    return any(person.has_joined for person in state.persons if person.bidder == bidder)


def _check_sealed(state: LiveState, command: cmd.Invite) -> None:
    """In a sealed auction, a link that would let its maker read values is not the auctioneer's."""
    if command.bidder is None:
        whose, role = msg("An auditor reads all values"), "auditor"
    elif _has_joined(state, command.bidder):
        whose = msg("This bidder has joined")
        role = "bidder --bidder NAME --person NAME"
    else:
        return
    raise Refusal(
        "forbidden",
        msg(
            "{whose}, and values are sealed from the auctioneer. Whoever runs the server "
            "can make the link: boca admin link DATA --role {role} --auction {auction}",
            whose=whose,
            role=role,
            auction=state.auction,
        ),
        state.phase,
    )


def revoke(state: LiveState, command: cmd.Revoke, now: datetime) -> list[Event]:
    reason = tidy(command.reason, msg("a reason"))
    return [ev.Revoked(command.access, reason, command.bidder, command.person)]


def join(state: LiveState, command: cmd.Join, now: datetime) -> list[Event]:
    for person in state.persons:
        if (person.name, person.bidder) == (command.person, command.bidder):
            if person.has_joined:
                raise Refusal("conflict", msg("This person has joined already."), state.phase)
            return [ev.Joined(command.person, command.bidder)]
    raise Refusal("not-found", msg("This person was not invited."))


def start(state: LiveState, command: cmd.Start, now: datetime) -> list[Event]:
    if state.phase != "draft":
        refuse_phase(state, msg("The auction cannot be started."))
    rules, market = state.setup
    if is_courses(market):
        # Students come when they like, and links can be made at any time.
        deadline = to_text(now + timedelta(minutes=rules.minutes(0)))
        started = ev.Started(state.configured, command.who, remark(command.reason))
        return [started, ev.RoundOpened(0, deadline, False, ())]
    planned = rules.start_moment
    if planned is not None and now < planned and not state.is_rehearsal:
        raise Refusal(
            "wrong-phase",
            msg(
                "The rules say that the auction starts at {time}, not before; edit the draft to "
                "change that.",
                time=_in_zone(rules, planned),
            ),
            state.phase,
        )
    invited = {p.bidder for p in state.persons}
    missing = [b.name for i, b in enumerate(market.bidders) if i not in invited]
    if missing:
        raise Refusal(
            "conflict",
            msg(
                "Nobody was invited for {who}; invite somebody for every {one} first.",
                who=", ".join(missing),
                one=ONE[kind_of(market)],
            ),
            state.phase,
        )
    alone = [
        b.name
        for i, b in enumerate(market.bidders)
        if len({p.name for p in state.persons if p.bidder == i and not p.is_out}) < 2
    ]
    if rules.approval and alone and not state.is_rehearsal:
        raise Refusal(
            "conflict",
            msg(
                "The rules want two people of every {one}, one who drafts and one who confirms; "
                "invite a second one for {who} first.",
                one=ONE[kind_of(market)],
                who=", ".join(alone),
            ),
            state.phase,
        )
    joined = {p.bidder for p in state.persons if p.has_joined}
    absent = [b.name for i, b in enumerate(market.bidders) if i not in joined]
    if absent and not command.accept_missing:
        raise Refusal(
            "unconfirmed",
            msg(
                "Nobody has joined for {who}; confirm that you want to start without them.",
                who=", ".join(absent),
            ),
            state.phase,
            details=tuple(absent),
        )
    return [ev.Started(state.configured, command.who, remark(command.reason))]


def starts_by_itself(state: LiveState, now: datetime) -> bool:
    """Whether the planned start has come, and everything is ready."""
    return is_due(state, now) and not why_not_started(state, now)


def is_due(state: LiveState, now: datetime) -> bool:
    """Whether the planned start of a draft has come."""
    if state.phase != "draft" or state.is_rehearsal or state.rules is None:
        return False
    planned = state.rules.start_moment
    return planned is not None and planned <= now


def why_not_started(state: LiveState, now: datetime) -> str:
    """What keeps an auction from starting by itself, in a sentence; empty if nothing does."""
    try:
        start(state, cmd.Start(PLANNED), now)
    except Refusal as refusal:
        return refusal.sentence
    return ""
