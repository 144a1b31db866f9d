"""The auction: settings, state, and the three verbs ask, tell, close."""

from boca.mechanism.auction import Auction
from boca.mechanism.callbacks import Callback
from boca.mechanism.clock import ClockAuction
from boca.mechanism.drive import run
from boca.mechanism.params import AuctionParams, ClockParams, Phase, StoppingParams
from boca.mechanism.presets import PRESETS, auction_params
from boca.mechanism.record import RoundRecord
from boca.mechanism.state import AuctionState

__all__ = [
    "PRESETS",
    "Auction",
    "AuctionParams",
    "AuctionState",
    "Callback",
    "ClockAuction",
    "ClockParams",
    "Phase",
    "RoundRecord",
    "StoppingParams",
    "auction_params",
    "run",
]
