"""What simulated bidders want at given prices."""

import numpy as np
import pytest

from boca.core import Bidder, Good, InputError, Limit, Market
from boca.functions import XorTable
from boca.lab.domains import Domain, load_domain
from boca.lab.domains.files.additive_values import AdditiveValues
from boca.lab.domains.files.file_domain import FileDomain
from boca.lab.domains.true_demand import best_first, demanded, of_any

CASES = [
    (name, generic)
    for name in ("gsvm", "lsvm", "srvm", "mrvm", "toy")
    for generic in (False, True)
    if name in ("srvm", "mrvm") or not generic
]


def some_prices(domain, seed):
    """Prices of the size of what single copies are worth, all different."""
    market = domain.market
    single = np.eye(market.num_goods, dtype=np.int64)
    worth = np.mean([domain.values(i, single) for i in range(market.num_bidders)])
    return np.random.default_rng(seed).uniform(0, 3 * worth, market.num_goods)


@pytest.mark.parametrize(("name", "generic"), CASES)
def test_no_neighbour_and_no_random_bundle_is_better(name, generic):
    """Tests each value model's own method against what a bidder could easily find itself."""
    domain = load_domain(name, seed=10001, generic=generic)
    market = domain.market
    for bidder in (0, market.num_bidders - 1):
        prices = some_prices(domain, bidder)
        best = demanded(domain, bidder, prices)[0]
        assert market.allows(bidder, best)[0]
        others = [domain.sample(bidder, 300, seed=1), [0 * best]]
        for step in (-1, 1):
            near = best + step * np.eye(market.num_goods, dtype=np.int64)
            others.append(near[market.allows(bidder, near)])
        bundles = np.vstack(others)
        utility = domain.values(bidder, best)[0] - best @ prices
        others_utility = domain.values(bidder, bundles) - bundles @ prices
        assert others_utility.max() <= utility + 1e-9 * abs(utility) + 1e-9


@pytest.mark.parametrize("bidder", [0, 6])
def test_tables_agree_with_listing_everything(bidder):
    """Tests GSVM, with its limits, against all 2^18 bundles."""
    domain = load_domain("gsvm", seed=3)
    prices = some_prices(domain, 5)
    outside = np.setdiff1d(np.arange(18), domain.function(bidder).items)
    prices[outside] = 1e6  # so that bundles with items of no interest come last
    quick = demanded(domain, bidder, prices, 20)
    listed = of_any(domain.function(bidder), domain.market, bidder, prices, 21)
    listed = listed[listed.any(axis=1)][:20]
    gain = domain.values(bidder, quick) - quick @ prices
    expected = domain.values(bidder, listed) - listed @ prices
    np.testing.assert_allclose(gain, expected)


def test_regions_agree_with_listing_counts():
    """Tests the lists over regions against every choice, with all but three regions priced out."""
    domain = load_domain("mrvm", seed=10002, generic=True)
    bidder = 9  # national: the factor depends on how many regions are missed
    prices = np.full(42, 1e12)
    open_goods = [region + 14 * band for region in (3, 5, 8) for band in range(3)]
    prices[open_goods] = np.random.default_rng(0).uniform(1e5, 4e7, 9)
    grids = np.meshgrid(*[np.arange(domain.market.capacities[j] + 1) for j in open_goods])
    bundles = np.zeros((grids[0].size, 42), dtype=np.int64)
    bundles[:, open_goods] = np.stack([grid.ravel() for grid in grids], axis=1)
    profits = np.sort(domain.values(bidder, bundles) - bundles @ prices)[::-1]

    found = demanded(domain, bidder, prices, 50)

    gain = domain.values(bidder, found) - found @ prices
    expected = profits[np.abs(profits) > 0][:50]  # without the empty bundle
    np.testing.assert_allclose(gain, expected, rtol=1e-9)


def test_several_bundles_are_distinct_sorted_and_not_empty():
    """Tests what supplementary bids rely on."""
    domain = load_domain("srvm", seed=10001)
    prices = some_prices(domain, 1)
    found = demanded(domain, 3, prices, 100)
    gain = domain.values(3, found) - found @ prices
    assert len(np.unique(found, axis=0)) == len(found) == 100
    assert (np.diff(gain) <= 1e-9).all()
    assert found.any(axis=1).all()


def test_best_first_breaks_ties_by_order():
    """Tests that equal profits come in the order of the table, so that answers repeat."""
    assert best_first(np.array([1.0, 3.0, 3.0, 2.0, -np.inf]), 2).tolist() == [1, 2]
    assert best_first(np.array([1.0, 3.0, 3.0, 3.0]), 2).tolist() == [1, 2]
    assert best_first(np.array([1.0, -np.inf]), 5).tolist() == [0]


