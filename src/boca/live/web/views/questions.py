"""A bidder's questions, each with its reason and earlier answers near it."""

from collections.abc import Mapping
from dataclasses import dataclass

from boca.live.auction.views import BidderView, QuestionView
from boca.live.web.texts import Texts
from boca.live.web.views.draft import Draft


@dataclass(frozen=True)
class NearRow:
    """An earlier answer beside a question: a part of its bundle, a whole, or almost the same."""

    relation: str
    bundle: str
    amount: str


@dataclass(frozen=True)
class QuestionRow:
    """
    One question as a row of the page.

    Parameters
    ----------
    id, field
        The query, and the name of its field in the form.
    bundle, reason, near
        What is asked, why, and what was said before.
    is_open, state
        Whether it can be answered, else what became of it.
    text, is_declined, error
        The draft, and what is wrong with it.
    """

    id: str
    field: str
    bundle: str
    reason: str
    near: tuple[NearRow, ...]
    is_open: bool
    state: str
    text: str = ""
    is_declined: bool = False
    error: str = ""


def question_rows(
    t: Texts, view: BidderView, drafts: Mapping[str, Draft], errors: Mapping[str, str]
) -> list[QuestionRow]:
    """The value queries of the round under way, in the order they were asked."""
    return [
        question_row(t, view, question, drafts.get(question.id, Draft()), errors)
        for question in view.questions
        if question.round == view.heading.round and question.prices is None
    ]


def question_row(
    t: Texts, view: BidderView, question: QuestionView, draft: Draft, errors: Mapping[str, str]
) -> QuestionRow:
    """One question with its draft."""
    market, money = view.setup.market, view.setup.money
    return QuestionRow(
        id=question.id,
        field=f"value.{question.id}",
        bundle=t.bundle(question.bundle, market),
        reason=t.say(question.reasons),
        near=tuple(
            NearRow(row.relation, t.bundle(row.bundle, market), money.figures(row.units))
            for row in question.earlier
        ),
        is_open=question.status == "open",
        state=question_state(t, view, question),
        text=draft.text,
        is_declined=draft.is_declined,
        error=errors.get(question.id, ""),
    )


def question_state(t: Texts, view: BidderView, question: QuestionView) -> str:
    """What became of a question, in words."""
    if question.status == "answered" and question.units is not None:
        return t("me.answered", amount=view.setup.money.show(question.units))
    return "" if question.status == "open" else t("me.declined")
