"""What the winner-determination problems of one round share."""

from collections.abc import Sequence

import numpy as np

from boca.core import InputError, Market
from boca.functions.base import ValueFunction
from boca.wdp.problem import WelfareProblem
from boca.wdp.steps import Steps, steps_of


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
    """

    def __init__(self, market: Market, functions: Sequence[ValueFunction]):
        self.market = market
        self.functions = tuple(functions)
        self._steps: dict[int, Steps] = {}
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

    def steps(self, problem: WelfareProblem) -> dict[int, Steps]:
        """The functions of the problem's bidders, ready for the search."""
        for i in problem.bidders:
            if i not in self._steps:
                self._steps[i] = steps_of(self.functions[i])
        return {i: self._steps[i] for i in problem.bidders}

    def remember(self, problem: WelfareProblem, bundles: np.ndarray) -> None:
        """Keeps the best allocation of an economy, as a start for others."""
        if not problem.excluded:
            self._incumbents[problem.bidders] = bundles

    def incumbent(self, problem: WelfareProblem) -> np.ndarray | None:
        """The best allocation found for the problem's economy with every bundle allowed."""
        return self._incumbents.get(problem.bidders)

    def starts(self, problem: WelfareProblem) -> list[np.ndarray]:
        """Allocations to start from, the most promising first; goods of absent bidders are free."""
        own = self._incumbents.get(problem.bidders)
        found = [] if own is None else [own]
        absent = [i for i in range(self.market.num_bidders) if i not in problem.bidders]
        for bidders, bundles in self._incumbents.items():
            if bidders != problem.bidders:
                start = bundles.copy()
                start[absent] = 0
                found.append(start)
        return found
