"""Mechanisms that ask for demands and values, as lists of phases; and one that stays local."""

import math
from dataclasses import replace

from boca.core.market import Market
from boca.mechanism.phases import Phase
from boca.mechanism.preset import Choices
from boca.queries import (
    Acquisition,
    Bridge,
    Clock,
    FirstBundles,
    ModelPrices,
    PricesAndValues,
    QuickClock,
    SmallBundles,
    TrustRegion,
    WantedBundles,
)
from boca.surrogates.hyperparameters import ShortClock, short_clock
from boca.surrogates.joint import JointParams
from boca.surrogates.mixed import MixedParams
from boca.surrogates.process import ProcessParams
from boca.surrogates.registry import Surrogate

# Competitors of wanted bundles are looked for often and remembered long: in large markets what a
# network likes best lies far from what was wanted, and a short search never finds it.
SEARCHING = MixedParams(stretches=24, moves=20, kept_stretches=4, l1_per_good=4e-6)

# The average of three networks errs less than one where the trust region asks; docs/hybrid.md.
AVERAGED = replace(SEARCHING, members=3, steps=600)

# Shares of the questions for clock, values of wanted bundles, prices from networks, and values near
# the best allocation, and how many of the last are asked per training. Short auctions need their
# clock no shorter than long ones, and can afford a training for every question: docs/hybrid.md.
LONG = (0.15, 0.04, 0.25, 0.55, 2)
SHORT = (0.25, 0.05, 0.25, 0.44, 1)
SHORTEST_LONG = 51  # questions per bidder

# Networks and first bundles of a purchase, and a clock that falls from the at-most prices:
# docs/procurement.md.
BUYING = MixedParams(members=3, steps=600)
BUYING_FIRST = 14
FALLING = QuickClock(up=0.05, down=0.1)

# Bundles and suppliers up to which one process of all suppliers plans in seconds.
MOST_BUNDLES = 1 << 18
MOST_TOGETHER = 12

# One network per bidder, as published rivals have it, with what serves it best: docs/hybrid.md.
SINGLE = SEARCHING


def hybrid(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """
    The full bundle, a quick clock, values of wanted bundles, then demands and values in every
    round, then values near the best allocation on bids; where these run out before the budget,
    values of the best unasked bundles.
    """
    if market.sense == "buy":
        return _buying(market, _for_all_types("mixed", BUYING, market), choices)
    surrogate = _for_all_types("mixed", AVERAGED, market)
    nearby = TrustRegion(acquisition=choices.acquisition or "mean")
    # Payments are looked after once the main economy is in good shape.
    main_only = replace(nearby, marginal_every=0)
    unasked = choices.acquiring("mean")
    num_first = 2 if market.is_exchange else 1  # the endowment, and everything
    is_short = choices.num_total < SHORTEST_LONG
    clock, wanted, prices, values, num_per_round = SHORT if is_short else LONG
    return (
        Phase("first", FirstBundles(num_first), num_queries=num_first),
        Phase("clock", QuickClock(), share=clock),
        Phase("wanted", WantedBundles(), share=wanted),
        Phase("prices", PricesAndValues(values=main_only), surrogate, share=prices),
        # Two questions from the same networks lose nothing and save every second training.
        Phase("nearby", replace(nearby, num_per_round=num_per_round), surrogate, share=values),
        # Where the best allocations hold nothing new, ask about the best unasked bundles instead,
        # several per round, and what is left over one by one.
        Phase("unasked", unasked, surrogate, share=0.005),
        Phase("last", replace(unasked, num_per_round=1), surrogate, share=0.005),
    )


def _buying(market: Market, networks: Surrogate, choices: Choices) -> tuple[Phase, ...]:
    """
    Random bundles and a falling clock, costs of what was offered, then costs of the bundles that
    predict the cheapest award.

    What suppliers choose at falling prices is alike, and little is learned from it alone; random
    bundles beside it teach the rest. Costs of different suppliers are much alike, too, so that one
    process of all of them errs less than networks of each; where it would take too long, networks
    predict, and go where they disagree in the end.
    """
    first = min(BUYING_FIRST, choices.num_initial)  # short purchases ask for fewer
    begin = (
        Phase("first", FirstBundles(first), num_queries=first),
        # Of a hundred questions six prices and four costs of what was offered.
        Phase("clock", FALLING, share=0.069),
        Phase("wanted", WantedBundles(), share=0.046),
    )
    cheapest = choices.acquiring("mean")
    one_by_one = replace(cheapest, num_per_round=1)
    if _is_small(market):
        process = _for_all_types("process", ProcessParams(), market)
        return (
            *begin,
            Phase("cheapest", cheapest, process, share=0.88),
            Phase("last", one_by_one, process, share=0.004),
        )
    return (
        *begin,
        # 36 and 40 questions of a hundred.
        Phase("cheapest", cheapest, networks, share=0.4),
        Phase("open", choices.acquiring("upper"), networks, share=0.48),
        Phase("last", one_by_one, networks, share=0.005),
    )


def _is_small(market: Market) -> bool:
    """Whether all bundles can be listed, and all suppliers learned about together."""
    num_bundles = math.prod((market.capacities + 1).tolist())
    return num_bundles <= MOST_BUNDLES and market.num_bidders <= MOST_TOGETHER


def local(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """First queries about small bundles, then values near the best allocation on reports."""
    surrogate = _for_all_types("joint", JointParams(), market)
    return (
        Phase("first", SmallBundles(), share=0.2),
        Phase("nearby", TrustRegion(design=0.2), surrogate, share=0.8),
    )


def ml_cca(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """A clock, then demands at prices from networks; bids are what choices prove."""
    surrogate = _for_all_types("mixed", SINGLE, market)
    clock = short_clock("ml-cca", choices.tuned)
    return (
        _rising(clock),
        Phase("prices", ModelPrices(feasible=True), surrogate, share=1 - clock.rounds_share),
    )


def mlhca(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """A clock, demands at prices from networks, the winning bundles' values, then values."""
    surrogate = _for_all_types("mixed", SINGLE, market)
    values = Acquisition("mean", num_per_round=4)
    return (
        _rising(short_clock("mlhca", choices.tuned)),
        Phase("prices", ModelPrices(feasible=True), surrogate, share=0.2),
        Phase("bridge", Bridge(), share=0.01),
        Phase("acquisition", values, surrogate, share=0.56),
        # Rounds of four leave three questions over.
        Phase("last", replace(values, num_per_round=1), surrogate, share=0.03),
    )


def _rising(clock: ShortClock) -> Phase:
    """The clock that networks take over from."""
    return Phase("clock", Clock(increment=clock.increment), share=clock.rounds_share)


def _for_all_types(
    name: str, params: MixedParams | JointParams | ProcessParams, market: Market
) -> Surrogate:
    """A surrogate with the same parameters for every bidder type."""
    return Surrogate(name, {bidder.type: params for bidder in market.bidders})
