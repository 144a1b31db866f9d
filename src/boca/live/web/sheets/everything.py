"""Everything that a bidder has said, submission by submission, to take away."""

import json
from dataclasses import dataclass
from typing import Any

from boca.core.csv_text import csv_text
from boca.live.auction.views import BidderView, counts
from boca.live.clock import to_text
from boca.live.web.sheets.columns import columns_of
from boca.live.web.sheets.workbook import add_sheet, new_book, to_bytes
from boca.live.web.texts import Texts
from boca.live.web.views.basket import BasketItem
from boca.live.web.views.naming import sheet_name
from boca.live.web.views.receipt_view import received_items

HEAD = ("receipt", "stored", "sent by", "by way of", "kind", "question")
TAIL = ("copies", "least", "most", "before", "counts now")


@dataclass(frozen=True)
class SaidRow:
    """
    One row of a submission.

    Parameters
    ----------
    receipt, stored, person, channel
        The submission: its record, when it was stored, and who sent it how.
    item
        What was said.
    counts
        Whether it still counts; a later correction takes its place.
    """

    receipt: str
    stored: str
    person: str
    channel: str
    item: BasketItem
    counts: bool


def said_rows(view: BidderView) -> list[SaidRow]:
    """All rows of all submissions, first to last."""
    bundles = {(row.report.hash, row.bundle) for row in view.answers}
    wanted = {(row.demand.hash, row.query) for row in view.demands}
    declined = {q.id for q in view.questions if q.status in ("declined", "unanswered")}
    rows = []
    for taken in reversed(view.submissions):
        for item in received_items(view, taken):
            here = (taken.hash, item.bundle) in bundles
            if item.kind == "demand":
                here = (taken.hash, item.query) in wanted
            elif item.kind == "decline":
                here = item.query in declined
            rows.append(
                SaidRow(
                    taken.hash,
                    to_text(taken.at),
                    taken.person,
                    taken.event.channel,
                    item,
                    here,
                )
            )
    return rows


def _cells(view: BidderView) -> tuple[tuple[str, ...], list[list[object]]]:
    """Headings and cells; amounts are texts that programs read, to the last unit."""
    money = view.setup.money
    goods = columns_of(view.setup.market).goods
    rows: list[list[object]] = []
    for row in said_rows(view):
        item = row.item
        most = item.units if item.most is None else item.most
        amounts = [None if n is None else money.decimal(n) for n in (item.units, most, item.was)]
        name = sheet_name(item.query) if item.query else ""
        said = [row.receipt, row.stored, row.person, row.channel, item.kind, name]
        mark = "x" if row.counts else ""
        rows.append([*said, *item.bundle, sum(item.bundle), *amounts, mark])
    return (*HEAD, *goods, *TAIL), rows


def to_csv(t: Texts, view: BidderView) -> bytes:
    """As CSV, with points in amounts, whatever the language."""
    return csv_text(*_cells(view)).encode("utf-8-sig")


def to_xlsx(t: Texts, view: BidderView) -> bytes:
    """As a workbook in which amounts are numbers."""
    book = new_book()
    head, rows = _cells(view)
    first = len(head) - len(TAIL) + 1
    for row in rows:
        for k in range(first, first + 3):
            row[k] = None if row[k] is None else float(str(row[k]))
    add_sheet(book, t("answers.title"), head, rows, view.setup.money.decimals, freeze="G2")
    return to_bytes(book)


def to_json(t: Texts, view: BidderView) -> bytes:
    """For programs: bundles by the names of goods, amounts as decimal texts."""
    money, market = view.setup.money, view.setup.market
    rows: list[dict[str, Any]] = []
    for row in said_rows(view):
        item = row.item
        amount = None if item.units is None else money.decimal_range(item.units, item.most)
        rows.append(
            {
                "receipt": row.receipt,
                "stored": row.stored,
                "person": row.person,
                "channel": row.channel,
                "kind": item.kind,
                "question": sheet_name(item.query) if item.query else None,
                "query": item.query or None,
                "bundle": counts(item.bundle, market),
                "value": amount,
                "counts": row.counts,
            }
        )
    content = {"auction": view.heading.auction, "bidder": view.bidder_name, "said": rows}
    return json.dumps(content, indent=1, ensure_ascii=False).encode()
