"""Bids from files, all read as XOR bids: every bidder wins at most one of its bids."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from boca.core.errors import InputError
from boca.core.files import read_bytes, read_text
from boca.core.frozen import read_only
from boca.core.goods import Good
from boca.core.market import Bidder, Market
from boca.core.report import Reports
from boca.core.wording import printable
from boca.markets.bid_sheet import Bid, BidSheet
from boca.markets.cats_bids import parse_cats
from boca.markets.csv_bids import parse_csv
from boca.markets.json_bids import parse_json
from boca.markets.limits_of_size import (
    MOST_BIDDERS,
    MOST_BIDS,
    MOST_BYTES_OF_BIDS,
    MOST_GOODS,
    check_size,
)
from boca.markets.sheet_rows import is_row
from boca.markets.sheet_table import SheetCell, read_table

# Words of those who buy; letters beside them make other words, such as accost or Costa.
BUYING = re.compile(r"(?<![^\W_])(?:costs?|offers?|suppliers?)(?![^\W_])", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class BidFile:
    """
    What a bid file says.

    Parameters
    ----------
    market
        Goods, bidders in the order of their first bid, and limits.
    reports
        One Reports object per bidder.
    reserve
        Reserve price of one copy of each good, ``(num_goods,)``; read-only.
    num_exclusions
        How many of the market's last goods are no goods, but keep bids that share one from
        winning together (dummy goods of CATS).
    word_of_buying
        A word in the file, such as ``supplier``, by which somebody seems to buy and not to sell;
        empty if there is none.
    """

    market: Market
    reports: tuple[Reports, ...]
    reserve: np.ndarray
    num_exclusions: int = 0
    word_of_buying: str = ""

    @property
    def doubt(self) -> str:
        """One line where values may be costs, of which the largest win; empty else."""
        if not self.word_of_buying:
            return ""
        return (
            f"Note: the file says '{self.word_of_buying}'. Values are what bidders would pay, and "
            "the largest sum wins; offers of suppliers, of which the cheapest should win, are for "
            "boca award."
        )


def read_bids(path: Path | str) -> BidFile:
    """
    Reads a file of bids.

    A mistake is an InputError with the file, the line (the bid, in JSON), what was found and what
    was expected.

    Parameters
    ----------
    path
        The file. Its ending decides: ``.csv``, ``.xlsx``, ``.json``, and CATS for all others.
    """
    if Path(path).suffix.lower() == ".xlsx":
        return _read_sheet(path)
    text = read_text(path, "bid file", MOST_BYTES_OF_BIDS)
    parsers = {".csv": parse_csv, ".json": parse_json, ".cats": parse_cats}
    ending, source = Path(path).suffix.lower(), printable(str(path))
    word = next(iter(BUYING.findall(f"{Path(path).stem} {text}")), "")
    if ending in parsers:
        return replace(assemble(parsers[ending](text, source)), word_of_buying=word)
    try:
        return replace(assemble(parse_cats(text, source)), word_of_buying=word)
    except InputError as error:
        raise InputError(
            f"{error} The file was read in the format of CATS, because its name ends in neither "
            ".csv, .xlsx nor .json."
        ) from None


def _read_sheet(path: Path | str) -> BidFile:
    """The bids of a spreadsheet, whose cells mean what they mean in CSV."""
    source = printable(str(path))
    content = read_bytes(path, "bid file", MOST_BYTES_OF_BIDS)
    try:
        rows = read_table(content, MOST_BIDS, MOST_GOODS).rows
    except InputError as error:
        raise InputError(f"{source}: {error}") from None
    lines = []
    # A sheet does not keep empty cells at the end of a row.
    width = len(next((cells for cells in rows if is_row(cells)), ()))
    for number, cells in enumerate(rows, start=1):
        if any(cell.is_formula for cell in cells):
            raise InputError(
                f"{source}, line {number}: found a formula without a value; type the number."
            )
        missing = [""] * (width - len(cells)) if cells else []
        lines.append(",".join([_in_csv(cell) for cell in cells] + missing))
    text = "\n".join(lines)
    word = next(iter(BUYING.findall(f"{Path(path).stem} {text}")), "")
    return replace(assemble(parse_csv(text, source)), word_of_buying=word)


def _in_csv(cell: SheetCell) -> str:
    """A cell in one line, numbers with all their digits."""
    if cell.number is None:
        words = " ".join(cell.text.split())
        return '"' + words.replace('"', '""') + '"' if "," in words or '"' in words else words
    return str(int(cell.number)) if cell.number.is_integer() else repr(cell.number)


def assemble(sheet: BidSheet) -> BidFile:
    """The market and the reports that the bids of a file make up."""
    bids = bids_by_bidder(sheet)
    unknown = sorted(sheet.limits.keys() - bids.keys())
    if unknown:
        raise InputError(
            f"{sheet.source}: a limit is for '{unknown[0]}', who makes no bid; check the name."
        )
    market = Market(
        tuple(map(Good, sheet.goods, sheet.capacities)),
        tuple(Bidder(name, limits=tuple(sheet.limits.get(name, ()))) for name in bids),
        sheet.source,
    )
    reports = tuple(
        Reports(np.array([b.bundle for b in group]), np.array([b.value for b in group]))
        for group in bids.values()
    )
    reserve = read_only(np.array(sheet.reserve, dtype=float))
    return BidFile(market, reports, reserve, sheet.num_exclusions)


def bids_by_bidder(sheet: BidSheet) -> dict[str, list[Bid]]:
    """The bids of each bidder, no bundle twice and none beyond capacity."""
    if not sheet.bids:
        raise InputError(f"{sheet.source}: there are no bids; expected at least one.")
    bids: dict[str, list[Bid]] = {}
    places: dict[tuple[str, tuple[int, ...]], str] = {}
    for bid in sheet.bids:
        _check_capacities(bid, sheet)
        first = places.setdefault((bid.bidder, bid.bundle), bid.where)
        if first != bid.where:
            raise InputError(
                f"{sheet.source}, {bid.where}: '{bid.bidder}' bids a second time on the bundle of "
                f"{first}; keep one of them."
            )
        bids.setdefault(bid.bidder, []).append(bid)
    check_size(len(bids), MOST_BIDDERS, "bidders", sheet.source)
    return bids


def _check_capacities(bid: Bid, sheet: BidSheet) -> None:
    for good, count, most in zip(sheet.goods, bid.bundle, sheet.capacities, strict=True):
        if count > most:
            raise InputError(
                f"{sheet.source}, {bid.where}: found {count} copies of '{good}'; expected at most "
                f"{most}, its capacity."
            )
