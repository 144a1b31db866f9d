"""Questions as a form asks them: with what was typed for each, and what is wrong with that."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from boca.live.auction.activity import count_points
from boca.live.auction.views import BidderView, QuestionView
from boca.live.web.texts import Texts
from boca.live.web.views.demand_draft import copies_errors, whole
from boca.live.web.views.draft import Draft
from boca.live.web.views.problem import FormProblem


@dataclass(frozen=True)
class AskedForm:
    """
    One question in a form.

    Parameters
    ----------
    question, draft
        What is asked, and what was typed.
    error
        What is wrong with that as a whole.
    wrong
        Place of a good -> what is wrong with the copies that were typed for it.
    points
        Points of one copy of each good; empty without the activity rule.
    """

    question: QuestionView
    draft: Draft
    error: str = ""
    wrong: Mapping[int, str] = field(default_factory=dict)
    points: tuple[int, ...] = ()

    @property
    def field(self) -> str:
        """The field that a mistake is about."""
        query = self.question.id
        is_value = self.question.prices is None
        return f"value.{query}" if is_value else f"copies.{query}.{min(self.wrong, default=0)}"

    @property
    def copies(self) -> tuple[str, ...]:
        """What was typed for each good."""
        prices = self.question.prices or ()
        return self.draft.copies if len(self.draft.copies) == len(prices) else ("",) * len(prices)

    @property
    def costs(self) -> list[int]:
        """What the copies of each good cost, as far as they can be read."""
        prices = self.question.prices or ()
        return [n * price for n, price in zip(self.numbers, prices, strict=True)]

    @property
    def numbers(self) -> list[int]:
        """The copies that were typed, as far as they can be read."""
        return [whole(text or "0") or 0 for text in self.copies]

    @property
    def num_points(self) -> int:
        """The points of what was typed."""
        return count_points(self.numbers, self.points)


def asked_form(
    t: Texts, view: BidderView, question: QuestionView, draft: Draft, error: str = ""
) -> AskedForm:
    """One question with its draft."""
    if question.prices is None:
        return AskedForm(question, draft, error)
    wrong = copies_errors(t, view.setup.market, draft)
    points = view.setup.rules.points_of(view.setup.market)
    return AskedForm(question, draft, "" if wrong else error, wrong, points)


def asked_forms(
    t: Texts,
    view: BidderView,
    questions: Iterable[QuestionView],
    drafts: Mapping[str, Draft],
    errors: Mapping[str, str],
) -> list[AskedForm]:
    """Questions with their drafts, and with what is wrong by their ids."""
    return [
        asked_form(t, view, q, drafts.get(q.id, Draft()), errors.get(q.id, "")) for q in questions
    ]


def form_problems(t: Texts, view: BidderView, forms: Iterable[AskedForm]) -> list[FormProblem]:
    """What is wrong with forms, each mistake with a link to its field."""
    problems = []
    for form in forms:
        question = form.question
        for place, sentence in form.wrong.items():
            problems.append(FormProblem(f"copies.{question.id}.{place}", sentence))
        if form.error:
            sentence = form.error
            if question.prices is None:
                bundle = t.bundle(question.bundle, view.setup.market)
                sentence = t("words.about", where=bundle, what=form.error)
            problems.append(FormProblem(form.field, sentence))
    return problems


def as_draft(question: QuestionView) -> Draft:
    """What is wanted so far, as somebody would have typed it."""
    if question.demand is None:
        return Draft()
    return Draft(copies=tuple(map(str, question.demand)), wants_nothing=not any(question.demand))
