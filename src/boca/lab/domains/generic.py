"""The generic view of a domain: identical licences are one good with a capacity."""

from dataclasses import dataclass

import numpy as np

from boca.core.goods import Good, Limit
from boca.core.market import Bidder, Market
from boca.functions.value_function import ValueFunction
from boca.lab.domains.domain import Domain
from boca.lab.domains.efficient import Efficient
from boca.lab.domains.grouping import Grouping


@dataclass(frozen=True, eq=False)
class OfItems:
    """
    A function of counts, seen as a function of items.

    Parameters
    ----------
    function
        Values by counts.
    grouping
        Which items are copies of which good.
    """

    function: ValueFunction
    grouping: Grouping

    @property
    def capacities(self) -> np.ndarray:
        return np.ones(len(self.grouping.goods), dtype=np.int64)

    def __call__(self, bundles: np.ndarray) -> np.ndarray:
        return self.function(self.grouping.to_counts(bundles))


@dataclass(frozen=True, eq=False)
class OfCounts:
    """A function of items that treats copies alike, seen as a function of counts."""

    function: ValueFunction
    grouping: Grouping

    @property
    def capacities(self) -> np.ndarray:
        return self.grouping.capacities

    def __call__(self, bundles: np.ndarray) -> np.ndarray:
        return self.function(self.grouping.to_items(bundles))


class GenericDomain(Domain):
    """
    A domain with identical items counted instead of named. Values and optimum stay the same.

    ``items`` is the domain underneath, ``grouping`` converts bundles and allocations both ways.
    """

    is_generic = True

    def __init__(self, items: Domain, grouping: Grouping):
        super().__init__(items.name, items.seed, grouped_market(items.market, grouping))
        self.items = items
        self.grouping: Grouping = grouping

    def build_function(self, bidder: int) -> ValueFunction:
        function = self.items.function(bidder)
        return (
            function.function
            if isinstance(function, OfItems)
            else OfCounts(function, self.grouping)
        )

    def sample(self, bidder: int, num: int, seed: int) -> np.ndarray:
        """The bundles that the item view draws with this seed, as counts."""
        return self.grouping.to_counts(self.items.sample(bidder, num, seed))

    def solve(self, absent: frozenset[int] = frozenset()) -> Efficient:
        # The item view keeps its answer on disk, so this one needs no file of its own.
        best = self.items.solve(absent) if absent else self.items.efficient()
        allocation = self.grouping.allocation_to_counts(best.allocation)
        return Efficient(best.welfare, allocation, best.bound, best.method)


def grouped_market(market: Market, grouping: Grouping) -> Market:
    """The market with one good for each group; limits must treat copies alike."""
    goods = tuple(
        Good(name, int(capacity))
        for name, capacity in zip(grouping.names, grouping.capacities, strict=True)
    )
    first = [grouping.goods.index(good) for good in range(len(goods))]
    bidders = tuple(
        Bidder(
            bidder.name,
            bidder.type,
            tuple(
                Limit(tuple(limit.coefficients[item] for item in first), limit.bound, limit.name)
                for limit in bidder.limits
            ),
            tuple(grouping.to_counts(np.array(bidder.endowment))[0].tolist())
            if bidder.endowment
            else (),
        )
        for bidder in market.bidders
    )
    return Market(goods, bidders, f"{market.name} (generic)")


def generic_view(domain: Domain) -> Domain:
    """The generic view; the domain itself where no two goods are copies of one another."""
    if domain.is_generic or domain.grouping is None:
        return domain
    return GenericDomain(domain, domain.grouping)
