"""
What pages and API call. Views are plain values; commands return futures.

A command's future ends once the change is on the disk, or with a
:class:`boca.server.live.refusal.Refusal`. In ``async`` code: ``await asyncio.wrap_future(future)``.
"""

from boca.server.desk.auctioneer import AuctioneerDesk
from boca.server.desk.bidder import BidderDesk
from boca.server.desk.everybody import EverybodysDesk, Health
from boca.server.desk.submissions import Receipt
from boca.server.desk.watching import AuctionRow, Audiences, LogRow, PersonRow, WatchingDesk

__all__ = ["AuctionRow", "Audiences", "Desk", "Health", "LogRow", "PersonRow", "Receipt"]


class Desk(AuctioneerDesk, WatchingDesk, BidderDesk, EverybodysDesk):
    """The server without HTTP; see :class:`boca.server.desk.office.Office` for its parameters."""
