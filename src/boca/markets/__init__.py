"""Market files and bid files: what people write down about goods, bidders and bids."""

from boca.markets.bid_file import BidFile, read_bids

__all__ = ["BidFile", "read_bids"]
