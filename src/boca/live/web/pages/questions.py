"""My questions: the page where a bidder spends its time."""

from asyncio import wrap_future

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.live.web.pages.demands import form_problems, typed_demand
from boca.live.web.seats import BidderSeat, page_seat, seat_page
from boca.live.web.views.basket import Basket, drafts_of, fill, one_line, submission_of
from boca.live.web.views.demand_form import demand_forms
from boca.live.web.views.draft import Draft
from boca.live.web.views.frame import phase_more
from boca.live.web.views.problem import FormProblem, mistake_sentence
from boca.live.web.views.questions import question_rows
from boca.live.web.visitors import form_of, site_of

router = APIRouter(include_in_schema=False)
FILTERS = ("all", "open", "answered")


@router.get("/a/{auction}/me")
async def questions(request: Request, auction: str) -> Response:
    """The questions of the round under way."""
    return questions_page(request, page_seat(request, auction))


def questions_page(
    request: Request, seat: BidderSeat, status: int = 200, errors: dict[str, str] | None = None
) -> Response:
    """
    The page, perhaps with what is wrong with the drafts.

    Parameters
    ----------
    request, seat
        What is answered, and for whom.
    status
        HTTP status.
    errors
        Query -> what is wrong with what was typed.
    """
    t, view = seat.t, seat.view
    heading = view.heading
    drafts = drafts_of(site_of(request).desk.drafts(seat.who))
    is_asking = heading.phase in ("open", "paused") and not heading.is_last_call
    rows = question_rows(t, view, drafts, errors or {}) if is_asking else []
    forms = demand_forms(t, view, drafts, errors or {}) if is_asking else []
    wanted = request.query_params.get("show", "all")
    show = wanted if wanted in FILTERS else "all"
    shown = [row for row in rows if show == "all" or row.is_open == (show == "open")]
    shown_forms = [form for form in forms if show == "all" or form.is_open == (show == "open")]
    more = t("demand.more") if heading.phase == "open" and forms else phase_more(t, heading)
    return seat_page(
        request,
        seat,
        "me",
        status,
        errors=[problem for form in shown_forms for problem in form_problems(form)]
        + [FormProblem(row.field, f"{row.bundle}: {row.error}") for row in shown if row.error],
        more=more,
        is_open=heading.phase == "open",
        total=len(rows) + len(forms),
        num_open=sum(row.is_open for row in rows) + sum(form.is_open for form in forms),
        num_open_shown=sum(r.is_open for r in shown) + sum(f.is_open for f in shown_forms),
        forms=shown_forms,
        has_others=any(":" in item.key for item in fill(t, view, drafts).items),
        rows=shown,
        has_near=any(row.near for row in shown),
        show=show,
        saved="saved" in request.query_params,
        unit=seat.money.figures(1),
        currency=seat.money.currency,
    )


@router.post("/a/{auction}/me")
async def save_questions(request: Request, auction: str) -> Response:
    """Keeps what was typed, then shows it for checking or goes back."""
    seat = page_seat(request, auction)
    fields = await form_of(request, seat.visitor)
    desk = site_of(request).desk
    typed = typed_answers(seat, fields)
    texts = {query: draft.to_text() for query, draft in typed.items()}
    await wrap_future(desk.save_drafts(seat.who, texts))

    wanted = request.query_params.get("show", "all")
    show = wanted if wanted in FILTERS else "all"
    if fields.get("do") != ["check"]:
        return RedirectResponse(f"/a/{auction}/me?show={show}&saved=1", 303)
    basket = fill(seat.t, seat.view, drafts_of(desk.drafts(seat.who)))
    errors = answer_errors(request, seat, basket)
    if errors:
        return questions_page(request, seat, 422, errors)
    return RedirectResponse(f"/a/{auction}/check", 303)


def answer_errors(request: Request, seat: BidderSeat, basket: Basket) -> dict[str, str]:
    """Question -> what is wrong with its answer, by the amount itself or by the rules."""
    errors = {key: error for key, error in basket.errors.items() if ":" not in key}
    submission = submission_of(basket.drafts, seat.market)
    if basket.items:
        for mistake in site_of(request).desk.check(seat.who, submission).mistakes:
            if any(item.key == mistake.where for item in basket.items):
                errors.setdefault(mistake.where, mistake_sentence(seat.t, mistake))
    return errors


def typed_answers(seat: BidderSeat, fields: dict[str, list[str]]) -> dict[str, Draft]:
    """What the form says about each open question that it showed."""
    typed = {}
    for question in seat.view.questions:
        if question.status != "open":
            continue
        name = f"value.{question.id}"
        if question.prices is not None:
            if f"copies.{question.id}.0" in fields:
                typed[question.id] = typed_demand(seat.market, question.id, fields)
        elif name in fields:
            text = one_line(fields[name][0])
            typed[question.id] = Draft(text, f"decline.{question.id}" in fields)
    return typed
