"""How a step moves the parameters of a bidder's two networks."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

from boca.surrogates.compiled.programs import Array
from boca.surrogates.mvnn.network import Weights


class Pair(NamedTuple):
    """The two networks of a bidder, or two things of which each belongs to one of them."""

    mean: Weights
    upper: Weights


class Schedule(NamedTuple):
    """
    Numbers that steer the optimiser; scalars of a trace, so that another value compiles nothing.

    Parameters
    ----------
    num_steps
        Steps altogether: a multiple of the number of checkpoints, or of the steps of an epoch.
    num_batches
        Steps of an epoch, where epochs are told apart; else 0.
    learning_rate, l2, clip_grad_norm, dropout_prob
        As in ``MvnnParams``.
    log_dropout_decay
        Logarithm of the factor by which dropout shrinks over the whole training.
    """

    num_steps: Array
    num_batches: Array
    learning_rate: Array
    l2: Array
    clip_grad_norm: Array
    dropout_prob: Array
    log_dropout_decay: Array


def clip_upper(max_norm: Array) -> optax.GradientTransformation:
    """Scales the upper bound's gradient down to a norm; leaves the mean's as it is."""

    def update(
        grads: Pair, state: optax.OptState, params: Pair | None = None
    ) -> tuple[Pair, optax.OptState]:
        norm = jnp.sqrt(sum(jnp.vdot(g, g) for g in jax.tree.leaves(grads.upper)))
        factor = jnp.minimum(1, max_norm / (norm + 1e-6))
        return grads._replace(upper=jax.tree.map(lambda g: g * factor, grads.upper)), state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)


def optimiser(schedule: Schedule) -> optax.GradientTransformation:
    """
    Clipping, coupled decay of weights and biases, Adam; without the learning rate.

    The decay is added to the gradient before Adam sees it, after the clipping.
    """

    def decayed(pair: Pair) -> Pair:
        def of_one(weights: Weights) -> Weights:
            mask: Weights = jax.tree.map(lambda _: True, weights)
            return mask._replace(
                cutoffs=tuple(False for _ in mask.cutoffs),
                skip=None if mask.skip is None else False,
            )

        return Pair(*map(of_one, pair))

    return optax.chain(
        clip_upper(schedule.clip_grad_norm),
        optax.add_decayed_weights(schedule.l2, mask=decayed),
        optax.scale_by_adam(),
    )
