"""
Bids in the text format of CATS, the Combinatorial Auction Test Suite (Leyton-Brown et al. 2000).

    goods 3
    bids 4
    dummy 1

    0   12.5   0   1   3   #

Each bid line has its number, its price, the goods it asks for and ``#``. Goods are numbered from 0;
the numbers after the last good are dummy goods: bids that share one exclude each other, which is
how one bidder makes several bids. A bid without a dummy good is a bidder of its own.

A bid may have several dummy goods. Then the one that most bids have names the bidder, and each
other one that bids of several bidders share becomes a further good of which there is one copy.
"""

from collections import Counter
from dataclasses import dataclass, replace

from boca.core.errors import InputError
from boca.core.wording import shortened
from boca.markets.bid_sheet import Bid, BidSheet
from boca.markets.found import as_count, as_value, number_in
from boca.markets.limits_of_size import MOST_BIDS, MOST_CELLS, MOST_GOODS, check_size

# What the lines above the bids announce, and how much of it there may be.
MOST_ANNOUNCED = {"goods": MOST_GOODS, "bids": MOST_BIDS, "dummy": MOST_BIDS}


@dataclass(frozen=True)
class _Line:
    """
    One bid as it stands in the file.

    Parameters
    ----------
    price
        What is offered.
    goods, dummies
        Numbers of the goods and the dummy goods it lists, ascending.
    where
        Its place in the file.
    bidder
        Who makes it, once that is known.
    """

    price: float
    goods: tuple[int, ...]
    dummies: tuple[int, ...]
    where: str
    bidder: str = ""


def parse_cats(text: str, source: str) -> BidSheet:
    """
    The bids of a CATS file.

    Bidders are called ``bidder D`` after their dummy good, or ``bid K`` after their only bid;
    goods by their number, and dummy goods that are needed as goods ``dummy D``. Of several bids
    of a bidder on one bundle the highest counts.

    Parameters
    ----------
    text
        Content of the file.
    source
        Its name, for messages.
    """
    counts: dict[str, int] = {}
    lines: dict[int, _Line] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0][0] in "%#":
            continue
        where = f"line {number}"
        if words[0].lower() in MOST_ANNOUNCED:
            _read_count(words, counts, f"{source}, {where}")
        elif words[0][0].isalpha():
            raise InputError(
                f"{source}, {where}: found '{shortened(words[0])}'; expected 'goods', 'bids' or "
                "'dummy' with a number, a bid, or a comment that begins with '%'."
            )
        else:
            _read_bid(words, counts, lines, source, where)

    _check_counts(counts, lines, source)
    return _sheet(counts["goods"], _with_bidders(lines), source)


def _read_count(words: list[str], counts: dict[str, int], where: str) -> None:
    name = words[0].lower()
    if len(words) != 2:
        raise InputError(
            f"{where}: found '{shortened(' '.join(words))}'; expected '{name}' and one number."
        )
    if name in counts:
        raise InputError(f"{where}: '{name}' is given a second time; remove one of the lines.")
    counts[name] = as_count(
        number_in(words[1]),
        "the number of dummy goods" if name == "dummy" else f"the number of {name}",
        where,
        least=1 if name == "goods" else 0,
        most=MOST_ANNOUNCED[name],
    )


def _read_bid(
    words: list[str], counts: dict[str, int], lines: dict[int, _Line], source: str, where: str
) -> None:
    place = f"{source}, {where}"
    if "goods" not in counts:
        raise InputError(f"{place}: found a bid before the line 'goods N'; put that line first.")
    if words[-1] != "#":
        raise InputError(
            f"{place}: the line ends with '{shortened(words[-1])}'; expected '#' after the last "
            "good. Is the line cut off?"
        )
    if len(words) < 4:
        raise InputError(
            f"{place}: found '{shortened(' '.join(words))}'; expected number, price, goods and '#'."
        )
    index = as_count(number_in(words[0]), "a bid's number", place, most=10**9)
    if index in lines:
        raise InputError(
            f"{place}: bid {index} appears a second time; number the bids 0, 1, 2, ..."
        )
    check_size(len(lines) + 1, MOST_BIDS, "bids", source)
    price = as_value(number_in(words[1]), "the price", place)
    goods, dummies = _split_goods(words[2:-1], counts, place)
    lines[index] = _Line(price, goods, dummies, where)


