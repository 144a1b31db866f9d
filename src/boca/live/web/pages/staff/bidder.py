"""One bidder as auctioneer and auditor see it, with a form for entering on its behalf."""

from collections.abc import Mapping
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from boca.live.auction.refusal import Refusal
from boca.live.auction.views import BidderView, QuestionView
from boca.live.web.pages.demands import form_problems, typed_demand
from boca.live.web.pages.staff.entry import entry_page
from boca.live.web.staff import StaffSeat, bidder_number, bidder_seen, staff_page, staff_seat
from boca.live.web.texts import Texts
from boca.live.web.views.answers import answer_rows
from boca.live.web.views.basket import fill, one_line
from boca.live.web.views.demand_form import demand_forms
from boca.live.web.views.draft import Draft
from boca.live.web.views.problem import FormProblem
from boca.live.web.views.questions import QuestionRow, question_row
from boca.live.web.views.receipt_view import receipt_view
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
    rows, forms, reports = [], [], []
    if view is not None:
        reports = answer_rows(t, view, drafts, errors)
        rows = [entry_row(t, view, q, drafts, errors) for q in view.questions]
        forms = [form for form in demand_forms(t, view, drafts, errors) if form.is_open]
    shown = [FormProblem(row.field, f"{row.bundle}: {row.error}") for row in rows if row.error]
    shown += [problem for form in forms for problem in form_problems(form)]
    shown += [FormProblem(row.field, f"{row.bundle}: {row.error}") for row in reports if row.error]
    return staff_page(
        request,
        seat,
        "bidder",
        status,
        menu="run",
        number=bidder + 1,
        name=seat.market.bidders[bidder].name,
        is_sealed=view is None,
        rows=rows,
        is_open=seat.heading.phase == "open",
        num_open=sum(row.is_open for row in rows) + len(forms),
        forms=forms,
        reports=reports,
        num_correctable=sum(row.is_correctable for row in reports),
        receipts=[] if view is None else [receipt_view(t, view, s) for s in view.submissions],
        reasons=[] if view is None else [s.event.reason or "" for s in view.submissions],
        currency=seat.money.currency,
        errors=(*shown, *problems),
    )


def entry_row(
    t: Texts,
    view: BidderView,
    question: QuestionView,
    drafts: Mapping[str, Draft],
    errors: Mapping[str, str],
) -> QuestionRow:
    """One question; bundles at prices are composed below the table."""
    row = question_row(t, view, question, drafts.get(question.id, Draft()), errors)
    if question.prices is None:
        return row
    demand = question.demand
    state = t("me.declined") if demand is None else t.bundle(demand, view.setup.market)
    if question.status == "open":
        state = t("run.open")
    return replace(row, bundle=t("check.at_prices"), is_open=False, state=state)


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
    for row in answer_rows(seat.t, view, {}, {}):
        text = one_line(form.get(row.field, [""])[0])
        if row.is_correctable and text:
            drafts[row.key] = Draft(text)
    basket = fill(seat.t, view, drafts)
    if basket.errors:
        return bidder_page(request, seat, bidder, 422, drafts, basket.errors)
    if not basket.items:
        problem = FormProblem("", seat.t("entry.nothing"))
        return bidder_page(request, seat, bidder, 422, drafts, problems=(problem,))
    return entry_page(request, seat, view, basket)
