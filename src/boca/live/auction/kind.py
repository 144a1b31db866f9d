"""Whether an auction sells, buys, exchanges or shares out courses: what differs hangs on it."""

from typing import Literal

from boca.core.market import Market
from boca.core.message import Message, msg
from boca.live.auction.seat_market import SeatMarket

Kind = Literal["sell", "buy", "exchange", "courses"]

# How payments can be computed, the default first; nobody pays for courses.
PAYMENT_RULES: dict[Kind, tuple[str, ...]] = {
    "sell": ("vcg", "core"),
    "buy": ("vcg", "core", "offered"),
    "exchange": ("threshold", "proportional", "small", "vcg"),
}
# How a sentence begins that says why nothing can be awarded; it holds no amounts.
NO_AWARD = "No award: "
# What one of those who answer is called.
ONE: dict[Kind, Message] = {
    "sell": msg("bidder"),
    "buy": msg("supplier"),
    "exchange": msg("participant"),
    "courses": msg("student"),
}


def kind_of(market: Market) -> Kind:
    """What happens in a market."""
    if isinstance(market, SeatMarket):
        return "courses"
    if market.sense == "buy":
        return "buy"
    return "exchange" if market.is_exchange else "sell"
