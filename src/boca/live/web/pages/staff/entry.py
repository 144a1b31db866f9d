"""Entering something on a bidder's behalf: what was typed, checked, with its reason."""

import hashlib
import hmac
from asyncio import wrap_future

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.live.auction.refusal import Refusal
from boca.live.auction.views import BidderView
from boca.live.web.problems import STATUS
from boca.live.web.staff import StaffSeat, bidder_number, bidder_seen, staff_page, staff_seat
from boca.live.web.views.basket import Basket, fill, from_content, submission_of, to_content
from boca.live.web.views.check_view import check_rows, warning_rows
from boca.live.web.views.problem import FormProblem, mistake_problems
from boca.live.web.visitors import form_of, site_of

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
    t = seat.t
    submission = submission_of(basket.drafts, seat.market, ticked, view.basis)
    desk = site_of(request).desk
    checked = desk.check_for(seat.who, seat.auction, view.bidder, submission)
    warnings = warning_rows(t, view.setup, checked.warnings, ticked, is_asked)
    bundles = {item.query or item.key: seat.words(item.bundle) for item in basket.items}
    problems = [*errors, *mistake_problems(t, checked.mistakes, bundles)]
    problems += [
        FormProblem(w.field, f"{w.text} {t('check.tick_missing')}") for w in warnings if w.error
    ]
    return staff_page(
        request,
        seat,
        "entry",
        status,
        menu="run",
        number=view.bidder + 1,
        name=view.bidder_name,
        rows=check_rows(t, view.setup, basket, checked.bids),
        warnings=[row for row in warnings if row.needs_tick],
        content=to_content(basket),
        basis=view.basis,
        reason=reason,
        can_send=view.can_submit and not checked.mistakes,
        errors=problems,
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
    basket = fill(seat.t, view, drafts)
    errors = []
    if not reason.strip():
        errors.append(FormProblem("reason", seat.t("confirm.reason_missing")))
    if form.get("name", [""])[0].strip() != seat.heading.name:
        sentence = seat.t("confirm.wrong_name", auction=seat.heading.name)
        errors.append(FormProblem("name", sentence))
    if errors:
        return entry_page(request, seat, view, basket, 422, ticked, reason, tuple(errors))
    text = "\n".join((basis, content, reason)).encode()
    key = hmac.new(seat.visitor.token.encode(), text, hashlib.sha256).hexdigest()[:40]
    submission = submission_of(drafts, seat.market, ticked, basis)
    try:
        await wrap_future(
            desk.enter_for(seat.who, auction, bidder, submission, reason, key, received)
        )
    except Refusal as refusal:
        if refusal.cause == "unavailable":
            raise
        seat = staff_seat(request, auction, must_act=True)
        view = bidder_seen(request, seat, bidder)
        assert view is not None
        is_asked = refusal.cause == "unconfirmed"
        told = () if is_asked else (FormProblem("", refusal.sentence),)
        basket = fill(seat.t, view, drafts)
        status = STATUS[refusal.cause]
        return entry_page(request, seat, view, basket, status, ticked, reason, told, is_asked)
    return RedirectResponse(f"/a/{auction}/bidders/{number}", 303)
