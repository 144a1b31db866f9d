"""Improving given allocations without proof."""

import numpy as np

from boca.core import Economy, Market
from boca.functions import MonotoneNet
from boca.wdp import WelfareProblem
from boca.wdp.improve import improve_welfare
from boca.wdp.search.local_search import Effort

MARKET = Market.simple(3, 2)
FUNCTIONS = [MonotoneNet([], [], [], np.array(v, dtype=float)) for v in ([3, 1, 1], [1, 2, 2])]
EFFORT = Effort(chains=2, steps=20)


def test_additive_values_are_solved_from_anywhere():
    """Tests that goods move to who values them most, whatever the start."""
    start = np.array([[0, 1, 1], [1, 0, 0]])
    result = improve_welfare(WelfareProblem(MARKET, FUNCTIONS), [start], EFFORT, 0)
    assert result.allocation.bundles.tolist() == [[1, 0, 0], [0, 1, 1]]
    assert result.welfare == 7
    assert result.bound == np.inf


def test_goods_of_absent_bidders_are_free():
    """Tests that a start from another economy is used without the bidder who is left out."""
    start = np.array([[1, 1, 1], [0, 0, 0]])
    problem = WelfareProblem(MARKET, FUNCTIONS, Economy.without(0, 2))
    result = improve_welfare(problem, [start], EFFORT, 0)
    assert result.allocation.bundles.tolist() == [[0, 0, 0], [1, 1, 1]]
