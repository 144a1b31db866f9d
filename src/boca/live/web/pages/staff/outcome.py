"""The outcome before and after it is published, and what each audience sees of it."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from boca.live.web.staff import staff_page, staff_seat
from boca.live.web.views.result_view import outcome_words, result_words
from boca.live.web.views.staff.outcome import checks, settlement
from boca.live.web.visitors import site_of

router = APIRouter(include_in_schema=False)


@router.get("/a/{auction}/outcome")
async def outcome(request: Request, auction: str) -> Response:
    """Who receives what and pays what, why, and who will be told."""
    seat = staff_seat(request, auction)
    t, view = seat.t, seat.view
    audiences = site_of(request).desk.audiences(seat.who, auction)
    names = [bidder.name for bidder in seat.market.bidders]
    return staff_page(
        request,
        seat,
        "outcome",
        settlement=settlement(t, view),
        checks=checks(t, view),
        publish=view.setup.rules.publish,
        public=outcome_words(t, audiences.public, seat.market, seat.money),
        bidders=[
            (name, result_words(t, result))
            for name, result in zip(names, audiences.bidders, strict=False)
        ],
        is_published=view.heading.phase == "published",
    )
