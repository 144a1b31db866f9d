"""A live auction as pure functions: commands in, events out, state by folding; no web, no SQL."""

from boca.server.live.decide import decide
from boca.server.live.fold import fold
from boca.server.live.refusal import Mistake, Refusal
from boca.server.live.rules import Rules, read_auction
from boca.server.live.state import LiveState

__all__ = ["LiveState", "Mistake", "Refusal", "Rules", "decide", "fold", "read_auction"]
