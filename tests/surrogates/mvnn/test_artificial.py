"""Artificial points and the envelope there."""

import numpy as np
import pytest

from boca.functions import Envelope
from boca.surrogates.mvnn.artificial import draw_points, extend_envelope


def envelope_of(capacities: list[int], num_reports: int, seed: int = 0) -> Envelope:
    """Through random reports of a monotone function."""
    rng = np.random.default_rng(seed)
    counts = np.array(capacities)
    bundles = np.unique(rng.integers(0, counts + 1, (num_reports, len(counts))), axis=0)
    bundles = np.unique(np.concatenate([bundles, counts[None]]), axis=0)
    return Envelope(bundles, (bundles @ np.arange(1, len(counts) + 1.0)) ** 1.5, counts)


@pytest.mark.parametrize("capacities", [[1] * 6, [2, 1, 3, 1]])
def test_extension_is_the_envelope_on_bundles(capacities):
    """Tests that on bundles the extension is the envelope itself, also with several copies."""
    envelope = envelope_of(capacities, 8)
    bundles = np.array(list(np.ndindex(*(np.array(capacities) + 1))))
    found = extend_envelope(envelope, bundles.astype(float))
    np.testing.assert_allclose(found, envelope(bundles), rtol=1e-12)


def test_extension_is_the_network_between_bundles():
    """Tests fractional points against the envelope written as a network, layer by layer."""
    envelope = envelope_of([1] * 6, 8)
    net = envelope.as_monotone_net()
    points = np.random.default_rng(1).random((50, 6)) * 0.6
    z = points
    for w, b, t in zip(net.weights, net.biases, net.cutoffs, strict=True):
        z = np.clip(z @ w + b, 0, t)
    values = extend_envelope(envelope, points)
    np.testing.assert_allclose(values, z @ net.output, rtol=1e-9)
    assert values.min() < 0.9 * values.max()  # else the points would not test anything


def test_points_in_the_cube_and_on_bundles():
    """Tests the two kinds: fractional up to the capacities, or whole numbers of any density."""
    capacities = np.array([1, 3, 2])
    cube = draw_points(500, capacities, "cube", np.random.default_rng(0))
    bundles = draw_points(500, capacities, "bundles", np.random.default_rng(0))
    for points in (cube, bundles):
        assert (points >= 0).all()
        assert (points <= capacities).all()
    assert (cube % 1 > 0).mean() > 0.99
    assert (bundles % 1 == 0).all()
    shares = bundles.sum(axis=1) / 6
    assert (shares < 0.2).mean() > 0.1  # independent fair coins would give almost none
