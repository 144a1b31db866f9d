"""Whether an auction sells, buys, exchanges or shares out courses: what differs hangs on it."""

from typing import Literal

from boca.core.market import Market
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
ONE: dict[Kind, str] = {
    "sell": "bidder",
    "buy": "supplier",
    "exchange": "participant",
    "courses": "student",
}
# Phrases about mistakes in what somebody sent, as a purchase and an exchange say them.
PHRASES: dict[Kind, dict[str, str]] = {
    "sell": {},
    "buy": {
        " copies of ": " units of ",
        "which is not a good of this market": "which is not a lot of this purchase",
        "a good such as": "a lot such as",
        "the largest value of the rules": "the largest price of the rules",
        "an empty bundle": "nothing",
        "at least one good": "at least one lot",
        "a bundle that you cannot be given": "more than you can supply",
        "a bundle that you reported before": "lots that you have a price for",
        "a correction of that report": "a correction of that price",
        "the bundle of question": "the lots of question",
        "it costs no push": "it costs no own offer",
        "a bundle that you have not reported": "lots that you have no price for",
        "a reported bundle, or a push": "lots that you have a price for, or an own offer",
        " reports that nobody asked for": " offers that nobody asked for",
        " reports in all": " offers in all",
        "a report of the open round": "a price of the open round",
        "a bundle that contains another of your bundles": "more than another of your offers",
        "a bundle that is part of another of your bundles": "less than another of your offers",
        "your value of that one; the rules require that more is never worth less": (
            "your price for that one; the rules require that more never costs less"
        ),
        "decline, push or correction": "decline, own offer or correction",
    },
    "exchange": {
        "a bundle that you cannot be given": "more than you can hold",
        "it costs no push": "it costs no own value",
        "a reported bundle, or a push": "a reported bundle, or an own value",
        "decline, push or correction": "decline, own value or correction",
    },
    "courses": {},
}


def in_words_of(kind: Kind, sentence: str) -> str:
    """A sentence about a mistake in the words of a kind of market."""
    for phrase, own in PHRASES[kind].items():
        sentence = sentence.replace(phrase, own)
    return sentence


def kind_of(market: Market) -> Kind:
    """What happens in a market."""
    if isinstance(market, SeatMarket):
        return "courses"
    if market.sense == "buy":
        return "buy"
    return "exchange" if market.is_exchange else "sell"
