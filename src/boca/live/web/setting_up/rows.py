"""Rows of goods or bidders from a spreadsheet or a pasted table."""

from functools import cache

from boca.core.errors import InputError
from boca.core.wording import counted, shortened
from boca.live.auction.kind import PAYMENT_RULES
from boca.live.auction.money import MARKS
from boca.live.auction.rules import MOST_BIDDERS, MOST_GOODS
from boca.live.web.setting_up.form import (
    BIDDER_FIELDS,
    GOOD_FIELDS,
    LONGEST_CELL,
    NUMBER_FIELDS,
    Row,
)
from boca.live.web.sheets.apart import Size
from boca.live.web.texts import load
from boca.markets.sheet_table import SheetCell, SheetTable

# Headings by which people call a column, in small letters; the first is the one we write.
HEADINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "goods": {
        "name": ("name", "good", "goods", "lot", "item", "licence", "license", "band", "course"),
        "group": ("group", "category", "region"),
        "unit": ("unit", "unit of a copy", "size"),
        "baseline": ("baseline", "today", "price today", "current price"),
        "copies": (
            "copies",
            "capacity",
            "units",
            "needed",
            "number",
            "quantity",
            "seats",
            "blocks",
        ),
        "price": ("price", "reserve", "reserve price", "at most", "at_most", "least price"),
        "credits": ("credits", "points"),
        "points": ("eligibility points", "eligibility", "activity points"),
        "start": ("start", "start price", "first price", "start_price"),
    },
    "bidders": {
        "name": ("name", "bidder", "supplier", "participant", "company"),
        "people": ("people", "person", "persons", "contact"),
        "at_most": ("at most", "at_most", "most", "most in total", "copies in total"),
        "at_most_of_each": ("at most of each", "at_most_of_each", "of each", "most of each"),
        "credit_budget": ("credits", "credit budget", "credit_budget", "points", "budget"),
        "spending_cap": ("spending cap", "spending_cap", "cap"),
        "eligibility": ("eligibility", "eligibility points", "initial eligibility"),
        "forbidden": (
            "forbidden",
            "excluded goods",
            "excluded",
            "cannot have",
            "not allowed",
            "none of",
        ),
        "conflicts": ("conflicts", "alternatives", "alternativen", "only one of"),
        "holds": ("holds", "endowment", "held"),
        "incumbent": ("incumbent",),
        "groups": ("groups",),
        "type": ("type", "group"),
    },
}
MOST = {"goods": MOST_GOODS, "bidders": MOST_BIDDERS}
FIELDS = {"goods": GOOD_FIELDS, "bidders": BIDDER_FIELDS}
# Columns in their order, of a table without headings.
PLAIN = {
    "goods": ("name", "copies", "price", "credits"),
    "bidders": ("name", "people", "at_most", "at_most_of_each"),
}
# What people write where nothing is ticked.
NO = ("no", "nein", "non", "0", "false")
# Rows and columns for notes that nobody needs.
SPARE_ROWS, SPARE_COLUMNS = 50, 20


def size_of(table: str) -> Size:
    """The largest sheet that is read."""
    return Size(1 + MOST[table] + SPARE_ROWS, len(FIELDS[table]) + SPARE_COLUMNS)


def pasted(text: str) -> bytes:
    """A pasted table as a file: columns are parted by tabs, semicolons or commas."""
    mark = next((mark for mark in "\t;," if mark in text), ",")
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
    if mark == "\t":
        quoted = [
            ";".join('"' + cell.strip().replace('"', '""') + '"' for cell in line.split("\t"))
            for line in lines
        ]
        lines = quoted
    return "\n".join(lines).encode()


def rows_of(table: str, sheet: SheetTable) -> tuple[Row, ...]:
    """
    The rows of a sheet; an InputError names row and column of what cannot be used.

    The first row has headings, in any order, unless none of them is known: then columns are read in
    the order of the form.
    """
    rows = [row for row in sheet.rows if any(not cell.is_empty for cell in row)]
    if not rows:
        raise InputError("The table is empty; give a row of headings and a row for each name.")
    places = _places(table, rows[0])
    if "name" in places:
        rows = rows[1:]
    elif places:
        known = ", ".join(f"'{name}'" for name in HEADINGS[table]["name"][:3])
        raise InputError(
            f"The first row has the headings {_listed(rows[0])}; expected one of {known} among "
            "them, above the names."
        )
    else:
        places = {name: k for k, name in enumerate(PLAIN[table])}
    if len(rows) > MOST[table]:
        raise InputError(
            f"The table has {len(rows)} rows of {table}; expected at most {MOST[table]}."
        )
    if not rows:
        raise InputError("The table has headings and no row below them.")
    read = (
        {
            name: _text(table, cells[place], number, name, sheet.mark)
            for name, place in places.items()
            if place < len(cells) and not cells[place].is_empty
        }
        for number, cells in enumerate(rows, 1)
    )
    return tuple(
        {name: text for name, text in row.items() if not _is_no(name, text)} for row in read
    )


def _is_no(name: str, text: str) -> bool:
    """Whether a cell that would be a tick says that there is none."""
    return name == "incumbent" and text.lower() in NO


def _places(table: str, cells: tuple[SheetCell, ...]) -> dict[str, int]:
    """Field -> its column, by the headings that are known and by those of the form."""
    places: dict[str, int] = {}
    labels = labels_of(table)
    for place, cell in enumerate(cells):
        heading = " ".join(cell.text.lower().split())
        known = [name for name, headings in HEADINGS[table].items() if heading in headings]
        for name in known or labels.get(heading, ()):
            places.setdefault(name, place)
    return places


@cache
def labels_of(table: str) -> dict[str, tuple[str, ...]]:
    """What a form calls its columns, in every language and kind of auction -> their fields."""
    labels: dict[str, tuple[str, ...]] = {}
    for language in MARKS:
        for kind in PAYMENT_RULES:
            t = load(language, kind)
            labels |= {t(f"setup.{name}").lower(): (name,) for name in FIELDS[table]}
    return labels


def _text(table: str, cell: SheetCell, number: int, name: str, mark: str | None) -> str:
    """The text of a cell; whole numbers without decimals."""
    if cell.is_formula:
        raise InputError(
            f"Row {number}, column '{name}': found a formula without a stored value; save the file "
            "once in a spreadsheet, or type the number."
        )
    if cell.number is not None:
        return f"{cell.number:.12g}"
    if mark == "," and name in NUMBER_FIELDS[table]:
        return cell.text.replace(",", ".")
    return cell.text[:LONGEST_CELL]


def _listed(cells: tuple[SheetCell, ...]) -> str:
    words = [f"'{shortened(cell.text, 20)}'" for cell in cells if not cell.is_empty]
    return f"{', '.join(words[:5])} ({counted(len(words), 'heading')})"
