"""What the readers of CSV, JSON and CATS have in common: the bids of a file, one by one."""

from dataclasses import dataclass, field

from boca.core.errors import InputError
from boca.core.goods import Limit
from boca.markets.found import as_name
from boca.markets.limits_of_size import MOST_BIDS, MOST_CELLS, MOST_GOODS, check_size


@dataclass(frozen=True)
class Bid:
    """
    One bid.

    Parameters
    ----------
    bidder
        Who makes it.
    bundle
        Copies of each good.
    value
        What the bundle is worth to the bidder, at least 0.
    where
        Its place in the file, such as ``line 7``.
    """

    bidder: str
    bundle: tuple[int, ...]
    value: float
    where: str


@dataclass
class BidSheet:
    """
    Goods and bids as they stand in a file. Filled by a reader, bid after bid.

    Parameters
    ----------
    source
        The file, for messages.
    goods
        Their names, in the order of a bundle's components.
    capacities
        Copies of each good.
    reserve
        Reserve price of one copy of each good.
    limits
        Limits of bidders that have some, by the bidder's name.
    bids
        All bids, in the order of the file.
    num_exclusions
        How many of the last goods are no goods, but keep bids that share one from winning
        together.
    """

    source: str
    goods: tuple[str, ...]
    capacities: tuple[int, ...] = ()
    reserve: tuple[float, ...] = ()
    limits: dict[str, list[Limit]] = field(default_factory=dict)
    bids: list[Bid] = field(default_factory=list)
    num_exclusions: int = 0

    def __post_init__(self) -> None:
        self.capacities = self.capacities or (1,) * len(self.goods)
        self.reserve = self.reserve or (0.0,) * len(self.goods)

    def add(self, bid: Bid) -> None:
        """Takes one more bid, if it asks for something and there are not too many."""
        if not any(bid.bundle):
            raise InputError(
                f"{self.source}, {bid.where}: found a bid for nothing, which is worth 0 by "
                "definition; say how many copies of which good are wanted, or remove the bid."
            )
        self.bids.append(bid)
        check_size(len(self.bids), MOST_BIDS, "bids", self.source)
        size = len(self.bids) * len(self.goods)
        check_size(size, MOST_CELLS, "cells (bids times goods)", self.source)


def check_goods(names: list[str], where: str) -> tuple[str, ...]:
    """The names of all goods, if each is a name and occurs once."""
    check_size(len(names), MOST_GOODS, "goods", where)
    seen = set()
    for name in names:
        as_name(name, "a good", where)
        if name in seen:
            raise InputError(f"{where}: found the good '{name}' twice; name each good once.")
        seen.add(name)
    return tuple(names)
