"""What one bidder is trained on, and what a single step sees of it."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax

from boca.surrogates.compiled.programs import Array
from boca.surrogates.compiled.scrambling import scramble
from boca.surrogates.mvnn.artificial import ArtificialPool, EnvelopeTable, draw_pool
from boca.surrogates.mvnn.params import ArtificialPoints


class ReportRows(NamedTuple):
    """
    What one bidder is trained on.

    Parameters
    ----------
    inputs
        Reported bundles divided by capacities, then padding, ``(num_rows, num_goods)``.
    targets
        Reported values divided by the largest, ``(num_rows,)``.
    row_weights
        1 / num_reports for reports and 0 for padding, ``(num_rows,)``.
    order
        Shuffled numbers of reports, one shuffle after another, ``(stream_length,)``; -1 fills up
        a last incomplete mini-batch.
    envelope
        The largest monotone function through the reports.
    key
        uint32, from which all random numbers of the training come.
    """

    inputs: Array
    targets: Array
    row_weights: Array
    order: Array
    envelope: EnvelopeTable
    key: Array

    @property
    def num_reports(self) -> Array:
        """How many rows are not padding."""
        return 1 / jnp.max(self.row_weights)


class Batch(NamedTuple):
    """
    What one step is made from: reports, and artificial points with the envelope there.

    Row weights are 1 / (number of rows that count); ``num_reports`` is the number of all reports.
    """

    inputs: Array
    targets: Array
    row_weights: Array
    artificial: ArtificialPool
    num_reports: Array


def stretch_pool(
    data: ReportRows, stretch: Array, num_points: int, kind: ArtificialPoints
) -> ArtificialPool:
    """The artificial points of a stretch of steps, different from those of every other."""
    key = scramble(scramble(data.key) + jnp.uint32(stretch))
    return draw_pool(key, num_points, data.envelope, kind)


def all_reports(data: ReportRows, artificial: ArtificialPool) -> Batch:
    """All reports, and given artificial points."""
    return Batch(
        data.inputs,
        data.targets,
        data.row_weights,
        artificial,
        data.num_reports,
    )


def mini_batch(
    data: ReportRows,
    pool: ArtificialPool,
    number: Array,
    batch_size: int,
    num_points: int,
    whole_epochs: bool = False,
) -> Batch:
    """The reports and the artificial points whose turn it is at a step."""
    if whole_epochs:
        turn = batch_size * (number % (len(data.order) // batch_size))
    else:
        turn = (number * batch_size) % (len(data.order) - batch_size + 1)
    rows = lax.dynamic_slice_in_dim(data.order, turn, batch_size)
    weights = jnp.full(batch_size, 1 / batch_size, jnp.float32)
    if whole_epochs:
        counts = (rows >= 0).astype(jnp.float32)
        weights, rows = counts / counts.sum(), jnp.maximum(rows, 0)
    return Batch(
        data.inputs[rows],
        data.targets[rows],
        weights,
        pool.part((number * num_points) % (len(pool.points) - num_points + 1), num_points),
        data.num_reports,
    )
