"""What bots want at prices is what leaves them most."""

from itertools import product

import numpy as np
import pytest

from boca.core.goods import Good, Limit
from boca.core.market import Bidder, Market
from boca.live.bots import choosing
from boca.live.bots.choosing import best_choice

GOODS = (Good("hall"), Good("kitchen"), Good("chairs", 3))
MARKETS = (
    Market(GOODS, (Bidder("Ann"),)),
    Market(GOODS, (Bidder("Ann", limits=(Limit((1.0, 1.0, 1.0), 2.0, "at most 2"),)),)),
)


def additive(worth):
    return lambda bundle: sum(worth[name] * n for name, n in bundle.items())


@pytest.mark.parametrize("market", MARKETS)
@pytest.mark.parametrize("seed", range(10))
def test_choice_is_the_best_of_all_bundles(market, seed):
    """Tests against every bundle that the limits allow, with a pair that is worth more together."""
    random = np.random.default_rng(seed)
    worth = dict(
        zip(("hall", "kitchen", "chairs"), random.integers(1, 20, 3).tolist(), strict=True)
    )
    prices = {name: f"{random.integers(0, 20)}.50" for name in worth}

    def amount(bundle):
        both = bool(bundle.get("hall")) and bool(bundle.get("kitchen"))
        return additive(worth)(bundle) + 6 * both

    def left(counts):
        bundle = dict(zip(worth, counts, strict=True))
        return amount(bundle) - sum(n * float(prices[name]) for name, n in bundle.items())

    possible = [b for b in product((0, 1), (0, 1), range(4)) if market.allows(0, np.array(b))[0]]
    choice = best_choice(amount, market, 0, prices)
    counts = tuple(choice.get(name, 0) for name in worth)
    assert counts in possible
    assert left(counts) == max(map(left, possible))


def test_search_finds_the_best_of_additive_values(monkeypatch):
    """Tests markets that are too large to look at every bundle."""
    monkeypatch.setattr(choosing, "MOST_LISTED", 1)
    worth = {"hall": 5.0, "kitchen": 2.0, "chairs": 1.0}
    prices = {"hall": "4.99", "kitchen": "2.01", "chairs": "0.99"}
    assert best_choice(additive(worth), MARKETS[0], 0, prices) == {"hall": 1, "chairs": 3}
