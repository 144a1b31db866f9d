import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import all_bundles, capacities, generators, monotone_net

from boca.core.errors import InputError
from boca.functions import MonotoneNet, ValueFunction

# One hidden layer of two neurons over two goods.
NET = {
    "weights": [[[1.0, 0.0], [1.0, 2.0]]],
    "biases": [[-0.5, 0.0]],
    "cutoffs": [[1.0, 1.5]],
    "output": [2.0, 4.0],
    "skip": [0.0, 0.25],
}


def test_value_by_hand():
    """Tests the order of bias, activation, cut-off, output and skip on four bundles."""
    net = MonotoneNet(**NET)

    values = net(np.array([[0, 0], [1, 0], [0, 1], [1, 1]]))

    # good 0: z = (0.5, 0); good 1: z = (0.5, 1.5) cut; both: z = (1 cut from 1.5, 1.5)
    assert values.tolist() == [0.0, 1.0, 7.25, 8.25]
    assert values.dtype == np.float64
    assert isinstance(net, ValueFunction)


def test_capacities_divide_the_input_and_the_skip():
    """Tests that a bundle with all copies is the full bundle, whatever their number."""
    net = MonotoneNet(**NET, capacities=[4, 2])

    full, half = net(np.array([[4, 2], [2, 1]]))

    assert full == 8.25
    assert half == 2 * 0.5 + 4 * 1.0 + 0.125  # y = (1/2, 1/2), z = (0.5, 1)


def test_one_bundle_is_a_stack_of_one():
    """Tests that a vector is accepted, because people try it first."""
    assert MonotoneNet(**NET)([1, 0]).tolist() == [1.0]


def test_without_hidden_layers_it_is_linear():
    """Tests the smallest depth, which additive values use."""
    net = MonotoneNet([], [], [], output=[1.0, 2.0], skip=[0.0, 1.0], capacities=[1, 2])

    assert net([[1, 0], [0, 2], [1, 1]]).tolist() == [1.0, 3.0, 2.5]


@given(generators(), capacities())
@settings(max_examples=30, deadline=None)
def test_bounds_are_exact(rng, capacities):
    """Tests that the bounds of each pre-activation are taken, by going through all bundles."""
    net = monotone_net(rng, capacities)

    z = all_bundles(capacities) / capacities
    for k, (lower, upper) in enumerate(net.bounds()):
        before = z @ net.weights[k] + net.biases[k]
        np.testing.assert_allclose(lower, before.min(axis=0), atol=1e-12)
        np.testing.assert_allclose(upper, before.max(axis=0), atol=1e-12)
        z = np.clip(before, 0, net.cutoffs[k])


@given(generators(), capacities())
@settings(max_examples=30, deadline=None)
def test_bounds_between_two_bundles(rng, capacities):
    """Tests that narrower bundles give narrower ranges that are still exact."""
    net = monotone_net(rng, capacities)
    bundles = all_bundles(capacities)
    lower, upper = np.sort(bundles[rng.integers(0, len(bundles), 2)], axis=0)
    between = bundles[((bundles >= lower) & (bundles <= upper)).all(axis=1)]

    z = between / capacities
    for k, (least, most) in enumerate(net.bounds(lower, upper)):
        before = z @ net.weights[k] + net.biases[k]
        np.testing.assert_allclose(least, before.min(axis=0), atol=1e-12)
        np.testing.assert_allclose(most, before.max(axis=0), atol=1e-12)
        z = np.clip(before, 0, net.cutoffs[k])


def test_large_stacks_are_evaluated_in_blocks():
    """Tests that the blocks fit together: a stack equals its rows one by one."""
    rng = np.random.default_rng(0)
    net = MonotoneNet([rng.random((9, 64))], [-rng.random(64)], [np.ones(64)], rng.random(64))
    bundles = rng.integers(0, 2, (5000, 9))  # above 2 ** 18 / 64 rows

    values = net(bundles)

    assert values[[0, 4095, 4096, 4999]].tolist() == [
        pytest.approx(net(bundles[i])[0], rel=1e-12) for i in (0, 4095, 4096, 4999)
    ]


@given(generators(), capacities())
@settings(max_examples=15, deadline=None)
def test_save_and_load(tmp_path_factory, rng, capacities):
    """Tests that a saved network comes back bit for bit."""
    net = monotone_net(rng, capacities)
    path = tmp_path_factory.mktemp("net") / "net.npz"

    net.save(path)
    again = MonotoneNet.load(path)

    bundles = all_bundles(capacities)
    assert np.array_equal(again(bundles), net(bundles))
    assert np.array_equal(again.capacities, net.capacities)
    assert again.depth == net.depth


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("weights", [[[-1.0, 0.0], [1.0, 2.0]]], r"weights\[0\] has the wrong sign"),
        ("biases", [[0.5, 0.0]], r"biases\[0\] has the wrong sign"),
        ("cutoffs", [[1.0, -1.0]], r"cutoffs\[0\] has the wrong sign"),
        ("output", [2.0, -4.0], "output has the wrong sign"),
        ("skip", [-1e-9, 0.0], "skip has the wrong sign"),
        ("biases", [], "1 weights, 0 biases"),
        ("output", [1.0], "output of shape"),
        ("skip", [1.0], "skip of shape"),
    ],
)
def test_a_net_that_is_not_monotone_is_refused(field, value, message):
    """Tests that the constructor guards what bounds and encodings rely on."""
    with pytest.raises(InputError, match=message):
        MonotoneNet(**{**NET, field: value})


def test_bundles_of_another_market_are_refused():
    """Tests that a matrix with a wrong number of goods is named as such."""
    with pytest.raises(InputError, match="expected \\(num_bundles, 2\\)"):
        MonotoneNet(**NET)(np.zeros((3, 5)))
