"""Who knows the truth and keeps score, outside of the mechanism."""

from dataclasses import dataclass

import numpy as np

from boca.core.allocation import Allocation
from boca.core.errors import SolverError
from boca.lab.domains.domain import Domain
from boca.mechanism import AuctionState, Callback, RoundRecord

# Loss below which an experiment may call an allocation efficient, as the published runs do.
EFFICIENT = 5e-5
# Shares of the optimum by which rounding may lift a sum of true values above the proven bound, and
# a solver's tolerance above an optimum whose bound leaves room for it.
ROUNDING = 1e-9
TOLERANCE = 1e-6


@dataclass(frozen=True)
class PathEntry:
    """
    Efficiency after one round.

    Parameters
    ----------
    round
        Number of the round; 0 for the first queries.
    queries
        Largest number of queries that any bidder has been asked.
    efficiency_loss
        Share of the largest possible true welfare that the allocation from the reports misses; of a
        purchase by how much it costs more than the cheapest one, relative to that; of an exchange
        the share of the gains from trade that is missed.
    missing
        Largest share that it could miss, as far as the answers prove; None where they do not.
    """

    round: int
    queries: int
    efficiency_loss: float
    missing: float | None = None


class Observer(Callback):
    """
    Knows the truth and keeps score; the auction does not know it is there.

    Parameters
    ----------
    domain
        The true values.
    """

    def __init__(self, domain: Domain):
        self.domain = domain
        efficient = domain.efficient()
        self.optimum = float(efficient.welfare)
        self._largest = np.inf  # where a domain proves nothing, anything can be better
        if np.isfinite(efficient.bound):
            self._largest = min(
                max(self.optimum, float(efficient.bound)) + ROUNDING * abs(self.optimum),
                self.optimum + TOLERANCE * abs(self.optimum),
            )
        self.path: list[PathEntry] = []
        self.before = 0.0
        if domain.market.is_exchange:
            self.before = self.true_welfare(domain.market.endowments)

    def true_welfare(self, bundles: np.ndarray) -> float:
        """Sum of the true values of an allocation; minus what a purchase costs."""
        if self.domain.market.sense == "buy":
            return self.domain.welfare(Allocation(bundles))
        return float(sum(self.domain.values(i, row[None, :])[0] for i, row in enumerate(bundles)))

    def loss(self, bundles: np.ndarray) -> float:
        """
        Efficiency loss of an allocation, as a fraction.

        A hair above the optimum counts as no loss. A larger welfare means that the optimum is
        wrong, and with it every loss, so it is refused.
        """
        welfare = self.true_welfare(bundles)
        if welfare > self._largest:
            raise SolverError(
                f"An allocation of '{self.domain.name}' has the true welfare {welfare!r}, more "
                f"than the {self.optimum!r} of the allocation that was taken for efficient. "
                "Losses cannot be measured; report the market and its seed."
            )
        if welfare >= self.optimum:  # also where everything is worth nothing
            return 0.0
        if self.domain.market.sense == "buy":
            return (self.optimum - welfare) / abs(self.optimum)
        if self.before:
            return (self.optimum - welfare) / (self.optimum - self.before)
        return 1 - welfare / self.optimum

    def look(self, state: AuctionState) -> None:
        """Scores every finished round that has not been scored yet."""
        for record in state.history[len(self.path) :]:
            loss = self.loss(record.allocation.bundles)
            self.path.append(PathEntry(record.round, record.num_queries, loss, record.missing))

    def on_round(self, state: AuctionState, record: RoundRecord) -> None:
        self.look(state)

    def stop_when_efficient(self, state: AuctionState) -> str | None:
        """An observer's stopping rule for experiments; off unless asked for."""
        self.look(state)
        if not self.path or self.path[-1].efficiency_loss > EFFICIENT:
            return None
        return "an observer saw that the allocation is efficient"
