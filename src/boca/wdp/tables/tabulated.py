"""
Exact winner determination where all bundles can be listed.

Prices come from column generation on the tables; then the few bundles that can be part of an
optimal allocation at these prices are read off the tables and packed. How far the optimum lies
below the bound is not known, so the slack grows until an allocation is found: the first one
found is optimal.
"""

import time

import numpy as np

from boca.core import InfeasibleAllocation
from boca.wdp.bounds.columns import Dual, Pool, Proof, generate
from boca.wdp.listing import Listing
from boca.wdp.problem import WelfareProblem
from boca.wdp.result import Favourite
from boca.wdp.tables.leftovers import Candidates, TooMany, pack
from boca.wdp.tables.value_table import Table

# Slack at first and how it grows, relative to the bound.
FIRST_SLACK = 0.002
GROWTH = 2.5


class TablePricing:
    """
    Exact pricing from tables: the value of every bundle minus its price.

    Parameters
    ----------
    tables
        One per bidder of the economy; minus infinity where a bundle is not allowed.
    """

    def __init__(self, tables: list[Table]):
        self.tables = tables

    def __call__(self, prices: np.ndarray) -> list[Favourite]:
        lattice = self.tables[0].lattice
        single = lattice.sums(prices, np.float32)
        double = None
        answers = []
        for table in self.tables:
            if table.values.dtype == np.float32:
                costs = single
            else:
                double = lattice.sums(prices) if double is None else double
                costs = double
            gains = table.values - costs
            number = int(gains.argmax())
            value = float(table.values[number])
            # Rounding of prices and of their sums, where numbers are in single precision.
            error = table.error + (1e-6 * float(prices.sum()) if costs is single else 0.0)
            bundle = lattice.bundles(np.array([number]))
            bound = value - float(bundle[0] @ prices) + error
            answers.append(Favourite(bundle, np.array([value]), bound))
        return answers


def solve_tabulated(
    problem: WelfareProblem,
    tables: list[Table],
    pool: Pool,
    start: np.ndarray | None = None,
    incumbent: float = -np.inf,
    deadline: float = np.inf,
    most_candidates: int = Listing.most_candidates,
) -> Proof:
    """
    An optimal allocation by prices and packing, with the bound that the prices prove.

    The allocation is missing if there were too many candidates or too little time.

    Parameters
    ----------
    problem
        What to maximise.
    tables
        One per bidder of the economy, minus infinity at bundles that are not allowed.
    pool
        Columns to begin with; those found are added.
    start
        Prices to begin with.
    incumbent
        Welfare of an allocation that is known, which limits the slack.
    deadline
        Reading of ``time.perf_counter`` at which to give up.
    most_candidates
        As in :class:`~boca.wdp.listing.Listing`.
    """
    if any(np.isneginf(table.values).all() for table in tables):
        raise InfeasibleAllocation("Every bundle of some bidder is excluded or beyond its limits.")
    dual = generate(
        problem,
        TablePricing(tables),
        pool,
        start,
        max(incumbent, 0.0),
        tolerance=2e-4,
        deadline=deadline,
    )
    scale = max(abs(dual.bound), 1e-12)
    most = min(dual.bound - incumbent, _span(problem, tables, dual)) + 1e-9 * scale
    slack = min(most, FIRST_SLACK * scale)
    while time.perf_counter() < deadline:
        try:
            bundles = _packed(problem, tables, dual, slack, most_candidates)
        except TooMany:
            return Proof(dual.bound, dual.prices, None)
        if bundles is not None:
            return Proof(dual.bound, dual.prices, bundles)
        if slack >= most:
            if np.isneginf(incumbent):
                raise InfeasibleAllocation("Limits and exclusions leave no allocation.")
            return Proof(dual.bound, dual.prices, None)
        slack = min(most, GROWTH * slack)
    return Proof(dual.bound, dual.prices, None)


def _span(problem: WelfareProblem, tables: list[Table], dual: Dual) -> float:
    """A deficit that no allocation exceeds."""
    least = [
        float(np.where(np.isneginf(table.values), np.inf, table.values).min()) for table in tables
    ]
    return dual.bound - sum(least) + sum(2 * table.error for table in tables)


def _packed(
    problem: WelfareProblem, tables: list[Table], dual: Dual, slack: float, most: int
) -> np.ndarray | None:
    candidates = []
    for place, table in enumerate(tables):
        candidates.append(_candidates(problem, place, table, dual, slack, most))
        if sum(len(c.deficits) for c in candidates) > most:
            raise TooMany
    packed = pack(candidates, problem.market.capacities, dual.prices, slack)
    return None if packed is None else packed[0]


def _candidates(
    problem: WelfareProblem, place: int, table: Table, dual: Dual, slack: float, most: int
) -> Candidates:
    """The bundles of a bidder whose deficit is at most the slack, by the function itself."""
    lattice = table.lattice
    costs = lattice.sums(dual.prices, table.values.dtype.type)
    least = dual.utilities[place] - slack
    margin = table.error + 1e-6 * float(dual.prices @ problem.market.capacities)
    numbers = np.flatnonzero(table.values - costs >= least - margin)
    if len(numbers) > most:
        raise TooMany
    bundles = lattice.bundles(numbers)
    values = problem.functions[problem.bidders[place]](bundles)
    deficits = dual.utilities[place] - (values - bundles @ dual.prices)
    kept = deficits <= slack
    return Candidates(bundles[kept], deficits[kept])
