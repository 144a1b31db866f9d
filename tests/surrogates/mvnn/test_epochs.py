"""Training by epochs, compared with a plain loop that does the same step by step."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from boca.core import Market, Reports
from boca.surrogates.mvnn.batches import mini_batch, stretch_pool
from boca.surrogates.mvnn.epochs import train_by_epochs
from boca.surrogates.mvnn.fit import num_batches, num_steps, schedule_of, shape_of
from boca.surrogates.mvnn.initialisation import draw_weights
from boca.surrogates.mvnn.loss import LossWeights
from boca.surrogates.mvnn.optimiser import Pair, optimiser
from boca.surrogates.mvnn.params import MvnnParams
from boca.surrogates.mvnn.prepare import PairTask
from boca.surrogates.mvnn.training import descend, keep_at, losses_of

SETTINGS = MvnnParams(
    hidden_layers=1,
    hidden_units=3,
    batch_size=4,
    epochs=5,
    learning_rate=0.3,
    dropout_prob=0.4,
    dropout_decay=0.3,
    num_artificial=8,
).as_published


def problem_of(num_reports: int) -> PairTask:
    """Reports of a market of three goods, the full bundle among them."""
    rng = np.random.default_rng(0)
    bundles = np.concatenate([np.ones((1, 3), int), np.eye(3, dtype=int), 1 - np.eye(3, dtype=int)])
    values = bundles @ np.array([1.0, 2.0, 4.0]) + rng.random(len(bundles)) * (bundles.sum(1) - 1)
    reports = Reports(bundles[:num_reports], values[:num_reports])
    return PairTask.from_reports(reports, Market.simple(3, 1), 0)


def plainly(initial: Pair, data, params: MvnnParams, num_rows: int) -> tuple[Pair, float, float]:
    """The best parameters, their score, and the share of the training after which they came."""
    schedule, shape = schedule_of(params, num_rows), shape_of(params)
    weights = LossWeights(*(np.float32(getattr(params, name)) for name in LossWeights._fields))
    batches = num_batches(params, num_rows)
    order = data.order[: len(data.order) // params.batch_size // batches * batches * 4]
    data = data._replace(order=order)
    moving = initial, optimiser(schedule).init(initial)
    best, score, when, smooth = initial, np.inf, 0.0, 0.0
    for epoch in range(params.epochs):
        done = epoch / params.epochs
        points = shape if epoch >= 0.8 * params.epochs else shape.early
        probability = params.dropout_prob * params.dropout_decay**epoch
        mean = upper = artificial = 0.0
        for k in range(batches):
            number = jnp.int32(epoch * batches + k)
            pool = stretch_pool(data, number, points.num_pairs, "cube")
            batch = mini_batch(data, pool, number, params.batch_size, points.num_pairs, True)
            keep = keep_at(number, np.float32(probability), moving[0], data, points)
            if probability <= 1e-3:
                keep = None
            losses = losses_of(moving[0], batch, keep, weights, points)
            seen = min((k + 1) * params.batch_size, num_rows) / num_rows
            mean, upper = mean + seen * losses.mean, upper + seen * losses.upper
            artificial += seen * losses.artificial
            grads = jax.grad(lambda p, *at: losses_of(p, *at).total)(
                moving[0], batch, keep, weights, points
            )
            moving = descend(grads, moving, np.float32(done), schedule)
        smooth = artificial if epoch == 0 else 0.5 * smooth + 0.5 * artificial
        if 0.5 * mean + upper + smooth < score:
            best, score, when = moving[0], 0.5 * mean + upper + smooth, (epoch + 1) / params.epochs
    return best, float(score), when


@pytest.mark.parametrize(
    ("num_reports", "changes", "last_is_best"),
    [
        (7, {}, True),
        (3, {"early_artificial": 2}, False),  # one mini-batch per epoch
        (7, {"dropout_decay": 1.0, "learning_rate": 3.0}, False),
    ],
)
def test_program_is_the_plain_loop(num_reports, changes, last_is_best):
    """
    Tests learning rate, dropout, artificial points, mini-batches and the choice of the best epoch,
    all of which go by epochs.
    """
    params = replace(SETTINGS, **changes)
    problem, rng = problem_of(num_reports), np.random.default_rng(3)
    initial = Pair(draw_weights(3, params, rng), draw_weights(3, params, rng))
    data = problem.data("cube", rng, params.batch_size)
    weights = LossWeights(*(np.float32(getattr(params, name)) for name in LossWeights._fields))
    shape = shape_of(params)
    trained = jax.jit(train_by_epochs, static_argnames="shape")(
        initial, data, schedule_of(params, problem.num_rows), weights, shape=shape
    )
    best, score, when = plainly(initial, data, params, problem.num_rows)

    assert float(trained.losses.score) == pytest.approx(score, rel=1e-4)
    assert float(trained.progress) == pytest.approx(when)
    assert (when == 1) == last_is_best
    pairs = zip(jax.tree.leaves(trained.weights), jax.tree.leaves(best), strict=True)
    assert all(np.allclose(ours, plain, atol=2e-4) for ours, plain in pairs)


def test_steps_are_whole_epochs():
    """Tests that nothing is rounded to stretches; a share of the steps is one of epochs."""
    assert num_steps(SETTINGS, 8) == 5 * 2
    assert num_steps(replace(SETTINGS, steps_fraction=0.4), 8) == 2 * 2


def test_published_training_in_words():
    """Tests what as_published changes, and that epochs need mini-batches of epochs."""
    assert (SETTINGS.batches, SETTINGS.checkpoints) == ("epochs", "epochs")
    assert SETTINGS.acceptance == "upper"
    assert SETTINGS.early_pairs == SETTINGS.pairs_per_step == 4
    with pytest.raises(Exception, match="batches"):
        replace(SETTINGS, batches="stream")
