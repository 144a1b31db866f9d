"""What a bidder reads and keeps: rules, receipts, the result, its log."""

import json
from asyncio import wrap_future

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from boca.live.auction.refusal import Refusal
from boca.live.clock import from_text
from boca.live.web.award.report import outcome_values
from boca.live.web.pages.courses import seat_result_page
from boca.live.web.problems import STATUS
from boca.live.web.seats import member_seat, own_result, seat_page
from boca.live.web.staff import staff_page, staff_seat
from boca.live.web.views.bundle_tables import item_tables
from boca.live.web.views.courses import said_words
from boca.live.web.views.receipt_view import received_items
from boca.live.web.views.results import payment_steps, why_words
from boca.live.web.views.rules_words import rules_words
from boca.live.web.visitors import NotHere, form_of, signed_in, site_of

router = APIRouter(include_in_schema=False)


def attachment(name: str) -> dict[str, str]:
    """The header of a file to keep."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


@router.get("/a/{auction}/rules")
async def rules(request: Request, auction: str) -> Response:
    """The rules in plain words."""
    if signed_in(request).who.role != "bidder":
        chair = staff_seat(request, auction)
        words = rules_words(chair.t, chair.view.setup, is_staff=True)
        return staff_page(request, chair, "rules", rules=words, view=None, error="")
    seat = member_seat(request, auction)
    words = rules_words(seat.t, seat.view.setup, seat.view.bidder)
    return seat_page(request, seat, "rules", rules=words, view=seat.view, error="")


@router.post("/a/{auction}/rules")
async def accept(request: Request, auction: str) -> Response:
    """Accepts the rules as they were read."""
    seat = member_seat(request, auction)
    form = await form_of(request, seat.visitor)
    status, error = 422, seat.t("accept.missing")
    if "accept" in form:
        try:
            read = form.get("rules", [""])[0][:64]
            await wrap_future(site_of(request).desk.accept(seat.who, read))
            return RedirectResponse(f"/a/{auction}/me", 303)
        except Refusal as refusal:
            if refusal.cause == "unavailable":
                raise
            status, error = STATUS[refusal.cause], seat.t.read(refusal.sentence)
    seat = member_seat(request, auction)
    words = rules_words(seat.t, seat.view.setup, seat.view.bidder)
    return seat_page(request, seat, "rules", status, rules=words, view=seat.view, error=error)


@router.get("/a/{auction}/receipts/{name}")
async def receipt(request: Request, auction: str, name: str) -> Response:
    """One receipt to read and print, or as a file; somebody else's is not there."""
    seat = member_seat(request, auction)
    record, _, suffix = name.partition(".")
    if suffix not in ("", "json"):
        raise NotHere
    signed = site_of(request).desk.receipt(seat.who, record)
    if suffix:
        text = json.dumps(signed.content, indent=2, ensure_ascii=False)
        headers = attachment(f"receipt-{record[:12]}.json")
        return Response(text, media_type="application/json", headers=headers)
    t, view = seat.t, seat.view
    is_courses = view.setup.kind == "courses"
    return seat_page(
        request,
        seat,
        "receipt",
        receipt=signed.taken,
        received=from_text(signed.taken.event.received),
        tables=[] if is_courses else item_tables(t, view, received_items(view, signed.taken)),
        said=said_words(seat.t, signed.taken.event) if is_courses else [],
        signature=signed.content["signature"],
    )


@router.get("/a/{auction}/result")
async def result(request: Request, auction: str) -> Response:
    """What the bidder receives and pays, and why; before publication, that it is not out."""
    seat = member_seat(request, auction)
    if seat.view.setup.kind == "courses":
        return seat_result_page(request, seat)
    desk = site_of(request).desk
    result = own_result(request, seat)
    outcome = desk.public(auction, seat.who).outcome if result else ()
    return seat_page(
        request,
        seat,
        "result",
        result=result,
        why=why_words(seat.t, result) if result else "",
        steps=payment_steps(seat.t, result) if result else [],
        **outcome_values(seat.t, seat.view.setup, outcome),
    )


@router.get("/a/{auction}/log.jsonl")
async def own_log(request: Request, auction: str) -> Response:
    """The published log with the bidder's own records open; all of it for the staff."""
    visitor = signed_in(request)
    if visitor.who.role == "bidder":
        member_seat(request, auction)
    else:
        staff_seat(request, auction)
    lines = site_of(request).desk.log(visitor.who, auction)
    return StreamingResponse(
        lines, media_type="application/jsonl", headers=attachment(f"{auction}.jsonl")
    )
