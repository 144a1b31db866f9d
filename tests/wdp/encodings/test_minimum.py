import numpy as np
import pytest

from boca.milp import Model, solve
from boca.wdp.encodings import BundleVariables, Expression
from boca.wdp.encodings.minimum import encode_minimum


@pytest.mark.parametrize("unit", [1.0, 1e9, 1e-6])
@pytest.mark.parametrize(("count", "expected"), [(0, -2), (1, 1), (2, 3), (3, 4)])
def test_the_smaller_part_counts_in_any_unit(unit, count, expected):
    """Tests ``min(3 x - 2, x + 1)``, below and above 0, in units of money and of shares."""
    model = Model()
    bundle = BundleVariables(model, np.array([3]))
    parts = [
        Expression(bundle.columns, np.array([3.0]), -2.0) * unit,
        Expression(bundle.columns, np.array([1.0]), 1.0) * unit,
    ]
    encode_minimum(parts, bundle).add_to_objective(model)
    model.add_row(bundle.columns, 1.0, lower=count, upper=count)

    assert solve(model).objective == pytest.approx(expected * unit)


def test_constants_have_a_minimum_too():
    """Tests parts without variables, whose largest coefficient is 0."""
    model = Model()
    bundle = BundleVariables(model, np.array([1]))
    nothing = np.zeros(0, dtype=int)
    parts = [Expression(nothing, np.zeros(0), 5.0), Expression(nothing, np.zeros(0), 4.0)]
    encode_minimum(parts, bundle).add_to_objective(model)

    assert solve(model).objective == 4
