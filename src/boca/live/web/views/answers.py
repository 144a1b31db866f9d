"""Everything that a bidder has reported, as it counts now."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from boca.live.auction.views import BidderView
from boca.live.web.texts import Texts
from boca.live.web.views.basket import key_of
from boca.live.web.views.draft import Draft
from boca.live.web.views.receipt_view import number_of


@dataclass(frozen=True)
class Breach:
    """A larger bundle that has a lower value."""

    bundle: str
    amount: str


@dataclass(frozen=True)
class AnswerRow:
    """
    One reported bundle.

    Parameters
    ----------
    bundle, amount, round
        What counts, and since which round.
    receipt, number, at
        The record that says so, and when it was stored.
    breaches
        Larger bundles with a lower value.
    key, field, is_correctable, text, error
        For the field in which it can be corrected.
    """

    bundle: str
    amount: str
    round: int
    receipt: str
    number: str
    at: datetime
    breaches: tuple[Breach, ...]
    key: str
    field: str
    is_correctable: bool
    text: str
    error: str


def corrections_key(view: BidderView) -> str:
    """The sentence about corrections that holds now."""
    corrections = view.setup.rules.corrections
    if corrections == "never":
        return "answers.no_corrections"
    if not view.can_submit:
        return "answers.not_now"
    return "answers.always" if corrections == "always" else "answers.only_round"


def answer_rows(
    t: Texts, view: BidderView, drafts: Mapping[str, Draft], errors: Mapping[str, str]
) -> list[AnswerRow]:
    """The bidder's reports, the latest first."""
    market, money = view.setup.market, view.setup.money
    rows = []
    for k, answer in enumerate(reversed(view.answers)):
        key = key_of("correct", answer.bundle)
        rows.append(
            AnswerRow(
                bundle=t.bundle(answer.bundle, market),
                amount=money.show(answer.units),
                round=answer.round + 1,
                receipt=answer.receipt,
                number=number_of(answer.receipt),
                at=answer.at,
                breaches=tuple(
                    Breach(t.bundle(warning.other, market), money.show(warning.other_units or 0))
                    for warning in answer.breaches
                    if warning.bundle == answer.bundle and warning.other is not None
                ),
                key=key,
                field=f"correct-{k}",
                is_correctable=answer.can_correct,
                text=drafts.get(key, Draft()).text,
                error=errors.get(key, ""),
            )
        )
    return rows


@dataclass(frozen=True)
class DemandWords:
    """
    One bundle that was wanted at announced prices.

    Parameters
    ----------
    query, prices
        The question, and its prices in words.
    bundle, cost, counts
        What was wanted, what it cost, and what counts for it now.
    round, receipt, number
        When it was said, and the record that says so.
    again
        Address of the page for choosing again; empty where the rules do not permit it.
    """

    query: str
    prices: str
    bundle: str
    cost: str
    counts: str
    round: int
    receipt: str
    number: str
    again: str


def demand_words(t: Texts, view: BidderView) -> list[DemandWords]:
    """The bidder's answers to demand queries, the latest first."""
    market, money = view.setup.market, view.setup.money
    rows = []
    for demand in reversed(view.demands):
        prices = [
            t("demand.price_of", good=good.name, amount=money.figures(price))
            for good, price in zip(market.goods, demand.prices, strict=True)
        ]
        counts = ""
        if demand.bid is not None:
            key = "demand.counts_reported" if demand.is_reported else "demand.counts_proven"
            counts = t(key, amount=money.show(demand.bid))
        rows.append(
            DemandWords(
                query=demand.query,
                prices=t.listing(prices),
                bundle=t.bundle(demand.bundle, market),
                cost=money.show(demand.cost) if any(demand.bundle) else "",
                counts=counts,
                round=demand.round + 1,
                receipt=demand.receipt,
                number=number_of(demand.receipt),
                again=f"again/{demand.query}" if demand.can_correct else "",
            )
        )
    return rows
