"""What every ``fit`` makes of its arguments: who has reported, with which parameters, from which
stream."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports

Params = TypeVar("Params")


def reporting(reports: Sequence[Reports], market: Market) -> dict[int, Reports]:
    """The reports of the bidders that have any; nobody is learned about from nothing."""
    within = {i: within_reach(rows, market, i) for i, rows in enumerate(reports)}
    return {bidder: rows for bidder, rows in within.items() if len(rows)}


def reach(market: Market, bidder: int) -> np.ndarray:
    """
    Copies of each good that are everything to a bidder, ``(num_goods,)``: what it can hold of it.

    Networks see shares of them. A student who takes one seat of a course takes all it can, and not
    a nine-hundredth. Of a good that the bidder cannot hold at all, 1.
    """
    held: np.ndarray = np.maximum(market.most(bidder), 1)
    return held


def within_reach(reports: Reports, market: Market, bidder: int) -> Reports:
    """The reports without those of more copies than the bidder can ever hold."""
    is_beyond = (reports.bundles > reach(market, bidder)).any(axis=1)
    # What exceeds the market is an error, for others to find.
    is_beyond &= (reports.bundles <= market.capacities).all(axis=1)
    return reports.part(np.flatnonzero(~is_beyond)) if is_beyond.any() else reports


def params_of(bidder_type: str, params: Mapping[str, Params]) -> Params:
    """The parameters of a bidder type."""
    if bidder_type not in params:
        raise InputError(
            f"There are no parameters for bidder type '{bidder_type}'; received some for "
            f"{', '.join(map(repr, params)) or 'no type'}."
        )
    return params[bidder_type]


def training_stream(seeds: Seeds) -> Seeds:
    """
    The stream that trainings draw from.

    It starts from an integer of 31 bits, because auctions used to hand over such an integer and
    their trajectories should repeat.
    """
    return Seeds(seeds.integer(31))
