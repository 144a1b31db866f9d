"""The compiled training loop: what moves which parameters, and what is kept."""

from dataclasses import replace

import jax
import numpy as np
import pytest

from boca.core import Market, Reports, Seeds
from boca.surrogates import MvnnParams
from boca.surrogates.mvnn import training
from boca.surrogates.mvnn.artificial import draw_pool
from boca.surrogates.mvnn.batches import all_reports
from boca.surrogates.mvnn.export import freeze
from boca.surrogates.mvnn.fit import attempt_training, num_steps, schedule_of, shape_of
from boca.surrogates.mvnn.initialisation import draw_weights
from boca.surrogates.mvnn.loss import LossWeights
from boca.surrogates.mvnn.optimiser import Pair, optimiser
from boca.surrogates.mvnn.prepare import PairTask
from boca.surrogates.mvnn.training import (
    PairProgram,
    Trained,
    judges,
    losses_of,
    step,
    train,
)

TINY = MvnnParams(
    hidden_layers=1,
    hidden_units=6,
    batch_size=8,
    epochs=100,
    num_artificial=16,
    artificial_fraction=1.0,
    early_artificial=4,
    max_attempts=1,
)
SHAPE = shape_of(TINY)


def problem_of(num_reports: int = 10, seed: int = 0) -> PairTask:
    """Random reports of (number of goods)^1.5 over four goods."""
    bundles = np.array(list(np.ndindex(2, 2, 2, 2)))[1:]
    rng = np.random.default_rng(seed)
    chosen = np.append(rng.permutation(14)[: num_reports - 1], 14)
    reports = Reports(bundles[chosen], bundles[chosen].sum(axis=1) ** 1.5)
    return PairTask.from_reports(reports, Market.simple(4, 1), 0)


def weights_of(params: MvnnParams) -> LossWeights:
    return LossWeights(*(getattr(params, name) for name in LossWeights._fields))


def leaves_equal(first, second) -> bool:
    pairs = zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def after_steps(params: MvnnParams, num: int) -> Pair:
    """Both networks after some steps with dropout, from the same start and data."""
    rng = np.random.default_rng(1)
    pair = Pair(draw_weights(4, params, rng), draw_weights(4, params, rng))
    data, schedule = problem_of().data("cube", rng), schedule_of(params, 10)
    pool = draw_pool(data.key, 64, data.envelope, "cube")
    move = jax.jit(step, static_argnames=("shape", "with_dropout"))
    carry = (pair, optimiser(schedule).init(pair))
    for number in range(num):
        where = (np.int32(number), carry, data, pool)
        carry = move(*where, schedule, weights_of(params), SHAPE, with_dropout=True)
    return carry[0]


def test_mean_does_not_depend_on_the_bounds_loss():
    """
    Tests that other weights of the upper bound's loss change the bound and not one bit of the
    mean, because the mean is detached there.
    """
    first = after_steps(TINY, 20)
    other = replace(TINY, pi_exp=5.0, c_exp=64.0, pi_sqr=0.5, clip_grad_norm=1e-4)
    second = after_steps(other, 20)
    assert leaves_equal(first.mean, second.mean)
    assert not leaves_equal(first.upper, second.upper)


def trained_with(shape: PairProgram) -> Trained:
    """A whole training without dropout, in which only the artificial points differ."""
    params = replace(TINY, dropout_prob=0.0)
    rng = np.random.default_rng(1)
    pair = Pair(draw_weights(4, params, rng), draw_weights(4, params, rng))
    data, schedule = problem_of().data("cube", rng), schedule_of(params, 10)
    run = jax.jit(lambda *arrays: train(*arrays, shape))  # compiled again whenever it is called
    return run(pair, data, schedule, weights_of(params))


@pytest.mark.parametrize("all_from", [0, 50])
def test_early_steps_see_fewer_artificial_points(monkeypatch, all_from):
    """
    Tests the part of the training that sees all points: the whole of it is a training in which
    early steps see as many, none of it is one in which the others see as few.
    """
    monkeypatch.setattr(training, "ALL_POINTS_FROM", all_from)
    always = SHAPE._replace(early_pairs=SHAPE.num_pairs) if all_from == 0 else SHAPE.early
    assert leaves_equal(trained_with(SHAPE).weights, trained_with(always).weights)


def test_early_points_change_the_bound_alone():
    """Tests few points against as many in every step: not one bit of the mean differs."""
    assert SHAPE.early_pairs < SHAPE.num_pairs
    first = trained_with(SHAPE).weights
    second = trained_with(SHAPE._replace(early_pairs=SHAPE.num_pairs)).weights
    assert leaves_equal(first.mean, second.mean)
    assert not leaves_equal(first.upper, second.upper)


def test_most_steps_are_early():
    """Tests that parameters are judged, and four fifths of the points saved, where they should."""
    assert training.ALL_POINTS_FROM / training.NUM_CHECKPOINTS == 0.8
    assert training.ALL_POINTS_FROM < training.FIRST_JUDGED


def test_early_stretches_draw_fewer_points():
    """Tests that a stretch draws as many points per step as a late one, and enough for a step."""
    shape = SHAPE._replace(num_pairs=8, early_pairs=2, pool_size=1024)
    assert (shape.early.num_pairs, shape.early.pool_size) == (2, 256)
    assert shape._replace(pool_size=8, early_pairs=5).early.pool_size == 5
    assert shape._replace(pool_size=9, early_pairs=1).early.pool_size == 1


