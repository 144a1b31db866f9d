"""The outcome before and after it is published, and what each audience sees of it."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from boca.live.web.award.report import AwardSource, award_lines, award_report
from boca.live.web.pages.staff.courses import outcome_page
from boca.live.web.staff import staff_page, staff_seat
from boca.live.web.views.results import checks, payment_steps, why_words
from boca.live.web.visitors import site_of

router = APIRouter(include_in_schema=False)


@router.get("/a/{auction}/outcome")
async def outcome(request: Request, auction: str) -> Response:
    """Who receives what and pays what, why, and who will be told."""
    seat = staff_seat(request, auction)
    t, view = seat.t, seat.view
    if view.setup.kind == "courses":
        return outcome_page(request, seat)
    audiences = site_of(request).desk.audiences(seat.who, auction, t.language)
    if view.outcome:
        # The award report tells what the verifier says; it is asked now, so that it has answered.
        site_of(request).desk.proof(seat.who, auction)
    names = [bidder.name for bidder in seat.market.bidders]
    pages = zip(names, audiences.bidders, strict=False)
    return staff_page(
        request,
        seat,
        "outcome",
        outcome=view.outcome,
        report=award_report(t, AwardSource(view.setup, view.heading, view.outcome, (), view)),
        welfare=view.total or 0,
        spend=sum(row.payment for row in view.outcome) + view.outside_cost,
        outside=view.outside if any(view.outside or ()) else None,
        outside_cost=view.outside_cost,
        kind=view.setup.kind,
        checks=checks(t, view),
        second_solver=view.verified_by,
        seconds=t("run.seconds", n=t.decimal(view.seconds)),
        versions=t("words.comma").join(f"{name} {v}" for name, v in view.versions.items()),
        publish=view.setup.rules.publish,
        public=award_lines(t, view.setup, audiences.public, None),
        bidders=[
            (name, result, why_words(t, result), payment_steps(t, result))
            for name, result in sorted(pages, key=lambda page: not page[1].wins)
        ],
        is_published=view.heading.phase == "published",
    )
