"""Receipts as people read them."""

from boca.live.auction.choices import cost
from boca.live.auction.events import Submitted
from boca.live.auction.state import Taken
from boca.live.auction.views import BidderView
from boca.live.web.views.basket import BasketItem, ItemKind


def number_of(record: str) -> str:
    """How people call a record: the first twelve digits of its hash, in groups of four."""
    return " ".join(record[k : k + 4] for k in (0, 4, 8))


def received_items(view: BidderView, taken: Taken) -> list[BasketItem]:
    """What a submission held, as the page before sending showed it."""
    event = taken.event
    assert isinstance(event, Submitted), "students' receipts are read by themselves"
    asked = {question.id: question for question in view.questions}
    items = []
    for report in event.reports:
        query = report.query or ""
        kind: ItemKind = "correct" if report.was is not None else "answer" if query else "push"
        items.append(
            BasketItem(
                query,
                kind,
                report.bundle,
                units=report.units,
                was=report.was,
                most=report.most,
                was_most=report.was_most,
            )
        )
    for demand in event.demands or ():
        price = cost(demand.bundle, asked[demand.query].prices or ())
        items.append(BasketItem(demand.query, "demand", demand.bundle, units=price))
    for query in event.declines:
        items.append(BasketItem(query, "decline", asked[query].bundle))
    return items
