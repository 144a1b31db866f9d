"""An auction as the CATS text format has it: goods, bids, and who makes them."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Bid:
    """
    An offer for a bundle.

    Parameters
    ----------
    goods
        Numbers of the goods, ascending, at least one.
    price
        What is offered for all of them.
    """

    goods: tuple[int, ...]
    price: float

    def dominates(self, other: "Bid") -> bool:
        """Whether it asks for no other goods than the other bid and offers no less."""
        return self.price >= other.price and set(self.goods) <= set(other.goods)


@dataclass(frozen=True)
class CatsAuction:
    """
    Goods and, for each bidder, bids of which at most one may win.

    Parameters
    ----------
    num_goods
        Goods, numbered from 0.
    bidders
        The bids of each bidder.
    """

    num_goods: int
    bidders: tuple[tuple[Bid, ...], ...]

    @property
    def num_bids(self) -> int:
        """Bids of all bidders."""
        return sum(len(bids) for bids in self.bidders)

    def to_text(self, title: str) -> str:
        """
        The auction as a CATS file.

        A bidder with several bids gets a dummy good, which all of them ask for.

        Parameters
        ----------
        title
            What it is, in one line, for the comment at the top.
        """
        num_dummies = sum(len(bids) > 1 for bids in self.bidders)
        lines = [
            f"%% {title}",
            "",
            f"goods {self.num_goods}",
            f"bids {self.num_bids}",
            f"dummy {num_dummies}",
            "",
        ]
        number, dummy = 0, self.num_goods
        for bids in self.bidders:
            exclusive = (dummy,) if len(bids) > 1 else ()
            for bid in bids:
                goods = "\t".join(str(good) for good in bid.goods + exclusive)
                lines.append(f"{number}\t{bid.price:.6f}\t{goods}\t#")
                number += 1
            dummy += len(exclusive)
        return "\n".join(lines) + "\n"


def undominated(bids: Iterable[Bid]) -> tuple[Bid, ...]:
    """
    Bids of one bidder without those that another one of them makes pointless.

    Of equal bids the first stays.
    """
    kept: list[Bid] = []
    for bid in bids:
        if not any(other.dominates(bid) for other in kept):
            kept = [other for other in kept if not bid.dominates(other)] + [bid]
    return tuple(kept)


def up_to(num_bids: int, bidders: list[tuple[Bid, ...]]) -> tuple[tuple[Bid, ...], ...]:
    """Bidders until the bids are so many; the last one may have to do with fewer."""
    surplus = sum(len(bids) for bids in bidders) - num_bids
    last = bidders[-1]
    return (*bidders[:-1], last[: len(last) - surplus] if surplus > 0 else last)
