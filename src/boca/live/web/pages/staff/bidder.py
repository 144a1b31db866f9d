"""One bidder as auctioneer and auditor see it, with a form for entering on its behalf."""

from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from boca.live.auction.refusal import Refusal
from boca.live.web.pages.demands import typed_demand
from boca.live.web.pages.staff.entry import entry_page
from boca.live.web.staff import StaffSeat, bidder_number, bidder_seen, staff_page, staff_seat
from boca.live.web.views.answers import correction_forms
from boca.live.web.views.basket import fill, one_line
from boca.live.web.views.bundle_tables import answer_tables, asked_by_round
from boca.live.web.views.draft import Draft
from boca.live.web.views.naming import question_name
from boca.live.web.views.problem import FormProblem
from boca.live.web.views.questions import asked_forms, form_problems
from boca.live.web.visitors import form_of

router = APIRouter(include_in_schema=False)


@router.get("/a/{auction}/bidders/{number}")
async def bidder(request: Request, auction: str, number: str) -> Response:
    """Questions, reports and submissions of one bidder."""
    seat = staff_seat(request, auction)
    return bidder_page(request, seat, bidder_number(seat, number))


def bidder_page(
    request: Request,
    seat: StaffSeat,
    bidder: int,
    status: int = 200,
    drafts: dict[str, Draft] | None = None,
    errors: dict[str, str] | None = None,
    problems: tuple[FormProblem, ...] = (),
) -> Response:
    """
    The page.

    Parameters
    ----------
    request, seat, bidder
        What is answered, for whom, and about whom.
    status
        HTTP status.
    drafts, errors
        What was typed for the bidder, and what is wrong with it, by query or bundle.
    problems
        Mistakes that belong to neither.
    """
    t, view = seat.t, bidder_seen(request, seat, bidder)
    drafts, errors = drafts or {}, errors or {}
    rows, reports, asked, said = [], [], [], []
    if view is not None:
        reports = correction_forms(view, drafts, errors)
        rows = asked_forms(t, view, view.questions, drafts, errors)
        asked = asked_by_round(t, view, [row for row in rows if row.question.prices is None])
        said = answer_tables(t, view, reports)
    # Bundles are composed below the table.
    forms = [f for f in rows if f.question.prices is not None and f.question.is_open]
    shown = list(problems)
    if view is not None:
        values = [row for row in rows if row.question.prices is None]
        shown = form_problems(t, view, [*values, *forms])
        shown += [
            FormProblem(
                row.field,
                t("words.about", where=seat.words(row.answer.bundle), what=row.error),
            )
            for row in reports
            if row.error
        ]
        shown += problems
    num_correctable = sum(row.answer.can_correct for row in reports)
    return staff_page(
        request,
        seat,
        "bidder",
        status,
        menu="run",
        number=bidder + 1,
        name=seat.market.bidders[bidder].name,
        is_sealed=view is None,
        asked=asked,
        choices=[row for row in rows if row.question.prices is not None],
        question_name=partial(question_name, t),
        is_open=seat.heading.phase == "open",
        num_open=sum(row.question.is_open for row in rows),
        forms=forms,
        goods=seat.market.goods,
        limits=seat.limits(bidder),
        reports=said,
        report_feet=[("correct", t("answers.correct", currency=seat.money.currency))][
            : seat.can_act and num_correctable > 0
        ],
        num_correctable=num_correctable,
        receipts=() if view is None else view.submissions,
        errors=shown,
    )


@router.post("/a/{auction}/bidders/{number}")
async def typed(request: Request, auction: str, number: str) -> Response:
    """Shows what was typed on a bidder's behalf, for checking."""
    seat = staff_seat(request, auction, must_act=True)
    bidder = bidder_number(seat, number)
    form = await form_of(request, seat.visitor)
    view = bidder_seen(request, seat, bidder)
    if view is None:
        raise Refusal("forbidden", seat.t("entry.sealed"), seat.heading.phase)
    drafts = {}
    for question in view.questions:
        text = one_line(form.get(f"value.{question.id}", [""])[0])
        draft = Draft(text, f"decline.{question.id}" in form)
        if question.prices is not None:
            draft = typed_demand(seat.market, question.id, form)
        if question.status == "open" and draft.to_text():
            drafts[question.id] = draft
    for row in correction_forms(view, {}, {}):
        text = one_line(form.get(row.field, [""])[0])
        if row.answer.can_correct and text:
            drafts[row.key] = Draft(text)
    basket = fill(seat.t, view, drafts)
    if basket.errors:
        return bidder_page(request, seat, bidder, 422, drafts, basket.errors)
    if not basket.items:
        problem = FormProblem("", seat.t("entry.nothing"))
        return bidder_page(request, seat, bidder, 422, drafts, problems=(problem,))
    return entry_page(request, seat, view, basket)
