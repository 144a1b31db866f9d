"""What a filled-in sheet says: a draft for each row, or every mistake with its row and column."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from boca.core.errors import InputError
from boca.core.wording import shortened
from boca.live.auction.money import ends_of
from boca.live.auction.views import BidderView, QuestionView
from boca.live.web.sheets.amounts import units_of_number, units_of_text
from boca.live.web.sheets.columns import (
    FORMER_QUESTION,
    QUESTION,
    Columns,
    columns_of,
    tidy,
)
from boca.live.web.sheets.writing import open_questions
from boca.live.web.texts import Texts
from boca.live.web.views.basket import one_line
from boca.live.web.views.draft import Draft
from boca.live.web.views.naming import is_named, sentence_name, sheet_name
from boca.markets.sheet_table import SheetCell, SheetTable

YES = ("x", "yes", "y", "1", "true", "decline", "declined")
NO = ("", "no", "n", "0", "false")
MOST_MISTAKES = 50
EMPTY = SheetCell()


@dataclass
class FilledSheet:
    """
    What was read from a file.

    Parameters
    ----------
    drafts
        Query -> what the sheet says; empty drafts for rows that were left empty.
    rows
        Query -> its row in the file.
    mistakes
        Sentences with row and column; nothing is taken if there is one.
    """

    drafts: dict[str, Draft] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    mistakes: list[str] = field(default_factory=list)

    def shown_mistakes(self, t: Texts) -> list[str]:
        """The mistakes, not more than a page can hold."""
        more = len(self.mistakes) - MOST_MISTAKES
        if more <= 0:
            return self.mistakes
        return [*self.mistakes[:MOST_MISTAKES], t("sheet.more", n=more)]


def read_sheet(t: Texts, view: BidderView, table: SheetTable) -> FilledSheet:
    """
    Reads an uploaded table.

    Parameters
    ----------
    t
        Texts of the auction's language.
    view
        The auction as the bidder sees it; its open questions are what a sheet can answer.
    table
        The cells.
    """
    return _Reader(t, view, table).read()


class _Reader:
    """One file on its way to drafts."""

    def __init__(self, t: Texts, view: BidderView, table: SheetTable):
        self.t, self.view, self.table = t, view, table
        self.columns: Columns = columns_of(view.setup.market)
        self.questions: dict[str, QuestionView] = {q.id: q for q in open_questions(view)}
        self.sheet = FilledSheet()

    def read(self) -> FilledSheet:
        if not self.table.rows:
            self._wrong(1, QUESTION, self.t("sheet.found_empty"), self.t("sheet.want_heading"))
            return self.sheet
        places = self._read_headings(self.table.rows[0])
        if self.sheet.mistakes:
            return self.sheet
        for number, cells in enumerate(self.table.rows[1:], 2):
            if any(not cell.is_empty for cell in cells):
                row = {name: cells[k] if k < len(cells) else EMPTY for name, k in places.items()}
                self._read_row(number, row)
        if not self.sheet.rows and not self.sheet.mistakes:
            self._wrong(2, QUESTION, self.t("sheet.found_empty"), self._open_names())
        return self.sheet

    def _read_headings(self, cells: tuple[SheetCell, ...]) -> dict[str, int]:
        """Where each column is that must come back; others may be missing or new."""
        headings = [tidy(cell.text) for cell in cells]
        places = {}
        for name in self.columns.needed:
            called = (name, FORMER_QUESTION) if name == QUESTION else (name.lower(),)
            spots = [k for k, heading in enumerate(headings) if heading.lower() in called]
            if len(spots) != 1:
                found = self.t("sheet.found_no_column" if not spots else "sheet.found_two_columns")
                self._wrong(1, name, found, self.t("sheet.want_column", column=name))
            else:
                places[name] = spots[0]
        return places

    def _read_row(self, number: int, row: Mapping[str, SheetCell]) -> None:
        named = row[QUESTION].text
        known = [q for q in self.view.questions if is_named(named, q.id)]
        if not known or known[0].id not in self.questions:
            found = self._quoted(row[QUESTION])
            if known:
                name = sentence_name(self.t, known[0].id)
                found = self.t("sheet.found_closed", query=name)
            self._wrong(number, QUESTION, found, self._open_names())
            return
        question, query = known[0], known[0].id
        if query in self.sheet.rows:
            found = self.t("sheet.found_twice", row=self.sheet.rows[query])
            self._wrong(number, QUESTION, found, self.t("sheet.want_once"))
            return
        self.sheet.rows[query] = number
        self._check_bundle(number, row, question)
        text = self._read_value(number, row[self.columns.amount])
        is_declined = self._read_decline(number, row["decline"])
        if text and is_declined:
            self._wrong(
                number, "decline", self.t("sheet.found_both"), self.t("sheet.want_one_of_two")
            )
        self.sheet.drafts[query] = Draft(text, is_declined)

    def _check_bundle(
        self, number: int, row: Mapping[str, SheetCell], question: QuestionView
    ) -> None:
        for name, count in zip(self.columns.goods, question.bundle, strict=True):
            if row[name].text != str(count) and not (count == 0 and row[name].is_empty):
                want = self.t("sheet.want_count", count=count)
                self._wrong(number, name, self._quoted(row[name]), want)

    def _read_value(self, number: int, cell: SheetCell) -> str:
        """The amount as the page shows it; empty where there is none."""
        if cell.is_empty:
            return ""
        if cell.is_formula:
            self._wrong(
                number, self.columns.amount, self._formula(cell), self.t("sheet.want_saved")
            )
            return ""
        money = self.view.setup.money
        ends: tuple[str, ...] = (cell.text,)
        if self.view.setup.rules.ranges and cell.number is None:
            ends = ends_of(cell.text)
        try:
            if cell.number is not None:
                units = [units_of_number(cell.number, money)]
            else:
                units = [units_of_text(text, money, self.table.mark) for text in ends]
        except InputError as error:
            self.sheet.mistakes.append(
                self.t(
                    "sheet.mistake",
                    row=number,
                    column=self.columns.amount,
                    what=self.t.read(error.message),
                )
            )
            return ""
        # The order of the two ends is checked with everything else that people type.
        return one_line(money.range_figures(units[0], units[-1]))

    def _read_decline(self, number: int, cell: SheetCell) -> bool:
        if cell.is_formula:
            self._wrong(number, "decline", self._formula(cell), self.t("sheet.want_saved"))
        elif cell.text.lower() not in YES + NO:
            self._wrong(number, "decline", self._quoted(cell), self.t("sheet.want_decline"))
        return cell.text.lower() in YES

    def _quoted(self, cell: SheetCell) -> str:
        if cell.is_formula:
            return self._formula(cell)
        return self.t("sheet.found_text", text=shortened(one_line(cell.text)))

    def _formula(self, cell: SheetCell) -> str:
        return self.t("sheet.found_formula", text=shortened(one_line(cell.text)))

    def _open_names(self) -> str:
        names = [sheet_name(query) for query in self.questions]
        shown = self.t.listing([*names[:5], "…"] if len(names) > 5 else names)
        return self.t("sheet.want_query", queries=shown) if names else self.t("sheet.want_nothing")

    def _wrong(self, row: int, column: str, found: str, expected: str) -> None:
        what = self.t("sheet.found_expected", found=found, expected=expected)
        self.sheet.mistakes.append(self.t("sheet.mistake", row=row, column=column, what=what))
