"""Check and send: the one place where something becomes binding."""

from asyncio import wrap_future
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.live.auction.events import Channel
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import Taken
from boca.live.web.pages.late import late_of
from boca.live.web.problems import STATUS
from boca.live.web.seats import BidderSeat, page_seat, seat_page
from boca.live.web.views.basket import (
    Basket,
    fill,
    from_content,
    one_line,
    submission_of,
)
from boca.live.web.views.bundle_tables import item_tables
from boca.live.web.views.check_view import check_page, conflict_words
from boca.live.web.views.draft import Draft
from boca.live.web.visitors import form_of, request_key, site_of

router = APIRouter(include_in_schema=False)


def channel_of(request: Request) -> Channel:
    """Whether the drafts came with a spreadsheet."""
    return "sheet" if request.query_params.get("from") == "sheet" else "page"


@router.get("/a/{auction}/check")
async def checking(request: Request, auction: str) -> Response:
    """What would be sent, with everything that looks odd."""
    seat = page_seat(request, auction)
    drafts = seat.drafts(site_of(request).desk.drafts(seat.who))
    return basket_page(request, seat, fill(seat.t, seat.view, drafts))


def basket_page(
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
    ticked, is_asked
        As in :class:`boca.live.web.views.check_view.CheckPage`.
    changed
        What happened in between, if anything.
    """
    check = partial(site_of(request).desk.check, seat.who)
    return seat_page(
        request,
        seat,
        "check",
        status,
        check=check_page(seat.t, seat.view, basket, check, seat.kept_money, ticked, is_asked),
        tables=item_tables(seat.t, seat.view, basket.items),
        is_removable=any(":" in item.key for item in basket.items),
        changed=changed,
        is_closed=not seat.view.can_submit,
        needs_two=needs_two(seat),
        channel=channel_of(request),
        back=back_from(basket),
        has_late=bool(late_of(request, seat)),
    )


def needs_two(seat: BidderSeat) -> bool:
    """Whether what the reader sends waits for another person of the bidder."""
    proposal, is_rehearsal = seat.view.proposal, seat.heading.is_rehearsal
    if not seat.view.setup.rules.approval or is_rehearsal:
        return False
    return proposal is None or proposal.who == seat.who.person


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
        key = request_key(seat.visitor, basis, content)
        channel = channel_of(request)
        sent = site.desk.submit(seat.who, submission, key, received, channel, tuple(drafts))
        receipt = await wrap_future(sent)
    except Refusal as refusal:
        if refusal.cause == "proposed":
            return RedirectResponse(f"/a/{auction}/me", 303)
        return refused(request, auction, refusal, drafts, ticked)
    return RedirectResponse(f"/a/{auction}/receipts/{receipt.hash}", 303)


def refused(
    request: Request,
    auction: str,
    refusal: Refusal,
    drafts: dict[str, Draft],
    ticked: tuple[str, ...],
) -> Response:
    """The page again, made again from the auction as it is now; nothing that was typed is lost."""
    if refusal.cause == "unavailable":
        raise refusal
    seat = page_seat(request, auction)
    basket = fill(seat.t, seat.view, seat.shown(drafts))
    status = STATUS[refusal.cause]
    if refusal.cause == "unconfirmed":
        return basket_page(request, seat, basket, status, ticked, is_asked=True)
    changed = seat.t.read(refusal.sentence)
    newer = [taken for taken in refusal.details if isinstance(taken, Taken)]
    if newer:
        changed = conflict_words(seat.t, seat.view, newer)
    return basket_page(request, seat, basket, status, changed=changed)
