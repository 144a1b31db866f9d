"""
Bids in JSON: an object with ``goods`` (a list of names, or copies by name) and ``bids``, each with
``bidder``, ``value`` and ``bundle`` (a list of names, or copies by name).

Optional are ``reserve`` (price by good) and ``limits``, each with ``bidder``, ``coefficients`` by
good, ``bound`` and perhaps ``name``.
"""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from boca.core.errors import InputError
from boca.core.goods import Limit
from boca.core.wording import did_you_mean, shortened
from boca.markets.bid_sheet import Bid, BidSheet, check_goods
from boca.markets.found import as_count, as_name, as_value, shown
from boca.markets.limits_of_size import MOST_COEFFICIENTS, MOST_DIGITS, check_size


def parse_json(text: str, source: str) -> BidSheet:
    """
    The bids of a JSON file.

    Parameters
    ----------
    text
        Content of the file.
    source
        Its name, for messages.
    """
    data = _check_keys(_load(text, source), ("bids", "goods"), ("limits", "reserve"), source)
    goods = data["goods"]
    if not isinstance(goods, list | dict) or not isinstance(data["bids"], list):
        raise InputError(
            f"{source}: found {shown(goods)} as goods and {shown(data['bids'])} as bids; expected "
            "'goods' as a list of names or as copies by name, and 'bids' as a list."
        )
    sheet = BidSheet(source, check_goods([_name_of_good(g, source) for g in goods], source))
    index = {name: j for j, name in enumerate(sheet.goods)}
    if isinstance(goods, dict):
        sheet.capacities = tuple(
            as_count(copies, f"the copies of '{name}'", f"{source}, goods", least=1)
            for name, copies in goods.items()
        )
    if "reserve" in data:
        sheet.reserve = _by_good(data["reserve"], index, _price, f"{source}, reserve")
    for number, entry in enumerate(data["bids"], start=1):
        sheet.add(_bid(entry, index, source, f"bid {number}"))
    if "limits" in data:
        _read_limits(data["limits"], index, sheet)
    return sheet


def _load(text: str, source: str) -> Any:
    """The content as plain values; what JSON libraries wave through is refused."""

    def whole(digits: str) -> int:
        check_size(len(digits), MOST_DIGITS, "digits in a number", source)
        return int(digits)

    def constant(word: str) -> None:
        raise InputError(f"{source}: found {word}; expected a finite number.")

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            key = next(key for key, times in Counter(k for k, _ in pairs).items() if times > 1)
            raise InputError(
                f"{source}: found the key '{shortened(key)}' twice in one object; keep one of them."
            )
        return table

    try:
        return json.loads(
            text, parse_int=whole, parse_constant=constant, object_pairs_hook=distinct
        )
    except json.JSONDecodeError as error:
        raise InputError(
            f"{source}, line {error.lineno}: this is not JSON ({error.msg}, column {error.colno})."
        ) from None
    except RecursionError:
        raise InputError(f"{source}: lists or objects are nested too deeply.") from None


def _bid(entry: Any, index: dict[str, int], source: str, where: str) -> Bid:
    place = f"{source}, {where}"
    _check_keys(entry, ("bidder", "bundle", "value"), (), place)
    bundle = entry["bundle"]
    if isinstance(bundle, list):
        bundle = Counter(_name_of_good(name, place) for name in bundle)
    copies = _by_good(bundle, index, _copies, place)
    value = as_value(entry["value"], "the value", place)
    return Bid(as_name(entry["bidder"], "the bidder", place), copies, value, where)


def _read_limits(entries: Any, index: dict[str, int], sheet: BidSheet) -> None:
    if not isinstance(entries, list):
        raise InputError(
            f"{sheet.source}: found {shown(entries)} as limits; expected a list, or leave it out."
        )
    size = len(entries) * len(index)
    check_size(size, MOST_COEFFICIENTS, "coefficients (limits times goods)", sheet.source)
    for number, entry in enumerate(entries, start=1):
        place = f"{sheet.source}, limit {number}"
        _check_keys(entry, ("bidder", "bound", "coefficients"), ("name",), place)
        limit = Limit(
            _by_good(entry["coefficients"], index, _coefficient, place),
            as_value(entry["bound"], "the bound", place),
            as_name(entry.get("name", "limit"), "the name", place),
        )
        bidder = as_name(entry["bidder"], "the bidder", place)
        sheet.limits.setdefault(bidder, []).append(limit)


def _check_keys(
    data: Any, needed: tuple[str, ...], optional: tuple[str, ...], where: str
) -> dict[str, Any]:
    if not isinstance(data, dict) or not set(needed) <= data.keys() <= {*needed, *optional}:
        also = f" and perhaps {', '.join(optional)}" if optional else ""
        raise InputError(
            f"{where}: found {shown(data)}; expected an object with {', '.join(needed)}{also}."
        )
    return data


def _name_of_good(name: Any, where: str) -> str:
    """A good's name; programs like to number goods, so a whole number is one too."""
    if isinstance(name, int) and not isinstance(name, bool):
        return str(name) if name.bit_length() < 64 else as_name(name, "a good", where)
    return as_name(name, "a good", where)


def _by_good(
    data: Any, index: dict[str, int], check: Callable[[Any, str, str], Any], where: str
) -> tuple[Any, ...]:
    """Numbers by the name of a good, as one number per good; 0 where none is given."""
    if not isinstance(data, dict):
        raise InputError(f"{where}: found {shown(data)}; expected numbers by the name of a good.")
    numbers = [0] * len(index)
    for name, number in data.items():
        if name not in index:
            raise InputError(
                f"{where}: found the good '{shortened(name)}'; {did_you_mean(name, index)}"
            )
        numbers[index[name]] = check(number, name, where)
    return tuple(numbers)


def _copies(found: Any, good: str, where: str) -> int:
    return as_count(found, f"the copies of '{good}'", where)


def _price(found: Any, good: str, where: str) -> float:
    return as_value(found, f"the price of '{good}'", where)


def _coefficient(found: Any, good: str, where: str) -> float:
    return as_value(found, f"the coefficient of '{good}'", where)
