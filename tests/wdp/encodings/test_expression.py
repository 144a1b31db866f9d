import numpy as np

from boca.milp import Model, solve
from boca.wdp.encodings import Expression


def test_sums_and_multiples():
    """Tests the two operations that join encodings, and that a shared variable counts twice."""
    model = Model()
    x, y = model.add_variables(2, upper=[1, 2])
    first = Expression(np.array([x, y]), np.array([1.0, 2.0]), 3.0)
    second = Expression(np.array([x]), np.array([10.0]), 0.5)

    (first * 2 + second).add_to_objective(model)

    assert solve(model).objective == 12 * 1 + 4 * 2 + 6.5
