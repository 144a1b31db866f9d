"""
Column generation: prices of goods, a bound, and bundles that are worth looking at.

Winner determination is set packing over bundles. Its linear relaxation over the bundles known so
far (the master) has prices as duals; at these prices each bidder is asked for its favourite bundle,
which joins the master. At any prices

    prices . capacities + sum_i max_x (A_i(x) - prices . x)

is an upper bound (Lagrange), so that every round of pricing that is exact also gives a bound.
"""

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from boca.core import SolverError
from boca.core.bundle import bundle_key
from boca.milp import MasterLP
from boca.wdp.problem import WelfareProblem
from boca.wdp.result import Favourite

# How far prices may move in one iteration, relative to the average price, at first. Duals of a
# young master jump about; within a box around the best prices so far they do not (Marsten,
# Hogan and Blankenship 1975).
FIRST_RADIUS = 0.5


class Pricing(Protocol):
    """Asks all bidders of an economy for their favourite bundles."""

    def __call__(self, prices: np.ndarray) -> list[Favourite]:
        """One answer per bidder of the economy, in its order."""
        ...


class Pool:
    """
    Bundles of every bidder that were found worth looking at, with their values.

    Shared by the economies of a round: what is a good bundle in one is often good in another.
    """

    def __init__(self) -> None:
        self._values: dict[int, dict[bytes, tuple[np.ndarray, float]]] = {}

    def add(self, bidder: int, bundle: np.ndarray, value: float) -> None:
        """Keeps a bundle, once."""
        column = (np.array(bundle, dtype=np.int64), float(value))
        self._values.setdefault(bidder, {}).setdefault(bundle_key(bundle), column)

    def of(self, bidder: int) -> tuple[np.ndarray, np.ndarray]:
        """Bundles ``(num_bundles, num_goods)`` and values of a bidder."""
        columns = list(self._values.get(bidder, {}).values())
        if not columns:
            return np.zeros((0, 0), dtype=np.int64), np.zeros(0)
        return np.stack([bundle for bundle, _ in columns]), np.array(
            [value for _, value in columns]
        )

    def best(self, bidder: int, prices: np.ndarray, most: int) -> np.ndarray:
        """The bundles of a bidder with the largest value less price, best first."""
        bundles, values = self.of(bidder)
        if not len(values):
            return np.zeros((0, len(prices)), dtype=np.int64)
        return bundles[np.argsort(-(values - bundles @ prices), kind="stable")[:most]]


@dataclass(frozen=True, eq=False)
class Dual:
    """
    Prices and what they prove.

    Parameters
    ----------
    prices
        Of each good, non-negative, ``(num_goods,)``.
    utilities
        For each bidder of the economy the most it can gain at these prices.
    bound
        ``prices . capacities + sum(utilities)``: no allocation is worth more.
    """

    prices: np.ndarray
    utilities: np.ndarray
    bound: float


@dataclass(frozen=True, eq=False)
class Proof:
    """
    What prices prove, and the best allocation that came to light on the way.

    Parameters
    ----------
    bound
        No allocation is worth more.
    prices
        The prices that prove it ``(num_goods,)``.
    bundles
        The allocation, one row per bidder; None if there is none.
    """

    bound: float
    prices: np.ndarray
    bundles: np.ndarray | None


def dual_of(prices: np.ndarray, answers: list[Favourite], capacities: np.ndarray) -> Dual:
    """The Lagrangian bound at prices."""
    utilities = np.array([answer.bound for answer in answers])
    return Dual(prices, utilities, float(prices @ capacities + utilities.sum()))


