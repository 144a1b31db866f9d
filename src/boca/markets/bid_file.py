"""
Bids from files: CSV, JSON or the CATS text format, all read as XOR bids.

CSV: a line a bid, one column a good with the number of copies (empty for none). A line for the
"bidder" ``capacity`` gives the copies that exist, 1 if there is none; one for ``reserve`` the
reserve prices. Lines that begin with ``#`` are comments.

    bidder,value,Paris,Rome
    capacity,,1,2
    Ann,10,1,
    Ann,14,1,1

JSON: ``goods`` (a list of names, or copies by name), ``bids`` (each with ``bidder``, ``value`` and
``bundle``: a list of names, or copies by name), and optionally ``reserve`` (price by good) and
``limits`` (each with ``bidder``, ``coefficients`` by good, ``bound`` and perhaps ``name``).
"""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Bidder, Good, Limit, Market
from boca.core.report import Reports
from boca.markets.cats import parse_cats


@dataclass(frozen=True, eq=False)
class BidFile:
    """
    What a bid file says.

    Parameters
    ----------
    market
        Goods, bidders in the order of their first bid, and limits.
    reports
        One Reports object a bidder.
    reserve
        Reserve price of one copy of each good, ``(num_goods,)``.
    """

    market: Market
    reports: tuple[Reports, ...]
    reserve: np.ndarray


