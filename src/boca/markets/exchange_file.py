"""
Exchanges as a sheet, CSV (commas or semicolons) or XLSX: who holds what, and what it is worth.

    participant,value,Cod,Haddock
    stock,,1,
    Vessel A,holds,4,
    Vessel A,40,4,
    Vessel A,60,2,2
    Vessel B,holds,,2
    Vessel B,20,,2
    Vessel B,30,2,

A row whose value is ``holds`` says what a participant has before; the others say what it would be
worth to it to hold something afterwards. The row ``stock`` has what the auctioneer adds.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boca.core.errors import InputError
from boca.core.files import read_bytes
from boca.core.goods import Good
from boca.core.market import Bidder, Market
from boca.core.report import Reports
from boca.core.wording import printable, shortened
from boca.markets.limits_of_size import MOST_BIDS, MOST_BYTES_OF_BIDS, MOST_GOODS
from boca.markets.sheet_rows import SheetRows
from boca.markets.sheet_table import SheetCell, read_table

HOLDS = "holds"
STOCK = "stock"


@dataclass(frozen=True, eq=False)
class ExchangeFile:
    """
    What a sheet of an exchange says.

    Parameters
    ----------
    market
        Goods with all copies there are, participants with their endowments.
    reports
        One Reports object per participant.
    """

    market: Market
    reports: tuple[Reports, ...]


def read_exchange(path: Path | str) -> ExchangeFile:
    """
    Reads a sheet of an exchange; all mistakes are named in one InputError, with row and column.

    Parameters
    ----------
    path
        CSV or XLSX, whatever its name ends with.
    """
    source = printable(str(path))
    content = read_bytes(path, "sheet of an exchange", MOST_BYTES_OF_BIDS)
    try:
        table = read_table(content, MOST_BIDS, MOST_GOODS)
    except InputError as error:
        raise InputError(f"{source}: {error}") from None
    rows = SheetRows(table, source, "participant", "value")
    goods = rows.read_header("goods")
    stock = np.zeros(len(goods), dtype=np.int64)
    held: dict[str, np.ndarray] = {}
    values: dict[str, dict[tuple[int, ...], float]] = {}
    for number, name, value, cells in rows.body():
        bundle = np.array(
            [rows.count(number, good, cell) for good, cell in zip(goods, cells, strict=True)],
            dtype=np.int64,
        )
        if name.lower() == STOCK and value.is_empty:
            stock = bundle
        elif not name:
            rows.note(f"row {number}, column 'participant': found nothing; whose row is it?")
        elif value.text.lower() == HOLDS:
            if name in held:
                rows.note(f"row {number}: '{shortened(name)}' holds something in two rows")
            held[name] = bundle
            values.setdefault(name, {})
        else:
            _take_value(rows, number, name, value, bundle, values)
    if not values:
        rows.note("there is no participant; expected at least one row below the header")
    rows.raise_mistakes()
    return _assembled(Path(path).stem, goods, stock, held, values)


def _take_value(
    rows: SheetRows,
    number: int,
    name: str,
    value: SheetCell,
    bundle: np.ndarray,
    values: dict[str, dict[tuple[int, ...], float]],
) -> None:
    if value.is_empty:
        rows.note(f"row {number}, column 'value': found nothing; expected a value, or '{HOLDS}'")
        return
    amount = rows.amount(number, "value", value)
    own = values.setdefault(name, {})
    key = tuple(bundle.tolist())
    if key in own:
        rows.note(f"row {number}: '{shortened(name)}' values the same holding in two rows")
    own[key] = amount


def _assembled(
    name: str,
    goods: list[str],
    stock: np.ndarray,
    held: dict[str, np.ndarray],
    values: dict[str, dict[tuple[int, ...], float]],
) -> ExchangeFile:
    nothing = np.zeros(len(goods), dtype=np.int64)
    endowments = [held.get(participant, nothing) for participant in values]
    copies = stock + np.sum(endowments, axis=0)
    missing = [good for good, number in zip(goods, copies.tolist(), strict=True) if not number]
    if missing:
        raise InputError(
            f"Nobody holds any '{missing[0]}', and there is none in the row '{STOCK}'; leave the "
            "column out, or say who has it."
        )
    market = Market(
        tuple(map(Good, goods, (int(n) for n in copies))),
        tuple(
            Bidder(participant, endowment=tuple(endowment.tolist()) if endowment.any() else ())
            for participant, endowment in zip(values, endowments, strict=True)
        ),
        name,
    )
    reports = []
    for i, own in enumerate(values.values()):
        bundles = np.array([*own], dtype=np.int64).reshape(-1, len(goods))
        beyond = np.flatnonzero(~market.allows(i, bundles)) if own else np.zeros(0, dtype=int)
        if len(beyond):
            raise InputError(
                f"'{market.bidders[i].name}' values more copies than there are "
                f"({list(own)[beyond[0]]}); expected at most {tuple(copies.tolist())}."
            )
        amounts = np.array([*own.values()], dtype=float)
        reports.append(Reports(bundles, amounts) if own else Reports.empty(len(goods)))
    return ExchangeFile(market, tuple(reports))
