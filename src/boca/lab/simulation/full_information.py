"""The benchmark that no auction can run: VCG when everybody's whole value function is known."""

import time

import numpy as np

from boca.core.errors import InputError
from boca.core.outcome import Outcome
from boca.lab.domains.domain import Domain


def full_information_vcg(domain: Domain) -> tuple[Outcome, float]:
    """
    The efficient allocation with VCG payments on true values, and the seconds it took.

    Each bidder pays what the others lose by its presence: their optimum without it less what they
    get with it.
    """
    market = domain.market
    if market.sense == "buy" or market.is_exchange:
        raise InputError(
            f"The benchmark with full information is for markets that sell, and '{market.name}' "
            f"{'buys' if market.sense == 'buy' else 'is an exchange'}; losses are relative to the "
            "optimum in any case. Choose a mechanism that asks."
        )
    started = time.perf_counter()
    best = domain.efficient()
    bundles = best.allocation.bundles
    values = np.array([domain.values(i, row[None, :])[0] for i, row in enumerate(bundles)])
    payments = np.zeros(len(values))
    for i in np.flatnonzero(values > 0):
        others_with = best.welfare - values[i]
        others_without = domain.efficient_without(int(i)).welfare if len(values) > 1 else 0.0
        # Rounding may leave a payment a hair below zero or above the value.
        payments[i] = np.clip(others_without - others_with, 0.0, values[i])
    outcome = Outcome(domain.market, best.allocation, values, payments, "vcg, full information")
    return outcome, time.perf_counter() - started
