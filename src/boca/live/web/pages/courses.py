"""A student's pages: ratings, comparisons of two weeks, what counts, the result."""

from asyncio import wrap_future

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.core.errors import InputError
from boca.live.auction.refusal import Refusal
from boca.live.auction.seat_market import seats_of
from boca.live.auction.views.courses import StudentView, week
from boca.live.web.problems import STATUS
from boca.live.web.seats import BidderSeat, member_seat, seat_page
from boca.live.web.views.courses import (
    TypedForm,
    budget_words,
    form_words,
    missed_words,
    shown_form,
    typed_form,
)
from boca.live.web.views.frame import phase_more
from boca.live.web.views.problem import FormProblem
from boca.live.web.visitors import NotHere, form_of, request_key, site_of

router = APIRouter(include_in_schema=False)


def student_seat(request: Request, auction: str) -> tuple[BidderSeat, StudentView]:
    """A student's place, and its courses; to everybody else these pages do not exist."""
    seat = member_seat(request, auction)
    if seat.view.setup.kind != "courses":
        raise NotHere
    return seat, site_of(request).desk.student(seat.who)


@router.get("/a/{auction}/ratings")
async def ratings(request: Request, auction: str) -> Response:
    """Courses with a slider and a number each, and pairs."""
    seat, view = student_seat(request, auction)
    return ratings_page(request, seat, view, shown_form(view))


def ratings_page(
    request: Request,
    seat: BidderSeat,
    view: StudentView,
    form: TypedForm,
    status: int = 200,
    is_late: bool = False,
) -> Response:
    """The page, with what is wrong with the form if anything is, or that it came too late."""
    row = seats_of(seat.market).students[seat.view.bidder]
    return seat_page(
        request,
        seat,
        "courses/ratings",
        status,
        view=view,
        form=form,
        errors=form.problems,
        wrong={problem.field: problem.sentence for problem in form.problems},
        more=phase_more(seat.t, view.heading),
        ended=seat.t("late.ended", round=view.heading.round + 1) if is_late else "",
        names=[course.name for course in view.rows if course.is_open],
        required=[seat.t.listing(choices) for choices in row["required"]],
        basis=view.submissions[0].hash if view.submissions else "",
    )


@router.post("/a/{auction}/ratings")
async def rate(request: Request, auction: str) -> Response:
    """Takes the form and hands out a receipt, or says what is wrong with it."""
    seat, view = student_seat(request, auction)
    site = site_of(request)
    received = site.desk.now()
    fields = await form_of(request, seat.visitor)
    site.buckets.take("submissions", seat.who.access, site.limits.submissions)
    form = typed_form(seat.t, view, fields)
    if form.problems:
        return ratings_page(request, seat, view, form, 422)
    key = request_key(seat.visitor, "rate", fields.get("basis", [""])[0][:64], form.content)
    pairs = tuple(form.rated_pairs)
    try:
        sent = site.desk.rate(seat.who, form.ratings, pairs, key, received)
        receipt = await wrap_future(sent)
    except Refusal as refusal:
        if refusal.cause == "unavailable":
            raise
        seat, view = student_seat(request, auction)
        if view.can_submit:
            form.problems.append(FormProblem("", seat.t.read(refusal.sentence)))
        is_late = not view.can_submit
        return ratings_page(request, seat, view, form, STATUS[refusal.cause], is_late)
    return RedirectResponse(f"/a/{auction}/receipts/{receipt.hash}", 303)


@router.get("/a/{auction}/compare")
async def compare(request: Request, auction: str) -> Response:
    """Two weeks side by side, and what the answers so far lead to."""
    seat, view = student_seat(request, auction)
    return await compare_page(request, seat, view)


async def compare_page(
    request: Request, seat: BidderSeat, view: StudentView, status: int = 200, error: str = ""
) -> Response:
    """The page; without a question if there is none, or if none can be made at the moment."""
    market = seats_of(seat.market)
    question, is_ready = None, True
    if view.has_form and view.heading.phase in ("open", "paused"):
        try:
            question = await wrap_future(site_of(request).desk.question(seat.who))
        except InputError:
            is_ready = False
    weeks = []
    if question is not None and question.first is not None and question.second is not None:
        weeks = [
            ("first", week(market, question.first, question.second)),
            ("second", week(market, question.second, question.first)),
        ]
    tentative = question.tentative if question else ()
    done = request.query_params.get("done", "")
    return seat_page(
        request,
        seat,
        "courses/compare",
        status,
        view=view,
        weeks=weeks,
        question=question,
        is_ready=is_ready,
        tentative=week(market, tentative, tentative),
        more=phase_more(seat.t, view.heading),
        done=done if any(taken.hash == done for taken in view.submissions) else "",
        errors=[FormProblem("", error)] if error else [],
    )


@router.post("/a/{auction}/compare")
async def answer(request: Request, auction: str) -> Response:
    """Takes an answer, or a change of one, and goes on."""
    seat, view = student_seat(request, auction)
    site = site_of(request)
    received = site.desk.now()
    fields = await form_of(request, seat.visitor)
    site.buckets.take("submissions", seat.who.access, site.limits.submissions)
    first, second = tuple(fields.get("first", ())), tuple(fields.get("second", ()))
    said = fields.get("answer", [""])[0]
    basis = fields.get("basis", [""])[0][:64]
    key = request_key(seat.visitor, "compare", basis, repr((first, second, said)))
    try:
        sent = site.desk.compare(seat.who, first, second, said, key, received)
        receipt = await wrap_future(sent)
    except Refusal as refusal:
        if refusal.cause == "unavailable":
            raise
        seat, view = student_seat(request, auction)
        return await compare_page(
            request, seat, view, STATUS[refusal.cause], seat.t.read(refusal.sentence)
        )
    back = "said" if fields.get("back") == ["said"] else f"compare?done={receipt.hash}"
    return RedirectResponse(f"/a/{auction}/{back}", 303)


@router.get("/a/{auction}/said")
async def said(request: Request, auction: str) -> Response:
    """What counts, with a way to change it, and all receipts."""
    seat, view = student_seat(request, auction)
    return seat_page(
        request,
        seat,
        "courses/said",
        view=view,
        rated=form_words(seat.t, view),
        basis=view.submissions[0].hash if view.submissions else "",
    )


def seat_result_page(request: Request, seat: BidderSeat) -> Response:
    """What the student gets, what it costs, and why not more."""
    desk = site_of(request).desk
    result = desk.seat(seat.who)
    view = desk.student(seat.who)
    return seat_page(
        request,
        seat,
        "courses/result",
        view=view,
        result=result,
        missed=missed_words(seat.t, result) if result else [],
        facts=desk.assignment(None, seat.auction) if result else None,
        show=budget_words,
    )
