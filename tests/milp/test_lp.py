import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import generators

from boca.core.errors import InputError
from boca.milp import MasterLP, Model, Status, solve_lp


def test_duals_by_hand():
    """Tests the sign of duals: what one more unit of a right-hand side is worth."""
    model = Model()
    model.add_variables(2, cost=[3, 2])
    model.add_rows([[0, 1], [0, 1]], [[1, 1], [1, 3]], upper=[4, 6])
    model.add_row([0], 1.0, upper=3)

    result = solve_lp(model)

    assert result.objective == pytest.approx(11)  # x = (3, 1)
    assert result.duals == pytest.approx([0, 2 / 3, 7 / 3])


def test_integers_have_no_duals():
    """Tests that integrality is not dropped silently."""
    model = Model()
    model.add_variables(1, 0, 1, integer=True)

    with pytest.raises(InputError, match="integer variables"):
        solve_lp(model)


def test_infeasible_linear_program():
    """Tests that no solution is a status."""
    model = Model()
    model.add_variables(1, 0, 1)
    model.add_row([0], 1.0, lower=2)

    assert solve_lp(model).status is Status.INFEASIBLE


@given(generators())
@settings(max_examples=20, deadline=None)
def test_growing_by_columns_equals_solving_at_once(rng):
    """Tests the master of column generation: same optimum, and duals that prove it."""
    costs, matrix = rng.random(12), rng.integers(0, 3, (4, 12)).astype(float)
    matrix[0] += 1  # every column uses something, so that the optimum is finite
    upper = rng.integers(1, 5, 4).astype(float)

    master = MasterLP(upper)
    for part in (slice(0, 1), slice(1, 5), slice(5, 12)):
        master.add_columns(costs[part], matrix[:, part])
        result = master.solve()

    model = Model()
    model.add_variables(12, cost=costs)
    model.add_rows(np.tile(np.arange(12), (4, 1)), matrix, upper=upper)
    assert result.objective == pytest.approx(solve_lp(model).objective)
    assert (result.duals >= -1e-9).all()
    assert (costs - result.duals @ matrix <= 1e-7).all()  # no column improves
    assert result.duals @ upper == pytest.approx(result.objective)


def test_a_master_without_columns_is_refused():
    """Tests that the first mistake of a caller is named."""
    with pytest.raises(InputError, match="no columns yet"):
        MasterLP([1.0]).solve()
