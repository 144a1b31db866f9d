"""
Points without a report, at which the upper bound is pushed up, and the envelope there.

A training uses some millions of them. They are drawn inside the compiled program, a pool at a time,
and each is used together with its mirror image, in which every good has what it lacks here: that is
as uniform, cancels whatever is linear in the points' noise, and costs the first layer nothing.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax, random

from boca.functions import Envelope
from boca.surrogates.compiled.programs import Array
from boca.surrogates.compiled.scrambling import scramble, uniform
from boca.surrogates.mvnn.params import ArtificialPoints

BLOCK = 8  # reported bundles whose excess is one product
SELDOM = 1e-5  # probability of what a dozen points of a training see, of a million and more


class EnvelopeTable(NamedTuple):
    """
    An envelope as arrays whose shapes do not depend on the number of reports.

    Parameters
    ----------
    capacities
        Copies of each good, ``(num_goods,)``; None if there is one of each, which is computed
        faster.
    held
        Counts of goods in reported bundles, ``(num_rows, num_goods)``; by value, without the full
        bundle and those that are hardly ever felt, then padding with empty bundles.
    base, gains
        The value of the first bundle, and from each bundle to the next, in units of the largest; 0
        for padding, ``(num_rows,)``.
    num_blocks
        Blocks of ``BLOCK`` rows that are not all padding.
    """

    capacities: Array | None
    held: Array
    base: Array
    gains: Array
    num_blocks: Array

    @classmethod
    def from_envelope(
        cls, envelope: Envelope, largest: float, num_rows: int, kind: ArtificialPoints
    ) -> "EnvelopeTable":
        """The table of an envelope of at most ``num_rows`` bundles besides the full one."""
        capacities = envelope.capacities
        felt = is_felt(envelope.bundles[:-1], capacities, kind)
        inner = envelope.bundles[:-1][felt]
        held = np.zeros((num_rows, len(capacities)), np.float32)
        held[: len(inner)] = inner
        values = np.append(envelope.values[:-1][felt], envelope.values[-1]) / largest
        gains = np.zeros(num_rows, np.float32)
        gains[: len(inner)] = np.diff(values)
        return cls(
            None if (capacities == 1).all() else capacities.astype(np.float32),
            held,
            np.float32(values[0]),
            gains,
            np.int32(-(-len(inner) // BLOCK)),
        )


class ArtificialPool(NamedTuple):
    """
    Points, as shares of the capacities, and the envelope at them and at their mirror images.

    Shapes ``(num_points, num_goods)`` and twice ``(num_points,)``.
    """

    points: Array
    envelope: Array
    mirrored: Array

    def part(self, start: Array, num_points: int) -> "ArtificialPool":
        """The points from a position on."""
        return ArtificialPool(
            *(lax.dynamic_slice_in_dim(array, start, num_points) for array in self)
        )


class Mirrored(NamedTuple):
    """
    Rows, the last of which come again as their mirror images, below all others.

    Stands for ``concatenate([rows, 1 - rows[first:]])`` in products, where the mirror images cost
    nothing: (1 - x) W is the sum of W's rows less x W.

    Parameters
    ----------
    rows
        ``(num_rows, num_goods)``.
    first
        Number of the first row that comes again.
    """

    rows: Array
    first: int

    def __matmul__(self, weights: Array) -> Array:
        """The product with a matrix or a vector."""
        product = self.rows @ weights
        return jnp.concatenate([product, weights.sum(axis=0) - product[self.first :]])


def is_felt(bundles: np.ndarray, capacities: np.ndarray, kind: ArtificialPoints) -> np.ndarray:
    """
    Which reported bundles can make the envelope at artificial points smaller, ``(num_bundles,)``.

    The extension feels a bundle where the sum S of (x - x^(j))^+ is below 1. For a point in the
    cube it is a sum over the goods that the bundle lacks, and if these are many, never that
    small. A bundle is left out if Chernoff's bound, P(S < 1) <= e^r E[e^(-r S)] for any r > 0, says
    that it hardly ever happens.
    """
    if kind == "bundles":
        return np.ones(len(bundles), bool)
    held, lacked = bundles / capacities, capacities - bundles  # (num_bundles, num_goods)
    bound = np.ones(len(bundles))
    for r in (2.0, 4.0, 8.0, 16.0, 32.0, 64.0):
        each = held - np.expm1(-r * lacked) / (r * capacities)
        bound = np.minimum(bound, np.exp(r) * each.prod(axis=1))
    return bound > SELDOM


def draw_pool(
    key: Array, num_points: int, table: EnvelopeTable, kind: ArtificialPoints
) -> ArtificialPool:
    """
    Random points and the envelope there.

    Parameters
    ----------
    key
        A uint32 scalar; another key gives unrelated points.
    num_points
        How many, without the mirror images.
    table
        The envelope.
    kind
        As in :func:`draw_points`.
    """
    points = draw_points(key, num_points, table, kind)
    bound = extend_envelope(table, points)
    return ArtificialPool(points, bound[:num_points], bound[num_points:])


def draw_points(key: Array, num_points: int, table: EnvelopeTable, kind: ArtificialPoints) -> Array:
    """
    Random points, as shares of the capacities, ``(num_points, num_goods)``.

    ``cube``: uniform between nothing and everything. ``bundles``: whole numbers of copies; each
    point has its own density, drawn uniformly, with which it holds each copy of each good.
    """
    shape = (num_points, table.held.shape[1])
    if kind == "cube":
        return uniform(key, shape)
    density = uniform(scramble(key), (num_points, 1))
    if table.capacities is None:
        return (uniform(key, shape) < density).astype(jnp.float32)
    return random.binomial(random.key(key), table.capacities, density, shape) / table.capacities


def extend_envelope(table: EnvelopeTable, points: Array) -> Array:
    """
    The envelope between bundles, at points and then at their mirror images.

    It is the bounded-ReLU extension of the paper's Equation 27. With w_k the k-th smallest reported
    value and o_j = min(1, sum of (x - x^(j))^+) it is
    ``sum_k (w_{k+1} - w_k) min(1, max(0, o_0 + ... + o_k - k))``, which on bundles is the envelope.
    We add up what o_j lacks to 1.

    Parameters
    ----------
    table
        The envelope.
    points
        Shares of the capacities, ``(num_points, num_goods)``.
    """
    excess_over = _excess(table, points)

    def add_block(block: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        missing, values = carry
        held = lax.dynamic_slice_in_dim(table.held, block * BLOCK, BLOCK)
        gains = lax.dynamic_slice_in_dim(table.gains, block * BLOCK, BLOCK)
        lacks = jnp.maximum(1 - excess_over(held), 0)  # (2 num_points, BLOCK)
        for k in range(BLOCK):
            missing = missing + lacks[:, k]
            values = values + gains[k] * jnp.maximum(1 - missing, 0)
        return missing, values

    nothing = jnp.zeros(2 * len(points), jnp.float32)
    return lax.fori_loop(0, table.num_blocks, add_block, (nothing, nothing + table.base))[1]


def _excess(table: EnvelopeTable, points: Array) -> Callable[[Array], Array]:
    """
    The sum of (x - x^(j))^+ at points and mirror images, as a function of some bundles.

    Where there is one copy of each good, it is a product; else it is added up good by good.
    """
    if table.capacities is None:
        return lambda held: Mirrored(points, first=0) @ (1 - held).T
    counts = jnp.concatenate([points, 1 - points]) * table.capacities

    def good_by_good(held: Array) -> Array:
        def add_good(good: Array, excess: Array) -> Array:
            return excess + jnp.maximum(counts[:, good, None] - held[:, good], 0)

        nothing = jnp.zeros((len(counts), len(held)), jnp.float32)
        return lax.fori_loop(0, counts.shape[1], add_good, nothing)

    return good_by_good
