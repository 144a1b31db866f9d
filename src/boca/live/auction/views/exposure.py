"""What a bidder can have to pay by its own bids, whatever the others do."""

from collections.abc import Mapping
from dataclasses import dataclass

from boca.live.auction.activity import count_points
from boca.live.auction.events import Bundle
from boca.live.auction.money import price
from boca.live.auction.state import LiveState


@dataclass(frozen=True)
class OwnBid:
    """
    One bid that can win.

    Parameters
    ----------
    bundle, units
        What it is for, and the most that is paid for it: no rule of payments asks for more.
    most
        The end of a range, to which the bid may still be raised; None for a single value.
    is_proven
        Whether it follows from choices at announced prices only.
    reserve
        What the reserve prices of the bundle add up to, the least that is paid for it.
    """

    bundle: Bundle
    units: int
    most: int | None
    is_proven: bool
    reserve: int


@dataclass(frozen=True)
class Exposure:
    """
    What own bids can cost.

    Parameters
    ----------
    bids
        Bids that can win, the largest first. A bidder wins one of them at most.
    cap
        The spending cap; None if there is none.
    eligibility, num_chosen
        Points that can be chosen at announced prices in the round under way, or in the next one
        between rounds, and the most that was chosen in it; None without the activity rule.
    """

    bids: tuple[OwnBid, ...]
    cap: int | None = None
    eligibility: int | None = None
    num_chosen: int | None = None

    @property
    def largest(self) -> int:
        """The most that is paid, whatever happens."""
        return max((bid.units for bid in self.bids), default=0)

    @property
    def left(self) -> int | None:
        """How much larger the largest bid could be; None without a cap."""
        return None if self.cap is None else self.cap - self.largest


def exposure(state: LiveState, bidder: int, known: Mapping[Bundle, int]) -> Exposure:
    """
    What the bids of one bidder can cost it in a sale.

    Parameters
    ----------
    state, bidder
        The auction, and who bids.
    known
        Its bids for bundles that it can be given.
    """
    rules, market = state.setup
    book, prices = state.books[bidder], rules.reserve_units(market)
    rows = [
        OwnBid(b, units, book.mosts.get(b), b not in book.reports, price(b, prices))
        for b, units in known.items()
    ]
    bids = sorted((row for row in rows if row.units >= row.reserve), key=_largest_first)
    number = state.round + (state.phase == "planning")
    chosen = [
        count_points(demand.bundle, rules.points_of(market))
        for query, demand in book.demands.items()
        if rules.points and book.queries[query].round == number
    ]
    return Exposure(
        tuple(bids),
        rules.cap_of(market, bidder),
        state.eligibility(bidder, number),
        max(chosen, default=None),
    )


def _largest_first(bid: OwnBid) -> tuple[int, Bundle]:
    return -bid.units, bid.bundle
