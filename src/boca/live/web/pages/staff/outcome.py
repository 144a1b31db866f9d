"""The outcome before and after it is published, and what each audience sees of it."""

from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from boca.live.web.pages.staff.courses import outcome_page
from boca.live.web.staff import staff_page, staff_seat
from boca.live.web.views.results import (
    checks,
    payment_steps,
    rule_line,
    why_settled,
    why_words,
)
from boca.live.web.visitors import site_of

router = APIRouter(include_in_schema=False)


@router.get("/a/{auction}/outcome")
async def outcome(request: Request, auction: str) -> Response:
    """Who receives what and pays what, why, and who will be told."""
    seat = staff_seat(request, auction)
    t, view = seat.t, seat.view
    if view.setup.kind == "courses":
        return outcome_page(request, seat)
    audiences = site_of(request).desk.audiences(seat.who, auction)
    names = [bidder.name for bidder in seat.market.bidders]
    return staff_page(
        request,
        seat,
        "outcome",
        outcome=view.outcome,
        welfare=view.total or 0,
        spend=sum(row.payment for row in view.outcome) + view.outside_cost,
        outside=[
            (good.name, number)
            for good, number in zip(seat.market.goods, view.outside or (), strict=False)
            if number
        ],
        outside_cost=view.outside_cost,
        kind=view.setup.kind,
        rule_line=rule_line(t, view) if view.outcome else "",
        why_settled=partial(why_settled, t, view),
        checks=checks(t, view),
        second_solver=view.verified_by,
        seconds=t("run.seconds", n=f"{view.seconds:.1f}"),
        versions=t("words.comma").join(f"{name} {v}" for name, v in view.versions.items()),
        publish=view.setup.rules.publish,
        public=audiences.public,
        bidders=[
            (name, result, why_words(t, result), payment_steps(t, result))
            for name, result in zip(names, audiences.bidders, strict=False)
        ],
        is_published=view.heading.phase == "published",
    )
