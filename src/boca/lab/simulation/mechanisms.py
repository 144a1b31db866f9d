"""Every mechanism that can be simulated: the presets, and the benchmark that knows all values."""

from typing import Any

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.wording import did_you_mean
from boca.mechanism import PRESETS, AuctionParams, auction_params
from boca.mechanism.preset import Preset

FULL_INFORMATION = "vcg"
# No auction: nothing is asked, because everything is known.
_BENCHMARK = Preset(
    "VCG with full information, the benchmark of simulations",
    lambda market, choices: (),
    learns=False,
    asks_first_queries=False,
)


def mechanisms() -> dict[str, Preset]:
    """Every mechanism by its name, those of plug-ins included."""
    return {**PRESETS, FULL_INFORMATION: _BENCHMARK}


def get_mechanism(name: str) -> Preset:
    """What a mechanism offers to choose; an error that names the nearest one otherwise."""
    presets = mechanisms()
    if name not in presets:
        raise InputError(f"Unknown mechanism '{name}'; {did_you_mean(name, presets)}")
    return presets[name]


def mechanism_params(mechanism: str, market: Market, **settings: Any) -> AuctionParams:
    """The settings of a mechanism for a market; see :func:`boca.mechanism.auction_params`."""
    if mechanism != FULL_INFORMATION:
        get_mechanism(mechanism)
        return auction_params(mechanism, market, **settings)
    if settings.get("payment_rule", "vcg") != "vcg":
        raise InputError(
            f"Received the payment rule '{settings['payment_rule']}' for the benchmark with full "
            "information; it is defined with VCG payments only. Leave the payment rule out, or "
            "choose a mechanism that asks."
        )
    _BENCHMARK.check_acquisition(mechanism, settings.get("acquisition"))
    return AuctionParams(mechanism=mechanism, seed=settings.get("seed", 0))
