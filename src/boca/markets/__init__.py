"""What people write down: market files (values optional) and files of bids."""

from boca.markets.bid_file import BidFile, read_bids
from boca.markets.market_file import MarketFile, load_market, read_market

__all__ = ["BidFile", "MarketFile", "load_market", "read_bids", "read_market"]
