"""The winner-determination problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from boca.core import Allocation, Economy, InfeasibleAllocation, InputError, Market, check_feasible
from boca.core.bundle import as_bundles, bundle_key, bundle_keys
from boca.functions.value_function import ValueFunction


@dataclass(frozen=True, eq=False)
class WelfareProblem:
    """
    Which allocation maximises the sum of the bidders' functions?

    ``max sum_i functions[i](bundle_i)`` over the bidders i of the economy, where bundles stay
    within capacities and limits, and no bidder gets a bundle that is excluded for it.

    Parameters
    ----------
    market
        Goods, bidders and their limits.
    functions
        One value function per bidder of the market, in the market's order; those of bidders outside
        the economy are never called.
    economy
        Who takes part; all bidders unless given.
    excluded
        Bidder -> bundles ``(num_bundles, num_goods)`` that it must not get. The empty bundle can
        be among them: then the bidder gets something.
    """

    market: Market
    functions: Sequence[ValueFunction]
    economy: Economy | None = None
    excluded: Mapping[int, Any] | None = None
    bidders: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        num_bidders = self.market.num_bidders
        if len(self.functions) != num_bidders:
            raise InputError(
                f"Received {len(self.functions)} value functions; expected one for each of the "
                f"{num_bidders} bidders."
            )
        economy = Economy.main(num_bidders) if self.economy is None else self.economy
        if not isinstance(economy, Economy):
            raise InputError(
                f"Received the economy {economy!r}; expected Economy.main(n) or "
                "Economy.without(bidder, n)."
            )
        if not economy.bidders or min(economy.bidders) < 0 or max(economy.bidders) >= num_bidders:
            raise InputError(
                f"The economy has the bidders {economy.bidders}; expected at least one, from 0 "
                f"to {num_bidders - 1}."
            )
        for i in economy.bidders:
            if not isinstance(self.functions[i], ValueFunction):
                raise InputError(
                    f"The function of bidder {i} is a {type(self.functions[i]).__name__}; expected "
                    "a value function: an object with `capacities` that can be called on a matrix "
                    "of bundles, such as those of boca.functions."
                )
            if not np.array_equal(self.functions[i].capacities, self.market.capacities):
                raise InputError(
                    f"The function of bidder {i} is defined for the capacities "
                    f"{np.asarray(self.functions[i].capacities).tolist()}; expected the market's, "
                    f"{self.market.capacities.tolist()}."
                )
        object.__setattr__(self, "functions", tuple(self.functions))
        object.__setattr__(self, "economy", economy)
        object.__setattr__(self, "bidders", economy.bidders)
        object.__setattr__(self, "excluded", self._checked_exclusions())

    def _checked_exclusions(self) -> dict[int, np.ndarray]:
        checked = {}
        for i, rows in (self.excluded or {}).items():
            if i not in self.bidders:
                raise InputError(
                    f"Bundles are excluded for bidder {i}, who is not in the economy "
                    f"{self.bidders}; leave them out."
                )
            if len(rows):
                bundles = np.unique(as_bundles(rows, self.market.capacities), axis=0)
                checked[int(i)] = bundles
        return checked

    @cached_property
    def excluded_keys(self) -> dict[int, frozenset[bytes]]:
        """The excluded bundles of each bidder by their keys, for quick look-up."""
        return {i: frozenset(bundle_keys(rows)) for i, rows in (self.excluded or {}).items()}

    def welfare(self, allocation: Allocation) -> float:
        """The sum of the functions at an allocation, by the functions themselves."""
        total = 0.0
        for i in self.bidders:
            row = allocation.bundles[i]
            total += self.functions[i](row[None])[0] if row.any() else self._nothing[i]
        return float(total)

    @cached_property
    def _nothing(self) -> dict[int, float]:
        """What each bidder's function says of the empty bundle, which most get where many are."""
        empty = np.zeros((1, self.market.num_goods), dtype=np.int64)
        return {i: self.functions[i](empty)[0] for i in self.bidders}

    def check(self, allocation: Allocation) -> None:
        """Raises InfeasibleAllocation unless the allocation is one of this problem's."""
        check_feasible(allocation, self.market, self.economy)
        for i, keys in self.excluded_keys.items():
            if bundle_key(allocation.bundles[i]) in keys:
                raise InfeasibleAllocation(
                    f"Bidder {i} gets the bundle {allocation.bundles[i].tolist()}, which is "
                    "excluded for it."
                )

    def is_feasible(self, allocation: Allocation) -> bool:
        """Whether :meth:`check` passes."""
        try:
            self.check(allocation)
        except InfeasibleAllocation:
            return False
        return True
