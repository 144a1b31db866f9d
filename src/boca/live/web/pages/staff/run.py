"""The desk: where the auction stands, who has answered, and what can be done."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import APIRouter, Request
from starlette.responses import Response

from boca.live.desk import PersonRow
from boca.live.web.pages.staff.courses import run_page
from boca.live.web.staff import StaffSeat, staff_page, staff_seat
from boca.live.web.views.staff.actions import possible_actions
from boca.live.web.views.staff.chart import welfare_chart
from boca.live.web.views.staff.order import late_first
from boca.live.web.views.staff.progress import contradiction_words, work_words
from boca.live.web.visitors import site_of

router = APIRouter(include_in_schema=False)
# Where another auctioneer does the same.
DOORS = {
    "close": "do/close",
    "publish": "outcome",
    "entry": "bidders/{number}",
    "link": "bidders",
    "auditor": "bidders",
}


@dataclass(frozen=True)
class ProposalRow:
    """
    An act that waits for a second auctioneer.

    Parameters
    ----------
    words, who, at
        What was proposed, by whom and when.
    hash
        Of its record.
    door
        The page on which another auctioneer does the same.
    is_own
        Whether the reader proposed it, who cannot do the other half, too.
    """

    words: str
    who: str
    at: datetime
    hash: str
    door: str
    is_own: bool


# Whoever used a page within this time counts as being there, even without the stream.
ONLINE = timedelta(minutes=2)


@router.get("/a/{auction}/run")
async def run(request: Request, auction: str) -> Response:
    """The auction at a glance."""
    seat = staff_seat(request, auction)
    desk = site_of(request).desk
    view = seat.view
    persons = desk.invited(seat.who, auction)
    if view.setup.kind == "courses":
        return run_page(request, seat, seat.heading.phase == "draft" and not persons)
    online = {p.bidder for p in persons if is_online(request, p, desk.now())}
    return staff_page(
        request,
        seat,
        "run",
        rows=late_first(view.rows, view.heading.phase),
        num_late=sum(row.num_open > 0 for row in view.rows),
        online=online,
        num_open=sum(row.num_open for row in view.rows),
        num_asked=sum(row.num_asked for row in view.rows),
        num_joined=sum(bool(row.joined) for row in view.rows),
        work=work_words(seat.t, desk.work(seat.who, auction)),
        failures=view.failures,
        actions=possible_actions(view.heading) if seat.can_act else [],
        heading=view.heading,
        stop_reason=view.stop_reason,
        is_sealed=view.is_sealed,
        contradictions=[contradiction_words(seat.t, view, one) for one in view.contradictions],
        rounds=view.rounds,
        chart=welfare_chart(view.rounds, seat.money),
        clock_jump=desk.watch.clock_jump,
        is_alone=is_alone(seat, persons),
        planned=planned_words(request, seat),
        proposals=proposal_rows(request, seat),
    )


def proposal_rows(request: Request, seat: StaffSeat) -> list[ProposalRow]:
    """Acts that wait for a second auctioneer."""
    pending = site_of(request).desk.proposals(seat.who, seat.auction)
    names = [bidder.name for bidder in seat.market.bidders]
    return [
        ProposalRow(
            seat.t(
                f"second.waits_{one.event.act}",
                person=one.event.what if one.event.act in ("auditor", "link") else "",
                bidder="" if one.event.bidder is None else names[one.event.bidder],
            ),
            one.who,
            one.at,
            one.hash,
            DOORS[one.event.act].format(number=(one.event.bidder or 0) + 1),
            one.who == seat.visitor.person,
        )
        for one in pending
    ]


def planned_words(request: Request, seat: StaffSeat) -> str:
    """When a draft starts, or the next round opens, by itself, or why not; empty if not planned."""
    rules, desk = seat.view.setup.rules, site_of(request).desk
    start, hours, now = rules.start_moment, rules.hours, seat.heading.now
    if seat.heading.phase == "ready" and hours is not None and not hours.is_open(now):
        return seat.t("setup.opens_at", time=seat.t.zoned(hours.next_open(now), rules.zone))
    if seat.heading.phase != "draft" or start is None or seat.heading.is_rehearsal:
        return ""
    why = desk.why_not_started(seat.who, seat.auction)
    if why:
        return seat.t("setup.due", why=why)
    return seat.t("setup.planned", time=seat.t.zoned(start, rules.zone))


def is_online(request: Request, person: PersonRow, now: datetime) -> bool:
    """Whether one of a person's pages or programs is open."""
    streams = site_of(request).buckets.num_streams
    if any(access in streams for access in person.accesses):
        return True
    return person.last_seen is not None and now - person.last_seen < ONLINE


def is_alone(seat: StaffSeat, persons: tuple[PersonRow, ...]) -> bool:
    """Whether the next thing to do is to invite somebody."""
    invited = {person.bidder for person in persons}
    return seat.heading.phase == "draft" and not invited >= set(range(seat.market.num_bidders))
