import numpy as np
import pytest

from boca.core.errors import InputError
from boca.milp import Model


def test_blocks_are_numbered_in_order():
    """Tests that numbers returned earlier stay valid while the model grows."""
    model = Model()
    first = model.add_variables(2, upper=[1, 4], integer=True)
    second = model.add_variables(1, lower=-1, cost=2.0)
    rows = model.add_rows([[0, 2], [1, 2]], [[1.0, 0.0], [3.0, -1.0]], upper=[5.0, 6.0])
    model.add_cost(first, 1.0)

    arrays = model.arrays()

    assert [*first, *second] == [0, 1, 2]
    assert rows.tolist() == [0, 1]
    assert arrays.costs.tolist() == [1, 1, 2]
    assert arrays.upper.tolist() == [1, 4, np.inf]
    assert arrays.integer.tolist() == [True, True, False]
    assert arrays.starts.tolist() == [0, 1, 3]  # the zero was left out
    assert arrays.columns.tolist() == [0, 1, 2]
    assert arrays.row_upper.tolist() == [5, 6]


def test_repeated_variables_of_a_row_add_up():
    """Tests that expressions can be joined without care, although solvers refuse repetitions."""
    model = Model()
    model.add_variables(3)
    model.add_row([0], [1.0], upper=1)
    model.add_row([2, 0, 2], [1.0, 5.0, 2.0], upper=1)
    model.add_row([], [], upper=1)

    arrays = model.arrays()

    dense = np.zeros((3, 3))
    for r in range(3):
        for e in range(arrays.starts[r], arrays.starts[r + 1]):
            dense[r, arrays.columns[e]] += arrays.coefficients[e]
    assert dense.tolist() == [[1, 0, 0], [5, 0, 3], [0, 0, 0]]
    assert len(arrays.columns) == 3


def test_violation_is_the_worst_miss():
    """Tests the check that every solution has to pass."""
    model = Model()
    model.add_variables(2, upper=1)
    model.add_row([0, 1], [1.0, 1.0], lower=1, upper=1.5)
    arrays = model.arrays()

    assert arrays.violation(np.array([0.5, 0.5])) == 0
    assert arrays.violation(np.array([1.25, 0.0])) == pytest.approx(0.25)  # above its bound
    assert arrays.violation(np.array([1.0, 1.0])) == pytest.approx(0.5 / 3)  # relative to 1 + |2|
    assert arrays.violation(np.array([0.0, 0.0])) == 1


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda m: m.add_row([7], [1.0], upper=1), "never added"),
        (lambda m: m.add_variables(1, lower=2, upper=1), "lower <= upper"),
        (lambda m: m.add_cost([0], np.nan), "undefined"),
    ],
)
def test_a_model_that_makes_no_sense_is_refused(build, message):
    """Tests that mistakes surface before a solver sees them."""
    model = Model()
    model.add_variables(2)
    build(model)

    with pytest.raises(InputError, match=message):
        model.arrays()


def test_an_empty_model_is_refused():
    """Tests a case that solvers answer in different ways."""
    with pytest.raises(InputError, match="no variables"):
        Model().arrays()
