import numpy as np
import pytest

from boca.functions import MonotoneNet
from boca.milp import Model, solve
from boca.wdp.encodings import BundleVariables
from boca.wdp.encodings.mvnn_paper import encode_mvnn_paper


def one_neuron(bias, cutoff):
    """``min(cutoff, max(0, 2 x + bias))`` of a single good."""
    return MonotoneNet([[[2.0]]], [[bias]], [[cutoff]], [1.0])


@pytest.mark.parametrize(
    ("bias", "cutoff", "binaries", "rows"),
    [
        (0.0, 0.0, 0, 0),  # case 1: l = 0 >= t
        (-2.0, 1.0, 0, 0),  # case 2: u = 0
        (0.0, 2.0, 0, 1),  # case 3: 0 <= l, u = 2 <= t
        (0.0, 1.0, 1, 3),  # case 4: 0 <= l < t < u; only beta
        (-1.0, 1.0, 1, 3),  # case 5: l < 0 < u <= t; only alpha
        (-0.5, 1.0, 2, 4),  # none: both, and the four rows of Theorem 2
    ],
)
def test_box_bounds_remove_what_they_decide(bias, cutoff, binaries, rows):
    """Tests the five cases of Appendix F.2 and the general one."""
    model = Model()
    bundle = BundleVariables(model, np.ones(1, dtype=int))

    encode_mvnn_paper(one_neuron(bias, cutoff), bundle)

    arrays = model.arrays()
    assert arrays.integer.sum() - 1 == binaries  # one is the good itself
    assert arrays.num_rows == rows


@pytest.mark.parametrize("maximise", [True, False])
@pytest.mark.parametrize("count", range(5))
@pytest.mark.parametrize(
    ("bias", "cutoff"), [(0, 0), (-2, 1), (0, 2), (0, 1), (-1, 1), (-0.5, 1), (-1.2, 3)]
)
def test_it_is_exact_in_both_directions(bias, cutoff, count, maximise):
    """Tests that the value is forced at every count of a good, not only where it is maximised."""
    net = MonotoneNet([[[2.0]]], [[bias]], [[cutoff]], [1.0], [0.5], capacities=[4])
    model = Model(maximise)
    bundle = BundleVariables(model, net.capacities)
    encode_mvnn_paper(net, bundle).add_to_objective(model)
    model.add_row(bundle.columns, 1.0, lower=count, upper=count)

    assert solve(model).objective == pytest.approx(net([[count]])[0], abs=1e-6)
