"""A bundle that is composed at prices: what was typed, and what it means."""

from typing import Any

from boca.core.market import Market
from boca.live.auction.events import Bundle
from boca.live.auction.views import BidderView, QuestionView
from boca.live.web.texts import Texts
from boca.live.web.views.draft import Draft

# More digits than any number of copies has.
LONGEST_COPIES = 8


def demand_questions(view: BidderView) -> dict[str, QuestionView]:
    """Key of a draft -> the demand query that can be answered, or answered again, by it."""
    again = {row.query for row in view.demands if row.can_correct}
    questions = [question for question in view.questions if question.prices is not None]
    return {
        **{question.id: question for question in questions if question.status == "open"},
        **{f"again:{question.id}": question for question in questions if question.id in again},
    }


def demanded_bundle(t: Texts, market: Market, draft: Draft) -> Bundle | str | None:
    """The composed bundle, None for a declined question, or what is wrong, in a sentence."""
    if draft.is_declined:
        return t("problem.both_demand") if draft.is_demand else None
    if draft.wants_nothing and draft.has_copies:
        return t("problem.nothing_and_copies")
    if not draft.is_demand:
        return t("problem.empty_demand")
    errors = copies_errors(t, market, draft)
    if errors:
        return " ".join(errors.values())
    return tuple(whole(text or "0") or 0 for text in draft.copies) or (0,) * market.num_goods


def copies_errors(t: Texts, market: Market, draft: Draft) -> dict[int, str]:
    """Place of a good -> what is wrong with the copies that were typed for it."""
    errors = {}
    if draft.copies and len(draft.copies) != market.num_goods:
        return {0: t("problem.body")}
    for j, (good, text) in enumerate(zip(market.goods, draft.copies, strict=False)):
        number = whole(text or "0")
        if number is None or number > good.capacity:
            errors[j] = t("problem.copies_of", good=good.name, text=text, most=good.capacity)
    return errors


def typed_counts(draft: Draft, market: Market) -> dict[str, Any]:
    """Copies by the names of the goods; what is not a number stays as it was typed."""
    return {
        good.name: whole(text) if whole(text) is not None else text
        for good, text in zip(market.goods, draft.copies, strict=False)
        if text not in ("", "0")
    }


def whole(text: str) -> int | None:
    """A number of copies as people type it; None if it is none."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= LONGEST_COPIES
    return int(text) if is_number else None
