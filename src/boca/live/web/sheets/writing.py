"""A bidder's open questions as a file: XLSX, or CSV for everything else."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boca.core.errors import InputError
from boca.live.auction.money import MARKS
from boca.live.auction.views import BidderView, QuestionView
from boca.live.web.sheets.columns import BEFORE, columns_of, harmless
from boca.live.web.sheets.table import SHEET
from boca.live.web.texts import Texts
from boca.live.web.views.draft import Draft

DECLINED = "x"
WIDTHS = {"query": 12, "bundle": 40, "why": 50, "earlier": 50, "value": 16, "decline": 10}
GOOD_WIDTH = 12


@dataclass(frozen=True)
class SheetRow:
    """
    One question.

    Parameters
    ----------
    query, bundle, why, earlier
        Which question, and what helps to answer it.
    counts
        Copies of each good.
    units
        The amount that was typed so far; None where there is none.
    is_declined
        Whether the question will not be answered.
    """

    query: str
    bundle: str
    why: str
    earlier: str
    counts: tuple[int, ...]
    units: int | None
    is_declined: bool


def open_questions(view: BidderView) -> tuple[QuestionView, ...]:
    """The questions that a sheet can answer, in the order they were asked."""
    if view.heading.phase not in ("open", "paused"):
        return ()
    return tuple(q for q in view.questions if q.status == "open" and q.type == "value")


def sheet_rows(t: Texts, view: BidderView, drafts: Mapping[str, Draft]) -> list[SheetRow]:
    """A row for each open question, filled in with the bidder's drafts."""
    market, money = view.setup.market, view.setup.money
    rows = []
    for question in open_questions(view):
        draft = drafts.get(question.id, Draft())
        near = [
            t("sheet.earlier", bundle=t.bundle(row.bundle, market), amount=money.show(row.units))
            for row in question.earlier
        ]
        rows.append(
            SheetRow(
                question.id,
                harmless(t.bundle(question.bundle, market)),
                harmless(t.say(question.reasons)),
                harmless(" ".join(near)),
                question.bundle,
                _typed(draft, view),
                draft.is_declined,
            )
        )
    return rows


def _typed(draft: Draft, view: BidderView) -> int | None:
    """The amount of a draft; what cannot be read is left out."""
    try:
        return view.setup.money.parse(draft.text) if draft.text else None
    except InputError:
        return None


def to_csv(view: BidderView, rows: list[SheetRow]) -> bytes:
    """
    The sheet as CSV.

    It begins with the mark by which Excel knows UTF-8, and where decimals have a comma, semicolons
    separate the cells, as spreadsheets of these languages expect.
    """
    money = view.setup.money
    mark = MARKS[money.language][0]
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=";" if mark == "," else ",", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(columns_of(view.setup.market).names)
    for row in rows:
        value = "" if row.units is None else money.decimal(row.units).replace(".", mark)
        writer.writerow(
            [row.query, row.bundle, row.why, row.earlier, *row.counts, value, _decline(row)]
        )
    return text.getvalue().encode("utf-8-sig")


def to_xlsx(t: Texts, view: BidderView, rows: list[SheetRow]) -> bytes:
    """The sheet as XLSX; only the columns to fill in can be changed."""
    from openpyxl import Workbook  # slow to load, and few people download

    book = Workbook()
    sheet = book.active
    sheet.title = SHEET
    names = columns_of(view.setup.market).names
    sheet.append(names)
    for row in rows:
        amount = None if row.units is None else float(view.setup.money.decimal(row.units))
        sheet.append(
            [row.query, row.bundle, row.why, row.earlier, *row.counts, amount, _decline(row)]
        )
    _dress(sheet, names, view.setup.money.decimals)
    _write_read_me(t, view, book.create_sheet("read me"))
    now = view.heading.now.replace(tzinfo=None)
    book.properties.created = book.properties.modified = now
    book.properties.creator = "boca"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _decline(row: SheetRow) -> str:
    return DECLINED if row.is_declined else ""


def _dress(sheet: Any, names: tuple[str, ...], decimals: int) -> None:
    """Widths, bold headings, and a lock on everything that is not to be filled in."""
    from openpyxl.styles import Alignment, Font, PatternFill, Protection
    from openpyxl.utils import get_column_letter

    top = Alignment(vertical="top", wrap_text=True)
    fill = PatternFill("solid", fgColor="FFF6DD")
    for number, name in enumerate(names, 1):
        sheet.cell(1, number).font = Font(bold=True)
        width = WIDTHS.get(name, GOOD_WIDTH)
        sheet.column_dimensions[get_column_letter(number)].width = width
        for k in range(2, sheet.max_row + 1):
            cell = sheet.cell(k, number)
            cell.alignment = top
            if number > len(names) - 2:
                cell.protection = Protection(locked=False)
                cell.fill = fill
            if name == "value":
                cell.number_format = "#,##0" + ("." + "0" * decimals if decimals else "")
    sheet.freeze_panes = sheet.cell(2, len(BEFORE) - 1)
    sheet.protection.sheet = True
    sheet.protection.formatColumns = False


def _write_read_me(t: Texts, view: BidderView, sheet: Any) -> None:
    money = view.setup.money
    lines = [
        view.heading.name,
        t("sheet.read_me_lead", bidder=view.bidder_name),
        t("sheet.read_me_value", currency=money.currency, unit=money.figures(1)),
        t("sheet.read_me_decline", mark=DECLINED),
        t("sheet.read_me_open"),
        t("sheet.read_me_back"),
    ]
    for line in lines:
        sheet.append([harmless(line)])
    sheet.column_dimensions["A"].width = 100
    sheet.protection.sheet = True