def _split_goods(
    words: list[str], counts: dict[str, int], place: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The goods and the dummy goods of a bid."""
    num_goods, num_dummies = counts["goods"], counts.get("dummy", 0)
    numbers = sorted({as_count(number_in(word), "a good", place, most=10**9) for word in words})
    if len(numbers) < len(words):
        raise InputError(f"{place}: a good is listed twice; every good exists once in this format.")
    if numbers[-1] >= num_goods + num_dummies:
        raise InputError(
            f"{place}: found good {numbers[-1]}; expected 0 to {num_goods + num_dummies - 1}, "
            f"since there are {num_goods} goods and {num_dummies} dummy goods."
        )
    goods = tuple(number for number in numbers if number < num_goods)
    if not goods:
        raise InputError(
            f"{place}: found no goods but {len(numbers)} dummy goods; expected at least one good."
        )
    return goods, tuple(numbers[len(goods) :])


def _check_counts(counts: dict[str, int], lines: dict[int, _Line], source: str) -> None:
    missing = [name for name in ("goods", "bids") if name not in counts]
    if missing:
        raise InputError(
            f"{source}: there is no line '{missing[0]} N'; expected 'goods N', 'bids N' and, if "
            "bids exclude each other, 'dummy N' before the bids. Is this a CATS file?"
        )
    if len(lines) != counts["bids"]:
        raise InputError(
            f"{source}: found {len(lines)} bids, but the line 'bids' announces {counts['bids']}. "
            "Is the file cut off? Otherwise correct the number."
        )


def _with_bidders(lines: dict[int, _Line]) -> list[_Line]:
    """Every bid with its bidder, and without the dummy goods that this makes superfluous."""
    num_bids = Counter(dummy for line in lines.values() for dummy in line.dummies)
    bids = []
    for index, line in lines.items():
        # Of equally frequent ones the first, so that a file is always read the same way.
        main = max(line.dummies, key=lambda dummy: (num_bids[dummy], -dummy), default=None)
        bidder = f"bid {index}" if main is None else f"bidder {main}"
        bids.append(replace(line, bidder=bidder))

    bidders: dict[int, set[str]] = {}
    for line in bids:
        for dummy in line.dummies:
            bidders.setdefault(dummy, set()).add(line.bidder)
    # A bidder wins one bid at most, so a dummy good of a single bidder says nothing new.
    return [
        replace(line, dummies=tuple(d for d in line.dummies if len(bidders[d]) > 1))
        for line in bids
    ]


def _sheet(num_goods: int, lines: list[_Line], source: str) -> BidSheet:
    dummies = sorted({dummy for line in lines for dummy in line.dummies})
    columns = {dummy: num_goods + k for k, dummy in enumerate(dummies)}
    num_columns = num_goods + len(dummies)
    check_size(num_columns, MOST_GOODS, "goods and shared dummy goods", source)
    check_size(num_columns * len(lines), MOST_CELLS, "cells (bids times goods)", source)

    best: dict[tuple[str, tuple[int, ...]], _Line] = {}
    for line in lines:
        key = (line.bidder, line.goods + line.dummies)
        if key not in best or line.price > best[key].price:
            best[key] = line

    names = [str(j) for j in range(num_goods)] + [f"dummy {dummy}" for dummy in dummies]
    sheet = BidSheet(source, tuple(names), num_exclusions=len(dummies))
    for line in best.values():
        bundle = [0] * num_columns
        for good in line.goods:
            bundle[good] = 1
        for dummy in line.dummies:
            bundle[columns[dummy]] = 1
        sheet.add(Bid(line.bidder, tuple(bundle), line.price, line.where))
    return sheet
