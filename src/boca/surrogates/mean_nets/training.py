"""The training loop of one mean network, as one compiled program."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import lax

from boca.surrogates.compiled.programs import Array
from boca.surrogates.compiled.scrambling import keep_factors, scramble
from boca.surrogates.mean_nets.params import Kind, LossKind, Optimiser


class Layers(NamedTuple):
    """
    Parameters of a network.

    Parameters
    ----------
    weights
        Matrix of each layer, ``(fan_in, fan_out)``; the last one is the output's, ``(units, 1)``.
    biases
        Bias of each layer, ``(fan_out,)``; a monotone network's output has none.
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]


class MeanProgram(NamedTuple):
    """What a program is compiled for, besides the shapes of its arrays."""

    kind: Kind
    optimiser: Optimiser
    loss: LossKind
    with_dropout: bool


class MeanRows(NamedTuple):
    """
    What one bidder is trained on.

    Parameters
    ----------
    inputs
        Reported bundles divided by capacities, then padding, ``(num_rows, num_goods)``.
    targets
        Scaled values, ``(num_rows,)``.
    batches
        Rows of the mini-batch of every step, ``(max_steps, batch_size)``; -1 where a batch is
        smaller than the others.
    rates
        Learning rate of every step, ``(max_steps,)``.
    num_steps
        Steps to make; the rest of ``batches`` is padding.
    """

    inputs: Array
    targets: Array
    batches: Array
    rates: Array
    num_steps: Array


class Numbers(NamedTuple):
    """Settings that are part of the trace, so that another value compiles nothing."""

    l2: Array
    momentum: Array
    dropout: Array
    key: Array


def project(layers: Layers, kind: Kind) -> Layers:
    """The nearest parameters of the kind: W >= 0 and b <= 0 where it is monotone."""
    if kind == "relu":
        return layers
    return Layers(
        tuple(jnp.maximum(w, 0) for w in layers.weights),
        tuple(jnp.minimum(b, 0) for b in layers.biases),
    )


def evaluate(layers: Layers, inputs: Array, kind: Kind, keep: list[Array] | None = None) -> Array:
    """
    Values of a network at ``(num_rows, num_goods)``, scaled.

    Hidden layers are ``min(1, max(0, W z + b))`` where monotone and ``max(0, W z + b)`` otherwise;
    ``keep`` has dropout factors ``(num_rows, units)`` for each of them.
    """
    z = inputs
    *hidden, output = layers.weights
    for k, weights in enumerate(hidden):
        z = jnp.maximum(0, z @ weights + layers.biases[k])  # (num_rows, units)
        if kind == "monotone":
            z = jnp.minimum(1, z)
        if keep is not None:
            z = z * keep[k]
    values = z @ output[:, 0]  # (num_rows,)
    return values if kind == "monotone" else jnp.maximum(0, values + layers.biases[-1][0])


def mean_loss(errors: Array, weights: Array, loss: LossKind) -> Array:
    """Weighted mean of absolute or squared errors."""
    size = jnp.abs(errors) if loss == "mae" else errors**2
    return (weights * size).sum() / weights.sum()


def optimiser(numbers: Numbers, shape: MeanProgram) -> optax.GradientTransformation:
    """Decay, which is added to the gradient, then the steps; without the learning rate."""
    steps = (
        optax.scale_by_adam() if shape.optimiser == "adam" else optax.trace(decay=numbers.momentum)
    )
    return optax.chain(optax.add_decayed_weights(numbers.l2), steps)


def train(initial: Layers, data: MeanRows, numbers: Numbers, shape: MeanProgram) -> Layers:
    """Trains one network from given parameters; projected gradient steps on mini-batches."""
    descent = optimiser(numbers, shape)

    def loss_of(layers: Layers, number: Array) -> Array:
        rows = data.batches[number]  # (batch_size,)
        keep = None
        if shape.with_dropout:
            key = scramble(numbers.key + number.astype(jnp.uint32))
            keep = [
                keep_factors(scramble(key + jnp.uint32(k + 1)), (len(rows), w.shape[1]), p)
                for k, (w, p) in enumerate((w, numbers.dropout) for w in layers.weights[:-1])
            ]
        predicted = evaluate(layers, data.inputs[rows], shape.kind, keep)
        present = (rows >= 0).astype(jnp.float32)
        return mean_loss(predicted - data.targets[rows], present, shape.loss)

    def step(number: Array, carry: tuple[Layers, optax.OptState]) -> tuple[Layers, optax.OptState]:
        layers, state = carry
        grads = jax.grad(loss_of)(layers, number)
        updates, state = descent.update(grads, state, layers)
        rate = data.rates[number]
        layers = jax.tree.map(lambda p, u: p - rate * u, layers, updates)
        return project(layers, shape.kind), state

    initial = project(initial, shape.kind)
    trained: Layers
    trained, _ = lax.fori_loop(0, data.num_steps, step, (initial, descent.init(initial)))
    return trained
