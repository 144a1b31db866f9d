import numpy as np
import pytest

from boca.core.allocation import Allocation
from boca.core.errors import InputError
from boca.core.goods import Good, Limit
from boca.core.market import Bidder, Market
from boca.functions.value_function import ValueFunction
from boca.lab.domains import Domain, Efficient, load_domain
from boca.lab.domains.value_tables import CountTable


class Limited(Domain):
    """Ten copies of one good and one of another; the only bidder may hold three copies."""

    def __init__(self):
        limit = Limit((1.0, 1.0), 3.0)
        market = Market((Good("A", 10), Good("B")), (Bidder("ann", limits=(limit,)),))
        super().__init__("limited", None, market)
        self.num_solved = 0

    def build_function(self, bidder):
        return CountTable(np.add.outer(np.arange(11.0), np.arange(2.0)))

    def solve(self):
        self.num_solved += 1
        return Efficient(3.0, Allocation(np.array([[2, 1]])), 3.0, "by hand")


def test_samples_obey_limits_and_capacities():
    """Tests that bundles are cut down to what the bidder may hold, and differ."""
    domain = Limited()
    bundles = domain.sample(0, 200, seed=4)
    assert bundles.shape == (200, 2)
    assert domain.market.allows(0, bundles).all()
    assert len(np.unique(bundles, axis=0)) > 3


def test_samples_depend_on_the_seed_alone():
    """Tests that a seed can be used again."""
    domain = load_domain("lsvm", seed=1)
    assert np.array_equal(domain.sample(0, 5, seed=9), domain.sample(0, 5, seed=9))
    assert not np.array_equal(domain.sample(0, 5, seed=9), domain.sample(0, 5, seed=10))
    assert domain.sample(0, 0, seed=9).shape == (0, 18)


def test_optimum_is_found_once():
    """Tests that a domain remembers its answer, and keeps no file without a key."""
    domain = Limited()
    assert domain.efficient() is domain.efficient()
    assert domain.num_solved == 1


@pytest.mark.parametrize(
    ("bundles", "message"),
    [
        ([[2] + [0] * 17], "expected between 0 and 1"),
        ([[-1] + [0] * 17], "expected between 0 and 1"),
        ([[0.5] + [0] * 17], "whole numbers"),
        ([[1] * 17], "one column per good"),
        ([["a"] * 18], "whole numbers"),
    ],
)
def test_bundles_are_checked(bundles, message):
    """Tests that a bundle which does not exist has no value."""
    with pytest.raises(InputError, match=message):
        load_domain("lsvm", seed=1).values(0, bundles)


@pytest.mark.parametrize("bidder", [-1, 6])
def test_bidders_are_checked(bidder):
    """Tests that a negative index does not silently mean the last bidder."""
    with pytest.raises(InputError, match="expected 0 to 5"):
        load_domain("lsvm", seed=1).values(bidder, np.zeros(18))


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("name", ["gsvm", "lsvm", "srvm", "mrvm", "toy"])
def test_functions_agree_with_values(name, generic):
    """Tests the contract with winner determination: capacities, doubles, the same numbers."""
    domain = load_domain(name, seed=1, generic=generic)
    for bidder in range(domain.market.num_bidders):
        function = domain.function(bidder)
        assert isinstance(function, ValueFunction)
        assert np.array_equal(function.capacities, domain.market.capacities)
        bundles = domain.sample(bidder, 5, seed=2)
        values = function(bundles)
        assert values.dtype == np.float64
        assert np.array_equal(values, domain.values(bidder, bundles))
        assert np.array_equal(values, domain.values(bidder, bundles.astype(np.uint8)))
