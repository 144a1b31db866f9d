"""
The training loop of one bidder's two networks, as one compiled program.

Costs are learned by the mirror image of the loss: reports and envelope are those of what a supplier
keeps (1 - y, 1 - c), networks those of what it supplies. The upper bound of what is kept is then a
lower bound of the cost, optimistic in the eyes of a buyer.

Deviations from the published training, with their reasons:

1. Mini-batches are consecutive stretches of a stream of shuffled reports, so that all have the same
   size; a last incomplete one would get a full step. ``batches = "epochs"`` is the published way.
2. Artificial points are drawn for a stretch of steps at a time, because their envelope would take
   longer than the rest of a step, and come in pairs of a point and its mirror image. The stretch
   must be short: an upper bound learns a pool that it sees all the time by heart, and stays low
   elsewhere.
3. A network is evaluated once per step on them, with one dropout mask, not once per term.
4. Dropout ends when its probability falls below ``NO_DROPOUT``.
5. The first four fifths of the steps see a hundred artificial points (``early_artificial``), where
   there would be more. Their gradient is right on average with any number of them, and noise
   matters little while steps are large; with so few throughout, the upper bound stays lower.
6. Which parameters are kept is judged without dropout, on a fixed set of artificial points, by the
   loss of the parameters that are kept; and at a few checkpoints in the last tenth of the training
   instead of every epoch. Earlier ones do not fit the reports as well, and win only where a rare
   artificial point speaks against all later ones. ``checkpoints = "epochs"`` is the published way.
7. Learning rate and dropout fall with every step instead of every epoch; not so with the same
   ``checkpoints``.

``MvnnParams.as_published`` leaves 3, 4 and the pairs of 2, which change no expectation.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import optax
from jax import lax

from boca.surrogates.compiled.programs import Array
from boca.surrogates.compiled.scrambling import keep_factors, scramble
from boca.surrogates.mvnn.artificial import ArtificialPool, Mirrored
from boca.surrogates.mvnn.batches import Batch, ReportRows, all_reports, mini_batch, stretch_pool
from boca.surrogates.mvnn.loss import (
    LossWeights,
    keep_order,
    mean_fit,
    push_up,
    upper_fit,
    upper_overshoot,
)
from boca.surrogates.mvnn.network import Weights, evaluate, freeze_cutoffs, project
from boca.surrogates.mvnn.optimiser import Pair, Schedule, optimiser
from boca.surrogates.mvnn.params import ArtificialPoints, LossForm

NUM_CHECKPOINTS = 50
FIRST_JUDGED = 45  # the checkpoint from which on parameters may be kept
# The checkpoint from which on steps see all artificial points: all rows of the learning table are
# met with it. With forty points before it, SRVM's row with 160 points was 2 to 3 % worse than with
# all of them in every step, for each of three seeds.
ALL_POINTS_FROM = 40
NO_DROPOUT = 1e-3  # a few neurons in a thousand rows
# Pairs of artificial points that take part in deciding which parameters are kept. Not many more
# than a step has: the rare point where the bound is below the mean weighs thousands of times as
# much as any other, and among many points one would always be found and make the choice.
NUM_JUDGES = 128


class Keep(NamedTuple):
    """
    Dropout factors of every hidden layer, ``(num_rows, units)``, of both networks.

    Rows are the reports, the artificial points, and their mirror images.
    """

    mean: Sequence[Array]
    upper: Sequence[Array]


class PairProgram(NamedTuple):
    """
    What a program is compiled for, besides the shapes of its arrays.

    Parameters
    ----------
    batch_size
        Reports in a step.
    num_pairs, early_pairs
        Artificial points in a step, each with its mirror image; and in the early ones.
    pool_size
        Pairs that are drawn for a stretch of steps.
    trainable_cutoffs, loss, artificial
        As in ``MvnnParams``.
    mirrored
        Whether costs are learned.
    whole_epochs
        Whether mini-batches begin again with every epoch.
    by_epoch
        Whether every epoch is a checkpoint, with learning rate and dropout of its own.
    """

    batch_size: int
    num_pairs: int
    early_pairs: int
    pool_size: int
    trainable_cutoffs: bool
    loss: LossForm
    artificial: ArtificialPoints
    mirrored: bool = False
    whole_epochs: bool = False
    by_epoch: bool = False

    @property
    def early(self) -> "PairProgram":
        """The same for early steps, which see fewer artificial points."""
        pool_size = max(self.pool_size * self.early_pairs // self.num_pairs, self.early_pairs)
        return self._replace(num_pairs=self.early_pairs, pool_size=pool_size)


class Losses(NamedTuple):
    """The three parts of the loss: the mean's fit, the upper bound's fit, artificial points."""

    mean: Array
    upper: Array
    artificial: Array

    @property
    def total(self) -> Array:
        """What is minimised. The parts train disjoint parameters."""
        return self.mean + self.upper + self.artificial

    @property
    def score(self) -> Array:
        """What decides which parameters are kept."""
        return 0.5 * self.mean + self.upper + self.artificial


class Trained(NamedTuple):
    """The best parameters, their losses, and when they were found, between 0 and 1."""

    weights: Pair
    losses: Losses
    progress: Array


# Parameters and the state of the optimiser; and with the best parameters so far before them.
Moving: TypeAlias = tuple[Pair, optax.OptState]
Progress: TypeAlias = tuple[Trained, Pair, optax.OptState]


def losses_of(
    pair: Pair, batch: Batch, keep: Keep | None, weights: LossWeights, shape: PairProgram
) -> Losses:
    """
    All parts of the loss.

    Parameters
    ----------
    pair
        Parameters within their bounds.
    batch
        Reports and artificial points.
    keep
        Dropout factors; None without dropout.
    weights, shape
        Hyperparameters.
    """
    num_rows = len(batch.targets)
    if not shape.trainable_cutoffs:
        pair = Pair(*map(freeze_cutoffs, pair))

    def seen(array: Array) -> Array:
        return 1 - array if shape.mirrored else array

    inputs, points = seen(batch.inputs), seen(batch.artificial.points)
    rows = Mirrored(jnp.concatenate([inputs, points]), first=num_rows)
    upper = seen(evaluate(pair.upper, rows, keep and keep.upper))
    # The bound must not move the mean (detached in the published code), so the mean at artificial
    # points is computed apart: no gradient, and no time spent on one.
    at_reports = keep and [factor[:num_rows] for factor in keep.mean]
    at_points = keep and [factor[num_rows:] for factor in keep.mean]
    mean = seen(evaluate(pair.mean, inputs, at_reports))
    there = evaluate(lax.stop_gradient(pair.mean), Mirrored(points, first=0), at_points)
    mean_there = seen(there)

    fit = (upper[:num_rows], batch.targets, batch.row_weights, weights, shape.loss)
    envelope = jnp.concatenate([batch.artificial.envelope, batch.artificial.mirrored])
    art = (upper[num_rows:], mean_there, envelope, weights, shape.loss)
    # The paper sums over reports, we average: the artificial terms shrink by their number.
    exploration = weights.pi_exp / batch.num_reports
    return Losses(
        mean=mean_fit(mean, batch.targets, batch.row_weights, weights),
        upper=upper_fit(*fit) + upper_overshoot(*fit),
        artificial=exploration * (keep_order(*art) + push_up(*art)),
    )


def dropout_factors(key: Array, pair: Pair, num_rows: int, probability: Array) -> Keep:
    """Factors for every hidden layer of both networks, each from its own key."""

    def of_one(weights: Weights, net: int) -> list[Array]:
        return [
            keep_factors(
                scramble(key + jnp.uint32(16 * net + k + 1)), (num_rows, len(b)), probability
            )
            for k, b in enumerate(weights.biases)
        ]

    return Keep(of_one(pair.mean, 0), of_one(pair.upper, 1))


def keep_at(
    number: Array, probability: Array, pair: Pair, data: ReportRows, shape: PairProgram
) -> Keep:
    """The dropout factors of a step, by its number."""
    key = scramble(data.key + number.astype(jnp.uint32))
    return dropout_factors(key, pair, shape.batch_size + 2 * shape.num_pairs, probability)


def dropout_at(progress: Array, schedule: Schedule) -> Array:
    """Dropout probability after a share of the training."""
    return schedule.dropout_prob * jnp.exp(schedule.log_dropout_decay * progress)


def step(
    number: Array,
    carry: Moving,
    data: ReportRows,
    pool: ArtificialPool,
    schedule: Schedule,
    weights: LossWeights,
    shape: PairProgram,
    with_dropout: bool,
) -> Moving:
    """
    One step of projected Adam for both networks.

    Parameters
    ----------
    number
        Of the step, from 0.
    carry
        Parameters within their bounds, and the state of the optimiser.
    data, schedule, weights, shape
        As for :func:`train`.
    pool
        From which artificial points are taken in turn.
    with_dropout
        Whether neurons are dropped; static, because masks cost time also where nothing drops.
    """
    pair, _ = carry
    progress = number / schedule.num_steps
    batch = mini_batch(data, pool, number, shape.batch_size, shape.num_pairs, shape.whole_epochs)
    keep = None
    if with_dropout:
        keep = keep_at(number, dropout_at(progress, schedule), pair, data, shape)

    grads = jax.grad(lambda p: losses_of(p, batch, keep, weights, shape).total)(pair)
    return descend(grads, carry, progress, schedule)


def descend(grads: Pair, carry: Moving, progress: Array, schedule: Schedule) -> Moving:
    """Moves parameters down a gradient, after a share of the training, and into their bounds."""
    pair, state = carry
    updates, state = optimiser(schedule).update(grads, state, pair)
    rate = 0.5 * schedule.learning_rate * (1 + jnp.cos(jnp.pi * progress))
    pair = jax.tree.map(lambda p, u: p - rate * u, pair, updates)
    return Pair(*map(project, pair)), state


def judges(data: ReportRows, shape: PairProgram) -> ArtificialPool:
    """Artificial points that no step sees, by which parameters are compared."""
    return stretch_pool(data, NUM_CHECKPOINTS, NUM_JUDGES, shape.artificial)


def train(
    initial: Pair, data: ReportRows, schedule: Schedule, weights: LossWeights, shape: PairProgram
) -> Trained:
    """
    Trains both networks of one bidder from given parameters.

    Projected Adam with a cosine learning rate; see the top of the file.
    """
    steps_between = schedule.num_steps // NUM_CHECKPOINTS

    judged_by = all_reports(data, judges(data, shape))

    def until_checkpoint(checkpoint: Array, carry: Progress) -> Progress:
        best, pair, state = carry
        first = checkpoint * steps_between

        def steps(shape: PairProgram, with_dropout: bool, carry: Moving) -> Moving:
            pool = stretch_pool(data, checkpoint, shape.pool_size, shape.artificial)

            def move(number: Array, carry: Moving) -> Moving:
                return step(number, carry, data, pool, schedule, weights, shape, with_dropout)

            moved: Moving = lax.fori_loop(first, first + steps_between, move, carry)
            return moved

        early = checkpoint < ALL_POINTS_FROM
        dropping = dropout_at(first / schedule.num_steps, schedule) > NO_DROPOUT
        pair, state = lax.switch(
            2 * early.astype(jnp.int32) + dropping.astype(jnp.int32),
            [
                partial(steps, shape, False),
                partial(steps, shape, True),
                partial(steps, shape.early, False),
                partial(steps, shape.early, True),
            ],
            (pair, state),
        )
        losses = losses_of(pair, judged_by, None, weights, shape)
        now = Trained(pair, losses, (checkpoint + 1) / NUM_CHECKPOINTS)
        better = (losses.score < best.losses.score) & (checkpoint >= FIRST_JUDGED)
        best = jax.tree.map(lambda new, old: jnp.where(better, new, old), now, best)
        return best, pair, state

    start = (untrained(initial), initial, optimiser(schedule).init(initial))
    best: Trained
    best, _, _ = lax.fori_loop(0, NUM_CHECKPOINTS, until_checkpoint, start)
    return best


def untrained(initial: Pair) -> Trained:
    """Parameters that everything is better than."""
    return Trained(initial, Losses(*[jnp.float32(jnp.inf)] * 3), jnp.float32(0))
