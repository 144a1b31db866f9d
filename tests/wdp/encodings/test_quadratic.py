import pytest
from encoded_values import encoded_value
from hypothesis import given, settings
from random_functions import all_bundles, capacities, generators, quadratic

from boca.wdp.encodings.quadratic import encode_quadratic


@pytest.mark.parametrize("maximise", [True, False])
@given(rng=generators(), capacities=capacities(max_goods=3))
@settings(max_examples=10, deadline=None)
def test_it_is_exact_in_both_directions(maximise, rng, capacities):
    """Tests that the value is forced at a bundle, not only where it is maximised."""
    function = quadratic(rng, capacities)
    bundles = all_bundles(capacities)
    bundle = bundles[rng.integers(len(bundles))]

    value = encoded_value(encode_quadratic, function, bundle, maximise)

    assert value == pytest.approx(function(bundle)[0], abs=1e-6)
