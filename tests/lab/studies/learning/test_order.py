"""How often upper bounds lie below means."""

import numpy as np
import pytest

from boca.core.errors import InputError
from boca.functions import Quadratic
from boca.lab.studies.learning import study as learning
from boca.lab.studies.learning.order import OrderRow, keep_order, random_bundles, shortfalls
from boca.lab.studies.learning.study import LearningStudy
from boca.surrogates import Fitted


class Steep:
    """Counts goods beyond a level, so that it lies below a plain count on small bundles only."""

    def __init__(self, capacities, level):
        self.capacities, self.level = capacities, level

    def __call__(self, bundles):
        size = bundles.sum(axis=1)
        return np.where(size < self.level, 0.0, size + 1.0)


def counting(capacities):
    """A value function that counts goods."""
    return Quadratic(np.zeros((len(capacities),) * 2), np.ones(len(capacities)), capacities)


def test_bundles_of_a_density():
    """Tests that each copy of each good is held with the probability of its bundle."""
    capacities = np.array([1, 2, 5])
    densities = np.repeat([0.0, 0.5, 1.0], 2000)
    bundles = random_bundles(capacities, densities, np.random.default_rng(0))
    none, half, every = bundles.reshape(3, 2000, 3).mean(axis=1) / capacities
    assert not none.any()
    assert (every == 1).all()
    np.testing.assert_allclose(half, 0.5, atol=0.03)


def test_shortfall_by_hand():
    """Tests that a bound above the mean counts as none, not as a negative shortfall."""
    capacities = np.ones(4, dtype=np.int64)
    fitted = Fitted(counting(capacities), Steep(capacities, 2))
    bundles = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]])
    assert shortfalls(fitted, bundles).tolist() == [0, 1, 0]
    with pytest.raises(InputError, match="no upper bound"):
        shortfalls(Fitted(counting(capacities)), bundles)


def test_shares_by_density(monkeypatch):
    """
    Tests with a bound that is broken on bundles of 1 to 4 of 18 goods: 1.5 % of the half-full ones,
    and of those of any density 4/19, because every size is equally likely among them.
    """

    def fit(reports, market, params, seed):
        capacities = market.capacities
        return {i: Fitted(counting(capacities), Steep(capacities, 5)) for i in reports}

    monkeypatch.setattr(learning, "fit", fit)
    study = LearningStudy("lsvm", 0.9, [1, 2], types=["national"])
    (row,) = keep_order(study)

    assert isinstance(row, OrderRow)
    assert row.half_full == pytest.approx(0.0154, abs=0.006)
    assert row.any_density == pytest.approx(4 / 19, abs=0.02)
    assert row.artificial == "cube"
    assert row.instances == (1, 2)
