"""Monotone networks as functions of their parameters."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from jax.test_util import check_grads

from boca.surrogates import MvnnParams
from boca.surrogates.mvnn.export import freeze
from boca.surrogates.mvnn.initialisation import draw_weights
from boca.surrogates.mvnn.network import Weights, bounded_relu, evaluate, project


def random_weights(seed: int, layers: int, skip: bool) -> Weights:
    """Parameters of any sign, as a step of the optimiser might leave them."""
    rng = np.random.default_rng(seed)
    widths = [4] + layers * [5]
    return Weights(
        hidden=tuple(rng.normal(size=(a, b)) for a, b in pairwise(widths)),
        biases=tuple(rng.normal(size=5) for _ in range(layers)),
        cutoffs=tuple(rng.normal(size=5) for _ in range(layers)),
        output=rng.normal(size=5),
        skip=rng.normal(size=4) if skip else None,
    )


def test_derivative_of_the_activation():
    """Tests that each piece passes its slope on: none below 0, all between, t's above."""
    inputs = jnp.array([[-1.0], [0.0], [0.25], [0.5], [2.0]])
    slopes = jnp.array([1.0, 10.0, 100.0, 1000.0, 10000.0])
    to_inputs, to_cutoff = jax.grad(lambda o, t: slopes @ bounded_relu(o, t)[:, 0], argnums=(0, 1))(
        inputs, jnp.array([0.5])
    )
    np.testing.assert_array_equal(to_inputs[:, 0], [0, 10, 100, 0, 0])
    np.testing.assert_array_equal(to_cutoff, [11000])


def test_derivative_of_a_network():
    """Tests gradients of all parameters against differences, away from kinks."""
    weights = jax.tree.map(jnp.float32, project(random_weights(3, layers=2, skip=True)))
    inputs = jnp.asarray(np.random.default_rng(0).random((6, 4)), jnp.float32)
    check_grads(lambda w: evaluate(w, inputs), (weights,), order=1, modes=["rev"], eps=1e-3)


def test_hand_computed_value():
    """Tests both ends of the bounded ReLU, the output and the skip connection by hand."""
    weights = Weights(
        hidden=(np.array([[1.0, 2.0], [0.5, 3.0]]),),
        biases=(np.array([-0.25, -0.5]),),
        cutoffs=(np.array([1.0, 2.0]),),
        output=np.array([10.0, 100.0]),
        skip=np.array([0.1, 0.2]),
    )
    inputs = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    # Hidden: (0, 0); (0.75, 1.5); (min(1, 1.25), min(2, 4.5)).
    expected = [0.0, 7.5 + 150 + 0.1, 10 + 200 + 0.3]
    np.testing.assert_allclose(evaluate(weights, inputs), expected, rtol=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 3), st.booleans())
def test_monotone_and_zero_on_nothing_by_construction(seed, layers, skip):
    """
    Tests that any projected parameters give a monotone function that is zero on the empty bundle,
    because allocation and envelope rely on it.
    """
    weights = project(random_weights(seed, layers, skip))
    net = freeze(weights, np.ones(4, int), scale=3.0)
    bundles = np.array(list(np.ndindex(2, 2, 2, 2)))
    values = net(bundles)
    assert values[0] == 0
    for good in range(4):
        without = bundles[:, good] == 0
        more = bundles[without].copy()
        more[:, good] = 1
        assert (net(more) >= values[without]).all()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 3), st.booleans())
def test_exported_network_is_the_network(seed, layers, skip):
    """Tests that the numpy function equals the JAX network, also with capacities above one."""
    weights = project(random_weights(seed, layers, skip))
    capacities = np.array([1, 2, 3, 1])
    bundles = np.random.default_rng(seed).integers(0, capacities + 1, (20, 4))
    exported = freeze(weights, capacities, scale=7.0)(bundles)
    np.testing.assert_allclose(
        exported, 7.0 * np.asarray(evaluate(weights, bundles / capacities)), rtol=1e-5, atol=1e-5
    )


def test_export_projects_skip_weights():
    """
    Tests that slightly negative skip weights do not leave: the published code let them, and its
    networks could fall when a good was added.
    """
    weights = draw_weights(4, MvnnParams(hidden_units=3), np.random.default_rng(0))
    weights = weights._replace(skip=np.array([-1e-3, 0.2, -0.5, 0.0]))
    assert (freeze(weights, np.ones(4, int), 1.0).skip == [0, 0.2, 0, 0]).all()
