"""The observer: scores that follow from true values, and an optimum that is checked."""

import numpy as np
import pytest

from boca.core import Allocation, Market
from boca.core.errors import SolverError
from boca.functions import XorTable
from boca.lab.domains.domain import Domain
from boca.lab.domains.efficient import Efficient
from boca.lab.simulation.observer import Observer

# One good each for two bidders: worth 6 to the first, 4 to the second, or the other way 1 and 1.
BEST, MIDDLE, WORST = [[1, 0], [0, 1]], [[1, 0], [0, 0]], [[0, 1], [1, 0]]


class TwoGoods(Domain):
    """Two bidders and two goods, with an optimum that a test chooses."""

    def __init__(self, optimum=10.0, bound=10.0, scale=1.0):
        super().__init__("two goods", None, Market.simple(2, 2))
        self._efficient = Efficient(optimum, Allocation(np.array(BEST)), bound, "by hand")
        self._scale = scale

    def build_function(self, bidder):
        values = [6.0, 1.0] if bidder == 0 else [1.0, 4.0]
        return XorTable(np.eye(2, dtype=np.int64), [self._scale * value for value in values])

    def efficient(self):
        return self._efficient

    def solve(self, absent=frozenset()):
        raise NotImplementedError("the optimum is given")


@pytest.mark.parametrize(("bundles", "loss"), [(BEST, 0.0), (MIDDLE, 0.4), (WORST, 0.8)])
def test_loss_is_the_share_of_true_welfare_that_is_missed(bundles, loss):
    """Tests the definition on allocations worth 10, 6 and 2 of 10."""
    assert Observer(TwoGoods()).loss(np.array(bundles)) == pytest.approx(loss)


@pytest.mark.parametrize("optimum", [9.0, 9.999])
def test_wrong_optimum_is_refused(optimum):
    """Tests that an allocation better than the 'optimum' is an error, not a loss of zero."""
    with pytest.raises(SolverError, match=r"true welfare 10\.0, more than the 9"):
        Observer(TwoGoods(optimum, bound=optimum)).loss(np.array(BEST))


def test_loose_bound_does_not_excuse_a_wrong_optimum():
    """Tests that a bound which proves little does not let a better allocation pass as efficient."""
    with pytest.raises(SolverError):
        Observer(TwoGoods(9.0, bound=11.0)).loss(np.array(BEST))


def test_rounding_above_the_optimum_is_no_loss():
    """Tests that sums in another order, or a solver's tolerance below its bound, are forgiven."""
    assert Observer(TwoGoods(10 - 1e-12, bound=10 - 1e-12)).loss(np.array(BEST)) == 0
    assert Observer(TwoGoods(10 - 5e-6, bound=10)).loss(np.array(BEST)) == 0


def test_market_without_value_has_no_loss():
    """Tests that nothing is divided by an optimum of zero."""
    assert Observer(TwoGoods(0.0, 0.0, scale=0.0)).loss(np.array(WORST)) == 0


def test_without_a_proof_anything_can_be_better():
    """Tests a domain that only knows a good allocation: a better one is no loss and no error."""
    assert Observer(TwoGoods(9.0, bound=np.inf)).loss(np.array(BEST)) == 0
    assert Observer(TwoGoods(20.0, bound=np.inf)).loss(np.array(BEST)) == 0.5
