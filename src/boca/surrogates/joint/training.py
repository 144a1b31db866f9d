"""The compiled training of networks that share their hidden layer."""

from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import optax
from jax import lax

from boca.surrogates.compiled.programs import Array
from boca.surrogates.compiled.scrambling import keep_factors, scramble
from boca.surrogates.mixed.loss import smooth_l1
from boca.surrogates.mvnn.network import bounded_relu

State: TypeAlias = tuple[Any, ...]  # what a loop carries


class SharedWeights(NamedTuple):
    """
    Parameters of all bidders' networks.

    Parameters
    ----------
    hidden, biases, cutoffs
        The shared layer: ``(num_goods, units)`` and ``(units,)`` twice.
    output, skip
        Every bidder's own: ``(num_bidders, units)`` and ``(num_bidders, num_goods)``.
    """

    hidden: Array
    biases: Array
    cutoffs: Array
    output: Array
    skip: Array


class Rows(NamedTuple):
    """
    The reports of all bidders, one below the other; padded rows count nothing.

    Parameters
    ----------
    inputs
        Counts divided by capacities, ``(num_rows, num_goods)``.
    bidders
        Whose report each row is.
    targets
        Values in units of the bidder's largest report.
    num_rows
        Rows that are reports.
    """

    inputs: Array
    bidders: Array
    targets: Array
    num_rows: Array


class Settings(NamedTuple):
    """Numbers that steer a training, as in ``JointParams``; another value compiles nothing."""

    num_steps: Array
    learning_rate: Array
    l1: Array
    l2: Array
    beta: Array
    dropout_prob: Array


def predict(weights: SharedWeights, inputs: Array, bidders: Array, keep: Array) -> Array:
    """Values of rows, each by its bidder's network; ``keep`` is the dropout factor of neurons."""
    z = bounded_relu(inputs @ weights.hidden + weights.biases, weights.cutoffs) * keep
    own = (z * jnp.take(weights.output, bidders, axis=0)).sum(axis=1)
    return own + (inputs * jnp.take(weights.skip, bidders, axis=0)).sum(axis=1)


def project(weights: SharedWeights) -> SharedWeights:
    """The nearest parameters of monotone networks."""
    return SharedWeights(
        hidden=jnp.maximum(weights.hidden, 0),
        biases=jnp.minimum(weights.biases, 0),
        cutoffs=jnp.maximum(weights.cutoffs, 0),
        output=jnp.maximum(weights.output, 0),
        skip=jnp.maximum(weights.skip, 0),
    )


def train(
    start: SharedWeights, rows: Rows, settings: Settings, keys: Array, *, shape: int
) -> SharedWeights:
    """
    Trains all members.

    Parameters
    ----------
    start
        Parameters to begin with, each array with one row per member.
    rows
        All reports.
    settings
        How to train.
    keys
        A uint32 number per member, from which its batches and dropout follow.
    shape
        Reports in a batch.
    """
    weights: SharedWeights = jax.vmap(
        lambda one, key: train_member(one, rows, settings, key, shape)
    )(start, keys)
    return weights


def train_member(
    start: SharedWeights, rows: Rows, settings: Settings, key: Array, batch_size: int
) -> SharedWeights:
    """Trains one member by projected Adam on random batches."""
    adam = optax.scale_by_adam()
    units = start.hidden.shape[1]

    def objective(weights: SharedWeights, batch: Array, keep: Array) -> Array:
        predicted = predict(weights, rows.inputs[batch], rows.bidders[batch], keep)
        loss = smooth_l1(predicted - rows.targets[batch], settings.beta).mean()
        decay = settings.l1 * weights.hidden.sum()
        squares = (weights.hidden**2).sum() + (weights.output**2).sum()
        return loss + decay + settings.l2 * squares

    def step(k: Array, state: State) -> State:
        weights, moments = state
        progress = k / settings.num_steps
        draw = scramble(scramble(key ^ k.astype(jnp.uint32)) + key)
        places = scramble(lax.iota(jnp.uint32, batch_size) ^ draw)
        batch = (places % rows.num_rows.astype(jnp.uint32)).astype(jnp.int32)
        dropout = settings.dropout_prob * jnp.maximum(0, 1 - 2 * progress)
        keep = keep_factors(scramble(draw + 1), (batch_size, units), dropout)
        slopes = jax.grad(objective)(weights, batch, keep)
        change, moments = adam.update(slopes, moments)
        rate = 0.5 * settings.learning_rate * (1 + jnp.cos(jnp.pi * progress))
        weights = jax.tree.map(lambda w, c: w - rate * c, weights, change)
        return project(weights), moments

    weights, _ = lax.fori_loop(0, settings.num_steps, step, (start, adam.init(start)))
    return SharedWeights(*weights)