def read_bids(path: Path | str) -> BidFile:
    """
    Reads a file of bids; the ending decides: ``.csv``, ``.json``, and CATS for all others.

    A mistake is an InputError with the file, the line (the bid, in JSON), what was found and what
    was expected.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(
            f"Cannot read the file '{path}': {error.strerror}. Check the name."
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"The file '{path}' is not text in UTF-8; save it as UTF-8.") from None

    if path.suffix.lower() == ".csv":
        return _parse_csv(text, str(path))
    if path.suffix.lower() == ".json":
        return _parse_json(text, str(path))
    market, reports = parse_cats(text, str(path))
    return BidFile(market, tuple(reports), np.zeros(market.num_goods))


class _Collector:
    """Bids of one file, bidder by bidder."""

    def __init__(self, goods: list[str], source: str):
        self.goods = goods
        self.source = source
        self.capacities = np.ones(len(goods), dtype=np.int64)
        self.reserve = np.zeros(len(goods))
        self.limits: dict[str, list[Limit]] = {}
        self.bids: dict[str, dict[tuple[int, ...], tuple[float, str]]] = {}

    def add(self, bidder: Any, value: float, bundle: list[int], where: str) -> None:
        if not isinstance(bidder, str) or not bidder.strip():
            raise InputError(f"{where}: found {bidder!r} as a bidder; expected a name.")
        if not any(bundle):
            raise InputError(f"{where}: the bid asks for nothing; expected at least one good.")
        own = self.bids.setdefault(bidder.strip(), {})
        if tuple(bundle) in own:
            raise InputError(
                f"{where}: '{bidder}' bids a second time on the bundle of "
                f"{own[tuple(bundle)][1].removeprefix(self.source + ', ')}; remove one of the two."
            )
        own[tuple(bundle)] = value, where

    def finish(self) -> BidFile:
        if not self.bids:
            raise InputError(f"{self.source}: there are no bids; expected at least one.")
        unknown = sorted(self.limits.keys() - self.bids.keys())
        if unknown:
            raise InputError(
                f"{self.source}: a limit is for '{unknown[0]}', who makes no bid; check the name."
            )
        for bids in self.bids.values():
            for bundle, (_, where) in bids.items():
                for good, count, most in zip(self.goods, bundle, self.capacities, strict=True):
                    if count > most:
                        raise InputError(
                            f"{where}: found {count} copies of '{good}'; expected at most {most}, "
                            "its capacity."
                        )
        market = Market(
            tuple(Good(name, int(c)) for name, c in zip(self.goods, self.capacities, strict=True)),
            tuple(Bidder(name, limits=tuple(self.limits.get(name, ()))) for name in self.bids),
            self.source,
        )
        reports = tuple(
            Reports(np.array(list(own)), np.array([value for value, _ in own.values()]))
            for own in self.bids.values()
        )
        return BidFile(market, reports, self.reserve)


def _parse_csv(text: str, source: str) -> BidFile:
    collector = None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        where = f"{source}, line {number}"
        cells = [cell.strip() for cell in next(csv.reader([line]))]
        if collector is None:
            collector = _Collector(_header(cells, where), source)
            continue
        if len(cells) != 2 + len(collector.goods):
            raise InputError(
                f"{where}: found {len(cells)} cells; expected {2 + len(collector.goods)}: bidder, "
                "value and one for every good."
            )
        name, value, counts = cells[0], cells[1], cells[2:]
        if name.lower() == "capacity":
            collector.capacities = np.array([_count(c or "1", where, 1) for c in counts])
        elif name.lower() == "reserve":
            collector.reserve = np.array([_number(c or "0", "a price", where) for c in counts])
        else:
            bundle = [_count(c or "0", where, 0) for c in counts]
            collector.add(name, _number(value, "a value", where), bundle, where)
    if collector is None:
        raise InputError(f"{source}: the file is empty; expected a line 'bidder,value,GOOD,...'.")
    return collector.finish()


def _header(cells: list[str], where: str) -> list[str]:
    goods = cells[2:]
    if [cell.lower() for cell in cells[:2]] != ["bidder", "value"] or not goods:
        raise InputError(
            f"{where}: found the columns '{','.join(cells)}'; expected 'bidder,value' and then one "
            "column for every good."
        )
    return _distinct(goods, where)


def _parse_json(text: str, source: str) -> BidFile:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{source}, line {error.lineno}: this is not JSON ({error.msg}, column {error.colno})."
        ) from None
    _check_keys(data, {"goods", "bids"}, {"reserve", "limits"}, source)
    if not isinstance(data["goods"], list | dict) or not isinstance(data["bids"], list):
        raise InputError(
            f"{source}: expected 'goods' as a list of names or as copies by name, and 'bids' as a "
            "list."
        )

    collector = _Collector(_distinct([str(name) for name in data["goods"]], source), source)
    if isinstance(data["goods"], dict):
        collector.capacities = np.array([_count(c, source, 1) for c in data["goods"].values()])
    if "reserve" in data:
        collector.reserve = _by_good(data["reserve"], collector.goods, f"{source}, reserve")
    for number, entry in enumerate(data["bids"]):
        where = f"{source}, bid {number + 1}"
        _check_keys(entry, {"bidder", "value", "bundle"}, set(), where)
        bundle = entry["bundle"]
        if isinstance(bundle, list):
            bundle = {str(name): bundle.count(name) for name in bundle}
        counts = [_count(c, where, 0) for c in _by_good(bundle, collector.goods, where)]
        collector.add(entry["bidder"], _number(entry["value"], "a value", where), counts, where)
    for number, entry in enumerate(data.get("limits", [])):
        where = f"{source}, limit {number + 1}"
        _check_keys(entry, {"bidder", "coefficients", "bound"}, {"name"}, where)
        coefficients = tuple(_by_good(entry["coefficients"], collector.goods, where).tolist())
        limit = Limit(
            coefficients, _number(entry["bound"], "a bound", where), entry.get("name", "limit")
        )
        collector.limits.setdefault(str(entry["bidder"]), []).append(limit)
    return collector.finish()


def _check_keys(data: Any, needed: set[str], optional: set[str], where: str) -> None:
    found = sorted(data) if isinstance(data, dict) else type(data).__name__
    if not isinstance(data, dict) or not needed <= data.keys() <= needed | optional:
        also = f" and perhaps {', '.join(sorted(optional))}" if optional else ""
        raise InputError(
            f"{where}: found {found}; expected an object with {', '.join(sorted(needed))}{also}."
        )


def _by_good(data: Any, goods: list[str], where: str) -> np.ndarray:
    """Numbers by the name of a good, as a vector; 0 where none is given."""
    if not isinstance(data, dict):
        raise InputError(f"{where}: found {data!r}; expected numbers by the name of a good.")
    unknown = [name for name in data if name not in goods]
    if unknown:
        raise InputError(
            f"{where}: found the good '{unknown[0]}'; expected one of {', '.join(goods)}."
        )
    return np.array([_number(data.get(good, 0), "a number", where) for good in goods])


def _number(given: Any, what: str, where: str) -> float:
    try:
        number = float(given)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number) or number < 0:
        raise InputError(f"{where}: found '{given}' as {what}; expected a number of at least 0.")
    return number


def _count(given: Any, where: str, smallest: int) -> int:
    number = _number(given, "a number of copies", where)
    if number != int(number) or number < smallest:
        raise InputError(
            f"{where}: found '{given}' as a number of copies; expected a whole number of at least "
            f"{smallest}."
        )
    return int(number)


def _distinct(goods: list[str], where: str) -> list[str]:
    for good in goods:
        if not good or goods.count(good) > 1:
            raise InputError(f"{where}: the good '{good}' has no name, or one that occurs twice.")
    return goods
