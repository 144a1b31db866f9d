import numpy as np

from boca.core import Market
from boca.functions import Quadratic
from boca.wdp import WelfareProblem
from boca.wdp.search.exclusion import Exclusion


def test_exclusions_are_looked_up():
    """Tests neighbours as well as bundles themselves."""
    functions = [Quadratic(np.zeros((2, 2)))]
    problem = WelfareProblem(Market.simple(2, 1), functions, excluded={0: [[1, 0]]})
    exclusion = Exclusion(problem, 0)

    assert exclusion.of(np.array([[1, 0], [0, 1]])).tolist() == [True, False]
    after = exclusion.after(np.array([[0, 0], [1, 1]]), np.array([[1, 1], [-1, -1]]))
    assert after.tolist() == [[True, False], [False, True]]
