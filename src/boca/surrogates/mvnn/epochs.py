"""
The published training loop: every epoch is a checkpoint, with its learning rate and dropout.

Deviations are 3 and 4 of :mod:`boca.surrogates.mvnn.training`, and the pairs of 2; and that an
epoch's last step is never made of the empty bundle alone, which teaches nothing.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from boca.surrogates.compiled.programs import Array
from boca.surrogates.mvnn.batches import ReportRows, mini_batch, stretch_pool
from boca.surrogates.mvnn.loss import LossWeights
from boca.surrogates.mvnn.optimiser import Pair, Schedule, optimiser
from boca.surrogates.mvnn.training import (
    ALL_POINTS_FROM,
    NO_DROPOUT,
    NUM_CHECKPOINTS,
    Losses,
    Moving,
    PairProgram,
    Trained,
    descend,
    dropout_at,
    keep_at,
    losses_of,
    untrained,
)

# Losses of artificial points, which differ most between epochs, are averaged over them: each epoch
# has half the weight of the next (ALGORITHM_NOTES, section 5, of the published code).
REMEMBERED = 0.5


class Epochs(NamedTuple):
    """
    Where a training stands after some epochs.

    Parameters
    ----------
    best
        The best parameters so far, and their epoch's losses.
    artificial
        The averaged loss of artificial points.
    moving
        Parameters and the state of the optimiser.
    """

    best: Trained
    artificial: Array
    moving: Moving


def train_by_epochs(
    initial: Pair, data: ReportRows, schedule: Schedule, weights: LossWeights, shape: PairProgram
) -> Trained:
    """
    Trains both networks of one bidder from given parameters.

    Epochs are compared by the losses of their steps, with dropout on; the parameters after the
    last step of the best one are kept.
    """
    num_epochs = schedule.num_steps // schedule.num_batches
    # The order of reports comes again after as many whole epochs as it holds.
    in_order = len(data.order) // shape.batch_size // schedule.num_batches * schedule.num_batches

    def epoch(number: Array, epochs: Epochs) -> Epochs:
        progress = number / num_epochs

        def steps(shape: PairProgram, with_dropout: bool, moving: Moving) -> tuple[Moving, Losses]:
            def move(k: Array, carry: tuple[Moving, Losses]) -> tuple[Moving, Losses]:
                moving, total = carry
                step = number * schedule.num_batches + k
                pool = stretch_pool(data, step, shape.num_pairs, shape.artificial)
                turn = step % in_order
                batch = mini_batch(data, pool, turn, shape.batch_size, shape.num_pairs, True)
                keep = None
                if with_dropout:
                    probability = dropout_at(progress, schedule)
                    keep = keep_at(step, probability, moving[0], data, shape)

                def loss_of(pair: Pair) -> tuple[Array, Losses]:
                    losses = losses_of(pair, batch, keep, weights, shape)
                    return losses.total, losses

                grads, losses = jax.grad(loss_of, has_aux=True)(moving[0])
                # In the published code a step counts by all reports that the epoch has seen.
                seen = jnp.minimum((k + 1) * shape.batch_size / data.num_reports, 1)
                total = jax.tree.map(lambda sum_, loss: sum_ + seen * loss, total, losses)
                return descend(grads, moving, progress, schedule), total

            nothing = Losses(*[jnp.float32(0)] * 3)
            moved: tuple[Moving, Losses] = lax.fori_loop(
                0, schedule.num_batches, move, (moving, nothing)
            )
            return moved

        early = number * NUM_CHECKPOINTS < num_epochs * ALL_POINTS_FROM
        dropping = dropout_at(progress, schedule) > NO_DROPOUT
        moving, losses = lax.switch(
            2 * early.astype(jnp.int32) + dropping.astype(jnp.int32),
            [
                partial(steps, shape, False),
                partial(steps, shape, True),
                partial(steps, shape.early, False),
                partial(steps, shape.early, True),
            ],
            epochs.moving,
        )
        first = number == 0
        artificial = jnp.where(
            first,
            losses.artificial,
            REMEMBERED * epochs.artificial + (1 - REMEMBERED) * losses.artificial,
        )
        losses = losses._replace(artificial=artificial)
        now = Trained(moving[0], losses, (number + 1) / num_epochs)
        better = losses.score < epochs.best.losses.score
        best = jax.tree.map(lambda new, old: jnp.where(better, new, old), now, epochs.best)
        return Epochs(best, artificial, moving)

    moving = (initial, optimiser(schedule).init(initial))
    start = Epochs(untrained(initial), jnp.float32(0), moving)
    end: Epochs = lax.fori_loop(0, num_epochs, epoch, start)
    return end.best
