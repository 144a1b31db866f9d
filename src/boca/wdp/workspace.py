"""What the winner-determination problems of one round share."""

from collections.abc import Sequence

import numpy as np

from boca.core import Allocation, InputError, Market
from boca.functions import MonotoneNet
from boca.functions.value_function import ValueFunction
from boca.wdp.bounds.columns import Pool
from boca.wdp.listing import Listing
from boca.wdp.problem import WelfareProblem
from boca.wdp.search.local_search import Effort, Optima, Sizes, search
from boca.wdp.search.steps import Steps, steps_of, unscaled
from boca.wdp.tables.value_table import Lattice, Table, TableSteps, tabulate


class Workspace:
    """
    Work that problems with the same market and functions do once.

    Economies of a round, and the same economy with bundles excluded, differ little: good
    allocations of one are good starts for another. Pass one workspace to all calls of a round and
    forget it afterwards. The answer to a call can depend on the calls before it, so whoever
    wants the same answers makes the same calls in the same order.

    Parameters
    ----------
    market
        The market of every problem.
    functions
        The functions of every problem; the very same objects.
    listing
        Up to which size bundles are listed.
    """

    def __init__(
        self, market: Market, functions: Sequence[ValueFunction], listing: Listing = Listing()
    ):
        self.market = market
        self.listing = listing
        self.functions = tuple(functions)
        self.lattice = Lattice(tuple(market.capacities.tolist()))
        self.pool = Pool()
        self.prices: dict[tuple[int, ...], np.ndarray] = {}
        self._steps: dict[int, Steps] = {}
        self._sizes: Sizes = {}
        self._tables: dict[int, Table] = {}
        self._incumbents: dict[tuple[int, ...], np.ndarray] = {}

    def check(self, problem: WelfareProblem) -> None:
        """Raises InputError unless the problem is about this market and these functions."""
        same = len(problem.functions) == len(self.functions) and all(
            mine is its for mine, its in zip(self.functions, problem.functions, strict=True)
        )
        if not same or problem.market != self.market:
            raise InputError(
                "Received a workspace of other functions or another market; make a new one for "
                "every set of functions."
            )

    def can_list(self, problem: WelfareProblem) -> bool:
        """Whether the values of all bundles fit into tables."""
        return all(self.lattice.size <= self._most_listed(i) for i in problem.bidders)

    def _most_listed(self, bidder: int) -> int:
        is_net = isinstance(unscaled(self.functions[bidder])[0], MonotoneNet)
        return self.listing.most_of_nets if is_net else self.listing.most_called

    def steps(self, problem: WelfareProblem) -> dict[int, Steps]:
        """The functions of the problem's bidders, ready for the search."""
        for i in problem.bidders:
            if i not in self._steps:
                self._steps[i] = steps_of(self.functions[i])
        return {i: self._steps[i] for i in problem.bidders}

    def search(
        self,
        problem: WelfareProblem,
        effort: Effort,
        seed: int,
        starts: Sequence[np.ndarray],
        deadline: float,
    ) -> Optima:
        """As :func:`~boca.wdp.search.local_search.search`; what functions reach is known after."""
        steps = self.steps(problem)
        return search(problem, steps, effort, seed, starts, deadline, self._sizes)

    def tables(self, problem: WelfareProblem) -> list[Table]:
        """The tables of the problem's bidders, in its order, without what they must not get."""
        tables = []
        for i in problem.bidders:
            if i not in self._tables:
                self._tables[i] = self._tabulated(i)
            table = self._tables[i]
            excluded = (problem.excluded or {}).get(i)
            tables.append(table if excluded is None else table.without(excluded))
        return tables

    def _tabulated(self, bidder: int) -> Table:
        function = self.functions[bidder]
        table = tabulate(function, steps_of(function), self.lattice)
        # Looking values up is quicker than any network. Limits are the search's own business.
        self._steps[bidder] = TableSteps(table)
        if self.market.bidders[bidder].limits:
            numbers = np.arange(self.lattice.size)
            table = table.where(self.market.allows(bidder, self.lattice.bundles(numbers)))
        return table

    def learn(self, problem: WelfareProblem, optima: Optima) -> None:
        """Keeps the bundles of good allocations as columns."""
        for bidder in problem.bidders:
            rows = optima.allocations[:, bidder]
            bundles = np.unique(rows, axis=0) if rows.any() else rows[:1]
            if len(bundles):
                values = self.functions[bidder](bundles)
                for bundle, value in zip(bundles, values, strict=True):
                    self.pool.add(bidder, bundle, value)

    def remember(self, problem: WelfareProblem, bundles: np.ndarray) -> None:
        """
        Keeps an allocation as a start for others, if it is the best of its economy.

        One found with bundles excluded counts too: it can be better than what the search found
        without.
        """
        before = self._incumbents.get(problem.bidders)
        welfare = problem.welfare(Allocation(bundles))
        better = before is not None and welfare > problem.welfare(Allocation(before))
        if better or (before is None and not problem.excluded):
            self._incumbents[problem.bidders] = bundles

    def start_prices(self, problem: WelfareProblem) -> np.ndarray | None:
        """Prices of the same economy, or else of the one with the most bidders; None at first."""
        if problem.bidders in self.prices:
            return self.prices[problem.bidders]
        if not self.prices:
            return None
        return self.prices[max(self.prices, key=lambda bidders: (len(bidders), bidders))]

    def incumbent(self, problem: WelfareProblem) -> np.ndarray | None:
        """The best allocation found for the problem's economy with every bundle allowed."""
        return self._incumbents.get(problem.bidders)

    def starts(self, problem: WelfareProblem) -> list[np.ndarray]:
        """Allocations to start from, the most promising first; goods of absent bidders are free."""
        incumbent = self._incumbents.get(problem.bidders)
        starts = [] if incumbent is None else [incumbent]
        absent = [i for i in range(self.market.num_bidders) if i not in problem.bidders]
        for bidders, bundles in self._incumbents.items():
            if bidders != problem.bidders:
                start = bundles.copy()
                start[absent] = 0
                starts.append(start)
        return starts
