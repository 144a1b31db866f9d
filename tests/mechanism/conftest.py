"""What the tests of the mechanism share: a learner that needs no framework, and small markets."""

import pytest
from additive_learner import quick_params

from boca.core import Market


@pytest.fixture
def market():
    """Four goods, one of them twice, and three bidders."""
    return Market.simple(4, 3, capacities=[1, 1, 2, 1])


@pytest.fixture
def params():
    """A quick auction: 4 + 3 x 2 queries."""
    return quick_params(4, 2, 10, optimism=0.2, seed=5)


@pytest.fixture
def answer():
    """Truthful bidders with a synergy between all goods they get."""

    def value(query):
        bundle = query.bundle
        weights = [[5, 1, 2, 1], [1, 4, 3, 1], [2, 2, 2, 6]][query.bidder]
        return float(bundle @ weights * (1 + 0.1 * (bundle.sum() - 1)) if bundle.any() else 0.0)

    return value
