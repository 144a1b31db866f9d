"""The auction: settings, phases, state, and the verbs ask, tell, close."""

from boca.mechanism.auction import Auction
from boca.mechanism.callbacks import Callback
from boca.mechanism.drive import run
from boca.mechanism.params import AuctionParams, StoppingParams
from boca.mechanism.phases import Phase
from boca.mechanism.presets import PRESETS, auction_params
from boca.mechanism.record import Planning, RoundRecord
from boca.mechanism.state import AuctionState
from boca.mechanism.step import Step
from boca.mechanism.stepping import next_step

__all__ = [
    "PRESETS",
    "Auction",
    "AuctionParams",
    "AuctionState",
    "Callback",
    "Phase",
    "Planning",
    "RoundRecord",
    "Step",
    "StoppingParams",
    "auction_params",
    "next_step",
    "run",
]
