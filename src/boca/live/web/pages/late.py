"""Answers that were typed while their round ended: they are kept, and nothing of them counts."""

from asyncio import wrap_future

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.live.web.seats import BidderSeat, page_seat, seat_page
from boca.live.web.views.basket import key_of
from boca.live.web.views.draft import Draft
from boca.live.web.views.late import OVER, LateAnswer, late_answers
from boca.live.web.views.naming import question_name
from boca.live.web.visitors import form_of, site_of

router = APIRouter(include_in_schema=False)


def late_of(request: Request, seat: BidderSeat) -> tuple[LateAnswer, ...]:
    """What is kept of a bidder's answers that came too late, as this visitor reads it."""
    return late_answers(seat.view, seat.drafts(site_of(request).desk.drafts(seat.who)))


@router.get("/a/{auction}/late")
async def late(request: Request, auction: str) -> Response:
    """What was typed too late, and what can still be done with it."""
    return late_page(request, page_seat(request, auction))


def late_page(request: Request, seat: BidderSeat, status: int = 200) -> Response:
    """The page."""
    t, view = seat.t, seat.view
    rows = late_of(request, seat)
    offered = sum(row.can_offer for row in rows)
    last = max((row.question.round for row in rows), default=-1)
    return seat_page(
        request,
        seat,
        "late",
        status,
        rows=[(question_name(t, row.question.id), row, typed_words(seat, row)) for row in rows],
        ended=t("late.ended", round=last + 1) if rows else "",
        num_offered=offered,
        left=view.pushes_left,
        is_over=view.heading.phase in OVER,
        can_send=view.can_submit,
    )


def typed_words(seat: BidderSeat, row: LateAnswer) -> str:
    """What somebody typed, in words."""
    t, draft = seat.t, row.draft
    if draft.is_declined:
        return t("me.decline")
    if not draft.is_demand:
        return f"{draft.text} {seat.money.currency}"
    if draft.wants_nothing:
        return t("demand.nothing")
    named = zip(draft.copies, seat.market.goods, strict=False)
    return ", ".join(f"{n} x {good.name}" for n, good in named if n not in ("", "0"))


@router.post("/a/{auction}/late")
async def use_late(request: Request, auction: str) -> Response:
    """Makes own bids of what was typed, or forgets it."""
    seat = page_seat(request, auction)
    fields = await form_of(request, seat.visitor)
    desk = site_of(request).desk
    rows = late_of(request, seat)
    texts = {row.question.id: "" for row in rows}
    if fields.get("do") == ["offer"]:
        chosen = [row for row in rows if row.can_offer][: seat.view.pushes_left]
        texts = {row.question.id: "" for row in chosen}
        texts |= {
            key_of("push", row.question.bundle): seat.keep(Draft(row.draft.text)) for row in chosen
        }
    await wrap_future(desk.save_drafts(seat.who, texts))
    done = "check" if fields.get("do") == ["offer"] else "me"
    return RedirectResponse(f"/a/{auction}/{done}", 303)
