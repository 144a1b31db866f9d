"""What a person is told, and how: by e-mail, by sound and notification, as a calendar file."""

from asyncio import wrap_future
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.live.auction.refusal import Refusal
from boca.live.store.addresses import KINDS
from boca.live.web.pages.documents import attachment
from boca.live.web.problems import STATUS
from boca.live.web.seats import BidderSeat, member_seat, seat_page
from boca.live.web.staff import StaffSeat, staff_page, staff_seat
from boca.live.web.views.problem import FormProblem
from boca.live.web.visitors import NotHere, form_of, signed_in, site_of

router = APIRouter(include_in_schema=False)


def seat(request: Request, auction: str) -> BidderSeat | StaffSeat:
    """The place of a bidder or auditor; auctioneers belong to no auction and have no such page."""
    role = signed_in(request).who.role
    if role == "auctioneer":
        raise NotHere
    return member_seat(request, auction) if role == "bidder" else staff_seat(request, auction)


@router.get("/a/{auction}/told")
async def told(request: Request, auction: str) -> Response:
    """What the person is told."""
    return told_page(request, seat(request, auction))


def told_page(
    request: Request,
    here: BidderSeat | StaffSeat,
    status: int = 200,
    error: str = "",
    typed: str | None = None,
) -> Response:
    """The page, perhaps with what is wrong about an address."""
    site = site_of(request)
    row = site.desk.own_address(here.who)
    values: dict[str, Any] = {
        "has_mail": site.has_mail and not here.heading.is_rehearsal,
        "address": typed if typed is not None else row.address if row else "",
        "has_address": row is not None,
        "wants": row.wants if row else KINDS,
        "kinds": KINDS,
        "is_saved": "saved" in request.query_params,
        "error": error,
        "errors": (FormProblem("address", error),) if error else (),
    }
    if isinstance(here, StaffSeat):
        return staff_page(request, here, "told", status, **values)
    return seat_page(request, here, "told", status, **values)


@router.post("/a/{auction}/told")
async def save(request: Request, auction: str) -> Response:
    """Changes or removes the person's own address, and what it is told."""
    here = seat(request, auction)
    form = await form_of(request, here.visitor)
    address = form.get("address", [""])[0]
    if form.get("do", [""])[0] == "remove":
        address = ""
    wants = tuple(form.get("wants", []))
    try:
        desk = site_of(request).desk
        await wrap_future(desk.save_own_address(here.who, address, wants, here.t.language))
    except Refusal as refusal:
        if refusal.cause != "mistakes":
            raise
        error = here.t("told.wrong_address", text=address.strip())
        return told_page(request, here, STATUS[refusal.cause], error, address)
    return RedirectResponse(f"/a/{auction}/told?saved=1", 303)


@router.get("/a/{auction}/deadline.ics")
async def calendar(request: Request, auction: str) -> Response:
    """The end of the round for a calendar; a file of a later end replaces the one before."""
    is_bidder = signed_in(request).who.role == "bidder"
    here = member_seat(request, auction) if is_bidder else staff_seat(request, auction)
    heading = here.heading
    if heading.phase != "open" or heading.deadline is None:
        raise NotHere
    key = "told.ics_last" if heading.is_last_call else "told.ics"
    title = here.t(key, round=heading.round + 1, auction=heading.name)
    address = f"{site_of(request).url}/a/{auction}/{'me' if is_bidder else 'run'}"
    text = calendar_text(
        f"round-{heading.round + 1}.{auction}@boca", title, address, heading.deadline, heading.now
    )
    headers = attachment("deadline.ics")
    return Response(text, media_type="text/calendar; charset=utf-8", headers=headers)


def calendar_text(uid: str, title: str, address: str, end: datetime, now: datetime) -> str:
    """
    One event of RFC 5545, with a reminder a quarter of an hour before.

    A round's end only moves later, so that its seconds can count the versions of the event.
    """
    stamp = "%Y%m%dT%H%M%SZ"
    version = int(end.timestamp()) - 1_577_836_800  # seconds since 2020 fit into 31 bits
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//boca//live auctions//EN",
        "METHOD:PUBLISH",
        "BEGIN:VEVENT",
        f"UID:{uid}",
        f"SEQUENCE:{version}",
        f"DTSTAMP:{now.strftime(stamp)}",
        f"DTSTART:{end.strftime(stamp)}",
        f"DTEND:{end.strftime(stamp)}",
        f"SUMMARY:{_escaped(title)}",
        f"URL:{address}",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        f"DESCRIPTION:{_escaped(title)}",
        "TRIGGER:-PT15M",
        "END:VALARM",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(f"{part}\r\n" for line in lines for part in _folded(line))


def _escaped(text: str) -> str:
    plain = " ".join(text.split())
    for mark in ("\\", ";", ","):
        plain = plain.replace(mark, f"\\{mark}")
    return plain


def _folded(line: str) -> list[str]:
    """A line in pieces of at most 75 bytes; each but the first begins with a space."""
    pieces, piece = [], ""
    for letter in line:
        if len((piece + letter).encode()) > 74:
            pieces.append(piece)
            piece = " "
        piece += letter
    return [*pieces, piece]
