"""Whether an auction sells, buys or exchanges; everything that differs hangs on this."""

from typing import Literal

from boca.core.market import Market

Kind = Literal["sell", "buy", "exchange"]

# How payments can be computed, the default first.
PAYMENT_RULES: dict[Kind, tuple[str, ...]] = {
    "sell": ("vcg", "core"),
    "buy": ("vcg", "core", "offered"),
    "exchange": ("threshold", "proportional", "small", "vcg"),
}
# What one of those who answer is called.
ONE: dict[Kind, str] = {"sell": "bidder", "buy": "supplier", "exchange": "participant"}


def kind_of(market: Market) -> Kind:
    """What happens in a market."""
    if market.sense == "buy":
        return "buy"
    return "exchange" if market.is_exchange else "sell"
