"""From reports to Fourier functions and suggestions."""

import numpy as np
import pytest
from random_functions import all_bundles

from boca.core import Demands, InputError, Market, Reports, Seeds
from boca.functions import ReluNet
from boca.surrogates.fitted import Fitted
from boca.surrogates.fourier import FourierParams
from boca.surrogates.fourier.fit import fit, fit_bidder
from boca.surrogates.fourier.transforms import all_sets


def test_suggestions_are_complements_of_the_largest_sets():
    """Tests that bundles are suggested in the order of the network's coefficients."""
    net = ReluNet([np.diag([1.0, 2.0, 4.0])], [np.zeros(3)], np.ones(3))
    reports = Reports(all_bundles([1, 1, 1])[1:], net(all_bundles([1, 1, 1])[1:]))
    params = FourierParams(num_candidates=4, num_terms=4)

    fitted = fit_bidder(reports, Fitted(net), params, Seeds(0))

    # Coefficients: 3.5 of the empty set, then -2, -1 and -0.5 of the single goods.
    assert fitted.suggestions.tolist() == [[1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]]
    np.testing.assert_allclose(fitted.mean(all_sets(3)), net(all_sets(3)), atol=1e-9)


def test_several_copies_are_refused():
    """Tests that markets beyond the theory are named, rather than learned wrongly."""
    market = Market.simple(2, 1, capacities=[1, 2])
    with pytest.raises(InputError, match="more than one copy"):
        fit([Reports.empty(2)], [Demands.empty(2)], market, {"": FourierParams()}, Seeds(0))
