"""
Truckload lanes: a buyer's market with fixed costs, backhauls and capacities.

Cities are uniform in a square of 1000 km. Lane j is one truckload from city o_j to city d_j, of
length L_j; lanes shorter than 150 km are drawn again. Supplier i has a home point, a rate
a_i ~ U[0.9, 1.3] per loaded km, b_i = a_i U[0.6, 0.9] per empty km, a fixed cost F_i ~ U[100, 400],
and room for k_i ~ U{ceil(m / 5) .. ceil(m / 2.5)} lanes. Supplying the lanes S, not none, costs

    c_i(S) = F_i + sum_{j in S} a_i f_ij L_j + b_i min_pi sum_{j in S} dist(d_j, o_pi(j)),

pi over the permutations of S: trucks run in cycles, and pi(j) = j drives back empty. Here
f_ij = 1 + 0.3 dist(midpoint_j, home_i) / 1000 + U[0, 0.1]. Costs are monotone: leaving a lane out
of a cycle adds at most its length in empty km, by the triangle inequality, and b_i <= a_i f_ij. On
the spot market the buyer pays 2.5 L_j + 300 for lane j.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from boca.core.allocation import Allocation
from boca.core.errors import InputError, SolverError
from boca.core.goods import Good, Limit
from boca.core.market import Bidder, Market
from boca.core.randomness import Seeds, as_seed
from boca.lab.domains.domain import Domain
from boca.lab.domains.efficient import Efficient
from boca.milp import MilpParams, Model, Status, solve

NUM_CITIES = 10
SIDE = 1000.0  # km
SHORTEST = 150.0  # km


@dataclass(frozen=True, eq=False)
class LaneCosts:
    """
    What lanes cost one supplier.

    Parameters
    ----------
    fixed
        Of supplying anything.
    loaded
        Of each lane's loaded km, ``(num_lanes,)``.
    empty
        Of the empty km from the end of one lane to the start of another,
        ``(num_lanes, num_lanes)``.
    """

    fixed: float
    loaded: np.ndarray
    empty: np.ndarray
    _known: dict[bytes, float] = field(default_factory=dict, repr=False)

    @property
    def capacities(self) -> np.ndarray:
        return np.ones(len(self.loaded), dtype=np.int64)

    def __call__(self, bundles: np.ndarray) -> np.ndarray:
        return np.array([self._cost(np.flatnonzero(row)) for row in np.atleast_2d(bundles)])

    def _cost(self, lanes: np.ndarray) -> float:
        if not len(lanes):
            return 0.0
        key = lanes.tobytes()
        if key not in self._known:
            from scipy.optimize import linear_sum_assignment  # reading markets does without

            between = self.empty[np.ix_(lanes, lanes)]
            driven = between[linear_sum_assignment(between)].sum()
            self._known[key] = float(self.fixed + self.loaded[lanes].sum() + driven)
        return self._known[key]


class Lanes(Domain):
    """
    An instance of the lanes model.

    Parameters
    ----------
    seed
        Of everything that is drawn.
    num_lanes, num_suppliers
        The size of the market.
    """

    seed: int

    def __init__(self, seed: int, num_lanes: int = 15, num_suppliers: int = 6):
        seed = as_seed(seed)
        if num_lanes < 1 or num_suppliers < 1:
            raise InputError(
                f"Received {num_lanes} lanes and {num_suppliers} suppliers; expected at least 1 "
                "of each."
            )
        rng = Seeds(seed).child("lanes", num_lanes, num_suppliers).generator()
        starts, ends = _draw_lanes(num_lanes, rng)
        length = np.linalg.norm(starts - ends, axis=1)
        empty = np.linalg.norm(ends[:, None] - starts[None], axis=2)
        rates = rng.uniform(0.9, 1.3, num_suppliers)
        empty_rates = rates * rng.uniform(0.6, 0.9, num_suppliers)
        fixed = rng.uniform(100, 400, num_suppliers)
        homes = rng.random((num_suppliers, 2)) * SIDE
        far = np.linalg.norm((starts + ends) / 2 - homes[:, None], axis=2) / SIDE
        factors = 1 + 0.3 * far + rng.uniform(0, 0.1, (num_suppliers, num_lanes))
        most = rng.integers(
            -(-num_lanes // 5), -(-2 * num_lanes // 5) + 1, num_suppliers
        )  # 2.5 = 5 / 2
        self.costs = [
            LaneCosts(float(fixed[i]), rates[i] * factors[i] * length, empty_rates[i] * empty)
            for i in range(num_suppliers)
        ]
        self.most = most
        #: At-most prices: what each lane costs on the spot market.
        self.reserve = tuple((2.5 * length + 300).tolist())
        market = Market(
            tuple(Good(f"lane {j}") for j in range(num_lanes)),
            tuple(
                Bidder(f"carrier {i}", "carrier", (Limit((1.0,) * num_lanes, float(k), "trucks"),))
                for i, k in enumerate(most)
            ),
            "lanes",
            "buy",
        )
        super().__init__("lanes", seed, market)

    @property
    def cache_key(self) -> str:
        size = f"{self.market.num_goods}x{self.market.num_bidders}"
        return f"lanes-{size}-{self.seed}-v{self.version}"

    def build_function(self, bidder: int) -> LaneCosts:
        return self.costs[bidder]

    def solve(self, absent: frozenset[int] = frozenset()) -> Efficient:
        num_lanes = self.market.num_goods
        model = Model(maximise=False)
        present = [i for i in range(self.market.num_bidders) if i not in absent]
        supplied = {i: self._add_supplier(model, i) for i in present}
        outside = model.add_variables(num_lanes, upper=1.0, cost=np.array(self.reserve))
        for j in range(num_lanes):
            model.add_row([outside[j], *(own[j] for own in supplied.values())], 1.0, lower=1.0)
        result = solve(model, MilpParams(gap=0.0))
        if result.x is None or result.status is not Status.OPTIMAL:
            raise SolverError(f"The cheapest award of lanes {self.seed} was not found.")
        bundles = np.zeros((self.market.num_bidders, num_lanes), dtype=np.int64)
        for i, own in supplied.items():
            bundles[i] = np.round(result.x[own])
        allocation = Allocation(bundles)
        welfare = self.welfare(allocation)
        return Efficient(welfare, allocation, max(welfare, -result.bound), "milp")

    def wanted(self, bidder: int, prices: np.ndarray, num_bundles: int) -> np.ndarray | None:
        """What a supplier would supply at prices; only the best answer is known."""
        if num_bundles != 1:
            return None
        model = Model(maximise=False)
        own = self._add_supplier(model, bidder)
        model.add_cost(own, -np.asarray(prices, dtype=float))
        result = solve(model, MilpParams(gap=0.0))
        if result.x is None:
            raise SolverError(f"The best offer of carrier {bidder} was not found.")
        bundle: np.ndarray = np.round(result.x[own]).astype(np.int64)
        profit = prices @ bundle - self.values(bidder, bundle)[0]
        return np.asarray(bundle[None] if profit > 0 else 0 * bundle[None])

    def _add_supplier(self, model: Model, i: int) -> np.ndarray:
        """Variables of the lanes that a supplier takes; its cost joins the objective."""
        costs, num = self.costs[i], self.market.num_goods
        taken = model.add_variables(num, upper=1.0, integer=True, cost=costs.loaded)
        any_ = model.add_variables(1, upper=1.0, integer=True, cost=np.array([costs.fixed]))[0]
        # Which start follows which end: a permutation of the lanes taken, whole at every corner.
        next_ = model.add_variables(num * num, upper=1.0, cost=costs.empty.ravel())
        square = next_.reshape(num, num)
        for j in range(num):
            for edges in (square[j], square[:, j]):
                model.add_row([*edges, taken[j]], [*_ones(num), -1.0], lower=0.0, upper=0.0)
            model.add_row([taken[j], any_], [1.0, -1.0], upper=0.0)
        model.add_row([*taken, any_], [*_ones(num), -float(self.most[i])], upper=0.0)
        return taken


def _ones(num: int) -> Sequence[float]:
    return [1.0] * num


def _draw_lanes(num: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Where lanes start and end, ``(num, 2)`` each, in km."""
    cities = rng.random((NUM_CITIES, 2)) * SIDE
    pairs: list[np.ndarray] = []
    while len(pairs) < num:
        pair = rng.choice(NUM_CITIES, 2, replace=False)
        if np.linalg.norm(cities[pair[0]] - cities[pair[1]]) >= SHORTEST:
            pairs.append(pair)
    ends = np.array(pairs)
    return cities[ends[:, 0]], cities[ends[:, 1]]
