"""
A market small enough to check by hand: goods A and B once, good C twice, three bidders.

- ``pair`` wants A and B: worth 2 if it gets one of them, 7 if it gets both.
- ``single`` wants A, worth 4; each C is worth 1 more.
- ``collector`` wants C: 3 for one, 5 for both; B is worth 1 more.

| economy | best allocation | welfare |
|---|---|---|
| all | pair: A, B; collector: 2 x C | 7 + 5 = 12 |
| without pair | single: A; collector: B, 2 x C | 4 + 6 = 10 |
| without single | pair: A, B; collector: 2 x C | 7 + 5 = 12 |
| without collector | pair: A, B; single: 2 x C | 7 + 2 = 9 |

So VCG charges pair 10 - 5 = 5, single nothing, and collector 9 - 7 = 2.
"""

import numpy as np

from boca.core.allocation import Allocation
from boca.core.goods import Good
from boca.core.market import Bidder, Market
from boca.lab.domains.domain import Domain
from boca.lab.domains.efficient import Efficient
from boca.lab.domains.sharing import share_counts, trace_counts
from boca.lab.domains.value_tables import CountTable

# Values by counts of A, B, C: VALUES[bidder][a][b][c].
VALUES = np.array(
    [
        [[[0, 0, 0], [2, 2, 2]], [[2, 2, 2], [7, 7, 7]]],  # pair
        [[[0, 1, 2], [0, 1, 2]], [[4, 5, 6], [4, 5, 6]]],  # single
        [[[0, 3, 5], [1, 4, 6]], [[0, 3, 5], [1, 4, 6]]],  # collector
    ],
    dtype=float,
)


class Toy(Domain):
    """The market above. The seed changes nothing; it only tells runs apart."""

    def __init__(self, seed: int | None = None):
        goods = (Good("A"), Good("B"), Good("C", 2))
        bidders = tuple(Bidder(name, name) for name in ("pair", "single", "collector"))
        super().__init__("toy", seed, Market(goods, bidders, "toy"))

    def build_function(self, bidder: int) -> CountTable:
        return CountTable(VALUES[bidder])

    def solve(self, absent: frozenset[int] = frozenset()) -> Efficient:
        tables = [table * (i not in absent) for i, table in enumerate(VALUES)]
        stages = share_counts(tables, 3)
        allocation = Allocation(trace_counts(tables, stages))
        bound = float(stages[-1].flat[-1])
        return Efficient(self.welfare(allocation), allocation, bound, "dynamic programming")
