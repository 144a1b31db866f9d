"""Entering something on a bidder's behalf: what was typed, checked, with its reason."""

from asyncio import wrap_future
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.live.auction.refusal import Refusal
from boca.live.auction.views import BidderView
from boca.live.web.problems import STATUS
from boca.live.web.staff import StaffSeat, bidder_number, bidder_seen, staff_page, staff_seat
from boca.live.web.views.basket import Basket, fill, from_content, submission_of
from boca.live.web.views.bundle_tables import item_tables
from boca.live.web.views.check_view import check_page
from boca.live.web.views.problem import FormProblem
from boca.live.web.visitors import form_of, request_key, site_of

router = APIRouter(include_in_schema=False)


def entry_page(
    request: Request,
    seat: StaffSeat,
    view: BidderView,
    basket: Basket,
    status: int = 200,
    ticked: tuple[str, ...] = (),
    reason: str = "",
    errors: tuple[FormProblem, ...] = (),
    is_asked: bool = False,
) -> Response:
    """
    The page before something is entered for a bidder.

    Parameters
    ----------
    request, seat, view
        What is answered, for whom, and the bidder.
    basket
        What would be entered.
    status
        HTTP status.
    ticked, reason
        Warnings that were confirmed, and the reason, if typed before.
    errors
        What is wrong.
    is_asked
        Whether somebody tried to send, so that missing ticks are mistakes.
    """
    check = partial(site_of(request).desk.check_for, seat.who, seat.auction, view.bidder)
    shown = check_page(seat.t, view, basket, check, seat.kept_money, ticked, is_asked)
    return staff_page(
        request,
        seat,
        "entry",
        status,
        menu="run",
        number=view.bidder + 1,
        name=view.bidder_name,
        check=shown,
        tables=item_tables(seat.t, view, basket.items),
        reason=reason,
        errors=(*errors, *shown.problems),
        wrong={"reason": "", "name": "", **{p.field: p.sentence for p in errors}},
    )


@router.post("/a/{auction}/bidders/{number}/enter")
async def enter(request: Request, auction: str, number: str) -> Response:
    """Enters exactly what the page showed, with its reason, or says why not."""
    seat = staff_seat(request, auction, must_act=True)
    bidder = bidder_number(seat, number)
    form = await form_of(request, seat.visitor)
    desk = site_of(request).desk
    received = desk.now()
    view = bidder_seen(request, seat, bidder)
    if view is None:
        raise Refusal("forbidden", seat.t("entry.sealed"), seat.heading.phase)
    content, basis = form.get("content", [""])[0], form.get("basis", [""])[0]
    reason, ticked = form.get("reason", [""])[0], tuple(form.get("tick", ()))
    drafts = from_content(content)
    basket = fill(seat.t, view, seat.shown(drafts))
    errors = []
    if not reason.strip():
        errors.append(FormProblem("reason", seat.t("confirm.reason_missing")))
    if form.get("name", [""])[0].strip() != seat.heading.name:
        sentence = seat.t("confirm.wrong_name", auction=seat.heading.name)
        errors.append(FormProblem("name", sentence))
    if errors:
        return entry_page(request, seat, view, basket, 422, ticked, reason, tuple(errors))
    key = request_key(seat.visitor, basis, content, reason)
    submission = submission_of(drafts, seat.market, ticked, basis)
    try:
        await wrap_future(
            desk.enter_for(seat.who, auction, bidder, submission, reason, key, received)
        )
    except Refusal as refusal:
        if refusal.cause == "unavailable":
            raise
        if refusal.cause == "proposed":
            return RedirectResponse(f"/a/{auction}/run", 303)
        seat = staff_seat(request, auction, must_act=True)
        view = bidder_seen(request, seat, bidder)
        assert view is not None
        is_asked = refusal.cause == "unconfirmed"
        told = () if is_asked else (FormProblem("", seat.t.read(refusal.sentence)),)
        basket = fill(seat.t, view, seat.shown(drafts))
        status = STATUS[refusal.cause]
        return entry_page(request, seat, view, basket, status, ticked, reason, told, is_asked)
    return RedirectResponse(f"/a/{auction}/bidders/{number}", 303)
