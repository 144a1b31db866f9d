"""
What pages and API call. Views are plain values; commands return futures.

A command's future ends once the change is on the disk, or with a
:class:`boca.live.auction.refusal.Refusal`. In ``async`` code:
``await asyncio.wrap_future(future)``.
"""

from boca.live.desk.auctioneer import AuctioneerDesk
from boca.live.desk.bidder import BidderDesk, Readers
from boca.live.desk.courses import CourseDesk, Question
from boca.live.desk.everybody import EverybodysDesk, Health
from boca.live.desk.submissions import Receipt
from boca.live.desk.told import ToldDesk
from boca.live.desk.watching import AuctionRow, Audiences, LogRow, PersonRow, WatchingDesk

__all__ = [
    "AuctionRow",
    "Audiences",
    "Desk",
    "Health",
    "LogRow",
    "PersonRow",
    "Question",
    "Readers",
    "Receipt",
]


class Desk(AuctioneerDesk, WatchingDesk, BidderDesk, CourseDesk, EverybodysDesk, ToldDesk):
    """The server without HTTP; see :class:`boca.live.desk.office.Office` for its parameters."""
