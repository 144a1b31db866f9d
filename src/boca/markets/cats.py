"""
The text format of CATS, the Combinatorial Auction Test Suite (Leyton-Brown et al. 2000).

    goods 3
    bids 4
    dummy 1

    0   12.5   0   1   3   #

Each bid line has its number, its price, the goods it asks for and ``#``. Goods are numbered from 0;
the numbers after the last good are dummy goods: bids that share one exclude each other, which is
how one bidder makes several bids. A bid without a dummy good is a bidder of its own.
"""

from dataclasses import dataclass

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Bidder, Good, Market
from boca.core.report import Reports

COUNTS = ("goods", "bids", "dummy")


@dataclass(frozen=True)
class _Bid:
    bidder: str
    price: float
    goods: tuple[int, ...]


def parse_cats(text: str, source: str) -> tuple[Market, list[Reports]]:
    """
    The market and the reports of a CATS file.

    Bidders are called ``bidder D`` after their dummy good, or ``bid K`` after their only bid; goods
    by their number. Of several bids of a bidder on one bundle the highest counts.

    Parameters
    ----------
    text
        Content of the file.
    source
        Its name, for messages.
    """
    counts: dict[str, int] = {}
    bids: dict[int, _Bid] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0][0] in "%#":
            continue
        where = f"{source}, line {number}"
        if words[0].lower() in COUNTS:
            _read_count(words, counts, where)
        elif words[0][0].isalpha():
            raise InputError(
                f"{where}: found '{words[0]}'; expected 'goods', 'bids' or 'dummy' with a number, "
                "a bid, or a comment that begins with '%'."
            )
        else:
            _read_bid(words, counts, bids, where)

    _check_counts(counts, bids, source)
    return _assemble(counts["goods"], bids, source)


def _read_count(words: list[str], counts: dict[str, int], where: str) -> None:
    name = words[0].lower()
    smallest = 1 if name == "goods" else 0
    if len(words) != 2 or not words[1].isdecimal() or int(words[1]) < smallest:
        raise InputError(
            f"{where}: found '{' '.join(words)}'; expected '{name}' and one whole number of at "
            f"least {smallest}."
        )
    if name in counts:
        raise InputError(f"{where}: '{name}' is given a second time; remove one of the lines.")
    counts[name] = int(words[1])


def _read_bid(words: list[str], counts: dict[str, int], bids: dict[int, _Bid], where: str) -> None:
    if "goods" not in counts:
        raise InputError(f"{where}: found a bid before the line 'goods N'; put that line first.")
    if words[-1] != "#":
        raise InputError(
            f"{where}: the line ends with '{words[-1]}'; expected '#' after the last good. Is the "
            "line cut off?"
        )
    if len(words) < 4:
        raise InputError(
            f"{where}: found '{' '.join(words)}'; expected number, price, goods and '#'."
        )
    index, price = _whole(words[0], "a bid number", where), _price(words[1], where)
    if index in bids:
        raise InputError(
            f"{where}: bid {index} appears a second time; number the bids 0, 1, 2, ..."
        )

    last = counts["goods"] + counts.get("dummy", 0) - 1
    listed = [_whole(word, "a good", where) for word in words[2:-1]]
    for good in listed:
        if good > last:
            raise InputError(
                f"{where}: found good {good}; expected 0 to {last}, since there are "
                f"{counts['goods']} goods and {counts.get('dummy', 0)} dummy goods."
            )
    if len(set(listed)) < len(listed):
        raise InputError(f"{where}: a good is listed twice; every good exists once in this format.")
    goods = tuple(good for good in listed if good < counts["goods"])
    dummies = [good for good in listed if good >= counts["goods"]]
    if not goods or len(dummies) > 1:
        raise InputError(
            f"{where}: found {len(goods)} goods and {len(dummies)} dummy goods; expected at least "
            "one good and at most one dummy good, which names the bidder."
        )
    bidder = f"bidder {dummies[0]}" if dummies else f"bid {index}"
    bids[index] = _Bid(bidder, price, goods)


def _whole(word: str, what: str, where: str) -> int:
    if not word.isdecimal():
        raise InputError(f"{where}: found '{word}' as {what}; expected a whole number from 0.")
    return int(word)


def _price(word: str, where: str) -> float:
    try:
        price = float(word)
    except ValueError:
        price = np.nan
    if not np.isfinite(price) or price < 0:
        raise InputError(f"{where}: found '{word}' as a price; expected a number of at least 0.")
    return price


def _check_counts(counts: dict[str, int], bids: dict[int, _Bid], source: str) -> None:
    missing = [name for name in ("goods", "bids") if name not in counts]
    if missing:
        raise InputError(
            f"{source}: there is no line '{missing[0]} N'; expected 'goods N', 'bids N' and, if "
            "bids exclude each other, 'dummy N' before the bids. Is this a CATS file?"
        )
    if len(bids) != counts["bids"]:
        raise InputError(
            f"{source}: found {len(bids)} bids, but the line 'bids' announces {counts['bids']}. "
            "Is the file cut off? Otherwise correct the number."
        )
    if not bids:
        raise InputError(f"{source}: there are no bids; expected at least one.")


def _assemble(num_goods: int, bids: dict[int, _Bid], source: str) -> tuple[Market, list[Reports]]:
    offers: dict[str, dict[tuple[int, ...], float]] = {}
    for bid in bids.values():
        own = offers.setdefault(bid.bidder, {})
        goods = tuple(sorted(bid.goods))
        own[goods] = max(bid.price, own.get(goods, 0.0))

    reports = []
    for own in offers.values():
        bundles = np.zeros((len(own), num_goods), dtype=np.int64)
        for row, goods in enumerate(own):
            bundles[row, list(goods)] = 1
        reports.append(Reports(bundles, np.array(list(own.values()))))
    goods_of = tuple(Good(str(j)) for j in range(num_goods))
    return Market(goods_of, tuple(Bidder(name) for name in offers), source), reports
