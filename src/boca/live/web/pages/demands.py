"""Bundles that are composed at prices: what a form says, and the page for choosing again."""

from asyncio import wrap_future

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.core.market import Market
from boca.live.auction.views import QuestionView
from boca.live.web.seats import BidderSeat, page_seat, seat_page
from boca.live.web.views.basket import fill, one_line
from boca.live.web.views.demand_draft import LONGEST_COPIES, demand_questions
from boca.live.web.views.draft import Draft
from boca.live.web.views.naming import address_key, sentence_name
from boca.live.web.views.problem import mistake_sentence
from boca.live.web.views.questions import as_draft, asked_form, form_problems
from boca.live.web.visitors import NotHere, form_of, site_of

router = APIRouter(include_in_schema=False)


def typed_demand(market: Market, query: str, fields: dict[str, list[str]]) -> Draft:
    """What a form says about one demand query."""
    copies = tuple(
        one_line(fields.get(f"copies.{query}.{j}", ["0"])[0])[: LONGEST_COPIES + 1]
        for j in range(market.num_goods)
    )
    return Draft("", f"decline.{query}" in fields, copies, f"nothing.{query}" in fields)


@router.get("/a/{auction}/again/{query}")
async def choosing_again(request: Request, auction: str, query: str) -> Response:
    """Another answer to a demand query, where the rules permit it."""
    seat = page_seat(request, auction)
    question = again_question(seat, query)
    drafts = seat.drafts(site_of(request).desk.drafts(seat.who))
    draft = drafts.get(f"again:{question.id}", as_draft(question))
    return again_page(request, seat, question, draft)


def again_question(seat: BidderSeat, query: str) -> QuestionView:
    """The question of an address, if it can be answered again."""
    for key, question in demand_questions(seat.view).items():
        if key.startswith("again:") and query in (address_key(question.id), question.id):
            return question
    raise NotHere


def again_page(
    request: Request, seat: BidderSeat, question: QuestionView, draft: Draft, error: str = ""
) -> Response:
    """The page, with what is wrong with what was typed."""
    form = asked_form(seat.t, seat.view, question, draft, error)
    problems = form_problems(seat.t, seat.view, [form])
    return seat_page(
        request,
        seat,
        "again",
        422 if problems else 200,
        errors=problems,
        form=form,
        question=sentence_name(seat.t, question.id),
        key=address_key(question.id),
        goods=seat.market.goods,
        limits=seat.limits(seat.view.bidder),
    )


@router.post("/a/{auction}/again/{query}")
async def choose_again(request: Request, auction: str, query: str) -> Response:
    """Keeps another answer as a draft and goes on to the check."""
    seat = page_seat(request, auction)
    fields = await form_of(request, seat.visitor)
    question = again_question(seat, query)
    draft, key = typed_demand(seat.market, question.id, fields), f"again:{question.id}"
    basket = fill(seat.t, seat.view, {key: draft})
    error = basket.errors.get(key, "")
    if not error:
        submission = seat.submission({key: draft})
        mistakes = site_of(request).desk.check(seat.who, submission).mistakes
        error = " ".join(mistake_sentence(seat.t, mistake) for mistake in mistakes)
    if error:
        return again_page(request, seat, question, draft, error)
    await wrap_future(site_of(request).desk.save_drafts(seat.who, {key: seat.keep(draft)}))
    return RedirectResponse(f"/a/{auction}/check", 303)
