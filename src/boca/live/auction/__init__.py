"""A live auction as pure functions: commands in, events out, state by folding; no web, no SQL."""

from boca.live.auction.decide import decide
from boca.live.auction.fold import fold
from boca.live.auction.refusal import Mistake, Refusal
from boca.live.auction.rules import Rules, read_auction
from boca.live.auction.state import LiveState

__all__ = ["LiveState", "Mistake", "Refusal", "Rules", "decide", "fold", "read_auction"]
