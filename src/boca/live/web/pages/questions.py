"""My questions: the page where a bidder spends its time."""

from asyncio import wrap_future
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.live.web.pages.demands import typed_demand
from boca.live.web.seats import BidderSeat, member_seat, page_seat, seat_page
from boca.live.web.views.basket import Basket, fill, one_line
from boca.live.web.views.bundle_tables import near_answers, question_tables
from boca.live.web.views.draft import Draft
from boca.live.web.views.frame import phase_more
from boca.live.web.views.late import late_answers
from boca.live.web.views.naming import question_title
from boca.live.web.views.problem import mistake_sentence
from boca.live.web.views.questions import asked_forms, form_problems
from boca.live.web.views.rules_words import held_words
from boca.live.web.visitors import form_of, site_of

router = APIRouter(include_in_schema=False)
FILTERS = ("all", "open", "answered")


@router.get("/a/{auction}/me")
async def questions(request: Request, auction: str) -> Response:
    """The questions of the round under way; students go on to their courses."""
    seat = member_seat(request, auction)
    if seat.view.setup.kind == "courses":
        return RedirectResponse(f"/a/{auction}/ratings", 303)
    return questions_page(request, seat)


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
    drafts = seat.drafts(site_of(request).desk.drafts(seat.who))
    is_asking = heading.phase in ("open", "paused") and not heading.is_last_call
    here = [q for q in view.questions if q.round == heading.round] if is_asking else []
    forms = asked_forms(t, view, here, drafts, errors or {})
    wanted = request.query_params.get("show", "all")
    show = wanted if wanted in FILTERS else "all"
    shown = [f for f in forms if show == "all" or f.question.is_open == (show == "open")]
    # Bundles are composed above the table of values.
    composed = [form for form in shown if form.question.prices is not None]
    rows = [form for form in shown if form.question.prices is None]
    tables = question_tables(t, view, rows)
    has_prices = any(question.prices is not None for question in here)
    more = t("demand.more") if heading.phase == "open" and has_prices else phase_more(t, heading)
    return seat_page(
        request,
        seat,
        "me",
        status,
        errors=form_problems(t, view, [*composed, *rows]),
        more=more,
        is_open=heading.phase == "open",
        total=len(forms),
        num_open=sum(form.question.is_open for form in forms),
        num_open_shown=sum(form.question.is_open for form in shown),
        forms=composed,
        goods=seat.market.goods,
        limits=seat.limits(view.bidder),
        held=held_words(t, view.setup, view.bidder),
        has_others=any(":" in item.key for item in fill(t, view, drafts).items),
        tables=tables,
        tops=[("why", t("me.why")), *([("earlier", t("me.earlier"))] if view.answers else [])],
        feet=[("value", t("me.value", currency=seat.money.currency))],
        near_answers=partial(near_answers, t, view),
        question_title=partial(question_title, t),
        show=show,
        saved="saved" in request.query_params,
        has_late=bool(late_answers(view, drafts)),
        ranges=view.setup.rules.ranges,
    )


@router.post("/a/{auction}/me")
async def save_questions(request: Request, auction: str) -> Response:
    """Keeps what was typed, then shows it for checking or goes back."""
    seat = page_seat(request, auction)
    fields = await form_of(request, seat.visitor)
    desk = site_of(request).desk
    typed = typed_answers(seat, fields)
    texts = {query: seat.keep(draft) for query, draft in typed.items()}
    await wrap_future(desk.save_drafts(seat.who, texts))

    if is_late(seat, typed):
        return RedirectResponse(f"/a/{auction}/late", 303)
    wanted = request.query_params.get("show", "all")
    show = wanted if wanted in FILTERS else "all"
    if fields.get("do") != ["check"]:
        return RedirectResponse(f"/a/{auction}/me?show={show}&saved=1", 303)
    basket = fill(seat.t, seat.view, seat.drafts(desk.drafts(seat.who)))
    errors = answer_errors(request, seat, basket)
    if errors:
        return questions_page(request, seat, 422, errors)
    return RedirectResponse(f"/a/{auction}/check", 303)


def answer_errors(request: Request, seat: BidderSeat, basket: Basket) -> dict[str, str]:
    """Question -> what is wrong with its answer, by the amount itself or by the rules."""
    errors = {key: error for key, error in basket.errors.items() if ":" not in key}
    submission = seat.submission(basket.drafts)
    if basket.items:
        for mistake in site_of(request).desk.check(seat.who, submission).mistakes:
            if any(item.key == mistake.where for item in basket.items):
                errors.setdefault(mistake.where, mistake_sentence(seat.t, mistake))
    return errors


def is_late(seat: BidderSeat, typed: dict[str, Draft]) -> bool:
    """Whether something was typed for a question whose round ended meanwhile."""
    return any(
        question.status == "unanswered" and typed.get(question.id, Draft()).to_text()
        for question in seat.view.questions
    )


def typed_answers(seat: BidderSeat, fields: dict[str, list[str]]) -> dict[str, Draft]:
    """What the form says about each question that it showed, also if its round is over by now."""
    typed = {}
    for question in seat.view.questions:
        if question.status not in ("open", "unanswered"):
            continue
        name = f"value.{question.id}"
        if question.prices is not None:
            if f"copies.{question.id}.0" in fields:
                typed[question.id] = typed_demand(seat.market, question.id, fields)
        elif name in fields:
            text = one_line(fields[name][0])
            typed[question.id] = Draft(text, f"decline.{question.id}" in fields)
    return typed
