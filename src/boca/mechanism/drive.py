"""Driving an auction with something that answers, until it stops."""

from collections.abc import Callable
from typing import Any

from boca.core.demand import DemandQuery
from boca.core.outcome import Outcome
from boca.mechanism.auction import Auction
from boca.mechanism.clock import ClockAuction

# Answers a value query with a value, or with None to decline it; a demand query with bundles.
Answer = Callable[[Any], Any]


def run(auction: Auction, answer: Answer) -> Outcome:
    """
    Asks and tells until the auction stops, then closes it.

    Parameters
    ----------
    auction
        A new or a loaded auction.
    answer
        The bidders.
    """
    while queries := auction.ask():
        for query in queries:
            value = answer(query)
            if isinstance(query, DemandQuery):
                assert isinstance(auction, ClockAuction)
                auction.tell_demand(query.bidder, value)
            elif value is None:
                auction.decline(query.bidder, query.bundle)
            else:
                auction.tell(query.bidder, query.bundle, value)
    return auction.close()
