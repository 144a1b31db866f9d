"""Calls of bidders: questions, check, submissions, receipts, result."""

from asyncio import wrap_future

from fastapi import APIRouter, Request, Response

from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import BundleValue, DemandAnswer, Submission, ValueAnswer
from boca.live.auction.views import QuestionView, counts
from boca.live.auction.warnings import Warning
from boca.live.web.api.models import (
    Acceptance,
    AtPricesOut,
    CheckOut,
    EarlierOut,
    MistakeOut,
    QueriesOut,
    QueryOut,
    ReceiptOut,
    ReceiptsOut,
    ResultOut,
    SubmissionIn,
    WarningOut,
)
from boca.live.web.api.shared import BEARER, CallSeat, IdempotencyKey, problems
from boca.live.web.problems import STATUS, answer, texts_for
from boca.live.web.seats import BidderSeat
from boca.live.web.views.check_view import warning_words
from boca.live.web.views.results import why_words
from boca.live.web.visitors import NotHere, site_of

router = APIRouter(prefix="/api/v1/auctions/{auction}", tags=["bidder"], dependencies=[BEARER])


def submission_of(sent: SubmissionIn) -> Submission:
    """A call's body as the auction takes it."""
    return Submission(
        answers=tuple(ValueAnswer(row.query, row.value) for row in sent.answers),
        declines=tuple(sent.declines),
        pushes=tuple(BundleValue(row.bundle, row.value) for row in sent.pushes),
        corrections=tuple(BundleValue(row.bundle, row.value) for row in sent.corrections),
        confirmed=tuple(sent.confirmed),
        basis=sent.basis,
        demands=tuple(DemandAnswer(row.query, row.bundle) for row in sent.demands),
    )


def warning_out(seat: BidderSeat, warning: Warning) -> WarningOut:
    """A warning as programs get it."""
    return WarningOut(
        id=warning.id,
        kind=warning.kind,
        text=warning_words(seat.t, seat.view.setup, warning),
        bundle=counts(warning.bundle, seat.market),
        needs_confirmation=warning.needs_tick,
    )


@router.get("/queries", responses=problems())
async def queries(seat: CallSeat) -> QueriesOut:
    """All questions so far; the open ones can be answered while the round is open."""
    view = seat.view
    rows = [query_out(seat, question) for question in view.questions]
    return QueriesOut(queries=rows, basis=view.basis, pushes_left=view.pushes_left)


def query_out(seat: BidderSeat, question: QuestionView) -> QueryOut:
    """A question as programs get it."""
    market, amount = seat.market, seat.money.decimal
    prices = question.prices
    return QueryOut(
        id=question.id,
        round=question.round,
        type=question.type,
        bundle=counts(question.bundle, market),
        prices=None
        if prices is None
        else {g.name: amount(price) for g, price in zip(market.goods, prices, strict=True)},
        eligibility=question.eligibility,
        cost=None if question.demand is None else amount(question.cost),
        reason=seat.t.say(question.reasons),
        status=question.status,
        value=None
        if question.units is None
        else seat.money.decimal_range(question.units, question.most),
        earlier=[
            EarlierOut(
                relation=row.relation,
                bundle=counts(row.bundle, market),
                value=seat.money.decimal_range(row.units, row.most),
            )
            for row in question.earlier
        ],
        at_prices=[
            AtPricesOut(
                bundle=counts(row.bundle, market),
                value=amount(row.units),
                is_proven=row.is_proven,
                cost=amount(row.cost),
                left=amount(row.left),
            )
            for row in question.at_prices
        ],
    )


@router.post("/check", responses=problems())
async def check_submission(request: Request, seat: CallSeat, sent: SubmissionIn) -> CheckOut:
    """Mistakes and warnings of a submission; changes nothing."""
    checked = site_of(request).desk.check(seat.who, submission_of(sent), "api")
    t = texts_for(request)
    return CheckOut(
        warnings=[warning_out(seat, warning) for warning in checked.warnings],
        errors=[
            MistakeOut(where=m.where, found=t.read(m.found), expected=t.read(m.expected))
            for m in checked.mistakes
        ],
    )


@router.post(
    "/submissions",
    status_code=201,
    responses={
        **problems(409, 503),
        200: {"model": ReceiptOut, "description": "Taken before; the same receipt."},
    },
    response_model=ReceiptOut,
)
async def submit(
    request: Request,
    response: Response,
    seat: CallSeat,
    sent: SubmissionIn,
    key: IdempotencyKey,
) -> ReceiptOut | Response:
    """Sends answers for good; the answer comes when they are safely stored."""
    desk, site = site_of(request).desk, site_of(request)
    received = desk.now()
    site.buckets.take("submissions", seat.who.access, site.limits.submissions)
    submission = submission_of(sent)
    try:
        receipt = await wrap_future(desk.submit(seat.who, submission, key, received, "api"))
    except Refusal as refusal:
        if refusal.cause != "unconfirmed":
            raise
        warnings = desk.check(seat.who, submission, "api").unconfirmed
        more = {"warnings": [warning_out(seat, w).model_dump() for w in warnings]}
        status = STATUS[refusal.cause]
        return answer(request, status, refusal.sentence, phase=refusal.phase, more=more)
    if receipt.is_repetition:
        response.status_code = 200
    return ReceiptOut(**receipt.content)


@router.post("/accept", responses=problems(409))
async def accept(request: Request, seat: CallSeat, sent: Acceptance) -> Acceptance:
    """Accepts the rules, where they say that bidders have to; ``rules`` is their hash."""
    await wrap_future(site_of(request).desk.accept(seat.who, sent.rules))
    return sent


@router.get("/receipts", responses=problems())
async def receipts(request: Request, seat: CallSeat) -> ReceiptsOut:
    """All receipts of the bidder, first to last."""
    desk = site_of(request).desk
    signed = [desk.receipt(seat.who, taken.hash) for taken in seat.view.submissions[::-1]]
    return ReceiptsOut(receipts=[ReceiptOut(**receipt.content) for receipt in signed])


@router.get("/receipts/{record}", responses=problems())
async def receipt(request: Request, seat: CallSeat, record: str) -> ReceiptOut:
    """One receipt, by the hash of its record."""
    return ReceiptOut(**site_of(request).desk.receipt(seat.who, record).content)


@router.get("/result", responses=problems())
async def result(request: Request, seat: CallSeat) -> ResultOut:
    """What the bidder receives and pays; 404 before publication."""
    result = site_of(request).desk.result(seat.who)
    if result is None:
        raise NotHere
    return ResultOut(
        bundle=counts(result.bundle, seat.market),
        value=seat.money.decimal(result.units),
        payment=seat.money.decimal(result.payment),
        why=why_words(seat.t, result),
    )
