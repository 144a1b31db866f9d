"""What a bidder with true values wants at given prices: exact, by the structure of its values."""

import numpy as np

from boca.core.bundle import as_bundles
from boca.core.errors import InfeasibleAllocation, InputError
from boca.core.market import Market
from boca.functions import XorTable
from boca.functions.value_function import ValueFunction
from boca.lab.domains.domain import Domain
from boca.lab.domains.files.additive_values import AdditiveValues
from boca.lab.domains.generic import OfItems
from boca.lab.domains.grouping import Grouping
from boca.lab.domains.sats.canada import NUM_REGIONS
from boca.lab.domains.sats.mrvm import BANDS, LOTS, RegionValues
from boca.lab.domains.value_tables import CountTable, SubsetTable, subset_sums

MOST_LISTED = 1 << 20  # bundles of a market without known structure that are all looked at


def demanded(domain: Domain, bidder: int, prices: np.ndarray, num_bundles: int = 1) -> np.ndarray:
    """
    The bundles with the largest value less price, best first, ``(at most num_bundles, num_goods)``.

    One bundle may be the empty one; of several, none is. Of bundles that differ only in which
    copies of identical items they hold, or in items that are of no interest to the bidder, the
    cheapest stands for all.

    Parameters
    ----------
    domain
        The true values.
    bidder
        Who wants something.
    prices
        Price of one copy of each good ``(num_goods,)``, non-negative.
    num_bundles
        How many are wanted.
    """
    prices = np.asarray(prices, dtype=float)
    own = domain.wanted(bidder, prices, num_bundles)
    if own is not None:
        return _checked(own, domain, bidder, num_bundles)
    function, market = domain.function(bidder), domain.market
    # One more, because the empty bundle may be among them.
    if isinstance(function, SubsetTable):
        bundles = of_subsets(function, market, bidder, prices, num_bundles + 1)
    elif isinstance(function, OfItems) and not market.bidders[bidder].limits:
        counts = of_counts(
            function.function, copy_costs(function.grouping, prices), num_bundles + 1
        )
        bundles = cheapest_items(function.grouping, prices, counts)
    elif isinstance(function, CountTable | RegionValues) and not market.bidders[bidder].limits:
        costs = [
            price * np.arange(capacity + 1)
            for price, capacity in zip(prices, market.capacities, strict=True)
        ]
        bundles = of_counts(function, costs, num_bundles + 1)
    else:
        bundles = of_any(function, market, bidder, prices, num_bundles + 1)
    if num_bundles > 1:
        bundles = bundles[bundles.any(axis=1)]
    return bundles[:num_bundles]


def best_first(profits: np.ndarray, num: int) -> np.ndarray:
    """Indices of the largest finite entries, in order; of equal ones the first comes first."""
    num = min(num, len(profits))
    near = np.argpartition(-profits, num - 1)[:num]
    # Everything as large as the smallest kept one, so that ties do not depend on the partition.
    near = np.flatnonzero(profits >= profits[near].min())
    order = near[np.argsort(-profits[near], kind="stable")][:num]
    finite: np.ndarray = order[np.isfinite(profits[order])]
    return finite


def of_subsets(
    function: SubsetTable, market: Market, bidder: int, prices: np.ndarray, num: int
) -> np.ndarray:
    """Where values are a table over the items of interest."""
    items = np.array(function.items, dtype=np.int64)
    profits = function.table - subset_sums(prices[items].tolist())
    if market.bidders[bidder].limits:
        everything = _subset_bundles(np.arange(len(profits)), items, function.num_items)
        profits = np.where(market.allows(bidder, everything), profits, -np.inf)
    return _subset_bundles(best_first(profits, num), items, function.num_items)


def _subset_bundles(masks: np.ndarray, items: np.ndarray, num_items: int) -> np.ndarray:
    bundles = np.zeros((len(masks), num_items), dtype=np.int64)
    bundles[:, items] = (masks[:, None] >> np.arange(len(items))) & 1
    return bundles


def of_bids(
    function: XorTable, market: Market, bidder: int, prices: np.ndarray, num: int
) -> np.ndarray:
    """Where values are those of listed bundles: what contains one of them only costs more."""
    nothing = np.zeros((1, market.num_goods), dtype=np.int64)
    bundles = np.concatenate([nothing, function.bundles])
    profits = function(bundles) - bundles @ prices
    profits = np.where(market.allows(bidder, bundles), profits, -np.inf)
    best: np.ndarray = bundles[best_first(profits, num)]
    return best


def of_additive(
    function: AdditiveValues, market: Market, bidder: int, prices: np.ndarray, num: int
) -> np.ndarray:
    """Where copies are worth something by themselves, and perhaps in pairs."""
    if num <= 2 and not len(function.pairs) and not market.bidders[bidder].limits:
        # One bundle, which may be empty: whatever is worth more than it costs.
        return np.where(function.per_copy > prices, market.capacities, 0)[None]
    return of_any(function.as_net(), market, bidder, prices, num)


def copy_costs(grouping: Grouping, prices: np.ndarray) -> list[np.ndarray]:
    """For each generic good what its 0, 1, 2, ... cheapest items cost together."""
    goods = np.array(grouping.goods)
    return [
        np.concatenate([[0.0], np.cumsum(np.sort(prices[goods == good]))])
        for good in range(len(grouping.names))
    ]


