"""Bidders who answer from true values."""

from collections.abc import Sequence
from typing import Any

from boca.core.errors import InputError
from boca.core.query import DemandQuery, Question
from boca.lab.domains.domain import Domain
from boca.lab.domains.true_demand import demanded
from boca.lab.simulation.strategies import Strategy, Truthful


class SimulatedBidders:
    """
    Answers queries from true values.

    Parameters
    ----------
    domain
        The true values.
    strategies
        One per bidder, or one for all.
    num_answered
        Values that each bidder has reported before; none unless given.
    """

    def __init__(
        self,
        domain: Domain,
        strategies: Strategy | Sequence[Strategy] = Truthful(),
        num_answered: Sequence[int] | None = None,
    ):
        n = domain.market.num_bidders
        if isinstance(strategies, Sequence):
            if len(strategies) != n:
                raise InputError(f"Received {len(strategies)} strategies; expected {n}.")
            self._strategies = list(strategies)
        else:
            self._strategies = [strategies] * n
        self._domain = domain
        self._num_answered = [0] * n if num_answered is None else list(num_answered)

    def __call__(self, query: Question) -> Any:
        i = query.bidder
        if isinstance(query, DemandQuery):  # strategies are about values; demand is truthful
            return demanded(self._domain, i, query.prices, query.num_bundles)
        value = float(self._domain.values(i, query.bundle[None, :])[0])
        answer = self._strategies[i](query, value, self._num_answered[i])
        if answer is not None:
            self._num_answered[i] += 1
        return answer
