"""Copies of an auction: rehearsals, in which programs take the place of some, and new ones."""

import secrets
from asyncio import wrap_future
from functools import partial

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from boca.live.auction.refusal import Refusal
from boca.live.web.staff import StaffSeat, staff_page, staff_seat
from boca.live.web.views.staff.actions import is_over
from boca.live.web.visitors import form_of, site_of

router = APIRouter(include_in_schema=False)
SHORT_MINUTES = 2.0
# Seconds that programs think about a round; people watch a rehearsal while it runs.
THINK = "1-8"


@router.get("/a/{auction}/rehearse")
async def ask(request: Request, auction: str) -> Response:
    """Who is played by a program, and how fast time runs."""
    seat = staff_seat(request, auction, must_act=True)
    t, rules = seat.t, seat.view.setup.rules
    if seat.view.setup.kind == "courses":
        key = secrets.token_urlsafe(18)
        return staff_page(request, seat, "course_rehearse", menu="rehearse", key=key)
    first, later = (t.minutes(minutes) for minutes in rules.round_minutes)
    return staff_page(
        request,
        seat,
        "rehearse",
        bidders=list(enumerate(bidder.name for bidder in seat.market.bidders)),
        first=first,
        later=later,
        key=secrets.token_urlsafe(18),
        can_copy=can_copy(seat),
        can_send_in=seat.heading.is_rehearsal
        and not is_over(seat.heading)
        and not site_of(request).rehearsals.is_running(auction),
    )


@router.post("/a/{auction}/rehearse")
async def rehearse(request: Request, auction: str) -> Response:
    """Makes the copy and lets the programs join."""
    seat = staff_seat(request, auction, must_act=True)
    form = await form_of(request, seat.visitor)
    site = site_of(request)
    if seat.view.setup.kind == "courses":
        key = form.get("key", [""])[0][:64]
        made = site.desk.rehearse_courses(seat.who, auction, key or None)
        return RedirectResponse(f"/a/{(await wrap_future(made)).auction}/run", 303)
    bots = chosen_bidders(form, seat.market.num_bidders)
    seed = secrets.randbelow(2**31)
    start = partial(site.rehearsals.start, seat.who, think=THINK, seed=seed)
    if form.get("do") == ["again"]:
        await run_in_threadpool(start, auction, bots)
        return RedirectResponse(f"/a/{auction}/run", 303)
    if form.get("do") == ["new"]:
        return await copy_as_new(request, seat, form)
    minutes = SHORT_MINUTES if form.get("time") == ["short"] else None
    key = form.get("key", [""])[0][:64]
    done = await wrap_future(
        site.desk.copy(seat.who, auction, request=key or None, round_minutes=minutes)
    )
    if bots and not done.is_repetition:
        await run_in_threadpool(start, done.auction, bots)
    return RedirectResponse(f"/a/{done.auction}/bidders", 303)


def can_copy(seat: StaffSeat) -> bool:
    """Whether the auction has ended for good, so that another one can take its place."""
    return is_over(seat.heading) and not seat.heading.is_rehearsal


async def copy_as_new(request: Request, seat: StaffSeat, form: dict[str, list[str]]) -> Response:
    """A new auction in draft with the same market and rules; nothing else is taken along."""
    if not can_copy(seat):
        raise Refusal("conflict", seat.t("rehearse.not_over"), seat.heading.phase)
    key = form.get("key", [""])[0][:64]
    desk = site_of(request).desk
    copy = desk.copy(seat.who, seat.auction, is_rehearsal=False, request=key or None)
    done = await wrap_future(copy)
    return RedirectResponse(f"/a/{done.auction}/bidders", 303)


def chosen_bidders(form: dict[str, list[str]], num_bidders: int) -> list[int]:
    """Rows of the bidders that were ticked."""
    known = {str(bidder): bidder for bidder in range(num_bidders)}
    return sorted({known[text] for text in form.get("bot", []) if text in known})
