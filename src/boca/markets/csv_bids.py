"""
Bids in CSV: one line per bid, one column per good with the number of copies (empty for none).

    bidder,value,Paris,Rome
    capacity,,1,2
    reserve,,5,5
    Ann,10,1,
    Ann,14,1,1

Lines that begin with ``#`` are comments. In a file that stands alone, a line called ``capacity``
gives the copies that exist (1 of each without it), and one called ``reserve`` the reserve prices.
Both have an empty cell below ``value``; with a number there, the line is a bid of a bidder who is
called so.

Where semicolons separate the columns of the header, they do in all lines, and numbers have decimal
commas.
"""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn

from boca.core.errors import InputError
from boca.core.wording import did_you_mean, shortened
from boca.markets.bid_sheet import Bid, BidSheet, check_goods
from boca.markets.found import as_count, as_name, as_value, number_in
from boca.markets.limits_of_size import MOST_GOODS, check_size

LINE_END = re.compile(r"\r\n|\r|\n")
SPECIAL = ("capacity", "reserve")
# From the text of a cell to its number, or to the text itself.
Reader = Callable[[str], int | float | str]
SEPARATORS = {",": "commas", ";": "semicolons"}


def parse_csv(text: str, source: str) -> BidSheet:
    """
    The bids of a file that stands alone: its header says which goods there are.

    Parameters
    ----------
    text
        Content of the file.
    source
        Its name, for messages.
    """
    lines, read = _open(text, source)
    where, cells = next(lines, ("", []))
    if not cells:
        raise InputError(f"{source}: the file is empty; expected a line 'bidder,value,GOOD,...'.")
    header = _Header.of_file(cells, f"{source}, {where}")
    sheet = BidSheet(source, header.goods)
    special: dict[str, str] = {}
    for where, cells in lines:
        place = f"{source}, {where}"
        bidder, value, copies = header.split(cells, place)
        kind = bidder.lower()
        if kind not in SPECIAL or value:
            _check_not_special(bidder, value, read(value), place)
            sheet.add(_bid(bidder, value, copies, header, read, source, where))
            continue
        if kind in special:
            raise InputError(
                f"{place}: found a second line '{kind}', after {special[kind]}; keep one of them."
            )
        special[kind] = where
        if kind == "capacity":
            sheet.capacities = tuple(
                as_count(read(cell or "1"), f"the copies of '{good}'", place, least=1)
                for good, cell in zip(header.goods, copies, strict=True)
            )
        else:
            sheet.reserve = tuple(
                as_value(read(cell or "0"), f"the reserve price of '{good}'", place)
                for good, cell in zip(header.goods, copies, strict=True)
            )
    return sheet


def parse_csv_of_market(
    text: str, source: str, goods: Sequence[str], bidders: Sequence[str]
) -> BidSheet:
    """
    The bids of a file beside a market file, which says which goods and bidders there are.

    Parameters
    ----------
    text
        Content of the file.
    source
        Its name, for messages.
    goods
        The goods of the market; the header has to name them all, in any order.
    bidders
        The bidders whose bids are expected here.
    """
    lines, read = _open(text, source, keep=(*goods, *bidders))
    where, cells = next(lines, ("", []))
    if not cells:
        raise InputError(
            f"{source} is empty; expected a line 'bidder,value,GOOD,...' and a line per bid."
        )
    header = _Header.of_market(cells, goods, f"{source}, {where}")
    sheet = BidSheet(source, header.goods)
    known = set(bidders)
    for where, cells in lines:
        place = f"{source}, {where}"
        bidder, value, copies = header.split(cells, place)
        if bidder not in known:
            raise InputError(
                f"{place}: found the bidder '{shortened(bidder)}', for whom the market file "
                f"expects no bids here; {did_you_mean(bidder, bidders)}"
            )
        sheet.add(_bid(bidder, value, copies, header, read, source, where))
    return sheet


