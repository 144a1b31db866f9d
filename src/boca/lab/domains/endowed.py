"""
Exchanges from value models: every copy of every good is owned by a random participant that can
hold it.

Values stay what they are in the model, over what somebody holds; so does the best allocation. An
auctioneer has nothing on top.
"""

from dataclasses import replace

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.functions.value_function import ValueFunction
from boca.lab.domains.domain import Domain
from boca.lab.domains.efficient import Efficient

PREFIX = "exchange-"


class Endowed(Domain):
    """
    A value model as an exchange.

    Parameters
    ----------
    base
        The model.
    """

    def __init__(self, base: Domain):
        if base.seed is None:
            raise InputError(f"'{base.name}' has no seed to draw endowments from.")
        market = with_endowments(base.market, Seeds(base.seed).child("endowments").generator())
        super().__init__(f"{PREFIX}{base.name}", base.seed, market)
        self.base = base
        self.grouping = base.grouping

    def build_function(self, bidder: int) -> ValueFunction:
        return self.base.function(bidder)

    def sample(self, bidder: int, num: int, seed: int) -> np.ndarray:
        return self.base.sample(bidder, num, seed)

    def wanted(self, bidder: int, prices: np.ndarray, num_bundles: int) -> np.ndarray | None:
        return self.base.wanted(bidder, prices, num_bundles)

    def solve(self, absent: frozenset[int] = frozenset()) -> Efficient:
        if absent:
            raise InputError(
                "In an exchange without a participant that one keeps what it holds; value models "
                "do not know that allocation."
            )
        return self.base.efficient()  # which is kept on disk under the model's own name


def with_endowments(market: Market, rng: np.random.Generator) -> Market:
    """
    The market with every copy of every good owned by one of its bidders, at random.

    An owner who could not hold the copy is drawn again; what nobody can hold is left out.
    """
    num = market.num_bidders
    held = np.zeros((num, market.num_goods), dtype=np.int64)
    for good, copies in enumerate(market.capacities.tolist()):
        one = np.eye(market.num_goods, dtype=np.int64)[good]
        for owner in rng.integers(num, size=copies).tolist():
            able = [i for i in range(num) if market.allows(i, held[i] + one)[0]]
            while able and owner not in able:
                owner = int(rng.integers(num))
            if able:
                held[owner, good] += 1
    bidders = tuple(
        replace(bidder, endowment=tuple(own.tolist()))
        for bidder, own in zip(market.bidders, held, strict=True)
    )
    return replace(market, bidders=bidders, name=f"{PREFIX}{market.name}")
