import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import all_bundles, capacities, generators, relu_net

from boca.core.errors import InputError
from boca.functions import ReluNet


def test_value_by_hand():
    """Tests signs, biases and the constant, which a monotone net does not have."""
    net = ReluNet([[[1.0, -1.0], [-2.0, 1.0]]], [[0.5, 0.25]], [2.0, -1.0], output_bias=3.0)

    # z = (0.5, 0.25), (1.5, 0), (0, 1.25), (0, 0.25)
    assert net([[0, 0], [1, 0], [0, 1], [1, 1]]).tolist() == [3.75, 6.0, 1.75, 2.75]


def test_capacities_divide_the_input():
    """Tests that counts are shares of the capacity, as for monotone nets."""
    net = ReluNet([[[1.0]]], [[0.0]], [1.0], capacities=[4])

    assert net([[1], [4]]).tolist() == [0.25, 1.0]


@given(generators(), capacities())
@settings(max_examples=30, deadline=None)
def test_bounds_hold(rng, capacities):
    """Tests that interval arithmetic never cuts off a pre-activation that occurs."""
    net = relu_net(rng, capacities)

    z = all_bundles(capacities) / capacities
    for k, (lower, upper) in enumerate(net.bounds()):
        before = z @ net.weights[k] + net.biases[k]
        assert (lower <= before + 1e-12).all()
        assert (before <= upper + 1e-12).all()
        z = np.maximum(before, 0)


def test_layers_must_fit():
    """Tests that shapes are checked layer by layer."""
    with pytest.raises(InputError, match=r"weights\[1\] of shape"):
        ReluNet([np.ones((2, 3)), np.ones((2, 1))], [np.ones(3), np.ones(1)], [1.0])
    with pytest.raises(InputError, match="1 weights and 0 biases"):
        ReluNet([np.ones((2, 3))], [], np.ones(3))
