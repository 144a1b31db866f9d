"""Answers that were sent, corrections of them, and bids that nobody asked for."""

from asyncio import wrap_future
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from boca.live.web.pages.documents import attachment
from boca.live.web.pages.sheet import XLSX
from boca.live.web.seats import BidderSeat, page_seat, seat_page
from boca.live.web.sheets.everything import to_csv, to_json, to_xlsx
from boca.live.web.texts import Texts
from boca.live.web.views.answers import (
    at_most_words,
    correction_forms,
    corrections_key,
    limit_facts,
)
from boca.live.web.views.basket import fill, key_of, one_line
from boca.live.web.views.bundle_tables import answer_tables, declined_tables, demand_tables
from boca.live.web.views.draft import Draft
from boca.live.web.views.naming import address_key, sentence_name
from boca.live.web.views.problem import FormProblem, mistake_sentence
from boca.live.web.visitors import NotHere, form_of, site_of

router = APIRouter(include_in_schema=False)
FILES = {
    "answers.csv": (to_csv, "text/csv; charset=utf-8"),
    "answers.xlsx": (to_xlsx, XLSX),
    "answers.json": (to_json, "application/json"),
}


@router.get("/a/{auction}/answers")
async def answers(request: Request, auction: str) -> Response:
    """Everything that was sent."""
    seat = page_seat(request, auction)
    return answers_page(request, seat, seat.drafts(site_of(request).desk.drafts(seat.who)))


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
    corrections = corrections_key(view)
    can_correct = any(row.answer.can_correct for row in rows)
    can_choose = any(row.can_correct for row in view.demands)
    return seat_page(
        request,
        seat,
        "answers",
        422 if errors else 200,
        errors=[FormProblem(row.field, row.error) for row in rows if row.error],
        rounds=answer_tables(t, view, rows),
        tops=[("amount", t("answers.amount")), ("receipt", t("answers.receipt"))],
        feet=[("correct", t("answers.correct", currency=seat.money.currency))][:can_correct],
        corrections=corrections,
        has_final=corrections == "answers.always" and bool(view.setup.rules.points),
        can_correct=can_correct,
        demands=demand_tables(t, view, view.demands[::-1]),
        demand_feet=demand_feet(t, can_choose),
        key_of_query=address_key,
        declined=declined_tables(t, view, [q for q in declined if q.prices is None]),
        declined_prices=[
            t("answers.declined_prices", query=sentence_name(t, question.id))
            for question in declined
            if question.prices is not None
        ],
        receipts=view.submissions,
        at_most=at_most_words(t, view),
        limit_facts=limit_facts(t, view),
        bids=view.exposure.bids,
    )


def demand_feet(t: Texts, can_choose: bool) -> list[tuple[str, str]]:
    """What stands below each bundle that was wanted at announced prices."""
    keys = ["demand.costs", "demand.counts", "answers.receipt"]
    feet = [(key.rpartition(".")[2], t(key)) for key in keys]
    return [*feet, ("change", t("demand.change"))] if can_choose else feet


@router.get("/a/{auction}/answers/{name}")
async def take_away(request: Request, auction: str, name: str) -> Response:
    """Everything that was sent, as a file."""
    seat = page_seat(request, auction)
    if name not in FILES:
        raise NotHere
    write, media_type = FILES[name]
    content = await run_in_threadpool(write, seat.t, seat.view)
    return Response(content, media_type=media_type, headers=attachment(name))


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
    texts = {key: seat.keep(draft) for key, draft in typed.items()}
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
            "group": good.group,
            "unit": good.unit,
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
    draft = {key: seat.keep(Draft(text))}
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
    submission = seat.submission({key: draft})
    mistakes = site_of(request).desk.check(seat.who, submission).mistakes
    return {"": " ".join(mistake_sentence(seat.t, m) for m in mistakes)} if mistakes else {}
