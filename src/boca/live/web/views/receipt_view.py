"""Receipts as people read them."""

from dataclasses import dataclass
from datetime import datetime

from boca.live.auction.choices import cost
from boca.live.auction.state import Taken
from boca.live.auction.views import BidderView
from boca.live.clock import from_text
from boca.live.web.texts import Texts


@dataclass(frozen=True)
class ReceivedRow:
    """One thing that was received: a bundle, what it was, its value, and the value before."""

    bundle: str
    kind: str
    amount: str
    was: str = ""


@dataclass(frozen=True)
class ReceiptView:
    """
    One receipt.

    Parameters
    ----------
    number
        The first digits of the record's hash, in groups.
    hash, seal, signature
        The proof.
    at, received, person, channel
        When, by whom and how.
    rows
        What was received.
    """

    number: str
    hash: str
    seal: str
    signature: str
    at: datetime
    received: datetime
    person: str
    channel: str
    rows: tuple[ReceivedRow, ...]


def number_of(record: str) -> str:
    """How people call a record: the first twelve digits of its hash, in groups of four."""
    return " ".join(record[k : k + 4] for k in (0, 4, 8))


def receipt_view(t: Texts, view: BidderView, taken: Taken, signature: str = "") -> ReceiptView:
    """The receipt of one submission, in words."""
    market, money = view.setup.market, view.setup.money
    asked = {question.id: question for question in view.questions}
    rows = []
    for report in taken.event.reports:
        if report.was is not None:
            kind = t("receipt.correct")
        elif report.query is not None:
            kind = t("receipt.answer", query=report.query)
        else:
            kind = t("receipt.push")
        was = "" if report.was is None else money.show(report.was)
        amount = money.show(report.units)
        rows.append(ReceivedRow(t.bundle(report.bundle, market), kind, amount, was))
    for demand in taken.event.demands or ():
        prices = asked[demand.query].prices
        assert prices is not None
        price = t("check.costs", amount=money.show(cost(demand.bundle, prices)))
        kind = t("receipt.demand", query=demand.query)
        rows.append(
            ReceivedRow(t.bundle(demand.bundle, market), kind, price if any(demand.bundle) else "")
        )
    for query in taken.event.declines:
        question = asked[query]
        is_unnamed = question.prices is not None
        bundle = t("check.at_prices") if is_unnamed else t.bundle(question.bundle, market)
        rows.append(ReceivedRow(bundle, t("receipt.decline", query=query), t("check.declined")))
    return ReceiptView(
        number=number_of(taken.hash),
        hash=taken.hash,
        seal=taken.seal,
        signature=signature,
        at=taken.at,
        received=from_text(taken.event.received),
        person=taken.person,
        channel=taken.event.channel,
        rows=tuple(rows),
    )
