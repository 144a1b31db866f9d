"""A market with goods of several copies whose true values can be listed."""

import numpy as np
from random_functions import all_bundles

from boca.core.allocation import Allocation
from boca.core.market import Market
from boca.lab.domains.domain import Domain
from boca.lab.domains.efficient import Efficient
from boca.lab.domains.sharing import share_counts, trace_counts
from boca.lab.domains.value_tables import CountTable

CAPACITIES = np.array([1, 2, 1, 2, 1])


class SmallDomain(Domain):
    """
    Four bidders, five goods; values grow with a power of an additive part.

    Powers above and below 1 make goods complements to some and substitutes to others.
    """

    def __init__(self):
        super().__init__("small", None, Market.simple(5, 4, CAPACITIES.tolist()))
        rng = np.random.default_rng(7)
        bundles = all_bundles(CAPACITIES)
        self._tables = []
        for power in (0.7, 0.9, 1.0, 1.2):
            worth = bundles @ rng.uniform(1, 10, size=5)
            self._tables.append((worth**power).reshape(CAPACITIES + 1))

    def build_function(self, bidder):
        return CountTable(self._tables[bidder])

    def solve(self, absent=frozenset()):
        tables = [table * (i not in absent) for i, table in enumerate(self._tables)]
        stages = share_counts(tables, 5)
        allocation = Allocation(trace_counts(tables, stages))
        bound = float(stages[-1].flat[-1])
        return Efficient(self.welfare(allocation), allocation, bound, "dynamic programming")
