"""Artificial points, their mirror images, and the envelope at both."""

import jax.numpy as jnp
import numpy as np
import pytest

from boca.functions import Envelope
from boca.surrogates.mvnn.artificial import (
    EnvelopeTable,
    Mirrored,
    draw_points,
    draw_pool,
    extend_envelope,
    is_felt,
)

MANY_COPIES = [2, 1, 3, 1]


def envelope_of(capacities: list[int], num_reports: int, seed: int = 0) -> Envelope:
    """Through random reports of a monotone function."""
    rng = np.random.default_rng(seed)
    counts = np.array(capacities)
    bundles = np.unique(rng.integers(0, counts + 1, (num_reports, len(counts))), axis=0)
    bundles = np.unique(np.concatenate([bundles, counts[None]]), axis=0)
    return Envelope(bundles, (bundles @ np.arange(1, len(counts) + 1.0)) ** 1.5, counts)


def table_of(envelope: Envelope, kind: str = "bundles") -> EnvelopeTable:
    return EnvelopeTable.from_envelope(envelope, envelope.values[-1], 16, kind)


def as_network(envelope: Envelope, points: np.ndarray) -> np.ndarray:
    """The envelope written as a network, layer by layer, also at fractional points."""
    net = envelope.as_monotone_net()
    z = points
    for w, b, t in zip(net.weights, net.biases, net.cutoffs, strict=True):
        z = np.clip(z @ w + b, 0, t)
    return z @ net.output / envelope.values[-1]


@pytest.mark.parametrize("capacities", [[1] * 6, MANY_COPIES])
def test_extension_is_the_envelope_on_bundles(capacities):
    """Tests that on bundles the extension is the envelope itself, also with several copies."""
    envelope = envelope_of(capacities, 8)
    counts = np.array(capacities)
    bundles = np.array(list(np.ndindex(*(counts + 1))))
    found = extend_envelope(table_of(envelope), (bundles / counts).astype(np.float32))
    expected = np.concatenate([envelope(bundles), envelope(counts - bundles)])
    np.testing.assert_allclose(found, expected / envelope.values[-1], atol=1e-5)


def test_extension_is_the_network_between_bundles():
    """Tests fractional points against the envelope written as a network, layer by layer."""
    envelope = envelope_of([1] * 6, 8)
    points = np.random.default_rng(1).random((50, 6)).astype(np.float32) * 0.6
    found = extend_envelope(table_of(envelope), points)
    expected = as_network(envelope, np.concatenate([points, 1 - points]))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert expected.min() < 0.9 * expected.max()  # else the points would not test anything


def test_bundles_that_are_not_felt_change_nothing():
    """Tests a pool in the cube against the whole network, and that something was left out."""
    goods = 24
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, goods, (14, 1))
    bundles = (rng.permuted(np.tile(np.arange(goods), (14, 1)), axis=1) < sizes).astype(int)
    bundles = np.concatenate([bundles, np.ones((1, goods), int)])
    envelope = Envelope(bundles, bundles.sum(axis=1) ** 1.5 + rng.random(15))
    felt = is_felt(envelope.bundles[:-1], envelope.capacities, "cube")
    assert 0 < felt.sum() < len(felt)

    pool = draw_pool(jnp.uint32(3), 5000, table_of(envelope, "cube"), "cube")
    points = np.asarray(pool.points)
    np.testing.assert_allclose(pool.envelope, as_network(envelope, points), atol=1e-5)
    np.testing.assert_allclose(pool.mirrored, as_network(envelope, 1 - points), atol=1e-5)
    assert np.ptp(pool.envelope) > 0.01


@pytest.mark.parametrize(("lacking", "felt"), [(1, True), (3, True), (9, True), (10, False)])
def test_felt_bundles_lack_few_goods(lacking, felt):
    """
    Tests the rule where the probability is known: the sum of k numbers is below 1 with probability
    1 / k!, which is 3e-6 for nine goods and 3e-7 for ten; Chernoff's bound is some times as large.
    """
    bundle = (np.arange(30) >= lacking).astype(int)
    assert is_felt(bundle[None], np.ones(30, int), "cube")[0] == felt
    assert is_felt(bundle[None], np.ones(30, int), "bundles")[0]


def test_nothing_is_felt():
    """Tests that the envelope is then the value of the full bundle everywhere."""
    bundles = np.eye(40, dtype=int)[:3]
    bundles = np.concatenate([bundles, np.ones((1, 40), int)])
    table = table_of(Envelope(bundles, np.array([1.0, 2.0, 3.0, 9.0])), "cube")
    assert table.num_blocks == 0
    pool = draw_pool(jnp.uint32(3), 10, table, "cube")
    np.testing.assert_array_equal([pool.envelope, pool.mirrored], np.ones((2, 10)))


@pytest.mark.parametrize("first", [0, 2])
def test_products_with_mirror_images(first):
    """Tests both kinds of product against mirror images that are written out."""
    rng = np.random.default_rng(0)
    rows, matrix = rng.random((5, 3)), rng.random((3, 4))
    written_out = np.concatenate([rows, 1 - rows[first:]])
    mirrored = Mirrored(jnp.asarray(rows), first)
    np.testing.assert_allclose(mirrored @ matrix, written_out @ matrix, rtol=1e-5)
    np.testing.assert_allclose(mirrored @ matrix[:, 0], written_out @ matrix[:, 0], rtol=1e-5)


def test_table_does_not_grow_with_capacities():
    """Tests that ten thousand copies of a good take as much room as two."""
    sizes = [
        sum(np.size(array) for array in table_of(envelope_of([copies, 3], 8)))
        for copies in (2, 10_000)
    ]
    assert sizes[0] == sizes[1]


def test_points_in_the_cube_and_on_bundles():
    """Tests the two kinds: fractional up to the capacities, or whole numbers of any density."""
    capacities = np.array(MANY_COPIES)
    table = table_of(envelope_of(MANY_COPIES, 8))
    cube, bundles = (
        np.asarray(draw_points(jnp.uint32(1), 5000, table, kind)) * capacities
        for kind in ("cube", "bundles")
    )
    for points in (cube, bundles):
        assert (points >= 0).all()
        assert (points <= capacities).all()
        np.testing.assert_allclose(points.mean(axis=0), capacities / 2, rtol=0.05)
    assert (np.abs(cube - cube.round()) > 1e-4).mean() > 0.99
    np.testing.assert_allclose(bundles, bundles.round(), atol=1e-6)
    shares = bundles.sum(axis=1) / capacities.sum()
    assert (shares < 0.2).mean() > 0.1  # independent fair coins would give almost none
