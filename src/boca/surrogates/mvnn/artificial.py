"""Points without a report, at which the upper bound is pushed up. numpy only."""

import numpy as np

from boca.functions import Envelope
from boca.surrogates.mvnn.params import ArtificialPoints

BLOCK = 8192  # points at a time, so that tables of points and reports stay in the cache


def draw_points(
    num_points: int, capacities: np.ndarray, kind: ArtificialPoints, rng: np.random.Generator
) -> np.ndarray:
    """
    Random points, as counts of goods, float32 ``(num_points, num_goods)``.

    Parameters
    ----------
    num_points
        How many.
    capacities
        Copies of each good, ``(num_goods,)``.
    kind
        ``cube``: uniform between nothing and everything. ``bundles``: whole numbers; each point
        has its own density, drawn uniformly, with which it holds each copy of each good.
    rng
        Where randomness comes from.
    """
    shape = (num_points, len(capacities))
    if kind == "cube":
        return capacities.astype(np.float32) * rng.random(shape, dtype=np.float32)
    density = rng.random((num_points, 1))
    return rng.binomial(capacities, density, shape).astype(np.float32)


def extend_envelope(envelope: Envelope, points: np.ndarray) -> np.ndarray:
    """
    The envelope between bundles: the bounded-ReLU extension of the paper's Equation 27.

    With w_k the k-th smallest reported value and o_j = min(1, sum of (x - x^(j))^+) it is
    ``sum_k (w_{k+1} - w_k) min(1, max(0, o_0 + ... + o_k - k))``, which on bundles is the envelope.
    We add up what o_j lacks to 1.

    Parameters
    ----------
    envelope
        Through the reports; sorted by value, the full bundle last.
    points
        Counts of goods, also fractional, ``(num_points, num_goods)``.
    """
    values = np.full(len(points), envelope.values[-1])
    for first in range(0, len(points), BLOCK):
        block = slice(first, first + BLOCK)
        missing = 1 - _excess(points[block], envelope)  # (num_points, num_tests)
        # Most points are far outside of every reported bundle but the full one.
        near = np.flatnonzero(missing.max(axis=1) > 0)
        missing = np.cumsum(np.maximum(missing[near], 0), axis=1, dtype=np.float64)
        values[first + near] = np.maximum(1 - missing, 0) @ np.diff(envelope.values)
    return values


def _excess(points: np.ndarray, envelope: Envelope) -> np.ndarray:
    """How far each point is outside each bundle but the last: the sum of (x - x^(j))^+."""
    inside = envelope.bundles[:-1]  # (num_tests, num_goods)
    if (envelope.capacities == 1).all():
        return points @ (1 - inside.T).astype(points.dtype)
    excess = np.zeros((len(points), len(inside)), points.dtype)
    for good in range(points.shape[1]):
        excess += np.maximum(points[:, [good]] - inside[:, good].astype(points.dtype), 0)
    return excess
