"""Driving an auction with something that answers, until it stops."""

from collections.abc import Callable

from boca.core.outcome import Outcome
from boca.core.query import Query
from boca.mechanism.auction import Auction

# Answers a query with a value, or with None to decline it.
Answer = Callable[[Query], float | None]


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
            if value is None:
                auction.decline(query.bidder, query.bundle)
            else:
                auction.tell(query.bidder, query.bundle, value)
    return auction.close()
