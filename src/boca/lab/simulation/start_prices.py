"""The first prices of simulated clock auctions, as published experiments choose them."""

from dataclasses import replace

import numpy as np

from boca.lab.domains.domain import Domain
from boca.mechanism import AuctionParams
from boca.queries import Clock
from boca.surrogates.hyperparameters import clock_start_share


def with_start_prices(params: AuctionParams, domain: Domain) -> AuctionParams:
    """
    The settings with start prices in every clock that has none.

    The average over bidders is what published experiments let the auctioneer know; a good that is
    worth nothing by itself gets the average over all goods.
    """
    for phase in params.phases:
        if isinstance(phase.planner, Clock) and not phase.planner.start_prices:
            planner = replace(phase.planner, start_prices=start_prices(domain, params.mechanism))
            params = params.with_phase(replace(phase, planner=planner))
    return params


def with_known_prices(params: AuctionParams, domain: Domain) -> AuctionParams:
    """The settings with the prices that a buyer or an auctioneer would know before it starts."""
    if domain.market.sense == "buy" and not params.reserve:
        params = replace(params, reserve=tuple(np.asarray(domain.reserve, dtype=float).tolist()))
    return with_start_prices(params, domain)


def start_prices(domain: Domain, mechanism: str = "") -> tuple[float, ...]:
    """A share of what single copies are worth on average, one price per good."""
    share = clock_start_share(domain.name, mechanism)
    market = domain.market
    single = np.eye(market.num_goods, dtype=np.int64)
    worth = np.mean([domain.values(i, single) for i in range(market.num_bidders)], axis=0)
    worth = np.where(worth > 0, worth, worth.mean() or 1.0)
    return tuple((share * worth).tolist())
