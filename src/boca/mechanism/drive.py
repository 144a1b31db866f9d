"""Driving an auction with something that answers, until it stops."""

from collections.abc import Callable
from typing import Any

from boca.core.outcome import Outcome
from boca.core.query import DemandQuery, Question
from boca.mechanism.auction import Auction

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
    while questions := auction.ask():
        for question in questions:
            tell(auction, question, answer(question))
    return auction.close()


def tell(auction: Auction, question: Question, answer: Any) -> None:
    """Hands an answer to the verb that it is for; None declines."""
    if isinstance(question, DemandQuery):
        if answer is None:
            auction.state = auction.state.decline_demand(question.bidder)
        else:
            auction.tell_demand(question.bidder, answer)
    elif answer is None:
        auction.decline(question.bidder, question.bundle)
    else:
        auction.tell(question.bidder, question.bundle, answer)
