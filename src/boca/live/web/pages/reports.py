"""Answers that were sent, corrections of them, and bids that nobody asked for."""

from asyncio import wrap_future
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.live.web.seats import BidderSeat, page_seat, seat_page
from boca.live.web.views.answers import correction_forms, corrections_key, price_words
from boca.live.web.views.basket import drafts_of, fill, key_of, one_line, submission_of
from boca.live.web.views.draft import Draft
from boca.live.web.views.problem import FormProblem, mistake_sentence
from boca.live.web.visitors import form_of, site_of

router = APIRouter(include_in_schema=False)


@router.get("/a/{auction}/answers")
async def answers(request: Request, auction: str) -> Response:
    """Everything that was sent."""
    seat = page_seat(request, auction)
    return answers_page(request, seat, drafts_of(site_of(request).desk.drafts(seat.who)))


def answers_page(
    request: Request,
    seat: BidderSeat,
    drafts: dict[str, Draft],
    errors: dict[str, str] | None = None,
) -> Response:
    """The page, with mistakes in corrections if there are any."""
    t, view = seat.t, seat.view
    rows = correction_forms(view, drafts, errors or {})
    declined = [
        question
        for question in view.questions
        if question.status in ("declined", "unanswered") and question.units is None
    ]
    return seat_page(
        request,
        seat,
        "answers",
        422 if errors else 200,
        errors=[FormProblem(row.field, row.error) for row in rows if row.error],
        rows=rows,
        corrections=corrections_key(view),
        can_correct=any(row.answer.can_correct for row in rows),
        demands=view.demands[::-1],
        can_choose=any(row.can_correct for row in view.demands),
        price_words=partial(price_words, t, view),
        declined=[
            seat.words(question.bundle)
            if question.prices is None
            else t("answers.declined_prices", query=question.id)
            for question in declined
        ],
        receipts=view.submissions,
    )


@router.post("/a/{auction}/answers")
async def correct(request: Request, auction: str) -> Response:
    """Keeps corrections as drafts and goes on to the check."""
    seat = page_seat(request, auction)
    fields = await form_of(request, seat.visitor)
    rows = correction_forms(seat.view, {}, {})
    typed = {
        row.key: Draft(one_line(fields[row.field][0]))
        for row in rows
        if row.answer.can_correct and row.field in fields
    }
    texts = {key: draft.to_text() for key, draft in typed.items()}
    await wrap_future(site_of(request).desk.save_drafts(seat.who, texts))
    typed = {key: draft for key, draft in typed.items() if draft.text}
    errors = fill(seat.t, seat.view, typed).errors
    if errors:
        return answers_page(request, seat, typed, errors)
    return RedirectResponse(f"/a/{auction}/check", 303)


@router.get("/a/{auction}/push")
async def push(request: Request, auction: str) -> Response:
    """The form of an own bid."""
    return push_page(request, page_seat(request, auction), {})


def push_page(
    request: Request,
    seat: BidderSeat,
    fields: dict[str, list[str]],
    errors: dict[str, str] | None = None,
) -> Response:
    """
    The page.

    Parameters
    ----------
    request, seat
        What is answered, and for whom.
    fields
        What was typed.
    errors
        Field -> what is wrong with it; the empty field is the form as a whole.
    """
    errors = errors or {}
    left, most = seat.view.pushes_left, seat.view.setup.rules.push_bids
    goods: list[dict[str, Any]] = [
        {
            "name": good.name,
            "field": f"good-{j}",
            "most": good.capacity,
            "text": fields.get(f"good-{j}", ["0"])[0],
            "error": errors.get(f"good-{j}", ""),
        }
        for j, good in enumerate(seat.market.goods)
    ]
    return seat_page(
        request,
        seat,
        "push",
        422 if errors else 200,
        errors=[FormProblem(field, error) for field, error in errors.items()],
        most=most,
        left=left,
        can_push=seat.view.can_submit and left > 0,
        goods=goods,
        text=fields.get("amount", [""])[0],
        error=errors.get("amount", ""),
    )


@router.post("/a/{auction}/push")
async def add_push(request: Request, auction: str) -> Response:
    """Keeps an own bid as a draft and goes on to the check."""
    seat = page_seat(request, auction)
    fields = await form_of(request, seat.visitor)
    bundle, errors = typed_bundle(seat, fields)
    text = one_line(fields.get("amount", [""])[0])
    key = key_of("push", bundle)
    if not errors:
        errors = push_errors(request, seat, key, Draft(text))
    if errors:
        return push_page(request, seat, fields, errors)
    draft = {key: Draft(text).to_text()}
    await wrap_future(site_of(request).desk.save_drafts(seat.who, draft))
    return RedirectResponse(f"/a/{auction}/check", 303)


def typed_bundle(
    seat: BidderSeat, fields: dict[str, list[str]]
) -> tuple[tuple[int, ...], dict[str, str]]:
    """The bundle of the form, and what is wrong with it."""
    bundle, errors = [], {}
    for j, good in enumerate(seat.market.goods):
        text = fields.get(f"good-{j}", ["0"])[0].strip() or "0"
        is_number = text.isascii() and text.isdecimal() and len(text) < 8
        if not is_number or int(text) > good.capacity:
            shown = text[:20]
            errors[f"good-{j}"] = seat.t("problem.copies", text=shown, most=good.capacity)
        bundle.append(int(text) if is_number else 0)
    if not errors and not any(bundle):
        errors["good-0"] = seat.t("problem.empty_bundle")
    return tuple(bundle), errors


def push_errors(request: Request, seat: BidderSeat, key: str, draft: Draft) -> dict[str, str]:
    """What the rules say against an own bid."""
    basket = fill(seat.t, seat.view, {key: draft})
    if basket.errors:
        return {"amount": basket.errors[key]}
    submission = submission_of({key: draft}, seat.market)
    mistakes = site_of(request).desk.check(seat.who, submission).mistakes
    return {"": " ".join(mistake_sentence(seat.t, m) for m in mistakes)} if mistakes else {}
