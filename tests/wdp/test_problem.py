import numpy as np
import pytest

from boca.core import Allocation, Economy, InfeasibleAllocation, InputError, Market
from boca.functions import Quadratic
from boca.wdp import WelfareProblem, WelfareResult


def additive(values, capacities=None):
    return Quadratic(np.zeros((len(values), len(values))), np.array(values, float), capacities)


MARKET = Market.simple(2, 2)
FUNCTIONS = [additive([3, 1]), additive([2, 2])]


def test_welfare_counts_only_the_economy():
    """Tests that a bidder who does not take part adds nothing."""
    problem = WelfareProblem(MARKET, FUNCTIONS, Economy.without(0, 2))

    assert problem.bidders == (1,)
    assert problem.welfare(Allocation([[1, 0], [0, 1]])) == 2


def test_a_function_is_asked_about_nothing_once():
    """Tests that whoever gets nothing counts with what its function says of it, once for all."""
    asked = []

    class Noting:
        capacities = np.ones(2, dtype=np.int64)

        def __call__(self, bundles):
            asked.append(bundles.tolist())
            return np.where(bundles.any(axis=1), 7.0, 0.5)

    problem = WelfareProblem(MARKET, [Noting(), Noting()])
    for _ in range(2):
        assert problem.welfare(Allocation([[1, 0], [0, 0]])) == 7.5
    assert asked == [[[1, 0]], [[0, 0]], [[0, 0]], [[1, 0]]]


def test_excluded_bundles_are_checked():
    """Tests that an allocation with a forbidden bundle is not an answer."""
    problem = WelfareProblem(MARKET, FUNCTIONS, excluded={0: [[1, 0]]})

    problem.check(Allocation([[0, 1], [1, 0]]))
    assert not problem.is_feasible(Allocation([[1, 0], [0, 1]]))
    with pytest.raises(InfeasibleAllocation, match="excluded"):
        problem.check(Allocation([[1, 0], [0, 0]]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"functions": FUNCTIONS[:1]}, "one for each"),
        ({"functions": [FUNCTIONS[0], additive([1, 1], [2, 1])]}, "capacities"),
        ({"economy": Economy((0, 2))}, "economy"),
        ({"economy": Economy(())}, "economy"),
        ({"economy": Economy((0,)), "excluded": {1: [[1, 1]]}}, "not in the economy"),
        ({"excluded": {0: [[2, 0]]}}, "between 0 and 1"),
    ],
)
def test_problems_that_make_no_sense(arguments, message):
    """Tests that mistakes are found before anything is solved."""
    given = {"market": MARKET, "functions": FUNCTIONS} | arguments
    with pytest.raises(InputError, match=message):
        WelfareProblem(**given)


def test_result_is_valued_by_the_functions():
    """Tests that neither a solver's value nor a bound with rounding errors is passed on."""
    problem = WelfareProblem(MARKET, FUNCTIONS)

    result = WelfareResult.checked(problem, np.array([[1, 0], [0, 1]]), 4.9999, "a", "b", 0.1)

    assert result.welfare == 5
    assert result.bound == 5
    assert result.gap == 0
    assert "welfare 5 by a" in result.summary()
    with pytest.raises(InfeasibleAllocation):
        WelfareResult.checked(problem, np.array([[1, 0], [1, 0]]), 9, "a", "b", 0.1)


@pytest.mark.parametrize(
    ("functions", "economy", "message"),
    [
        ([sum, sum], None, "expected a value function"),
        (FUNCTIONS, 0, r"Economy\.main"),
    ],
)
def test_plausible_mistakes_get_an_answer(functions, economy, message):
    """Tests plain Python functions and the number of a bidder where an economy belongs."""
    with pytest.raises(InputError, match=message):
        WelfareProblem(MARKET, functions, economy)
