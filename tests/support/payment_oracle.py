"""Answers by brute force, and small random markets, for the tests of payments."""

from itertools import chain, combinations, product

import numpy as np
from hypothesis import strategies as st

from boca.core import Bidder, Good, Limit, Market, Reports


def best_welfare(reports, market, bidders=None, reserve=None) -> float:
    """Largest surplus of some bidders: every way to accept at most one report each."""
    bidders = range(market.num_bidders) if bidders is None else bidders
    prices = np.zeros(market.num_goods) if reserve is None else np.asarray(reserve)
    choices = []
    for i in bidders:
        allowed = market.allows(i, reports[i].bundles)
        own = [(b, v) for (b, v), ok in zip(reports[i], allowed, strict=True) if ok]
        choices.append([(np.zeros(market.num_goods, dtype=int), 0.0), *own])
    best = 0.0
    for picked in product(*choices):
        given = sum((bundle for bundle, _ in picked), np.zeros(market.num_goods, dtype=int))
        if (given <= market.capacities).all():
            best = max(best, sum(value for _, value in picked) - float(given @ prices))
    return best


def coalitions(num_bidders: int):
    """Every set of bidders."""
    return chain.from_iterable(
        combinations(range(num_bidders), size) for size in range(num_bidders + 1)
    )


@st.composite
def auctions(draw, max_bidders: int = 4, max_reports: int = 4, ties: bool = True):
    """A market with capacities and limits, and reports; whole values make ties likely."""
    num_goods = draw(st.integers(1, 4))
    num_bidders = draw(st.integers(1, max_bidders))
    capacities = draw(st.lists(st.integers(1, 3), min_size=num_goods, max_size=num_goods))
    bidders = []
    for i in range(num_bidders):
        limits = ()
        if draw(st.booleans()):
            coefficients = tuple(float(draw(st.integers(0, 2))) for _ in range(num_goods))
            limits = (Limit(coefficients, float(draw(st.integers(0, 4)))),)
        bidders.append(Bidder(f"b{i}", limits=limits))
    goods = tuple(Good(f"g{j}", c) for j, c in enumerate(capacities))
    market = Market(goods, tuple(bidders))
    value = st.integers(0, 6) if ties else st.floats(0, 10, allow_nan=False)
    reports = []
    for _ in range(num_bidders):
        bundle = st.tuples(*(st.integers(0, c) for c in capacities))
        own = draw(st.dictionaries(bundle.filter(any), value, max_size=max_reports))
        rows = np.array(list(own), dtype=int).reshape(-1, num_goods)
        reports.append(Reports(rows, np.array(list(own.values()), dtype=float)))
    return reports, market


def random_reports(num_bidders, num_reports, num_goods, density, seed):
    """Reports that grow with the bundle, with noise: each bidder has its own taste."""
    rng = np.random.default_rng(seed)
    reports = []
    for _ in range(num_bidders):
        bundles = np.unique(rng.random((num_reports, num_goods)) < density, axis=0).astype(int)
        worth = bundles @ rng.random(num_goods)
        reports.append(Reports(bundles, worth**1.1 * rng.uniform(1, 1.2, len(bundles))))
    return reports, Market.simple(num_goods, num_bidders)
