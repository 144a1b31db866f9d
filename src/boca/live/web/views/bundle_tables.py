"""Which bundles stand side by side on a bidder's pages, and what each is compared with."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from boca.live.auction.events import Bundle
from boca.live.auction.query_id import round_and_number
from boca.live.auction.views import AnswerRow, BidderView, DemandAnswerRow, QuestionView
from boca.live.web.texts import Texts
from boca.live.web.views.answers import CorrectionForm
from boca.live.web.views.basket import BasketItem
from boca.live.web.views.goods_table import GoodsColumn, GoodsTable, goods_tables, nearest
from boca.live.web.views.naming import question_name, question_title, said_name, sentence_name
from boca.live.web.views.questions import AskedForm

# Goods that are named where two bundles are told apart; tables show more of them better.
MOST_DIFFERENT = 4


@dataclass(frozen=True)
class NearAnswer:
    """
    An own answer that helps with a question.

    Parameters
    ----------
    name, units, most
        What was answered, and the value, with the end of a range.
    words
        How its bundle differs.
    is_compared
        Whether the signs in the table compare with it.
    """

    name: str
    units: int
    most: int | None
    words: str
    is_compared: bool


@dataclass(frozen=True)
class RoundTables:
    """Tables of one round, as people count rounds."""

    round: int
    tables: list[GoodsTable]


def question_tables(t: Texts, view: BidderView, forms: Iterable[AskedForm]) -> list[GoodsTable]:
    """Value questions side by side, each with the own answer that is most like it."""
    return goods_tables(view.setup.market, [_asked(t, view, form) for form in forms])


def asked_by_round(t: Texts, view: BidderView, forms: Iterable[AskedForm]) -> list[RoundTables]:
    """Value questions of all rounds, the latest first."""
    columns = [(form.question.round, _asked(t, view, form)) for form in forms]
    return _by_round(view, columns)


def _asked(t: Texts, view: BidderView, form: AskedForm) -> GoodsColumn:
    question = form.question
    # An answer of this round is no earlier one; marks would change with the order of answering.
    before = [row.bundle for row in view.answers if row.report.round < question.round]
    title = question_title(t, question.id)
    return GoodsColumn(title, question.bundle, form, nearest(question.bundle, before))


def near_answers(
    t: Texts, view: BidderView, question: QuestionView, before: Bundle | None = None
) -> list[NearAnswer]:
    """Own answers near a question; the one that signs compare with, if any, comes first."""
    said = {row.bundle: row.report for row in view.answers}
    bundles = [near.bundle for near in question.earlier if near.bundle in said]
    if before is not None:
        bundles = [before, *(bundle for bundle in bundles if bundle != before)]
    return [
        NearAnswer(
            said_name(t, said[bundle]),
            said[bundle].units,
            said[bundle].most,
            difference_words(t, view, question.bundle, bundle),
            bundle == before,
        )
        for bundle in bundles
    ]


def difference_words(t: Texts, view: BidderView, bundle: Bundle, other: Bundle) -> str:
    """What another bundle has less and more than a bundle, in words."""
    market = view.setup.market
    lacks = tuple(max(a - b, 0) for a, b in zip(bundle, other, strict=True))
    adds = tuple(max(b - a, 0) for a, b in zip(bundle, other, strict=True))
    number = sum(a != b for a, b in zip(bundle, other, strict=True))
    if number > MOST_DIFFERENT:
        return t("near.differs", n=number)
    words = []
    if any(lacks):
        words.append(t("near.without", goods=t.bundle(lacks, market)))
    if any(adds):
        words.append(t("near.with", goods=t.bundle(adds, market)))
    return t("words.comma").join(words)


def answer_tables(t: Texts, view: BidderView, forms: Iterable[CorrectionForm]) -> list[RoundTables]:
    """Own reports by round, the latest first, each compared with an earlier one."""
    columns = []
    for form in forms:
        answer: AnswerRow = form.answer
        before = [row.bundle for row in view.answers if row.report.at < answer.report.at]
        query = answer.report.query
        # Below the heading of a round; a correction may be of an earlier round's question.
        is_here = query is not None and _round_of(query) == answer.report.round
        title = question_title(t, query) if query and is_here else said_name(t, answer.report)
        column = GoodsColumn(title, answer.bundle, form, nearest(answer.bundle, before))
        columns.append((answer.report.round, column))
    columns.sort(key=lambda row: _place(row[1].item.answer.report.query))
    return _by_round(view, columns)


def _round_of(query: str) -> int:
    """The round of a question, counted from 0 as in the log."""
    place = round_and_number(query)
    return place[0] - 1 if place else -1


def _place(query: str | None) -> tuple[float, float]:
    """Where a question stands among others; own bids come last."""
    place = round_and_number(query) if query else None
    return (float(place[0]), float(place[1])) if place else (math.inf, math.inf)


def declined_tables(
    t: Texts, view: BidderView, questions: Iterable[QuestionView]
) -> list[GoodsTable]:
    """Value questions that will not be answered."""
    columns = [GoodsColumn(question_name(t, q.id), q.bundle, q) for q in questions]
    return goods_tables(view.setup.market, columns)


def demand_tables(t: Texts, view: BidderView, rows: Iterable[DemandAnswerRow]) -> list[GoodsTable]:
    """Bundles that were wanted at announced prices, with the prices."""
    columns = [
        GoodsColumn(question_name(t, row.query), row.demand.bundle, row, prices=row.demand.prices)
        for row in rows
    ]
    return goods_tables(view.setup.market, columns)


def item_tables(t: Texts, view: BidderView, items: Sequence[BasketItem]) -> list[GoodsTable]:
    """What will be sent or was received, each bundle compared with an earlier answer."""
    sent = {item.query for item in items if item.query}
    said = [row.bundle for row in view.answers if row.report.query not in sent]
    columns = []
    for item in items:
        title = t(f"check.{item.kind}", query=sentence_name(t, item.query))
        before = item.was_bundle
        if before is None and item.kind in ("answer", "push"):
            before = nearest(item.bundle, said)
        columns.append(GoodsColumn(title, item.bundle, item, before))
    return goods_tables(view.setup.market, columns)


def _by_round(view: BidderView, columns: Iterable[tuple[int, GoodsColumn]]) -> list[RoundTables]:
    rounds: dict[int, list[GoodsColumn]] = {}
    for number, column in columns:
        rounds.setdefault(number, []).append(column)
    return [
        RoundTables(number + 1, goods_tables(view.setup.market, rounds[number]))
        for number in sorted(rounds, reverse=True)
    ]