def cheapest_items(grouping: Grouping, prices: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Counts as bundles of the cheapest items."""
    goods = np.array(grouping.goods)
    bundles = np.zeros((len(counts), len(goods)), dtype=np.int64)
    for good in range(len(grouping.names)):
        members = np.flatnonzero(goods == good)
        rank = np.argsort(np.argsort(prices[members], kind="stable"), kind="stable")
        bundles[:, members] = rank < counts[:, good, None]
    return bundles


def of_counts(function: ValueFunction, costs: list[np.ndarray], num: int) -> np.ndarray:
    """Where values depend on counts; ``costs[j][k]`` is what k copies of good j cost."""
    if isinstance(function, RegionValues):
        return of_regions(function, costs, num)
    assert isinstance(function, CountTable)
    profits = function.table.copy()
    for good, cost in enumerate(costs):
        shape = [1] * profits.ndim
        shape[good] = len(cost)
        profits -= cost.reshape(shape)
    best = best_first(profits.ravel(), num)
    return np.stack(np.unravel_index(best, profits.shape), axis=1).astype(np.int64)


def of_regions(function: RegionValues, costs: list[np.ndarray], num: int) -> np.ndarray:
    """
    Where values add up over regions, times a factor for how many regions are missed.

    For each factor, the best bundles of the first regions are extended by every choice for the
    next one; lists are kept apart by the number of regions missed so far (0, 1, more).
    """
    choices = np.stack(np.unravel_index(np.arange(36), [lots + 1 for lots in LOTS]), axis=1)
    price = np.zeros((NUM_REGIONS, 36))
    for region in range(NUM_REGIONS):
        for band in range(len(BANDS)):
            price[region] += costs[NUM_REGIONS * band + region][choices[:, band]]

    profits_by_factor, picks_by_factor = [], []
    for missed, factor in enumerate(function.coverage):
        lists = {0: (np.zeros(1), np.zeros((1, 0), dtype=np.int64))}
        for region in range(NUM_REGIONS):
            lists = _extend(lists, factor * function.table[region] - price[region], num)
        if missed in lists:
            profits_by_factor.append(lists[missed][0])
            picks_by_factor.append(lists[missed][1])
    profits, picks = np.concatenate(profits_by_factor), np.concatenate(picks_by_factor)
    best = picks[best_first(profits, num)]  # (num, num_regions), indices of choices
    bundles: np.ndarray = choices[best].transpose(0, 2, 1).reshape(len(best), -1)
    return bundles.astype(np.int64)


def _extend(
    lists: dict[int, tuple[np.ndarray, np.ndarray]], gains: np.ndarray, num: int
) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """The best bundles with one more region, by the number of regions missed."""
    parts: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
    for missed, (profits, picks) in lists.items():
        skipped = np.column_stack([picks, np.zeros(len(picks), dtype=np.int64)])
        parts.setdefault(min(missed + 1, 2), []).append((profits + gains[0], skipped))
        totals = (profits[:, None] + gains[1:]).ravel()
        best = best_first(totals, num)
        row, choice = np.divmod(best, len(gains) - 1)
        served = np.column_stack([picks[row], choice + 1])
        parts.setdefault(missed, []).append((totals[best], served))
    extended = {}
    for missed, ways in parts.items():
        profits = np.concatenate([way[0] for way in ways])
        picks = np.concatenate([way[1] for way in ways])
        best = best_first(profits, num)
        extended[missed] = (profits[best], picks[best])
    return extended


def of_any(
    function: ValueFunction, market: Market, bidder: int, prices: np.ndarray, num: int
) -> np.ndarray:
    """Where nothing is known of the structure: every bundle is looked at, or a solver is asked."""
    # A solver takes time to load, and most domains never come here.
    from boca.wdp import best_bundle
    from boca.wdp.encodings import can_encode
    from boca.wdp.tables.value_table import Lattice

    lattice = Lattice(tuple(market.capacities.tolist()))
    if lattice.size <= MOST_LISTED:
        bundles = lattice.bundles(np.arange(lattice.size))
        profits = function(bundles) - bundles @ prices
        profits = np.where(market.allows(bidder, bundles), profits, -np.inf)
        best: np.ndarray = bundles[best_first(profits, num)]
        return best

    if isinstance(function, XorTable):
        return of_bids(function, market, bidder, prices, num)
    if isinstance(function, AdditiveValues):
        return of_additive(function, market, bidder, prices, num)
    if not can_encode(function):
        raise InputError(
            f"The values of bidder '{market.bidders[bidder].name}' are of type "
            f"{type(function).__name__}, which no solver of boca knows, and there are too many "
            "bundles to look at each; so nobody knows what the bidder wants at prices. Let the "
            "domain's method 'wanted' tell, or choose a mechanism that asks for values only."
        )
    wanted = np.zeros((0, market.num_goods), dtype=np.int64)
    while len(wanted) < num:
        try:
            answer = best_bundle(function, prices, market, bidder, excluded=wanted)
        except InfeasibleAllocation:
            break
        wanted = np.vstack([wanted, answer.bundle])
    return wanted


def _checked(bundles: np.ndarray, domain: Domain, bidder: int, num_bundles: int) -> np.ndarray:
    """The answer of a domain, if it can be one."""
    market = domain.market
    rows = as_bundles(bundles, market.capacities)
    is_fine = 1 <= len(rows) <= num_bundles or (num_bundles > 1 and not len(rows))
    if not is_fine or not market.allows(bidder, rows).all():
        raise InputError(
            f"The domain '{domain.name}' says that bidder '{market.bidders[bidder].name}' wants "
            f"{rows.tolist()}; expected at most {num_bundles} bundles within its limits."
        )
    return rows
