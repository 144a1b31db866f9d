"""A bidder's open questions as a file: XLSX, or CSV for everything else."""

import io
from collections.abc import Callable, Mapping
from typing import Any

from boca.core.csv_text import csv_text, harmless
from boca.core.errors import InputError
from boca.live.auction.views import BidderView, QuestionView
from boca.live.web.sheets.columns import QUESTION, Columns, columns_of
from boca.live.web.texts import Texts
from boca.live.web.views.bundle_tables import near_answers
from boca.live.web.views.draft import Draft
from boca.live.web.views.naming import sheet_name
from boca.markets.sheet_table import SHEET

DECLINED = "x"
WIDTHS = {QUESTION: 12, "why": 50, "earlier": 50, "decline": 10}
BUNDLE_WIDTH, AMOUNT_WIDTH = 40, 16
GOOD_WIDTH = 12


def open_questions(view: BidderView) -> tuple[QuestionView, ...]:
    """The questions that a sheet can answer, in the order they were asked."""
    if view.heading.phase not in ("open", "paused"):
        return ()
    return tuple(q for q in view.questions if q.status == "open" and q.type == "value")


def sheet_rows(
    t: Texts, view: BidderView, drafts: Mapping[str, Draft], amount: Callable[[int], object]
) -> list[list[object]]:
    """
    The cells of each open question, filled in with the bidder's drafts.

    Parameters
    ----------
    t, view, drafts
        Texts, the auction as the bidder sees it, and what was typed so far.
    amount
        How the file holds an amount that is given in units.
    """
    market, money = view.setup.market, view.setup.money
    rows: list[list[object]] = []
    for question in open_questions(view):
        draft = drafts.get(question.id, Draft())
        near = [
            t(
                "sheet.earlier",
                name=row.name,
                bundle=row.words,
                amount=money.show_range(row.units, row.most),
            )
            for row in near_answers(t, view, question)
        ]
        words = (t.bundle(question.bundle, market), t.say(question.reasons), " ".join(near))
        value: object = ""
        if typed := _typed(draft, view):
            least, most = typed
            value = amount(least) if least == most else money.range_figures(least, most)
        decline = DECLINED if draft.is_declined else ""
        rows.append(
            [sheet_name(question.id), *map(harmless, words), *question.bundle, value, decline]
        )
    return rows


def _typed(draft: Draft, view: BidderView) -> tuple[int, int] | None:
    """Least and most of a draft; what cannot be read is left out."""
    try:
        return view.setup.rules.read_value(draft.text) if draft.text else None
    except InputError:
        return None


def to_csv(t: Texts, view: BidderView, drafts: Mapping[str, Draft]) -> bytes:
    """
    The sheet as CSV.

    It begins with the mark by which Excel knows UTF-8, and where decimals have a comma, semicolons
    separate the cells, as spreadsheets of these languages expect.
    """
    money = view.setup.money
    separator = ";" if money.mark == "," else ","
    decimals = sheet_rows(t, view, drafts, lambda u: money.decimal(u).replace(".", money.mark))
    text = csv_text(columns_of(view.setup.market).names, decimals, separator)
    return text.encode("utf-8-sig")


def to_xlsx(t: Texts, view: BidderView, drafts: Mapping[str, Draft]) -> bytes:
    """The sheet as XLSX; only the columns to fill in can be changed."""
    from openpyxl import Workbook  # slow to load, and few people download

    book = Workbook()
    sheet = book.active
    sheet.title = SHEET
    money = view.setup.money
    columns = columns_of(view.setup.market)
    sheet.append(columns.names)
    for row in sheet_rows(t, view, drafts, lambda units: float(money.decimal(units))):
        sheet.append([None if cell == "" else cell for cell in row])
    _dress(sheet, columns, money.decimals)
    _write_read_me(t, view, book.create_sheet("read me"))
    now = view.heading.now.replace(tzinfo=None)
    book.properties.created = book.properties.modified = now
    book.properties.creator = "boca"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _dress(sheet: Any, columns: Columns, decimals: int) -> None:
    """Widths, bold headings, and a lock on everything that is not to be filled in."""
    from openpyxl.styles import Alignment, Font, PatternFill, Protection
    from openpyxl.utils import get_column_letter

    names = columns.names
    widths = {**WIDTHS, columns.bundle: BUNDLE_WIDTH, columns.amount: AMOUNT_WIDTH}
    top = Alignment(vertical="top", wrap_text=True)
    fill = PatternFill("solid", fgColor="FFF6DD")
    for number, name in enumerate(names, 1):
        sheet.cell(1, number).font = Font(bold=True)
        width = widths.get(name, GOOD_WIDTH)
        sheet.column_dimensions[get_column_letter(number)].width = width
        for k in range(2, sheet.max_row + 1):
            cell = sheet.cell(k, number)
            cell.alignment = top
            if number > len(names) - 2:
                cell.protection = Protection(locked=False)
                cell.fill = fill
            if name == columns.amount:
                cell.number_format = "#,##0" + ("." + "0" * decimals if decimals else "")
    sheet.freeze_panes = sheet.cell(2, len(columns.before) - 1)
    sheet.protection.sheet = True
    sheet.protection.formatColumns = False


def _write_read_me(t: Texts, view: BidderView, sheet: Any) -> None:
    money = view.setup.money
    lines = [
        view.heading.name,
        t("sheet.read_me_lead", bidder=view.bidder_name),
        t("sheet.read_me_question"),
        t("sheet.read_me_value", currency=money.currency, unit=money.figures(1)),
        *([t("range.sheet")] if view.setup.rules.ranges else []),
        t("sheet.read_me_decline", mark=DECLINED),
        t("sheet.read_me_open"),
        t("sheet.read_me_back"),
    ]
    for line in lines:
        sheet.append([harmless(line)])
    sheet.column_dimensions["A"].width = 100
    sheet.protection.sheet = True
