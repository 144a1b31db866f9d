"""What bidders ask the auctioneer, and the answers: to whoever asked, or to all."""

from asyncio import wrap_future

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.live.auction import commands as cmd
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import ENDED
from boca.live.web.problems import STATUS
from boca.live.web.seats import BidderSeat, page_seat, seat_page
from boca.live.web.staff import StaffSeat, staff_page, staff_seat
from boca.live.web.views.problem import FormProblem
from boca.live.web.visitors import NotHere, form_of, request_key, site_of

router = APIRouter(include_in_schema=False)


@router.get("/a/{auction}/ask")
async def asking(request: Request, auction: str) -> Response:
    """Own questions with their answers, and what all were answered."""
    return ask_page(request, page_seat(request, auction))


def ask_page(
    request: Request, seat: BidderSeat, status: int = 200, text: str = "", error: str = ""
) -> Response:
    """The page, perhaps with what was typed and what is wrong with it."""
    inquiries, replies = site_of(request).desk.inquiries(seat.who)
    return seat_page(
        request,
        seat,
        "ask",
        status,
        inquiries=inquiries[::-1],
        replies=replies[::-1],
        can_ask=seat.heading.phase not in ENDED,
        text=text,
        error=error,
        errors=[FormProblem("text", error)] if error else [],
        num_asked=len(inquiries),
    )


@router.post("/a/{auction}/ask")
async def ask(request: Request, auction: str) -> Response:
    """Asks once, however often the button is pressed."""
    seat = page_seat(request, auction)
    fields = await form_of(request, seat.visitor)
    site = site_of(request)
    site.buckets.take("submissions", seat.who.access, site.limits.submissions)
    text = fields.get("text", [""])[0]
    key = request_key(seat.visitor, "ask", fields.get("number", [""])[0], text)
    try:
        await wrap_future(site.desk.inquire(seat.who, text, key))
    except Refusal as refusal:
        if refusal.cause in ("unavailable", "not-found"):
            raise
        seat = page_seat(request, auction)
        return ask_page(request, seat, STATUS[refusal.cause], text, seat.t.read(refusal.sentence))
    return RedirectResponse(f"/a/{auction}/ask", 303)


@router.get("/a/{auction}/inquiries")
async def inquiries(request: Request, auction: str) -> Response:
    """All questions of bidders, those without an answer first."""
    return inquiries_page(request, staff_seat(request, auction))


def inquiries_page(
    request: Request, seat: StaffSeat, status: int = 200, error: str = ""
) -> Response:
    """The page, perhaps with what is wrong with an answer."""
    if seat.view.setup.kind == "courses":
        raise NotHere
    rows = site_of(request).desk.inquiries_of(seat.who, seat.auction)
    return staff_page(
        request,
        seat,
        "inquiries",
        status,
        inquiries=sorted(rows, key=lambda one: one.reply is not None),
        names=[bidder.name for bidder in seat.market.bidders],
        can_reply=seat.can_act and seat.heading.phase not in ENDED,
        errors=[FormProblem("", error)] if error else [],
    )


@router.post("/a/{auction}/inquiries")
async def reply(request: Request, auction: str) -> Response:
    """Answers whoever asked, or all."""
    seat = staff_seat(request, auction, must_act=True)
    form = await form_of(request, seat.visitor)
    fields = {name: values[0] for name, values in form.items()}
    to, text = fields.get("to", ""), fields.get("text", "")
    question = fields.get("question", "") if fields.get("do") == "all" else None
    key = request_key(seat.visitor, "reply", to, text, question or "")
    try:
        command = cmd.Reply(to, text, question)
        await wrap_future(site_of(request).desk.command(seat.who, auction, command, key))
    except Refusal as refusal:
        if refusal.cause == "unavailable":
            raise
        seat = staff_seat(request, auction, must_act=True)
        return inquiries_page(request, seat, STATUS[refusal.cause], seat.t.read(refusal.sentence))
    return RedirectResponse(f"/a/{auction}/inquiries", 303)
