"""What a mechanism can do with the options of a command: nothing is silently ignored."""

from boca.core.errors import InputError
from boca.core.market import Market
from boca.mechanism import PRESETS, AuctionParams, auction_params

# Planners, by name, whose questions are demand queries: what does a bidder want at these prices?
DEMAND_PLANNERS = frozenset(
    {"clock", "profit-max", "quick-clock", "model-prices", "prices-and-values"}
)


def asks_for_demands(params: AuctionParams) -> bool:
    """Whether a phase is known to ask what bidders want at prices."""
    return any(phase.planner.name in DEMAND_PLANNERS for phase in params.phases)


def check_sheet_suffices(params: AuctionParams, market: Market) -> None:
    """
    Refuses a mechanism whose questions cannot be answered in a sheet of values.

    Parameters
    ----------
    params
        The settings of an auction that is about to begin.
    market
        Goods and bidders; the message names mechanisms that can serve them.
    """
    if asks_for_demands(params):
        names = ", ".join(name for name in PRESETS if _asks_for_values_only(name, market))
        raise InputError(
            f"Received the mechanism {params.mechanism}, which asks what bidders want at prices; a "
            f"sheet of answers has room for values only. Choose one of {names}."
        )


def _asks_for_values_only(mechanism: str, market: Market) -> bool:
    try:
        return not asks_for_demands(auction_params(mechanism, market))
    except InputError:  # not for this market
        return False
