"""
Why a bidder is asked, and why it pays what it pays, as sentences by key.

No sentence names another bidder: "if one of the others were absent", never who.
"""

from typing import Any

from boca.core.market import Market
from boca.live.auction.events import AskedQuery, Bundle, Result
from boca.live.auction.rules import Rules
from boca.live.auction.sentence import Sentence

# Every key that this file uses, for those who write the words.
KEYS = (
    "reason.full",  # How much everything together is worth sets the scale.
    "reason.full-beyond-limits",  # You cannot get everything, but what it is worth sets the scale.
    "reason.initial",  # A first question to get to know your values.
    "reason.main",  # In the best allocation we can imagine so far, this bundle would be yours; ...
    "reason.marginal",  # ... if one of the others were absent; this decides what winners pay.
    "reason.displaced",  # The best bundle that you have not been asked about yet.
    "reason.random",  # Chosen by chance, so that every part of the market is looked at.
    "reason.clock",  # Prices rise where more is wanted than there is, and fall where less is.
    "reason.prices",  # As far as we can tell, everything would be wanted just once at these prices.
    "reason.raised",  # You wanted this at announced prices; its value makes it count fully.
    "reason.narrow",  # You gave a range, and where in it the value lies may decide something.
    "reason.other",  # This question helps to find the best allocation.
    "reason.estimate",  # Our estimate of its value to you is {estimate}.
    "result.vcg",  # Without you the others would have {without}; with you they get {with}. You ...
    "result.vcg-reserve",  # ... on top of the reserve prices of {reserve}.
    "result.core",  # The VCG payment would be {vcg}; {added} was added, so that no group ...
    "result.core-reserve",  # The same, with the reserve price as a part of {vcg}.
    "result.unexplained",  # You pay what your winning costs the others; the auditor has the sums.
    "result.nothing",  # You get nothing: others valued the goods more. Your highest bid was ...
    "result.beyond-limits",  # Only bids for more than you can receive.
    "result.below-reserve",  # Only bids below the reserve prices.
    "result.no-report",  # You get nothing: you reported no value.
    "reason.endowment",  # What you hold now: a trade is worth what it brings above that.
    "award.offered",  # You are paid what you offered.
    "award.vcg",  # Without you the award would cost {more} more; that is paid on top.
    "award.vcg-capped",  # ... but your lots can be had elsewhere for {most}.
    "award.core",  # ... but a group of others could offer less.
    "award.unexplained",  # The buyer and an auditor have the sums.
    "trade.why",  # All would gain {more} less without you; of that you keep {kept}.
    "trade.unexplained",  # The auctioneer and an auditor have the sums.
)


def why_asked(query: AskedQuery, bidder: int, market: Market, rules: Rules) -> tuple[Sentence, ...]:
    """The reason for a query; with the model's estimate where the rules say so."""
    reason = query.reason
    source = str(reason.get("source", ""))
    if query.type == "demand":
        return (Sentence("reason.clock" if source == "clock" else "reason.prices"),)
    if source == "endowment" or (
        market.is_exchange and query.bundle == market.bidders[bidder].endowment
    ):
        key = "reason.endowment"
    elif query.bundle == tuple(market.full_bundle.tolist()) and source in ("initial", "full"):
        can_get_it = market.allows(bidder, market.full_bundle)[0]
        key = "reason.full" if can_get_it else "reason.full-beyond-limits"
    elif source == "narrow":
        key = "reason.narrow"
    elif reason.get("displaced"):
        key = "reason.displaced"
    elif source in ("initial", "main", "marginal", "random", "raised"):
        key = f"reason.{source}"
    elif source == "bridge":
        key = "reason.main"
    else:
        key = "reason.other"
    sentences: tuple[Sentence, ...] = (Sentence(key),)
    estimate = _estimate(reason, rules)
    if rules.show_reasons == "numbers" and estimate is not None:
        sentences += (Sentence("reason.estimate", {"estimate": rules.money.show(estimate)}),)
    return sentences


def _estimate(reason: dict[str, Any], rules: Rules) -> int | None:
    """The mean network's value of the bundle, in whole units within the rules."""
    mean = reason.get("mean")
    if not isinstance(mean, int | float):
        return None
    return min(max(round(mean), 0), rules.most_units)


def why_awarded(result: Result, rules: Rules) -> tuple[Sentence, ...]:
    """Why a supplier is paid what it is paid."""
    show = rules.money.show
    if rules.payment_rule == "offered":
        return (Sentence("award.offered"),)
    if result.more is None:
        return (Sentence("award.unexplained"),)
    gaps = {
        "offer": show(result.units),
        "more": show(result.more),
        "most": show(result.most or 0),
        "payment": show(result.payment),
    }
    key = "award.vcg"
    if result.payment < result.units + result.more:
        key = "award.core" if rules.payment_rule == "core" else "award.vcg-capped"
    return (Sentence(key, gaps),)


def why_traded(result: Result, rules: Rules) -> tuple[Sentence, ...]:
    """Why a participant that trades pays or receives what it does."""
    show = rules.money.show
    if result.more is None or result.keeps is None:
        return (Sentence("trade.unexplained"),)
    gaps = {
        "value": show(result.units),
        "keeps": show(result.keeps),
        "more": show(result.more),
        "kept": show(result.units - result.keeps - result.payment),
    }
    return (Sentence("trade.why", gaps),)


def why_paid(
    result: Result, rules: Rules, best: tuple[Bundle, int] | None, lost: str = "nothing"
) -> tuple[Sentence, ...]:
    """
    Why a bidder pays what it pays, or gets nothing.

    Parameters
    ----------
    result
        What it gets.
    rules
        Whether sums may be told, and how money is written.
    best
        Its highest bid; the reader's language has words for its bundle, the gap ``bundle``.
    lost
        Why this bid did not win: ``beyond-limits``, ``below-reserve``, or ``nothing`` if others'
        bids did.
    """
    show = rules.money.show
    if not any(result.bundle):
        if best is None:
            return (Sentence("result.no-report"),)
        return (Sentence(f"result.{lost}", {"value": show(best[1])}),)
    if result.others_without is None or result.others_with is None:
        return (Sentence("result.unexplained"),)
    harm = result.others_without - result.others_with
    gaps = {
        "without": show(result.others_without),
        "with": show(result.others_with),
        "difference": show(harm),
        "payment": show(result.payment),
        "reserve": show(result.reserve or 0),
    }
    # With a reserve price on anything, the sums are above reserve prices for every winner.
    key = "result.vcg-reserve" if rules.reserve else "result.vcg"
    sentences: tuple[Sentence, ...] = (Sentence(key, gaps),)
    if result.vcg_payment is not None and rules.payment_rule == "core":
        added = result.payment - result.vcg_payment
        gaps = {
            "vcg": show(result.vcg_payment),
            "added": show(added),
            "payment": show(result.payment),
        }
        if not rules.reserve:
            return (*sentences, Sentence("result.core", gaps))
        gaps |= {"difference": show(harm), "reserve": show(result.reserve or 0)}
        return (*sentences, Sentence("result.core-reserve", gaps))
    return sentences
