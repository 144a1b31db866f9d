"""States of small auctions that planners of hybrid auctions look at."""

import numpy as np

from boca.core import Allocation, Market, Reports
from boca.core.demand import Demands
from boca.functions import MonotoneNet
from boca.mechanism import AuctionParams, AuctionState, Phase
from boca.mechanism.record import Planning, RoundRecord
from boca.surrogates.fitted import Fitted


def state_of(market: Market, planner, reports, demands=None, rounds=0) -> AuctionState:
    """An auction of one phase with these answers, some rounds into it."""
    params = AuctionParams((Phase("only", planner, share=1.0),), num_total=100)
    empty = Allocation(np.zeros((market.num_bidders, market.num_goods), dtype=np.int64))
    history = tuple(RoundRecord(k, k, k, 0.0, empty, Planning("only")) for k in range(rounds))
    return AuctionState.of(market, params, reports, demands, history=history)


def additive(values, capacities=None) -> MonotoneNet:
    """A network that adds up values of single copies."""
    worth = np.array(values, dtype=float)
    capacities = np.ones(len(worth), dtype=int) if capacities is None else np.array(capacities)
    # One neuron per good, because prices are looked for on networks with a hidden layer.
    size = len(worth)
    return MonotoneNet(
        [np.eye(size)], [np.zeros(size)], [np.ones(size)], worth * capacities, None, capacities
    )


def fitted_to(nets) -> dict[int, Fitted]:
    """What a surrogate would hand over."""
    return {i: Fitted(net) for i, net in enumerate(nets)}


def nothing(market: Market) -> list[Demands]:
    """No demand answers."""
    return [Demands.empty(market.num_goods)] * market.num_bidders


def full_bundle_values(market: Market, values) -> list[Reports]:
    """Everybody has valued the full bundle."""
    return [Reports(market.full_bundle[None], [value]) for value in values]
