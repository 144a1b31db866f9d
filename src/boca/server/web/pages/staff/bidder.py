"""One bidder as the auctioneer sees it, and entering something on its behalf."""

import hashlib
import hmac
from asyncio import wrap_future
from collections.abc import Mapping
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.server.live.refusal import Refusal
from boca.server.live.views import BidderView, Question
from boca.server.web.pages.wishes import form_problems, typed_wish
from boca.server.web.problems import STATUS
from boca.server.web.staff import StaffSeat, staff_page, staff_seat
from boca.server.web.texts import Texts
from boca.server.web.views.basket import (
    Basket,
    fill,
    from_content,
    one_line,
    submission_of,
    to_content,
)
from boca.server.web.views.check_view import check_rows, warning_rows
from boca.server.web.views.draft import Draft
from boca.server.web.views.problem import Problem, mistake_problems
from boca.server.web.views.questions import QuestionRow, question_row
from boca.server.web.views.receipt_view import receipt_view
from boca.server.web.views.wish_form import wish_forms
from boca.server.web.visitors import NotHere, form_of, site_of

router = APIRouter(include_in_schema=False)


def number_of_bidder(seat: StaffSeat, text: str) -> int:
    """The row of a bidder in an address; addresses count from 1."""
    is_number = text.isascii() and text.isdecimal() and len(text) < 5
    if not is_number or not 1 <= int(text) <= seat.market.num_bidders:
        raise NotHere
    return int(text) - 1


def view_of(request: Request, seat: StaffSeat, bidder: int) -> BidderView | None:
    """The bidder's questions and reports; None while they are sealed from the visitor."""
    if seat.view.is_sealed:
        return None
    return site_of(request).desk.bidder_as_seen(seat.who, seat.auction, bidder)


@router.get("/a/{auction}/bidders/{number}")
async def bidder(request: Request, auction: str, number: str) -> Response:
    """Questions, reports and submissions of one bidder."""
    seat = staff_seat(request, auction)
    return bidder_page(request, seat, number_of_bidder(seat, number))


def bidder_page(
    request: Request,
    seat: StaffSeat,
    bidder: int,
    status: int = 200,
    drafts: dict[str, Draft] | None = None,
    errors: dict[str, str] | None = None,
    problems: tuple[Problem, ...] = (),
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
        What was typed for the bidder, and what is wrong with it, by query.
    problems
        Mistakes that belong to no query.
    """
    t, view = seat.t, view_of(request, seat, bidder)
    drafts, errors = drafts or {}, errors or {}
    rows, forms = [], []
    if view is not None:
        rows = [entry_row(t, view, q, drafts, errors) for q in view.questions]
        forms = [form for form in wish_forms(t, view, drafts, errors) if form.is_open]
    reports = [] if view is None else view.answers[::-1]
    shown = [Problem(row.field, f"{row.bundle}: {row.error}") for row in rows if row.error]
    shown += [problem for form in forms for problem in form_problems(form)]
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
        reports=[
            (seat.words(r.bundle), seat.money.show(r.units), r.round + 1, r.at, bool(r.breaches))
            for r in reports
        ],
        receipts=[] if view is None else [receipt_view(t, view, s) for s in view.submissions],
        reasons=[] if view is None else [s.event.reason or "" for s in view.submissions],
        currency=seat.money.currency,
        errors=(*shown, *problems),
    )


def entry_row(
    t: Texts,
    view: BidderView,
    question: Question,
    drafts: Mapping[str, Draft],
    errors: Mapping[str, str],
) -> QuestionRow:
    """One question; bundles at prices are composed below the table."""
    row = question_row(t, view, question, drafts.get(question.id, Draft()), errors)
    if question.prices is None:
        return row
    wish = question.wish
    state = t("me.declined") if wish is None else t.bundle(wish, view.setup.market)
    if question.status == "open":
        state = t("run.open")
    return replace(row, bundle=t("check.at_prices"), is_open=False, state=state)


@router.post("/a/{auction}/bidders/{number}")
async def typed(request: Request, auction: str, number: str) -> Response:
    """Shows what was typed on a bidder's behalf, for checking."""
    seat = staff_seat(request, auction, must_act=True)
    bidder = number_of_bidder(seat, number)
    form = await form_of(request, seat.visitor)
    view = view_of(request, seat, bidder)
    if view is None:
        raise Refusal("forbidden", seat.t("entry.sealed"), seat.heading.phase)
    drafts = {}
    for question in view.questions:
        text = one_line(form.get(f"value.{question.id}", [""])[0])
        draft = Draft(text, f"decline.{question.id}" in form)
        if question.prices is not None:
            draft = typed_wish(seat.market, question.id, form)
        if question.status == "open" and draft.to_text():
            drafts[question.id] = draft
    basket = fill(seat.t, view, drafts)
    if basket.errors:
        return bidder_page(request, seat, bidder, 422, drafts, basket.errors)
    if not basket.items:
        problem = Problem("", seat.t("entry.nothing"))
        return bidder_page(request, seat, bidder, 422, drafts, problems=(problem,))
    return entry_page(request, seat, view, basket)


def entry_page(
    request: Request,
    seat: StaffSeat,
    view: BidderView,
    basket: Basket,
    status: int = 200,
    ticked: tuple[str, ...] = (),
    reason: str = "",
    errors: tuple[Problem, ...] = (),
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
        Problem(w.field, f"{w.text} {t('check.tick_missing')}") for w in warnings if w.error
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
    bidder = number_of_bidder(seat, number)
    form = await form_of(request, seat.visitor)
    desk = site_of(request).desk
    received = desk.now()
    view = view_of(request, seat, bidder)
    if view is None:
        raise Refusal("forbidden", seat.t("entry.sealed"), seat.heading.phase)
    content, basis = form.get("content", [""])[0], form.get("basis", [""])[0]
    reason, ticked = form.get("reason", [""])[0], tuple(form.get("tick", ()))
    drafts = from_content(content)
    basket = fill(seat.t, view, drafts)
    errors = []
    if not reason.strip():
        errors.append(Problem("reason", seat.t("confirm.reason_missing")))
    if form.get("name", [""])[0].strip() != seat.heading.name:
        sentence = seat.t("confirm.wrong_name", auction=seat.heading.name)
        errors.append(Problem("name", sentence))
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
        view = view_of(request, seat, bidder)
        assert view is not None
        is_asked = refusal.cause == "unconfirmed"
        told = () if is_asked else (Problem("", refusal.sentence),)
        basket = fill(seat.t, view, drafts)
        status = STATUS[refusal.cause]
        return entry_page(request, seat, view, basket, status, ticked, reason, told, is_asked)
    return RedirectResponse(f"/a/{auction}/bidders/{number}", 303)
