"""
Bayesian optimisation-based combinatorial assignment.

Agents value bundles of goods; boca asks each about a few well-chosen ones, learns the rest, and
ends with a welfare-maximising allocation and payments.

    Good, Bidder, Limit, Market    what is shared out, and among whom
    load_market                    a market from a file
    load_domain                    a market with true values, for simulation: lsvm, srvm, ...
    auction_params, PRESETS        the settings of a mechanism for a market
    AuctionParams, Phase           an auction of one's own: a list of phases
    Auction                        ask, tell, close
    next_step, AuctionState        the same without an object: a slow step, a quick state
    simulate                       an auction with simulated bidders
    fit, Fitted, register_surrogate    learning value functions from reports
    maximise_welfare, WelfareProblem   the best allocation for given value functions
    best_bundle                    one bidder's best bundle at prices
    assign_seats, Seating          seats for students without money
    SeatRules, SeatParams          what a registrar decides, and how prices are searched for
    Reports, allocate, vcg, quadratic_core    allocation and payments from reports
    award, Rule                    the cheapest award on package offers, under business rules
    exchange                       the best trades among participants who hold something
    InputError                     what is raised when something received cannot be used

Everything is loaded when it is first used, so importing boca is quick. The folders are described in
``docs/architecture.md``, the words in ``docs/concepts.md``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from boca._former_names import keep_former_names

__version__ = "0.2.0"

if TYPE_CHECKING:
    from boca.core import Bidder, Good, InputError, Limit, Market, Reports, Rule
    from boca.lab.domains import load_domain
    from boca.lab.simulation.simulated_auction import simulate
    from boca.markets import load_market
    from boca.mechanism import (
        PRESETS,
        Auction,
        AuctionParams,
        AuctionState,
        Phase,
        auction_params,
        next_step,
    )
    from boca.payments import allocate, award, exchange, quadratic_core, vcg
    from boca.seats import Seating, SeatParams, SeatRules, assign_seats
    from boca.surrogates import Fitted, fit, register_surrogate
    from boca.wdp import WelfareProblem, best_bundle, maximise_welfare

__all__ = [
    "PRESETS",
    "Auction",
    "AuctionParams",
    "AuctionState",
    "Bidder",
    "Fitted",
    "Good",
    "InputError",
    "Limit",
    "Market",
    "Phase",
    "Reports",
    "Rule",
    "SeatParams",
    "SeatRules",
    "Seating",
    "WelfareProblem",
    "allocate",
    "assign_seats",
    "auction_params",
    "award",
    "best_bundle",
    "exchange",
    "fit",
    "load_domain",
    "load_market",
    "maximise_welfare",
    "next_step",
    "quadratic_core",
    "register_surrogate",
    "simulate",
    "vcg",
]

# Where each name lives.
_HOMES = {
    "boca.core": ("Bidder", "Good", "InputError", "Limit", "Market", "Reports", "Rule"),
    "boca.lab.domains": ("load_domain",),
    "boca.markets": ("load_market",),
    "boca.mechanism": (
        "PRESETS",
        "Auction",
        "AuctionParams",
        "AuctionState",
        "Phase",
        "auction_params",
        "next_step",
    ),
    "boca.payments": ("allocate", "award", "exchange", "quadratic_core", "vcg"),
    "boca.lab.simulation.simulated_auction": ("simulate",),
    "boca.seats": ("SeatParams", "SeatRules", "Seating", "assign_seats"),
    "boca.surrogates": ("Fitted", "fit", "register_surrogate"),
    "boca.wdp": ("WelfareProblem", "best_bundle", "maximise_welfare"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

keep_former_names()


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'boca' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
