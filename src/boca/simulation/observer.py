"""Who knows the truth and keeps score, outside of the mechanism."""

from dataclasses import dataclass

import numpy as np

from boca.domains.domain import Domain
from boca.mechanism import AuctionState, Callback, RoundRecord

# Loss below which an experiment may call an allocation efficient, as the published runs do.
EFFICIENT = 5e-5


@dataclass(frozen=True)
class PathEntry:
    """
    Efficiency after one round.

    Parameters
    ----------
    round
        0 for the initial queries.
    queries
        Most queries that any bidder has been asked.
    efficiency_loss
        Share of the largest possible true welfare that the allocation from the reports misses.
    """

    round: int
    queries: int
    efficiency_loss: float


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
        self.optimum = float(domain.efficient().welfare)
        self.path: list[PathEntry] = []

    def true_welfare(self, bundles: np.ndarray) -> float:
        """Sum of the true values of an allocation."""
        return float(sum(self.domain.values(i, row[None, :])[0] for i, row in enumerate(bundles)))

    def loss(self, bundles: np.ndarray) -> float:
        """Efficiency loss of an allocation, as a fraction; rounding below zero becomes zero."""
        return max(0.0, 1 - self.true_welfare(bundles) / self.optimum)

    def look(self, state: AuctionState) -> None:
        """Scores every finished round that has not been scored yet."""
        for record in state.history[len(self.path) :]:
            loss = self.loss(record.allocation.bundles)
            self.path.append(PathEntry(record.round, record.num_queries, loss))

    def on_round(self, state: AuctionState, record: RoundRecord) -> None:
        self.look(state)

    def stop_when_efficient(self, state: AuctionState) -> str | None:
        """An observer's stopping rule for experiments; off unless asked for."""
        self.look(state)
        if not self.path or self.path[-1].efficiency_loss > EFFICIENT:
            return None
        return "an observer saw that the allocation is efficient"
