"""How large an auction is, and how long it will keep everybody waiting."""

from boca.core.market import Market
from boca.live.auction.rules import Rules
from boca.live.web.texts import Texts

# Seconds of an idle processor, from `python benchmarks/live_planning.py` with 5 to 50 bidders and
# 10 to 50 goods: the number of goods hardly matters, the number of bidders does.
START_SECONDS = 2.0  # that a process needs; a mechanism that learns nothing needs no more
SECONDS_PER_BIDDER = 1.3


def planning_seconds(rules: Rules, market: Market) -> float:
    """How long the planning of a later round takes, roughly, on an idle machine."""
    if not rules.conduct.learns:
        return START_SECONDS
    return START_SECONDS + SECONDS_PER_BIDDER * market.num_bidders


def size_words(t: Texts, rules: Rules, market: Market) -> list[str]:
    """The size of an auction in sentences."""
    seconds = planning_seconds(rules, market)
    minutes = max(1, round(seconds / 60))
    wait = t("new.about_seconds") if seconds < 45 else t.count("new.about_minutes", minutes)
    return [
        t(
            "new.size",
            questions=rules.num_total,
            bidders=market.num_bidders,
            all=rules.num_total * market.num_bidders,
            rounds=rules.num_rounds,
        ),
        t("new.planning", wait=wait),
        *_careful(t, rules, market),
    ]


def _careful(t: Texts, rules: Rules, market: Market) -> list[str]:
    """What could end a purchase without an award, while it can still be changed."""
    asks = any(rule.at_least is not None for rule in market.rules)
    if market.sense != "buy" or rules.payment_rule == "offered" or not asks:
        return []
    return [t("new.indispensable")]