@dataclass
class Master:
    """
    The linear relaxation over the columns known so far.

    Parameters
    ----------
    problem
        Whose relaxation this is; excluded bundles never become columns.
    """

    problem: WelfareProblem

    def __post_init__(self) -> None:
        self._known: list[set[bytes]] = [set() for _ in self.problem.bidders]
        self._columns: list[np.ndarray] = []
        self._costs: list[float] = []

    def add(self, place: int, bundles: np.ndarray, values: np.ndarray) -> None:
        """Adds columns of the bidder at a place of the economy, each once."""
        excluded = self.problem.excluded_keys.get(self.problem.bidders[place], frozenset())
        for bundle, value in zip(bundles, values, strict=True):
            key = bundle_key(bundle)
            if key not in self._known[place] and key not in excluded:
                self._known[place].add(key)
                unit = np.zeros(len(self.problem.bidders))
                unit[place] = 1
                self._columns.append(np.concatenate([bundle, unit]))
                self._costs.append(float(value))

    @property
    def is_complete(self) -> bool:
        """Whether every bidder has a column; one whom no search found a bundle for has none."""
        return all(self._known)

    def prices(self, centre: np.ndarray, radius: float) -> tuple[np.ndarray, float]:
        """
        The best prices at most ``radius`` from the centre, as far as the columns know.

        Copies can be bought at ``centre + radius`` and sold at ``centre - radius``, which keeps
        duals within these. Also returns the bound that the columns promise there.
        """
        capacities = self.problem.market.capacities.astype(float)
        num_goods, num_bidders = len(capacities), len(self.problem.bidders)
        master = MasterLP(
            np.concatenate([capacities, np.ones(num_bidders)]),
            np.concatenate([np.full(num_goods, -np.inf), np.ones(num_bidders)]),
        )
        trade = np.concatenate([np.eye(num_goods), np.zeros((num_bidders, num_goods))])
        # Solvers work best with objectives near 1.
        unit = max(float(np.abs(self._costs).max()), float(centre.max()), 1e-12)
        master.add_columns(np.array(self._costs) / unit, np.stack(self._columns, axis=1))
        master.add_columns(-(centre + radius) / unit, -trade)
        master.add_columns(np.maximum(0.0, centre - radius) / unit, trade)
        result = master.solve()
        if result.duals is None:
            raise SolverError(f"The master was not solved: {result.status.value}.")
        return np.maximum(0.0, result.duals[:num_goods]) * unit, result.objective * unit


def generate(
    problem: WelfareProblem,
    pricing: Pricing,
    pool: Pool,
    start: np.ndarray | None = None,
    worth: float = 0.0,
    target: float = -np.inf,
    tolerance: float = 1e-6,
    most: int = 200,
    radius: float = FIRST_RADIUS,
    deadline: float = np.inf,
) -> Dual:
    """
    Improves prices until the bound is as good as the relaxation allows.

    Parameters
    ----------
    problem
        Whose relaxation is solved.
    pricing
        Must be exact: its bounds are finite.
    pool
        Columns to begin with; new ones are added.
    start
        Prices to begin with, such as those of another economy; all equal if None.
    worth
        What all goods cost together then; the welfare of a good allocation is a good guess.
    target
        A bound of at most this is good enough.
    tolerance
        Relative distance of bound and relaxation that counts as none.
    most
        Iterations at most.
    radius
        How far prices may move at first, relative to the average price.
    deadline
        Reading of ``time.perf_counter`` at which to stop.
    """
    capacities = problem.market.capacities
    master = Master(problem)
    for place, i in enumerate(problem.bidders):
        master.add(place, *pool.of(i))
    if start is None:
        start = np.full(len(capacities), max(worth, 0.0) / capacities.sum())
    best = _ask(problem, pricing, start, pool, master)
    radius *= max(float(best.prices.mean()), 1e-6 * abs(best.bound), 1e-12)
    for _ in range(most):
        if time.perf_counter() > deadline or best.bound <= target or not master.is_complete:
            break
        prices, promised = master.prices(best.prices, radius)
        gain = best.bound - promised
        if gain <= tolerance * abs(best.bound):
            if (np.abs(prices - best.prices) < 0.999 * radius).all():
                break
            radius *= 3
            continue
        dual = _ask(problem, pricing, prices, pool, master)
        if dual.bound < best.bound:
            # A step that keeps its promise may be longer next time.
            radius *= 1.5 if best.bound - dual.bound > 0.5 * gain else 1.0
            best = dual
        else:
            radius *= 0.6
    return best


def _ask(
    problem: WelfareProblem, pricing: Pricing, prices: np.ndarray, pool: Pool, master: Master
) -> Dual:
    answers = pricing(prices)
    for place, (i, answer) in enumerate(zip(problem.bidders, answers, strict=True)):
        master.add(place, answer.bundles, answer.values)
        for bundle, value in zip(answer.bundles, answer.values, strict=True):
            pool.add(i, bundle, value)
    return dual_of(prices, answers, problem.market.capacities)