def test_paper_loss_of_two_networks_is_definition_d3():
    """
    Tests what is minimised for U with ``loss = "paper"`` against Definition D.3, evaluated in numpy
    from the frozen networks at the reports and at points and their mirror images.
    """
    params = replace(TINY, loss="paper", mean_smooth_l1_beta=1 / 32, pi_exp=0.2, pi_sqr=1.5)
    rng = np.random.default_rng(5)
    pair = Pair(draw_weights(4, params, rng), draw_weights(4, params, rng))
    problem = problem_of()
    data = problem.data("cube", rng)
    pool = draw_pool(data.key, 32, data.envelope, "cube")
    losses = losses_of(pair, all_reports(data, pool), None, weights_of(params), shape_of(params))

    ones = np.ones(4)
    upper, mean = freeze(pair.upper, ones, 1.0), freeze(pair.mean, ones, 1.0)
    points = np.concatenate([pool.points, 1 - pool.points])
    # Between bundles, where only the loss looks: called as functions, networks refuse such points.
    at_points, mean_there = upper._evaluate(points), mean._evaluate(points)
    envelope = np.concatenate([pool.envelope, pool.mirrored])
    residual = upper(problem.bundles) - problem.values / problem.largest

    def sl(x):
        return np.where(np.abs(x) <= 1 / 32, 16 * x**2, np.abs(x) - 1 / 64)

    def g(x):
        return np.where(x >= 0, 1 + x, np.exp(np.minimum(x, 0)))

    over = np.maximum(residual, 0)
    c, pi_mean, pi_100 = params.c_exp, params.pi_above_mean, params.pi_below_envelope
    expected = 1.5 * sl(residual).sum() + 1.5 * (0.001 * over + 0.5 * sl(over)).sum()
    expected += 0.2 * g(0.01 - c * (np.minimum(at_points, envelope) - mean_there)).mean()
    expected += 0.2 * c * pi_100 * sl(np.maximum(at_points - envelope, 0)).mean()
    expected += 0.2 * c * pi_mean * sl(np.maximum(mean_there - at_points, 0)).mean()
    total = problem.num_rows * float(losses.upper + losses.artificial)
    assert total == pytest.approx(expected, rel=1e-4)


def test_no_gradient_of_the_bounds_loss_reaches_the_mean():
    """Tests the same fact on one gradient, of which not even a rounding error may remain."""
    rng = np.random.default_rng(0)
    pair = Pair(draw_weights(4, TINY, rng), draw_weights(4, TINY, rng))
    data = problem_of().data("cube", rng)
    batch = all_reports(data, draw_pool(data.key, 8, data.envelope, "cube"))

    def bound(pair):
        losses = losses_of(pair, batch, None, weights_of(TINY), SHAPE)
        return losses.upper + losses.artificial

    grads = jax.grad(bound)(pair)
    assert all(not np.any(g) for g in jax.tree.leaves(grads.mean))
    assert any(np.any(g) for g in jax.tree.leaves(grads.upper))


def test_parameters_of_the_last_tenth_are_kept():
    """
    Tests that nothing is kept before, even if it has the smallest loss, as here, where decay
    that is out of proportion shrinks the networks to nothing in the first third.
    """
    params = replace(TINY, l2=1e3, learning_rate=0.05)
    assert attempt_training(problem_of(), params, Seeds(4), 1.0).progress > 0.9


def test_fixed_cutoffs_stay():
    """Tests that cut-offs that are not trainable leave as they were drawn."""
    params, seeds = replace(TINY, trainable_cutoffs=False), Seeds(2)
    trained = attempt_training(problem_of(), params, seeds, 1.0)
    rng = seeds.generator()
    drawn = Pair(draw_weights(4, params, rng), draw_weights(4, params, rng))
    assert leaves_equal(trained.weights.upper.cutoffs, drawn.upper.cutoffs)
    assert not leaves_equal(trained.weights.upper.hidden, drawn.upper.hidden)


def test_kept_losses_belong_to_the_kept_parameters():
    """
    Tests that the losses reported are those of the parameters returned, without dropout and on
    all reports; the published code judged parameters before the step after which it kept them.
    """
    params = replace(TINY, dropout_prob=0.5, dropout_decay=1.0)
    problem, seeds = problem_of(), Seeds(3)
    trained = attempt_training(problem, params, seeds, 1.0)
    rng = seeds.generator()
    for _ in range(2):
        draw_weights(4, params, rng)
    data = problem.data("cube", rng)
    batch = all_reports(data, judges(data, SHAPE))
    again = losses_of(trained.weights, batch, None, weights_of(params), SHAPE)
    np.testing.assert_allclose(trained.losses, again, rtol=1e-4)


def test_incomplete_batches_count_by_their_share():
    """Tests the number of steps: the published code gave a leftover report a whole step."""
    params = MvnnParams(batch_size=50, epochs=1000, steps_fraction=1.0)
    assert num_steps(params, 41) == 1000  # one batch an epoch, however small
    assert num_steps(params, 100) == 2000
    assert num_steps(params, 101) == 2000  # 2020 in whole stretches of 50 is 2000; not 3000
    assert num_steps(replace(params, steps_fraction=0.3), 100) == 600
