"""Check and send: the one place where something becomes binding."""

import hashlib
import hmac
from asyncio import wrap_future

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.live.auction.events import Channel
from boca.live.auction.refusal import Refusal
from boca.live.web.problems import STATUS
from boca.live.web.seats import BidderSeat, page_seat, seat_page
from boca.live.web.views.basket import (
    Basket,
    drafts_of,
    fill,
    from_content,
    one_line,
    submission_of,
    to_content,
)
from boca.live.web.views.check_view import check_rows, warning_rows
from boca.live.web.views.draft import Draft
from boca.live.web.views.problem import FormProblem, mistake_problems
from boca.live.web.visitors import form_of, site_of

router = APIRouter(include_in_schema=False)


def request_key(seat: BidderSeat, content: str, basis: str) -> str:
    """The same for the same content on the same basis, so that a repeated click is one request."""
    text = "\n".join((basis, content)).encode()
    return hmac.new(seat.visitor.token.encode(), text, hashlib.sha256).hexdigest()[:40]


def channel_of(request: Request) -> Channel:
    """Whether the drafts came with a spreadsheet."""
    return "sheet" if request.query_params.get("from") == "sheet" else "page"


@router.get("/a/{auction}/check")
async def checking(request: Request, auction: str) -> Response:
    """What would be sent, with everything that looks odd."""
    seat = page_seat(request, auction)
    drafts = drafts_of(site_of(request).desk.drafts(seat.who))
    return check_page(request, seat, fill(seat.t, seat.view, drafts))


def check_page(
    request: Request,
    seat: BidderSeat,
    basket: Basket,
    status: int = 200,
    ticked: tuple[str, ...] = (),
    changed: str = "",
    is_asked: bool = False,
) -> Response:
    """
    The page that is confirmed.

    Parameters
    ----------
    request, seat
        What is answered, and for whom.
    basket
        What would be sent.
    status
        HTTP status.
    ticked
        Warnings that were confirmed already.
    changed
        What happened in between, if anything.
    is_asked
        Whether somebody tried to send, so that missing ticks are mistakes.
    """
    t, view = seat.t, seat.view
    submission = submission_of(basket.drafts, seat.market, ticked, view.basis)
    checked = site_of(request).desk.check(seat.who, submission) if basket.items else None
    warnings = warning_rows(t, view.setup, checked.warnings, ticked, is_asked) if checked else []
    bundles = {item.query or item.key: seat.words(item.bundle) for item in basket.items}
    problems = mistake_problems(t, checked.mistakes, bundles) if checked else []
    problems += [FormProblem("", text) for text in basket.errors.values()]
    missing = t("check.tick_missing")
    problems += [FormProblem(w.field, f"{w.text} {missing}") for w in warnings if w.error]
    keys = {item.key for item in basket.items}
    return seat_page(
        request,
        seat,
        "check",
        status,
        changed=changed,
        errors=problems,
        rows=check_rows(t, view.setup, basket, checked.bids if checked else {}),
        warnings=[row for row in warnings if row.needs_tick],
        notes=[row for row in warnings if not row.needs_tick],
        num_open=sum(q.status == "open" and q.id not in keys for q in view.questions),
        is_closed=not view.can_submit,
        can_send=view.can_submit and not (checked and checked.mistakes),
        content=to_content(basket),
        basis=view.basis,
        channel=channel_of(request),
        back=back_from(basket),
    )


def back_from(basket: Basket) -> str:
    """The page on which something can be changed."""
    if basket.of("correct") or basket.of("again"):
        return "answers"
    return "push" if basket.of("push") else "me"


@router.post("/a/{auction}/check")
async def confirm(request: Request, auction: str) -> Response:
    """Sends exactly what the page showed, or says why not."""
    seat = page_seat(request, auction)
    fields = await form_of(request, seat.visitor)
    site = site_of(request)
    received = site.desk.now()
    if removed := fields.get("remove"):
        await wrap_future(site.desk.save_drafts(seat.who, {one_line(removed[0]): ""}))
        return RedirectResponse(f"/a/{auction}/check", 303)

    site.buckets.take("submissions", seat.who.access, site.limits.submissions)
    content, basis = fields.get("content", [""])[0], fields.get("basis", [""])[0]
    ticked = tuple(fields.get("tick", ()))
    drafts = from_content(content)
    try:
        submission = submission_of(drafts, seat.market, ticked, basis)
        key = request_key(seat, content, basis)
        channel = channel_of(request)
        receipt = await wrap_future(site.desk.submit(seat.who, submission, key, received, channel))
    except Refusal as refusal:
        return refused(request, auction, refusal, drafts, ticked)
    await wrap_future(site.desk.save_drafts(seat.who, dict.fromkeys(drafts, "")))
    return RedirectResponse(f"/a/{auction}/receipts/{receipt.hash}", 303)


def refused(
    request: Request,
    auction: str,
    refusal: Refusal,
    drafts: dict[str, Draft],
    ticked: tuple[str, ...],
) -> Response:
    """The page again, made anew from the auction as it is now; nothing that was typed is lost."""
    if refusal.cause == "unavailable":
        raise refusal
    seat = page_seat(request, auction)
    basket = fill(seat.t, seat.view, drafts)
    status = STATUS[refusal.cause]
    if refusal.cause == "unconfirmed":
        return check_page(request, seat, basket, status, ticked, is_asked=True)
    return check_page(request, seat, basket, status, changed=refusal.sentence)
