import pytest
from encoded_values import encoded_value
from hypothesis import given, settings
from random_functions import all_bundles, capacities, fourier_series, generators

from boca.functions import FourierSeries
from boca.wdp.encodings.fourier import encode_fourier


@pytest.mark.parametrize("maximise", [True, False])
@given(rng=generators(), capacities=capacities(max_goods=5, max_capacity=1))
@settings(max_examples=10, deadline=None)
def test_it_is_exact_in_both_directions(maximise, rng, capacities):
    """Tests that the value is forced at a bundle, not only where it is maximised."""
    function = fourier_series(rng, capacities)
    bundles = all_bundles(capacities)
    bundle = bundles[rng.integers(len(bundles))]

    value = encoded_value(encode_fourier, function, bundle, maximise)

    assert value == pytest.approx(function(bundle)[0], abs=1e-6)


@pytest.mark.parametrize("basis", ["WHT", "FT3", "FT4"])
@pytest.mark.parametrize("frequency", [[0, 0, 0], [0, 1, 0], [1, 1, 1]])
def test_single_frequencies_of_every_size(basis, frequency):
    """Tests the empty set and single goods, which need no variable, besides a large set."""
    series = FourierSeries([frequency], [1.5], basis)

    for bundle in all_bundles([1, 1, 1]):
        value = encoded_value(encode_fourier, series, bundle)
        assert value == pytest.approx(series(bundle)[0], abs=1e-9)