class _Header:
    """
    Which column is which.

    Parameters
    ----------
    goods
        The goods, in the order of a bundle.
    bidder, value
        Columns of the bidder and the value.
    columns
        Column of each good.
    """

    def __init__(self, goods: tuple[str, ...], bidder: int, value: int, columns: list[int]):
        self.goods = goods
        self.bidder = bidder
        self.value = value
        self.columns = columns

    @classmethod
    def of_file(cls, cells: list[str], where: str) -> "_Header":
        """Bidder and value first, whatever their capitals, or anywhere; the rest are goods."""
        bidder, value = 0, 1
        if [cell.lower() for cell in cells[:2]] != ["bidder", "value"]:
            if cells.count("bidder") != 1 or cells.count("value") != 1 or len(cells) < 3:
                _refuse_header(cells, where)
            bidder, value = cells.index("bidder"), cells.index("value")
        columns = [column for column in range(len(cells)) if column not in (bidder, value)]
        if not columns:
            _refuse_header(cells, where)
        goods = check_goods([cells[column] for column in columns], where)
        return cls(goods, bidder, value, columns)

    @classmethod
    def of_market(cls, cells: list[str], goods: Sequence[str], where: str) -> "_Header":
        """Columns called exactly as the market's goods."""
        names = ("bidder", "value", *goods)
        places: dict[str, int] = {}
        known = set(names)
        for column, cell in enumerate(cells):
            if cell not in known:
                raise InputError(
                    f"{where}: found the column '{shortened(cell)}', which is no good of this "
                    f"market; {did_you_mean(cell, names)}"
                )
            if cell in places:
                raise InputError(f"{where}: found the column '{cell}' twice; keep one of them.")
            places[cell] = column
        for name in names:
            if name not in places:
                raise InputError(
                    f"{where}: the column '{name}' is missing; expected 'bidder', 'value' and one "
                    "column for every good."
                )
        columns = [places[good] for good in goods]
        return cls(tuple(goods), places["bidder"], places["value"], columns)

    def split(self, cells: list[str], where: str) -> tuple[str, str, list[str]]:
        """Bidder, value and copies of each good of one line."""
        expected = len(self.columns) + 2
        if len(cells) != expected:
            raise InputError(
                f"{where}: found {len(cells)} columns; expected {expected} as in the header. "
                "Leave cells empty, but keep their separators."
            )
        return cells[self.bidder], cells[self.value], [cells[column] for column in self.columns]


def _refuse_header(cells: list[str], where: str) -> NoReturn:
    raise InputError(
        f"{where}: found the columns '{shortened(','.join(cells))}'; expected 'bidder', 'value' "
        "and one column for every good, separated by commas or semicolons."
    )


def _open(
    text: str, source: str, keep: Sequence[str] = ()
) -> tuple[Iterator[tuple[str, list[str]]], Reader]:
    """
    Place and cells of every line that is neither blank nor a comment, and how numbers are read.

    Parameters
    ----------
    text
        Content of the file.
    source
        Its name, for messages.
    keep
        Names that a line may begin with although they begin with ``#``.
    """
    begins = tuple(name for name in keep if name.startswith("#"))
    lines = [
        (number, line)
        for number, line in enumerate(LINE_END.split(text), start=1)
        if (start := line.lstrip())
        and (start[0] != "#" or bool(begins and start.startswith(begins)))
    ]
    header = lines[0][1] if lines else ""
    if header.count(";") > header.count(","):
        return _cells(lines, source, ";"), _with_decimal_comma
    return _cells(lines, source, ","), number_in


def _with_decimal_comma(text: str) -> int | float | str:
    """The number that a text stands for, where commas separate decimals; else the text itself."""
    number = number_in(text.replace(",", "."))
    return text if isinstance(number, str) else number


def _cells(
    lines: list[tuple[int, str]], source: str, separator: str
) -> Iterator[tuple[str, list[str]]]:
    """Place and cells of every numbered line that has anything in its cells."""
    for number, line in lines:
        # Before millions of cells are made of them; names may have commas too.
        place = f"{source}, line {number}"
        check_size(line.count(separator), 10 * MOST_GOODS, SEPARATORS[separator], place)
        try:
            # One line at a time: an open quote must not swallow the lines below it.
            reader = csv.reader([line], delimiter=separator, strict=True)
            cells = [cell.strip() for cell in next(reader, [])]
        except csv.Error as error:
            raise InputError(
                f"{source}, line {number}: this is not valid CSV: {error}. Check the quotes."
            ) from None
        if any(cells):
            yield f"line {number}", cells


def _bid(
    bidder: str,
    value: str,
    copies: list[str],
    header: _Header,
    read: Reader,
    source: str,
    where: str,
) -> Bid:
    place = f"{source}, {where}"
    bundle = tuple(
        0 if cell == "" else as_count(read(cell), f"the copies of '{good}'", place)
        for good, cell in zip(header.goods, copies, strict=True)
    )
    advice = "A bundle that nobody wants needs no line."
    number = as_value(read(value), "the value", place, advice=advice)
    return Bid(as_name(bidder, "the bidder", place), bundle, number, where)


def _check_not_special(bidder: str, value: str, number: int | float | str, where: str) -> None:
    """Refuses a line that could be meant either way: a bid of nothing by 'reserve' is none."""
    if bidder.lower() in SPECIAL and number == 0:
        raise InputError(
            f"{where}: found the line '{bidder}' with the value {value}; leave the value empty if "
            f"this is the line of {'copies' if bidder.lower() == 'capacity' else 'reserve prices'}"
            ", and bid more than 0 if a bidder is called so."
        )
