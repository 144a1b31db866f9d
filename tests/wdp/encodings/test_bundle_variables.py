import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boca.milp import Model, Status, solve
from boca.wdp.encodings import BundleVariables


def test_goods_with_one_copy_need_no_further_variables():
    """Tests that the common case stays small."""
    model = Model()
    bundle = BundleVariables(model, np.array([1, 1]))

    assert bundle.at_least(1, 1) == bundle.columns[1]
    assert (model.num_variables, model.num_rows) == (2, 0)


@given(st.integers(2, 4), st.data())
@settings(max_examples=15, deadline=None)
def test_levels_follow_the_count(capacity, data):
    """Tests that each level is 1 exactly from its count on, whatever the objective would like."""
    count = data.draw(st.integers(0, capacity))
    level = data.draw(st.integers(1, capacity))
    for sign in (1.0, -1.0):
        model = Model()
        bundle = BundleVariables(model, np.array([capacity]))
        switch = bundle.at_least(0, level)
        model.add_row(bundle.columns, 1.0, lower=count, upper=count)
        model.add_cost([switch], sign)

        result = solve(model)

        assert result.status is Status.OPTIMAL
        assert result.x[switch] == (count >= level)


def test_levels_are_shared():
    """Tests that two encodings of one bidder use the same binaries."""
    model = Model()
    bundle = BundleVariables(model, np.array([3]))
    first = bundle.levels(0)

    assert bundle.levels(0) is first
    assert model.num_variables == 4
    assert [bundle.at_least(0, s) for s in (1, 2, 3)] == first.tolist()


@pytest.mark.parametrize(("inside", "expected"), [([0, 0], 2), ([3, 1], 0), ([3, 0], 1)])
def test_outside_names_one_variable_a_good_that_can_exceed(inside, expected):
    """Tests that goods of which the given bundle has all copies are left out."""
    bundle = BundleVariables(Model(), np.array([3, 1]))

    assert len(bundle.outside(np.array(inside))) == expected
