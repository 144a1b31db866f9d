"""Where truth and mechanism meet: an auction with simulated bidders, watched by an observer."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.core.outcome import Outcome
from boca.lab.domains.domain import Domain
from boca.lab.simulation.bidders import SimulatedBidders
from boca.lab.simulation.full_information import full_information_vcg
from boca.lab.simulation.mechanisms import FULL_INFORMATION
from boca.lab.simulation.observer import Observer, PathEntry
from boca.lab.simulation.provenance import peak_memory_mb
from boca.lab.simulation.start_prices import with_known_prices
from boca.lab.simulation.strategies import Strategy, Truthful
from boca.mechanism import Auction, AuctionParams, AuctionState, Callback, run
from boca.queries import FirstBundles
from boca.queries.first import published


@dataclass(frozen=True)
class Simulation:
    """
    A finished simulated auction.

    Parameters
    ----------
    outcome
        Allocation and payments.
    state
        Where the auction ended.
    optimum
        Largest possible true welfare; of a purchase, minus the least possible cost.
    efficiency_loss
        Of the final allocation, as a fraction; see :class:`PathEntry`.
    true_values
        True value of each bidder for what it receives, or true cost of what it supplies.
    path
        One entry per round.
    seconds
        Wall-clock time.
    before
        True value of what everybody held before, of an exchange.
    """

    outcome: Outcome
    state: AuctionState
    optimum: float
    efficiency_loss: float
    true_values: np.ndarray
    path: tuple[PathEntry, ...]
    seconds: float
    before: float = 0.0

    @property
    def relative_revenue(self) -> float:
        """
        Revenue as a share of the optimum; 0 where everything is worth nothing.

        Of a purchase, what the buyer pays as a multiple of the least possible cost.
        """
        return self.outcome.revenue / self.optimum if self.optimum else 0.0

    @property
    def welfare(self) -> float:
        """True welfare of the outcome; of a purchase, minus what it truly costs."""
        total = float(self.true_values.sum())
        return -(total + self.outcome.outside_cost) if self.outcome.is_purchase else total

    def in_own_words(self) -> dict[str, float]:
        """What buyers and traders count: costs and savings, or gains from trade."""
        if self.outcome.is_purchase:
            market, reserve = self.outcome.market, np.array(self.state.params.reserve)
            figures = {"cost": -self.welfare, "least_cost": -self.optimum}
            if len(reserve) and np.isfinite(reserve).all():
                outside = float(reserve @ market.capacities)
                figures |= {"cost_outside": outside, "savings": 1 + self.welfare / outside}
            return figures
        if self.outcome.market.is_exchange:
            gains = {"gain": self.welfare - self.before}
            return gains | {"largest_gain": self.optimum - self.before}
        return {}

    def to_dict(self) -> dict[str, Any]:
        """What a result file holds."""
        history = self.state.history
        return {
            "efficiency_loss": self.efficiency_loss,
            "relative_revenue": self.relative_revenue,
            "welfare": self.welfare,
            "reported_welfare": self.outcome.welfare,
            "optimum": self.optimum,
            "revenue": self.outcome.revenue,
            **self.in_own_words(),
            "welfare_bound": history[-1].welfare_bound if history else None,
            "missing": history[-1].missing if history else None,
            "discrepancy": history[-1].discrepancy if history else 0.0,
            "num_asked": list(self.state.num_asked),
            "stopped": self.state.stopped,
            "seconds": self.seconds,
            "learning_seconds": sum(record.planning.learning_seconds for record in history),
            "solving_seconds": sum(record.planning.solving_seconds for record in history),
            "peak_memory_mb": peak_memory_mb(),
            "path": [vars(entry) for entry in self.path],
            "loss_by_phase": {
                record.phase: entry.efficiency_loss
                for record, entry in zip(history, self.path, strict=False)
                if record.phase
            },
            "allocation": self.outcome.allocation.bundles.tolist(),
            "payments": self.outcome.payments.tolist(),
            "true_values": self.true_values.tolist(),
        }


def first_bundles(domain: Domain, num_queries: int) -> list[np.ndarray]:
    """
    The first bundles of the published experiments, ``(num_queries, num_goods)`` per bidder.

    Parameters
    ----------
    domain
        A value model drawn from a seed.
    num_queries
        Bundles per bidder.
    """
    if domain.seed is None:
        raise InputError("Published first queries exist only for domains drawn from a seed.")
    return [
        published(domain.market, bidder, num_queries, domain.seed, partial(domain.sample, bidder))
        for bidder in range(domain.market.num_bidders)
    ]


def simulate(
    domain: Domain,
    params: AuctionParams,
    strategies: Strategy | Sequence[Strategy] = Truthful(),
    callbacks: Sequence[Callback] = (),
    state: AuctionState | None = None,
    published_start: bool = False,
    stop_when_efficient: bool = False,
    on_observer: Callable[[Observer], None] = lambda observer: None,
) -> Simulation:
    """
    Runs an auction with simulated bidders from start, or from a saved state, to end.

    Parameters
    ----------
    domain
        The truth.
    params
        The mechanism's settings; ignored where a state is given, which brings its own.
    strategies
        How bidders answer.
    callbacks
        Who listens, after the observer.
    state
        A state to go on from.
    published_start
        Whether the first bundles are those of the published experiments.
    stop_when_efficient
        Whether the observer ends the auction at 0 % loss, as published experiments do.
    on_observer
        Called with the observer before the auction starts, for whoever wants to show its score.
    """
    if params.mechanism == FULL_INFORMATION:
        return with_full_information(domain, params)
    observer = Observer(domain)
    on_observer(observer)
    rules = (observer.stop_when_efficient,) if stop_when_efficient else ()
    listeners = (observer, *callbacks)
    if state is None:
        params = with_known_prices(params, domain)
        bundles = first_bundles(domain, _num_first(params)) if published_start else None
        auction = Auction.start(domain.market, params, listeners, rules, bundles)
    elif state.market.fingerprint != domain.market.fingerprint:
        raise InputError(
            f"The saved state is of the market '{state.market.name}', not of this "
            f"'{domain.market.name}'. Resume it with the market it was started with."
        )
    else:
        auction = Auction(state, listeners, rules)
    started = time.perf_counter()
    num_answered = [len(reports) for reports in auction.state.reports]
    outcome = run(auction, SimulatedBidders(domain, strategies, num_answered))
    observer.look(auction.state)
    won = outcome.allocation.bundles
    return Simulation(
        outcome=outcome,
        state=auction.state,
        optimum=observer.optimum,
        efficiency_loss=observer.loss(won),
        true_values=np.array(
            [domain.values(i, row[None, :])[0] for i, row in enumerate(won)], dtype=float
        ),
        path=tuple(observer.path),
        seconds=time.perf_counter() - started,
        before=observer.before,
    )


def _num_first(params: AuctionParams) -> int:
    """First queries per bidder."""
    planner = params.phases[0].planner if params.phases else None
    if not isinstance(planner, FirstBundles):
        raise InputError(
            f"Received published first queries for {params.mechanism}, which asks no first "
            "queries; leave them out."
        )
    return planner.num_queries


def with_full_information(domain: Domain, params: AuctionParams) -> Simulation:
    """The benchmark in the shape of a simulated auction that asked nothing."""
    outcome, seconds = full_information_vcg(domain)
    state = AuctionState.start(domain.market, params)
    return Simulation(
        outcome=outcome,
        state=replace(state, stopped="all values are known", closed=True),
        optimum=outcome.welfare,
        efficiency_loss=0.0,
        true_values=outcome.values,
        path=(PathEntry(0, 0, 0.0),),
        seconds=seconds,
    )
