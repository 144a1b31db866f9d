"""The form in which a bidder composes a bundle at announced prices."""

from collections.abc import Mapping
from dataclasses import dataclass

from boca.core.market import Market
from boca.live.auction.money import MARKS, Money
from boca.live.auction.views import BidderView, QuestionView
from boca.live.web.texts import Texts
from boca.live.web.views.demand_draft import copies_errors, whole
from boca.live.web.views.draft import Draft


@dataclass(frozen=True)
class GoodField:
    """
    One good of the form.

    Parameters
    ----------
    name, most
        The good, and how many copies there are.
    price, units
        Of one copy, in words and in units.
    field, text, error
        Where copies are typed, what was typed, what is wrong with it.
    cost
        What the copies cost, as far as the server knows.
    """

    name: str
    most: int
    price: str
    units: int
    field: str
    text: str
    error: str
    cost: str


@dataclass(frozen=True)
class KnownRow:
    """A bundle of an earlier answer at these prices: its worth, its cost, what is left."""

    bundle: str
    worth: str
    is_proven: bool
    cost: str
    left: str


@dataclass(frozen=True)
class Figures:
    """How a script writes amounts: units times ``step``, then so many decimals and these marks."""

    step: int
    decimals: int
    mark: str
    group: str
    currency: str


@dataclass(frozen=True)
class DemandForm:
    """
    One demand query as a part of the page.

    Parameters
    ----------
    id, field, reason
        The query, the name of its first field, and why it is asked.
    goods, total
        Fields for copies with prices and costs, and the cost of everything.
    limits
        What the bidder can receive.
    known
        Bundles of earlier answers that would leave most.
    wants_nothing, is_declined, error
        The rest of the draft, and what is wrong with it.
    is_open, state, bundle
        Whether it can be answered, else what became of it; the bundle that is wanted so far.
    figures
        For the script that shows costs while somebody types.
    """

    id: str
    field: str
    reason: str
    goods: tuple[GoodField, ...]
    total: str
    limits: tuple[str, ...]
    known: tuple[KnownRow, ...]
    wants_nothing: bool
    is_declined: bool
    error: str
    is_open: bool
    state: str
    bundle: str
    figures: Figures


def demand_form(
    t: Texts, view: BidderView, question: QuestionView, draft: Draft, error: str = ""
) -> DemandForm:
    """
    The form of one demand query.

    Parameters
    ----------
    t, view
        Texts and the auction as the bidder sees it.
    question
        The query.
    draft
        What was typed; what is wanted so far if nothing was.
    error
        What is wrong with it as a whole.
    """
    market, money = view.setup.market, view.setup.money
    assert question.prices is not None
    errors = copies_errors(t, market, draft)
    copies = draft.copies if len(draft.copies) == market.num_goods else ("",) * market.num_goods
    numbers = [whole(text or "0") or 0 for text in copies]
    costs = [n * price for n, price in zip(numbers, question.prices, strict=True)]
    goods = tuple(
        GoodField(
            good.name,
            good.capacity,
            money.show(question.prices[j]),
            question.prices[j],
            f"copies.{question.id}.{j}",
            copies[j],
            errors.get(j, ""),
            money.figures(costs[j]) if j not in errors else "\u2013",
        )
        for j, good in enumerate(market.goods)
    )
    return DemandForm(
        id=question.id,
        field=goods[min(errors, default=0)].field,
        reason=t.say(question.reasons),
        goods=goods,
        total=money.show(sum(costs)) if not errors else "\u2013",
        limits=tuple(dict.fromkeys(limit.name for limit in market.bidders[view.bidder].limits)),
        known=known_rows(t, market, money, question),
        wants_nothing=draft.wants_nothing,
        is_declined=draft.is_declined,
        error="" if errors else error,
        is_open=question.status == "open",
        state=demand_state(t, view, question),
        bundle=t.bundle(question.bundle, market),
        figures=figures_of(money),
    )


def demand_forms(
    t: Texts, view: BidderView, drafts: Mapping[str, Draft], errors: Mapping[str, str]
) -> list[DemandForm]:
    """The demand queries of the round under way, in the order they were asked."""
    return [
        demand_form(
            t,
            view,
            question,
            drafts.get(question.id, Draft()),
            errors.get(question.id, ""),
        )
        for question in view.questions
        if question.round == view.heading.round and question.prices is not None
    ]


def known_rows(
    t: Texts, market: Market, money: Money, question: QuestionView
) -> tuple[KnownRow, ...]:
    """Earlier answers at these prices, what leaves most first."""
    return tuple(
        KnownRow(
            t.bundle(row.bundle, market),
            money.figures(row.units),
            row.is_proven,
            money.figures(row.cost),
            signed(money, row.left),
        )
        for row in question.at_prices
    )


def signed(money: Money, units: int) -> str:
    """An amount that may be negative."""
    return f"\u2212{money.figures(-units)}" if units < 0 else money.figures(units)


def demand_state(t: Texts, view: BidderView, question: QuestionView) -> str:
    """What became of a demand query, in words."""
    if question.status == "open":
        return ""
    if question.demand is None:
        return t("me.declined")
    if not any(question.demand):
        return t("demand.wanted_nothing")
    bundle = t.bundle(question.demand, view.setup.market)
    return t("demand.wanted", bundle=bundle, amount=view.setup.money.show(question.cost))


def figures_of(money: Money) -> Figures:
    """How amounts are written, for the script."""
    mark, group = MARKS[money.language]
    step = int(money.size * 10**money.decimals)
    space = "\u00a0" if group == " " else group
    return Figures(step, money.decimals, mark, space, money.currency)


def as_draft(question: QuestionView) -> Draft:
    """What is wanted so far, as somebody would have typed it."""
    if question.demand is None:
        return Draft()
    return Draft(copies=tuple(map(str, question.demand)), wants_nothing=not any(question.demand))
