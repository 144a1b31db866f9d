"""XOR bids from a CSV file: one row a bid, one column a good."""

import csv
import io
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from boca.core.bundle import bundle_key, format_bundle
from boca.core.errors import InputError
from boca.markets.sections import LARGEST_VALUE, nearest, read_text


@dataclass(frozen=True)
class Bid:
    """
    One row of the file.

    Parameters
    ----------
    line
        Where it stands, counted from 1.
    bundle
        Copies of each good.
    value
        What the bundle is worth, at least 0.
    """

    line: int
    bundle: np.ndarray
    value: float


def read_bids(
    path: Path, bidders: list[str], goods: list[str], capacities: list[int]
) -> dict[str, list[Bid]]:
    """
    The bids of every bidder in a file, by the bidder's name.

    Parameters
    ----------
    path
        The CSV file: a header with ``bidder``, ``value`` and the name of every good, in any
        order; then one row a bid. An empty cell below a good means none of it.
    bidders
        The bidders whose bids are expected here.
    goods, capacities
        The goods of the market and the copies there are of each.
    """
    return _Reader(path, bidders, goods, capacities).read()


@dataclass
class _Reader:
    path: Path
    bidders: list[str]
    goods: list[str]
    capacities: list[int]

    def fail(self, line: int, problem: str) -> NoReturn:
        raise InputError(f"{self.path}, line {line}: {problem}")

    def read(self) -> dict[str, list[Bid]]:
        rows = csv.reader(io.StringIO(read_text(self.path, "bids file"), newline=""), strict=True)
        header: list[str] | None = None
        bids: dict[str, list[Bid]] = {}
        try:
            for row in rows:
                cells = [cell.strip() for cell in row]
                if not any(cells):
                    continue
                if header is None:
                    header = self._header(rows.line_num, cells)
                    continue
                bidder, bid = self._bid(rows.line_num, header, cells)
                bids.setdefault(bidder, []).append(bid)
        except csv.Error as error:
            self.fail(rows.line_num, f"this is not valid CSV: {error}. Check the quotes.")
        for bidder in self.bidders:
            if bidder not in bids:
                raise InputError(
                    f"{self.path}: there is no bid of bidder '{bidder}', whose bids the market "
                    "file expects here; add a row, or leave the bidder out."
                )
            self._check_monotone(bidder, bids[bidder])
        return bids

    def _header(self, line: int, cells: list[str]) -> list[str]:
        columns = ["bidder", "value", *self.goods]
        if len(cells) == 1 and ";" in cells[0]:
            self.fail(line, "columns are separated by semicolons; expected commas.")
        for cell in cells:
            if cell not in columns:
                self.fail(
                    line,
                    f"found the column '{cell}', which is no good of this market; "
                    f"{nearest(cell, columns)}",
                )
            if cells.count(cell) > 1:
                self.fail(line, f"found the column '{cell}' twice; keep one of them.")
        for column in columns:
            if column not in cells:
                self.fail(
                    line,
                    f"the column '{column}' is missing; expected 'bidder', 'value' and one "
                    "column for every good.",
                )
        return cells

    def _bid(self, line: int, header: list[str], cells: list[str]) -> tuple[str, Bid]:
        if len(cells) != len(header):
            self.fail(
                line,
                f"found {len(cells)} columns; expected {len(header)} as in the header. "
                "Leave cells empty, but keep their commas.",
            )
        row = dict(zip(header, cells, strict=True))
        if row["bidder"] not in self.bidders:
            self.fail(
                line,
                f"found the bidder '{row['bidder']}', for whom the market file expects no bids "
                f"here; {nearest(row['bidder'], self.bidders)}",
            )
        bundle = np.array(
            [
                self._copies(line, good, row[good], most)
                for good, most in zip(self.goods, self.capacities, strict=True)
            ],
            dtype=np.int64,
        )
        if not bundle.any():
            self.fail(
                line,
                "found a bid for nothing, which is worth 0 by definition; enter how many copies "
                "of each good are wanted, or remove the row.",
            )
        return row["bidder"], Bid(line, bundle, self._value(line, row["value"]))

    def _copies(self, line: int, good: str, cell: str, most: int) -> int:
        if cell == "":
            return 0
        if not re.fullmatch("[0-9]{1,9}", cell):
            self.fail(
                line,
                f"found '{cell}' copies of '{good}'; expected a whole number, or nothing for none.",
            )
        if int(cell) > most:
            self.fail(
                line,
                f"found {int(cell)} copies of '{good}', but there are only {most}; "
                "lower the number here or raise the capacity in the market file.",
            )
        return int(cell)

    def _value(self, line: int, cell: str) -> float:
        try:
            value = float(cell.replace("_", "?"))  # float() itself would accept 1_000
        except ValueError:
            self.fail(
                line,
                f"found the value '{cell}'; expected a number such as 1250 or 12.5, without "
                "currency and without separators for thousands.",
            )
        if not math.isfinite(value):
            self.fail(line, f"found the value '{cell}'; expected a finite number.")
        if value > LARGEST_VALUE:
            self.fail(
                line,
                f"found the value {cell}; expected at most {LARGEST_VALUE:g}. Use a larger unit.",
            )
        if value < 0:
            self.fail(
                line,
                f"found the value {cell}; expected at least 0. A bundle that nobody wants "
                "needs no row.",
            )
        return value

    def _check_monotone(self, bidder: str, bids: list[Bid]) -> None:
        """Fails where a bundle occurs twice or is worth less than a part of it."""
        lines: dict[bytes, int] = {}
        for bid in bids:
            first = lines.setdefault(bundle_key(bid.bundle), bid.line)
            if first != bid.line:
                self.fail(
                    bid.line,
                    f"bidder '{bidder}' has bid for the same bundle "
                    f"({format_bundle(bid.bundle, self.goods)}) in line {first}; keep one of them.",
                )

        bundles = np.array([bid.bundle for bid in bids])  # (num_bids, num_goods)
        values = np.array([bid.value for bid in bids])
        for bid in bids:
            parts = (bundles <= bid.bundle).all(axis=1) & (values > bid.value)
            if parts.any():
                part = bids[int(np.argmax(np.where(parts, values, -1.0)))]
                self.fail(
                    bid.line,
                    f"bidder '{bidder}' values {format_bundle(bid.bundle, self.goods)} at "
                    f"{bid.value:g}, less than a part of it in line {part.line} "
                    f"({format_bundle(part.bundle, self.goods)} at {part.value:g}). "
                    "More is never worth less here: raise this value or remove the row.",
                )
