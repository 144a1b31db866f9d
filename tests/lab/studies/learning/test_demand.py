"""What values and demands teach."""

import numpy as np
import pytest

from boca.core import Seeds
from boca.lab.domains import load_domain
from boca.lab.domains.true_demand import demanded
from boca.lab.studies.learning import demand
from boca.lab.studies.learning.demand import clock_prices, learn_demands, wanted_bundles
from boca.lab.studies.learning.study import LearningStudy


@pytest.fixture
def few(monkeypatch):
    """Small numbers of answers and tests."""
    monkeypatch.setattr(demand, "SPLITS", ((12, 0), (6, 6)))
    monkeypatch.setattr(demand, "NUM_RANDOM", 30)
    monkeypatch.setattr(demand, "NUM_WANTED", 10)


def test_a_row_for_every_type_and_split(few):
    """Tests the shape of the table, and that scores are numbers a network can have."""
    study = LearningStudy("srvm", 0.9, [20001], types=["high_frequency"], generic=True)
    rows = list(learn_demands(study))
    assert [(row.num_values, row.num_demands) for row in rows] == [(12, 0), (6, 6)]
    for row in rows:
        assert row.bidder_type == "high_frequency"
        assert row.random_r2 <= 1
        assert 0 <= row.wanted_mae < 1


def test_the_clock_reaches_prices_that_matter():
    """Tests that total demand at the last prices is near supply, unlike at the first."""
    domain = load_domain("srvm", seed=20001, generic=True)
    prices = clock_prices(domain, 12)
    capacities = domain.market.capacities

    def imbalance(row):
        wanted = sum(demanded(domain, i, row)[0] for i in range(domain.market.num_bidders))
        return np.abs(wanted - capacities).sum()

    assert prices.shape == (12, 3)
    assert imbalance(prices[-1]) < imbalance(prices[0])


def test_wanted_bundles_are_wanted():
    """Tests that they are distinct and, on average, worth much more than their share."""
    domain = load_domain("srvm", seed=20001, generic=True)
    bundles = wanted_bundles(domain, 6, clock_prices(domain, 12), Seeds(0))
    assert len(np.unique(bundles, axis=0)) == len(bundles) > 1
