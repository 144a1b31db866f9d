"""How large an auction is, and how long it will keep everybody waiting."""

from boca.core.market import Market
from boca.server.live.rules import Rules
from boca.server.web.texts import Texts

# Methods that learn nothing plan a round in the time that a process needs to start.
WITHOUT_LEARNING = ("random", "local")
START_SECONDS = 4
# Rough figures for an idle core, enough to tell seconds from minutes: learning per bidder, and
# solving per question of a bidder, which grows with the number of goods.
# `python benchmarks/live_planning.py` measures whole rounds.
LEARNING_SECONDS = 1.5
SOLVING_SECONDS_PER_GOOD = 0.02


def planning_seconds(rules: Rules, market: Market) -> float:
    """A guess at how long the planning of a later round takes; never more than its limit."""
    if rules.mechanism in WITHOUT_LEARNING:
        return START_SECONDS
    per_question = min(SOLVING_SECONDS_PER_GOOD * market.num_goods, rules.solve_seconds)
    solving = rules.num_per_round * market.num_bidders * per_question
    return START_SECONDS + LEARNING_SECONDS * market.num_bidders + solving


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
    ]
