"""What a gradient goes through before it moves a parameter."""

from dataclasses import replace

import jax
import numpy as np
import pytest

from boca.surrogates import MvnnParams
from boca.surrogates.mvnn.fit import schedule_of
from boca.surrogates.mvnn.initialisation import draw_weights
from boca.surrogates.mvnn.optimiser import Pair, clip_upper, optimiser

PARAMS = MvnnParams(hidden_layers=1, hidden_units=6)


def test_clipping_limits_the_upper_bound_only():
    """Tests that the bound's gradient gets the norm asked for and the mean's stays as it is."""
    rng = np.random.default_rng(0)
    grads = Pair(draw_weights(4, PARAMS, rng), draw_weights(4, PARAMS, rng))
    clipped, _ = clip_upper(0.01).update(grads, None)
    squares = [float((np.asarray(g) ** 2).sum()) for g in jax.tree.leaves(clipped.upper)]
    assert sum(squares) ** 0.5 == pytest.approx(0.01, rel=1e-3)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(jax.tree.leaves(clipped.mean), jax.tree.leaves(grads.mean), strict=True)
    )


def test_decay_leaves_cutoffs_and_skip_weights_alone():
    """Tests the two groups: with no gradient, decay moves weights and biases only."""
    rng = np.random.default_rng(0)
    pair = Pair(draw_weights(4, PARAMS, rng), draw_weights(4, PARAMS, rng))
    pair = jax.tree.map(lambda p: p + 0.1, pair)
    adam = optimiser(schedule_of(replace(PARAMS, l2=0.1), 10))
    updates, _ = adam.update(jax.tree.map(np.zeros_like, pair), adam.init(pair), pair)
    for net in updates:
        assert all(np.any(w) for w in (*net.hidden, *net.biases, net.output))
        assert not any(np.any(w) for w in (*net.cutoffs, net.skip))
