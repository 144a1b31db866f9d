"""What every domain can do: a market whose true values we know."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from boca.core.allocation import Allocation, check_feasible
from boca.core.bundle import as_bundles
from boca.core.errors import BocaError, InputError, SolverError
from boca.core.market import Market
from boca.functions.value_function import ValueFunction
from boca.lab.domains import cache
from boca.lab.domains.efficient import Efficient
from boca.lab.domains.random48 import Random48

if TYPE_CHECKING:
    from boca.lab.domains.grouping import Grouping


class Domain(ABC):
    """
    A market with true values. Only an observer may look here, never the mechanism.

    A new domain says how one bidder's value function is built (:meth:`build_function`) and how
    the best allocation is found (:meth:`solve`); the rest follows.

    Parameters
    ----------
    name
        What :func:`boca.lab.domains.load_domain` calls it.
    seed
        The seed the instance was drawn from; None where nothing is drawn.
    market
        Goods, bidders, capacities and limits.
    """

    #: Raised whenever :meth:`solve` may answer differently, so that old cache files are not used.
    version: int = 1
    #: Which goods are copies of one another; None where no two are (see :mod:`.generic`).
    grouping: "Grouping | None" = None
    #: Whether this is a generic view, with identical goods counted instead of named.
    is_generic: bool = False
    #: Price of one copy of each good outside: below it a seller keeps it, and a buyer pays no more.
    reserve: Sequence[float] | np.ndarray = ()

    def __init__(self, name: str, seed: int | None, market: Market):
        self.name = name
        self.seed = seed
        self.market = market
        self._functions: dict[int, ValueFunction] = {}
        self._efficient: Efficient | None = None

    @abstractmethod
    def build_function(self, bidder: int) -> ValueFunction:
        """Builds a bidder's value function; called once per bidder, when it is first needed."""

    @abstractmethod
    def solve(self, absent: frozenset[int] = frozenset()) -> Efficient:
        """
        Finds the efficient allocation, without any memory of an earlier answer.

        Parameters
        ----------
        absent
            Bidders that take no part; what they would get must be worth nothing.
        """

    @property
    def cache_key(self) -> str | None:
        """Name under which :meth:`solve`'s answer is kept on disk; None to keep nothing."""
        return None

    @property
    def bidder_types(self) -> tuple[str, ...]:
        """Type of each bidder, in the order of ``market.bidders``."""
        return tuple(bidder.type for bidder in self.market.bidders)

    def values(self, bidder: int, bundles: Any) -> np.ndarray:
        """
        True values of a bidder.

        Parameters
        ----------
        bidder
            Index into ``market.bidders``.
        bundles
            Whole numbers of shape ``(num_bundles, num_goods)``, or one bundle ``(num_goods,)``.
            Checked. Values exist for all bundles, also for those a limit would not let it win.
        """
        return self.function(bidder)(as_bundles(bundles, self.market.capacities))

    def function(self, bidder: int) -> ValueFunction:
        """A bidder's true value function as a frozen object, which does not check its input."""
        if not 0 <= bidder < self.market.num_bidders:
            raise InputError(
                f"Received bidder {bidder}; expected 0 to {self.market.num_bidders - 1}."
            )
        if bidder not in self._functions:
            self._functions[bidder] = self.build_function(bidder)
        return self._functions[bidder]

    def wanted(self, bidder: int, prices: np.ndarray, num_bundles: int) -> np.ndarray | None:
        """
        What a bidder wants at prices, for domains that know it; None to have boca look for it.

        boca looks at all bundles of up to about 20 goods, and beyond that asks a solver, which
        knows the functions of :mod:`boca.functions` and those of market files. A domain with many
        goods and functions of its own answers here.

        Parameters
        ----------
        bidder
            Index into ``market.bidders``.
        prices
            Price of one copy of each good ``(num_goods,)``, non-negative.
        num_bundles
            How many bundles are wanted.

        Returns
        -------
        np.ndarray
            The bundles within the bidder's limits with the largest value less price, best first,
            ``(at most num_bundles, num_goods)``. One bundle may be the empty one; of several, none
            is.
        """
        return None

    def welfare(self, allocation: Allocation) -> float:
        """
        Sum of the true values of what everybody gets.

        Where the market buys, minus the costs of what is supplied and of what is bought outside.
        """
        bundles = allocation.bundles
        total = sum(float(self.values(i, bundles[i])[0]) for i in range(len(bundles)))
        if self.market.sense == "sell":
            return total
        missing = np.maximum(self.market.capacities - bundles.sum(axis=0), 0)
        bought = np.flatnonzero(missing)
        outside = sum(float(missing[j] * self.at_most[j]) for j in bought)
        return -(total + outside)

    @property
    def at_most(self) -> np.ndarray:
        """Price of a unit outside, where the market buys; infinite where there is none."""
        return np.array(self.reserve if len(self.reserve) else [np.inf] * self.market.num_goods)

    def sample(self, bidder: int, num: int, seed: int) -> np.ndarray:
        """
        Random bundles that a bidder may be given, ``(num, num_goods)``; may repeat or be empty.

        Every copy of every good is in with probability one half. Where that breaks a limit,
        goods are taken out again, one copy at a time in random order, until the bundle is
        allowed.
        """
        generator = Random48(seed)
        num_copies = int(self.market.capacities.sum())
        inside = generator.next_doubles(num * num_copies).reshape(num, num_copies) >= 0.5
        first_copies = np.cumsum(self.market.capacities) - self.market.capacities
        bundles = np.add.reduceat(inside.astype(np.int64), first_copies, axis=1)

        for row in np.flatnonzero(~self.market.allows(bidder, bundles)):
            order = generator.shuffle(np.repeat(np.arange(bundles.shape[1]), bundles[row]).tolist())
            while not self.market.allows(bidder, bundles[row])[0]:
                bundles[row, order.pop()] -= 1
        return bundles

    def efficient(self) -> Efficient:
        """The efficient allocation; found once, then remembered here and on disk."""
        if self._efficient is None:
            self._efficient = self._recall() or self._solve_and_keep()
        return self._efficient

    def efficient_without(self, bidder: int) -> Efficient:
        """The efficient allocation of everybody but one bidder; found anew at every call."""
        return self.solve(frozenset([bidder]))

    def _recall(self) -> Efficient | None:
        """The answer on disk, if it is there and true."""
        if self.cache_key is None:
            return None
        stored = cache.recall(self.cache_key)
        if stored is None:
            return None
        try:
            self._confirm(stored)
        except BocaError as error:
            cache.warn_unusable(self.cache_key, str(error))
            return None
        return stored

    def _solve_and_keep(self) -> Efficient:
        efficient = self.solve()
        self._confirm(efficient)
        if self.cache_key is not None:
            cache.keep(self.cache_key, efficient)
        return efficient

    def _confirm(self, efficient: Efficient) -> None:
        """Raises unless the allocation is feasible, and welfare and bound agree with it."""
        check_feasible(efficient.allocation, self.market)
        welfare = self.welfare(efficient.allocation)
        tolerance = 1e-9 * max(1.0, abs(welfare))
        if not abs(welfare - efficient.welfare) <= tolerance:
            raise SolverError(
                f"The allocation is worth {welfare}, not {efficient.welfare} as claimed."
            )
        # Infinite where nothing is proven, which a domain may say.
        if not welfare - tolerance <= efficient.bound:
            raise SolverError(f"The bound {efficient.bound} does not fit the welfare {welfare}.")
