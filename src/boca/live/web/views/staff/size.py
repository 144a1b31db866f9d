"""How large an auction is, and how long it will keep everybody waiting."""

from math import ceil

from boca.core.machine import busyness
from boca.core.market import Market
from boca.live.auction.rules import Rules
from boca.live.web.texts import Texts

# Seconds of two idle processors, from `python benchmarks/live_planning.py`.
START_SECONDS = 2.0  # that a process needs; a mechanism that learns nothing needs no more
LEARNING_SECONDS = 7.0  # until learning has its programs
SECONDS_PER_BIDDER = 0.08
SECONDS_PER_BIDDER_AND_GOOD = 0.003


def planning_seconds(rules: Rules, market: Market, busy: float = 0.0) -> float:
    """
    How long the planning of a later round takes, roughly.

    Parameters
    ----------
    busy
        How many others want each processor meanwhile; planning waits its turn with them.
    """
    seconds = START_SECONDS
    if rules.conduct.learns:
        each = SECONDS_PER_BIDDER + SECONDS_PER_BIDDER_AND_GOOD * market.num_goods
        seconds += LEARNING_SECONDS + each * market.num_bidders
    return seconds * (1.0 + busy)


def size_words(t: Texts, rules: Rules, market: Market) -> list[str]:
    """The size of an auction in sentences."""
    seconds = planning_seconds(rules, market, busyness())
    if seconds <= 90:
        wait = t("new.about_seconds", n=10 * ceil(seconds / 10))
    else:
        wait = t.count("new.about_minutes", ceil(seconds / 60))
    return [
        t.count(
            "new.size",
            rules.num_rounds,
            questions=rules.num_total,
            bidders=market.num_bidders,
            all=rules.num_total * market.num_bidders,
        ),
        *((t("new.planning", wait=wait),) if rules.num_rounds > 1 else ()),
        *_careful(t, rules, market),
    ]


def _careful(t: Texts, rules: Rules, market: Market) -> list[str]:
    """What could end a purchase without an award, while it can still be changed."""
    asks = any(rule.at_least is not None for rule in market.rules)
    if market.sense != "buy" or rules.payment_rule == "offered" or not asks:
        return []
    return [t("new.indispensable")]
