"""One training, or one short auction, of one configuration on one instance: the unit of work."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.core.plugins import load_plugins
from boca.core.randomness import Seeds
from boca.lab.domains import load_domain
from boca.lab.simulation.mechanisms import mechanism_params
from boca.lab.simulation.simulated_auction import simulate
from boca.lab.simulation.start_prices import with_start_prices
from boca.lab.studies.tuning.criteria import get_criterion
from boca.lab.studies.tuning.instances import make_instance
from boca.lab.studies.tuning.setup import TuningSetup, drawn
from boca.mechanism import PRESETS, AuctionParams
from boca.surrogates.ranges import make_params
from boca.surrogates.registry import Surrogate

# A short auction: first queries as usual, then three rounds that depend on the networks.
SHORT_AUCTION = {"num_initial": 40, "num_per_round": 4, "num_total": 52}

# What is kept of one instance: a number for each target, and how long it took.
Measurement = dict[str, Any]


def measure(setup: TuningSetup, params: Any, number: int) -> Measurement:
    """
    Judges a configuration on an instance.

    Parameters
    ----------
    setup
        What the search is about.
    params
        Parameters of its surrogate, for the bidder type or for all bidders.
    number
        The instance, or the fold.
    """
    began = time.perf_counter()
    if get_criterion(setup.criterion).judge is None:
        scores = [short_auction_loss(setup, params, number)]
    else:
        scores = train_and_judge(setup, params, number)
    if not np.isfinite(scores).all():
        # Networks that diverged are worse than any that did not; samplers want numbers.
        scores = np.nan_to_num(scores, nan=1e15, posinf=1e15, neginf=1e15).tolist()
    return {
        "scores": dict(zip(setup.targets, map(float, scores), strict=True)),
        "seconds": round(time.perf_counter() - began, 3),
    }


def measure_plain(setup: Mapping[str, Any], params: Mapping[str, Any], number: int) -> Measurement:
    """The same from plain values, which can be sent to another machine."""
    load_plugins()
    whole = TuningSetup.from_dict(setup)
    return measure(whole, make_params(whole.space.surrogate, params), number)


def train_and_judge(setup: TuningSetup, params: Any, number: int) -> list[float]:
    """Trains on an instance's reports; the mean over its bidders for each target."""
    instance = make_instance(setup, number)
    types = {bidder.type for bidder in instance.market.bidders}
    surrogate = Surrogate(setup.space.surrogate, dict.fromkeys(types, params))
    seeds = drawn(Seeds(setup.seed).child("tuning", number), setup.draw)
    fitted = surrogate.fit(instance.reports, instance.demands, instance.market, seeds)
    judge = get_criterion(setup.criterion).judge
    assert judge is not None
    rows = [
        judge(fitted[i], instance.reports[i], instance.tests[i], setup.quantiles)
        for i in range(instance.market.num_bidders)
    ]
    means: list[float] = np.mean(rows, axis=0).tolist()
    return means


def short_auction_loss(setup: TuningSetup, params: Any, number: int) -> float:
    """Efficiency loss, in per cent, of a short auction in which one type has these parameters."""
    domain = load_domain(setup.market, seed=number, generic=setup.generic)
    auction = mechanism_params(
        mechanism_with(setup.space.surrogate, domain.market),
        domain.market,
        tuned="" if setup.generic else setup.market,
        seed=drawn(Seeds(number), setup.draw).integer(31) if setup.draw else number,
        **SHORT_AUCTION,
    )
    auction = with_params(auction, setup.space.surrogate, {setup.bidder_type: params})
    return 100 * simulate(domain, with_start_prices(auction, domain)).efficiency_loss


def mechanism_with(surrogate: str, market: Any) -> str:
    """The first mechanism that learns with a surrogate."""
    for name in PRESETS:
        try:
            phases = mechanism_params(name, market).phases
        except InputError:  # this mechanism does not suit the market
            continue
        if any(phase.surrogate and phase.surrogate.name == surrogate for phase in phases):
            return name
    raise InputError(
        f"No mechanism learns with the surrogate '{surrogate}'; take another --criterion."
    )


def with_params(
    auction: AuctionParams, surrogate: str, params: Mapping[str | None, Any]
) -> AuctionParams:
    """
    An auction whose networks have other parameters.

    Parameters
    ----------
    auction
        Settings of the auction.
    surrogate
        The surrogate that is changed, wherever a phase learns with it.
    params
        New parameters by bidder type; those of None are for every type.
    """
    phases = []
    for phase in auction.phases:
        learner = phase.surrogate
        if learner is not None and learner.name == surrogate:
            changed = {
                kind: params.get(kind, params.get(None, old))
                for kind, old in learner.params.items()
            }
            phase = replace(phase, surrogate=replace(learner, params=changed))
        phases.append(phase)
    return replace(auction, phases=tuple(phases))
