from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import capacities, generators, monotone_net

from boca.functions import MonotoneNet
from boca.milp import MilpParams, Model
from boca.milp.backends import highs
from boca.wdp.encodings import BundleVariables
from boca.wdp.encodings.mvnn_one_binary import encode_mvnn_one_binary
from boca.wdp.encodings.mvnn_paper import encode_mvnn_paper


def size(encode, net):
    """Binaries and rows that an encoding adds."""
    model = Model()
    bundle = BundleVariables(model, net.capacities)
    encode(net, bundle)
    arrays = model.arrays()
    return int(arrays.integer.sum()) - net.num_goods, arrays.num_rows


@pytest.mark.parametrize(
    ("bias", "cutoff", "binaries", "rows"),
    [
        (0.0, 0.0, 0, 0),  # always cut off
        (-2.0, 1.0, 0, 0),  # never active
        (0.0, 2.0, 0, 1),  # linear
        (0.0, 1.0, 0, 1),  # concave: the paper needs a binary and three rows
        (-1.0, 1.0, 1, 2),
        (-0.5, 1.0, 1, 2),  # the paper needs two binaries and four rows
    ],
)
def test_at_most_one_binary_and_two_rows(bias, cutoff, binaries, rows):
    """Tests that a neuron without bias needs no binary, and none needs two."""
    net = MonotoneNet([[[2.0]]], [[bias]], [[cutoff]], [1.0])

    assert size(encode_mvnn_one_binary, net) == (binaries, rows)


@given(generators(), capacities())
@settings(max_examples=25, deadline=None)
def test_never_larger_than_the_paper(rng, capacities):
    """Tests that no net needs more binaries or rows than with Theorem 2."""
    net = monotone_net(rng, capacities)

    ours, paper = size(encode_mvnn_one_binary, net), size(encode_mvnn_paper, net)

    assert np.less_equal(ours, paper).all()


@given(generators(), capacities())
@settings(max_examples=25, deadline=None)
def test_the_relaxation_is_not_weaker(rng, capacities):
    """Tests the first remark of docs/winner_determination.md, which says what branching costs."""
    net, prices = monotone_net(rng, capacities), 0.3 * rng.random(len(capacities))

    ours, paper = (
        relaxed(encode, net, prices) for encode in (encode_mvnn_one_binary, encode_mvnn_paper)
    )

    assert ours <= paper + 1e-7


def relaxed(encode, net, prices) -> float:
    """The optimum at some prices when no variable has to be whole."""
    model = Model()
    bundle = BundleVariables(model, net.capacities)
    encode(net, bundle).add_to_objective(model)
    model.add_cost(bundle.columns, -prices)
    arrays = model.arrays()
    everywhere = replace(arrays, integer=np.zeros_like(arrays.integer))
    return highs.run(everywhere, MilpParams(), None).objective