def many_goods(num_goods=24, limits=(), pairs=(), per_pair=()):
    """A market file's additive values: too many bundles to look at each; five goods matter."""
    goods = tuple(Good(f"g{j}", 1 + j % 2) for j in range(num_goods))
    market = Market(goods, (Bidder("one", limits=limits),))
    per_copy = np.concatenate([[5.0, 4.0, 3.0, 2.0, 6.0], np.zeros(num_goods - 5)])
    pairs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    values = AdditiveValues(market.capacities, per_copy, pairs, np.array(per_pair, dtype=float))
    return FileDomain(market, (values,))


PRICES = np.concatenate([[4.0, 4.5, 1.0, 2.5, 5.0], np.ones(19)])


def best_of_five(domain, num):
    """The best bundles by looking at every bundle of the goods that are worth something."""
    market = domain.market
    counts = [range(c + 1) for c in market.capacities[:5]]
    few = np.array(np.meshgrid(*counts)).reshape(5, -1).T
    bundles = np.pad(few, ((0, 0), (0, market.num_goods - 5)))
    bundles = bundles[market.allows(0, bundles)]
    profits = domain.values(0, bundles) - bundles @ PRICES
    return np.sort(profits)[::-1][:num]


@pytest.mark.parametrize(
    "domain",
    [
        many_goods(),
        many_goods(pairs=[(0, 1), (2, 4)], per_pair=[2.0, -1.0]),
        many_goods(limits=(Limit((1.0,) * 24, 2.0),)),
        many_goods(limits=(Limit((1.0,) * 24, 2.0),), pairs=[(0, 1)], per_pair=[2.0]),
    ],
)
def test_market_files_of_many_goods_answer_demand_queries(domain):
    """Tests 24 goods, at which price mechanisms once ended in an error, with limits and pairs."""
    (wanted,) = demanded(domain, 0, PRICES)
    assert domain.market.allows(0, wanted)[0]
    assert domain.values(0, wanted)[0] - wanted @ PRICES == pytest.approx(best_of_five(domain, 1))

    several = demanded(domain, 0, PRICES, 3)
    profits = domain.values(0, several) - several @ PRICES
    right = [profit for profit in best_of_five(domain, 4) if profit != 0][:3]
    assert profits == pytest.approx(right[: len(profits)])
    assert several.any(axis=1).all()


def test_bids_on_many_goods_answer_demand_queries():
    """Tests XOR bids: the best listed bundle, or nothing where all of them cost too much."""
    market = Market(tuple(Good(f"g{j}") for j in range(24)), (Bidder("one"),))
    bundles = np.zeros((3, 24), dtype=np.int64)
    bundles[0, 0] = bundles[1, :2] = bundles[2, 23] = 1
    domain = FileDomain(market, (XorTable(bundles, [3.0, 7.0, 4.0]),))

    assert demanded(domain, 0, np.ones(24)).tolist() == [bundles[1].tolist()]
    assert demanded(domain, 0, np.ones(24), 5).tolist() == bundles[[1, 2, 0]].tolist()
    assert not demanded(domain, 0, np.full(24, 9.0)).any()


class Wishes(Domain):
    """Thirty goods, of which a bidder wants the cheapest one; nobody could list all bundles."""

    def __init__(self, answer=None):
        super().__init__("wishes", 1, Market.simple(30, 1))
        self.answer = answer

    def build_function(self, bidder):
        class AnyGood:
            capacities = self.market.capacities

            def __call__(self, bundles):
                return 10.0 * np.atleast_2d(bundles).any(axis=1)

        return AnyGood()

    def solve(self, absent=frozenset()):
        raise NotImplementedError

    def wanted(self, bidder, prices, num_bundles):
        return self.answer(prices) if self.answer else None


def test_a_domain_tells_what_its_bidders_want():
    """Tests the method that a domain of many goods and functions of its own has to write."""
    prices = np.arange(3.0, 33.0)
    own = Wishes(lambda prices: np.eye(30, dtype=int)[[prices.argmin()]])
    assert demanded(own, 0, prices).tolist() == [np.eye(30, dtype=int)[0].tolist()]

    with pytest.raises(InputError, match="'wanted' tell"):
        demanded(Wishes(), 0, prices)
    for wrong in (np.eye(30, dtype=int)[:2], np.zeros((0, 30)), np.full((1, 30), 2)):
        with pytest.raises(InputError):
            demanded(Wishes(lambda prices, wrong=wrong: wrong), 0, prices)
