"""
What pages and API call. Views are plain values; commands return futures.

A command's future ends once the change is on the disk, or with a
:class:`boca.server.live.refusal.Refusal`. In ``async`` code: ``await asyncio.wrap_future(future)``.
"""

from boca.server.desk.auctioneer import AuctioneerDesk, AuctionRow
from boca.server.desk.bidder import BidderDesk
from boca.server.desk.everybody import EverybodysDesk, Health
from boca.server.desk.submissions import Receipt

__all__ = ["AuctionRow", "Desk", "Health", "Receipt"]


class Desk(AuctioneerDesk, BidderDesk, EverybodysDesk):
    """The server without HTTP; see :class:`boca.server.desk.office.Office` for its parameters."""
