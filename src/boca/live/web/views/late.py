"""What was typed for questions whose round is over, and what can still be done with it."""

from collections.abc import Mapping
from dataclasses import dataclass

from boca.live.auction.views import BidderView, QuestionView
from boca.live.web.views.draft import Draft

# Phases after which nobody sends anything any more.
OVER = ("stopped", "deciding", "decided", "published", "cancelled")


@dataclass(frozen=True)
class LateAnswer:
    """
    One row of the page.

    Parameters
    ----------
    question, draft
        What was asked, and what was typed too late.
    can_offer
        Whether the same can be sent as a bid that nobody asked for, in this round or a later one.
    """

    question: QuestionView
    draft: Draft
    can_offer: bool


def late_answers(view: BidderView, drafts: Mapping[str, Draft]) -> tuple[LateAnswer, ...]:
    """
    Drafts of questions that ended without an answer.

    A bundle that has been valued since is none: the draft is done with.

    Parameters
    ----------
    view
        The auction as the bidder sees it.
    drafts
        What was typed, by key.
    """
    reported = {answer.bundle for answer in view.answers}
    asked = {question.bundle for question in view.questions if question.status == "open"}
    is_over = view.heading.phase in OVER
    rows = []
    for question in view.questions:
        draft = drafts.get(question.id)
        if question.status != "unanswered" or draft is None:
            continue
        is_value = question.prices is None and bool(draft.text)
        if is_value and question.bundle in reported:
            continue
        can_offer = is_value and question.bundle not in asked and not is_over
        rows.append(LateAnswer(question, draft, can_offer and view.pushes_left > 0))
    return tuple(rows)
