"""Scenarios of a purchase, and award letters."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from boca.live.auction.views import ResultView
from boca.live.web.seats import own_result, page_seat, seat_page
from boca.live.web.staff import bidder_number, staff_page, staff_seat
from boca.live.web.texts import Texts
from boca.live.web.views.results import payment_steps, why_words
from boca.live.web.views.staff.scenarios import scenario_rows
from boca.live.web.visitors import NotHere, site_of

router = APIRouter(include_in_schema=False)


@router.get("/a/{auction}/scenarios")
async def scenarios(request: Request, auction: str) -> Response:
    """Awards side by side, for those who see everything."""
    seat = staff_seat(request, auction)
    if seat.view.setup.kind != "buy":
        raise NotHere
    is_sealed = seat.view.is_sealed
    comparison = None if is_sealed else site_of(request).desk.comparison(seat.who, auction)
    data = comparison.verdict if comparison else None
    return staff_page(
        request,
        seat,
        "scenarios",
        is_sealed=is_sealed,
        is_running=comparison is not None and comparison.is_running,
        is_open=seat.heading.phase in ("open", "paused"),
        error=comparison.error if comparison else "",
        rows=scenario_rows(seat.t, seat.view.setup, data) if data else [],
        num_offers=data["num_offers"] if data else 0,
        warning=data["warning"] if data else "",
    )


@router.get("/a/{auction}/letters/{number}")
async def letter(request: Request, auction: str, number: str) -> Response:
    """What a supplier is awarded, as a letter of the buyer."""
    seat = staff_seat(request, auction)
    if seat.view.setup.kind != "buy":
        raise NotHere
    supplier = bidder_number(seat, number)
    results = site_of(request).desk.audiences(seat.who, auction, seat.t.language).bidders
    if not results:
        raise NotHere
    values = letter_values(seat.t, results[supplier], seat.heading.phase == "published")
    name = seat.market.bidders[supplier].name
    return staff_page(request, seat, "letter", menu="outcome", supplier=name, **values)


@router.get("/a/{auction}/letter")
async def own_letter(request: Request, auction: str) -> Response:
    """A supplier's own letter, once the award is published."""
    seat = page_seat(request, auction)
    result = own_result(request, seat)
    if result is None or seat.view.setup.kind != "buy":
        raise NotHere
    values = letter_values(seat.t, result, True)
    return seat_page(request, seat, "letter", supplier=seat.view.bidder_name, **values)


def letter_values(t: Texts, result: ResultView, is_published: bool) -> dict[str, Any]:
    """What a letter says."""
    market = result.setup.market
    return {
        "result": result,
        "lots": [
            (good.name, number)
            for good, number in zip(market.goods, result.bundle, strict=True)
            if number
        ],
        "why": why_words(t, result),
        "steps": payment_steps(t, result),
        "is_published": is_published,
    }
