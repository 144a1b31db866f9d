"""
Markets from files, for people with their own data.

A market file is TOML: goods with capacities, bidders with limits, and for every bidder either XOR
bids in a CSV file or additive values, perhaps with pairwise synergies. ``docs/market_files.md``
shows every key.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from boca.core.allocation import Allocation
from boca.core.economy import Economy
from boca.core.errors import SolverError
from boca.core.frozen import read_only
from boca.core.market import ROUNDING, Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.functions import ValueFunction, XorTable
from boca.lab.domains.domain import Domain
from boca.lab.domains.efficient import Efficient
from boca.lab.domains.files.additive_values import AdditiveValues
from boca.lab.domains.files.stated_values import read_functions
from boca.markets.limits_of_size import check_size
from boca.markets.market_file import load_market_text, parse_market

# Bundles of one bidder up to which additive values are written out one by one.
MOST_LISTED = 5_000
# Copies that are taken out of a random bundle one by one; more go at once.
MOST_SINGLE_DRAWS = 1_000
# How exactly a solver keeps its constraints, relative to the values; bounds allow for it.
TOLERANCE = 1e-5


class FileDomain(Domain):
    """
    A market whose goods, bidders and values were read from a file.

    Parameters
    ----------
    market
        Goods, bidders and their limits.
    functions
        The value function of each bidder, in the order of the market.
    reserve
        Reserve price of one copy of each good; none if left out. Efficiency takes no notice of
        reserve prices, since they are the seller's, not a bidder's, business.
    """

    #: Seconds that :meth:`solve` may take; None to go on until the allocation is proven best.
    time_limit: float | None = None

    def __init__(
        self,
        market: Market,
        functions: tuple[ValueFunction, ...],
        reserve: np.ndarray | None = None,
    ):
        super().__init__(market.name, None, market)
        self.functions = functions
        self.reserve = read_only(np.zeros(market.num_goods)) if reserve is None else reserve

    def build_function(self, bidder: int) -> ValueFunction:
        return self.functions[bidder]

    def solve(self, absent: frozenset[int] = frozenset()) -> Efficient:
        """
        The best allocation of the true values, proven by one mixed-integer program.

        Bids and additive values are linear constraints with few binaries, which a solver proves
        at once whatever the capacities, while a table of all bundles would grow with them. With a
        time limit the best allocation found until then is the answer, proven or not.
        """
        # Loading a solver takes longer than reading a file, which may be all that is wanted.
        from boca.milp import MilpParams
        from boca.wdp import WelfareProblem
        from boca.wdp.monolithic import solve_monolithic

        functions = [f.as_net() if isinstance(f, AdditiveValues) else f for f in self.functions]
        present = Economy(tuple(sorted(set(range(self.market.num_bidders)) - absent)))
        result = solve_monolithic(
            WelfareProblem(self.market, functions, present),
            MilpParams(time_limit=self.time_limit),
            # Something to answer if the time is over before the solver has found anything.
            start=None if self.time_limit is None else Allocation.empty(self.market),
        )
        # By the functions of the file: the networks' sums differ in the last digits.
        welfare = self.welfare(result.allocation)
        everything = self.market.capacities[None]
        values = [float(self.functions[i](everything)[0]) for i in present.bidders]
        # Whatever the solver knows, nobody can get more than everything.
        known = min(result.bound, sum(values))
        bound = max(_floored(known, [self.functions[i] for i in present.bidders]), welfare)
        tolerance = TOLERANCE * max(1.0, welfare, *values)
        if self.time_limit is None and bound - welfare > tolerance:
            raise SolverError(
                f"The best allocation of '{self.name}' was not proven: its welfare is {welfare:g}, "
                f"and the solver only shows that none exceeds {bound:g}. Make the market smaller."
            )
        return Efficient(welfare, result.allocation, bound, "mixed-integer programming")

    def reports(self) -> tuple[Reports, ...]:
        """
        What the file says as reports: bids, all bundles of additive values, and endowments.

        What somebody holds before is worth the best bid that it contains.
        """
        return tuple(self._report(i, function) for i, function in enumerate(self.functions))

    def _report(self, bidder: int, function: ValueFunction) -> Reports:
        market = self.market
        if isinstance(function, XorTable):
            bundles = function.bundles
        else:
            sizes = market.most(bidder) + 1
            name = market.bidders[bidder].name
            what = f"bundles that '{name}' can hold, too many to be written out from its values"
            check_size(math.prod(sizes.tolist()), MOST_LISTED, what, f"'{market.name}'")
            bundles = np.stack(np.unravel_index(np.arange(sizes.prod()), sizes), axis=1)
            bundles = bundles[market.allows(bidder, bundles)]
        bundles = np.unique(np.vstack([bundles, market.endowments[bidder]]), axis=0)
        bundles = bundles[bundles.any(axis=1)]
        return Reports(bundles, function(bundles))

    def sample(self, bidder: int, num: int, seed: int) -> np.ndarray:
        """
        Random bundles that a bidder may be given, ``(num, num_goods)``; may repeat or be empty.

        The copies of each good are drawn uniformly from 0 to as many as the bidder's limits allow
        of that good alone. While the whole breaks a limit, one copy is taken out, drawn uniformly
        from the copies that count towards a broken limit. So bundles are as large as limits
        leave them, but not uniform over all allowed bundles.
        """
        generator = Seeds(seed).child("sample", bidder).generator()
        coefficients, bounds = self.market.limits(bidder)
        with np.errstate(divide="ignore", invalid="ignore"):
            alone = np.where(coefficients > 0, (bounds[:, None] + ROUNDING) / coefficients, np.inf)
        most = np.minimum(self.market.capacities, np.floor(alone.min(axis=0, initial=np.inf)))
        bundles = generator.integers(0, most.astype(np.int64), (num, len(most)), endpoint=True)

        for bundle in bundles:
            _take_out(bundle, coefficients, bounds, generator)
        return bundles


def _take_out(
    bundle: np.ndarray, coefficients: np.ndarray, bounds: np.ndarray, generator: np.random.Generator
) -> None:
    """Takes random copies out of a bundle until it keeps its limits."""
    while (broken := coefficients @ bundle > bounds + ROUNDING).any():
        counts = bundle * (coefficients[broken] > 0).any(axis=0)
        # While each limit stays broken whatever goes, one draw stands for many.
        excess = (coefficients @ bundle - bounds)[broken] / coefficients[broken].max(axis=1)
        num_copies = int(np.ceil(excess.min() - 1e-9))
        if num_copies > MOST_SINGLE_DRAWS:
            bundle -= generator.multivariate_hypergeometric(counts, num_copies, method="marginals")
        else:
            bundle[generator.choice(len(bundle), p=counts / counts.sum())] -= 1


def _floored(bound: float, functions: Sequence[ValueFunction]) -> float:
    """
    The largest sum of values that does not exceed a bound.

    Values in a file have few decimals, and sums of them have no more.
    """
    parts = [np.zeros(1)]
    for function in functions:
        if isinstance(function, AdditiveValues):
            parts += [np.ravel(function.per_copy), np.ravel(function.per_pair)]
        elif isinstance(function, XorTable):
            parts.append(function.values)
        else:
            return bound
    values = np.concatenate(parts)
    for unit in (1, 10, 100, 1000):
        if (np.abs(values * unit - np.round(values * unit)) < 1e-9).all():
            return float(np.floor(bound * unit + 1e-9)) / unit
    return bound


def load_market_file(path: str | Path) -> FileDomain:
    """
    Reads and checks a market file; the first mistake in it is raised as an InputError.

    The rules of a live auction in a table ``[auction]`` are passed over.

    Parameters
    ----------
    path
        A TOML file; the CSV files that it names stand beside it.
    """
    path = Path(path)
    text = load_market_text(path)
    file, sections = parse_market(text, str(path), extra_tables=("auction",))
    functions = read_functions(sections, file.market, path.parent)
    return FileDomain(file.market, functions, file.reserve)
