"""Cheap random numbers are random enough for dropout."""

import jax.numpy as jnp
import numpy as np
import pytest

from boca.surrogates.compiled.scrambling import keep_factors, scramble, uniform


@pytest.mark.parametrize("probability", [0.0, 0.01, 0.5, 0.78])
def test_share_and_mean(probability):
    """Tests the share of dropped neurons, and that survivors make up for them."""
    key = scramble(jnp.uint32(7))
    factors = np.asarray(keep_factors(key, (1000, 100), jnp.float32(probability)))
    assert (factors == 0).mean() == pytest.approx(probability, abs=0.01)
    assert factors.mean() == pytest.approx(1, abs=0.02)


def test_neighbouring_keys_are_unrelated():
    """Tests that masks of successive steps, and rows and columns of one mask, do not correlate."""
    first, second = (
        np.asarray(keep_factors(scramble(jnp.uint32(k)), (400, 100), jnp.float32(0.5)))
        for k in (1, 2)
    )
    assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(first[:-1].ravel(), first[1:].ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(first[:, :-1].ravel(), first[:, 1:].ravel())[0, 1]) < 0.02


def test_uniform_numbers():
    """Tests range, mean and variance, and that keys that share leading bits are unrelated."""
    first, second = (np.asarray(uniform(jnp.uint32(k), (400, 100))) for k in (4096, 4097))
    for numbers in (first, second):
        assert 0 <= numbers.min() < 0.001
        assert 0.999 < numbers.max() < 1
        assert numbers.mean() == pytest.approx(1 / 2, abs=0.01)
        assert numbers.var() == pytest.approx(1 / 12, rel=0.02)
        assert abs(np.corrcoef(numbers[:, :-1].ravel(), numbers[:, 1:].ravel())[0, 1]) < 0.02
    assert len(np.intersect1d(first, second)) < 0.01 * first.size
