"""Hill climbing among bundles on a network less costs, inside a compiled program."""

import jax
import jax.numpy as jnp
from jax import lax

from boca.surrogates.compiled.programs import Array
from boca.surrogates.mixed.answers import Room
from boca.surrogates.mvnn.network import Weights, bounded_relu, evaluate

NEVER = -1e9  # gain of a move that leaves the room
TOLERANCE = 1e-5  # by which rounding in single precision may exceed a limit
LEAST_GAIN = 1e-7


def neighbours(weights: Weights, bundles: Array, step: Array) -> Array:
    """
    Values ``(num_bundles, num_goods)`` of each bundle with one good changed.

    Parameters
    ----------
    weights
        The network.
    bundles
        Counts divided by capacities, ``(num_bundles, num_goods)``.
    step
        What is added to each good, one at a time, ``(num_goods,)``.
    """
    first = bundles @ weights.hidden[0] + weights.biases[0]  # (num_bundles, units)
    inner = first[:, None, :] + step[:, None] * weights.hidden[0]  # (num_bundles, goods, units)
    z = bounded_relu(inner, weights.cutoffs[0])
    for w, b, t in zip(weights.hidden[1:], weights.biases[1:], weights.cutoffs[1:], strict=True):
        z = bounded_relu(z @ w + b, t)
    values = z @ weights.output  # (num_bundles, num_goods)
    if weights.skip is None:
        return values
    return values + (bundles @ weights.skip)[:, None] + step * weights.skip


def climb(
    weights: Weights,
    bundles: Array,
    costs: Array,
    room: Room,
    moves: int,
    downhill: bool = False,
) -> Array:
    """
    Bundles of higher value less cost, each reached by best moves of one copy.

    Parameters
    ----------
    weights
        The network.
    bundles
        Where to start, counts divided by capacities, ``(num_bundles, num_goods)``.
    costs
        What all copies of each good cost, for every bundle ``(num_bundles, num_goods)`` or the
        same for all ``(num_goods,)``.
    room
        Capacities and limits that the bundles stay within.
    moves
        Moves of every bundle; it stays where none helps.
    downhill
        Whether bundles of lower value less cost are looked for instead.
    """
    copy = 1 / room.capacities
    num_goods = len(room.capacities)

    def move(_: Array, bundles: Array) -> Array:
        now = evaluate(weights, bundles)[:, None]
        more = neighbours(weights, bundles, copy) - now - costs * copy
        fewer = neighbours(weights, bundles, -copy) - now + costs * copy
        if downhill:
            more, fewer = -more, -fewer
        used = (bundles * room.capacities) @ room.coefficients.T  # (num_bundles, num_limits)
        fits = (used[:, None, :] + room.coefficients.T <= 1 + TOLERANCE).all(axis=2)
        more = jnp.where(fits & (bundles < 1 - copy / 2), more, NEVER)
        fewer = jnp.where(bundles > copy / 2, fewer, NEVER)

        gains = jnp.concatenate([more, fewer], axis=1)
        best = gains.argmax(axis=1)
        gain = jnp.take_along_axis(gains, best[:, None], axis=1)  # (num_bundles, 1)
        sign = jnp.where(best < num_goods, 1.0, -1.0)[:, None] * (gain > LEAST_GAIN)
        return bundles + sign * copy * jax.nn.one_hot(best % num_goods, num_goods)

    return lax.fori_loop(0, moves, move, bundles)
