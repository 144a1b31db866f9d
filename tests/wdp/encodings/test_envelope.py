import numpy as np

from boca.functions import Envelope
from boca.milp import Model
from boca.wdp.encodings import BundleVariables
from boca.wdp.encodings.envelope import encode_envelope


def test_no_binaries_of_its_own():
    """Tests the claim that single copies need no binary besides the goods."""
    bound = Envelope([[1, 1, 0], [0, 1, 1], [1, 1, 1]], [4.0, 3.0, 9.0])
    model = Model()
    bundle = BundleVariables(model, bound.capacities)

    value = encode_envelope(bound, bundle)

    assert model.arrays().integer.sum() == 3
    assert np.sum(value.coefficients) == 9  # the steps add up to the full bundle's value
