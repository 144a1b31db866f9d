"""Random bundles to learn from: sizes, no repetition, and markets that are too small."""

import numpy as np
import pytest

from boca.core.errors import InputError
from boca.lab.domains import load_domain
from boca.lab.studies.learning.data import learning_data
from boca.surrogates.hyperparameters import Tuning


@pytest.mark.parametrize(("name", "bidder_type"), [("lsvm", "regional"), ("gsvm", "regional")])
def test_data_is_drawn_as_in_the_tuning(name, bidder_type):
    """
    Tests that the full bundle is among the training bundles, the empty one nowhere, and that
    training and test bundles are different ones; GSVM's sampler repeats itself often.
    """
    domain = load_domain(name, seed=1)
    data = learning_data(domain, bidder_type, Tuning(50, 1024, 100), seed=1)

    assert (len(data.train), len(data.test)) == (50, 1024)
    assert domain.bidder_types[data.bidder] == bidder_type
    assert domain.market.full_bundle in data.train
    assert not (data.train.bundles.sum(axis=1) == 0).any()
    assert not any(bundle in data.train for bundle in data.test.bundles)
    np.testing.assert_array_equal(data.train.values, domain.values(data.bidder, data.train.bundles))


def test_too_small_a_domain_is_refused():
    """Tests that ten different bundles are not stretched to a thousand."""
    with pytest.raises(InputError, match="only 10 were found"):
        learning_data(load_domain("toy", seed=1), "pair", Tuning(50, 1024, 100), seed=1)


def test_a_small_domain_is_split_into_halves():
    """Tests that counted licences of SRVM, which have few bundles, leave enough to test on."""
    domain = load_domain("srvm", seed=1, generic=True)
    data = learning_data(domain, "primary", Tuning(2000, 1024, 100), seed=1)
    assert abs(len(data.train) - 1 - len(data.test)) <= 1
    assert len(data.train) > 100
