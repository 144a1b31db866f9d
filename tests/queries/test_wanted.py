"""Values of bundles that were wanted."""

import numpy as np
from hybrid_situations import state_of

from boca.core import Market, Reports, Seeds
from boca.core.demand import Demands
from boca.queries import WantedBundles

MARKET = Market.simple(3, 1)
BUNDLES = [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]]


def bundles_of(reports, num, rounds=0):
    planner = WantedBundles(num)
    demands = [Demands(np.ones((6, 3)), BUNDLES)]
    plan = planner.plan(state_of(MARKET, planner, [reports], demands, rounds), {}, Seeds(0))
    return [question.bundle.tolist() for question in plan.questions]


def test_later_answers_are_valued():
    """Tests that values are spread from the first third of the answers to the last."""
    assert bundles_of(Reports.empty(3), 2) == [[1, 0, 0], [0, 0, 1]]


def test_known_and_empty_bundles_are_left_out():
    """Tests that nothing is asked twice, and nothing about nothing."""
    known = Reports([[1, 0, 0]], [5.0])
    assert bundles_of(known, 4) == [[0, 1, 0], [0, 0, 1]]  # answers 2, 3, 4 and 5


def test_it_happens_once():
    """Tests that the phase ends after its round."""
    assert bundles_of(Reports.empty(3), 2, rounds=1) == []
