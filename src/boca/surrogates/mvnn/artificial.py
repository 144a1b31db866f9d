"""Points without a report, at which the upper bound is pushed up. numpy only."""

import numpy as np

from boca.functions import Envelope
from boca.surrogates.mvnn.params import ArtificialPoints


def draw_points(
    num_points: int, capacities: np.ndarray, kind: ArtificialPoints, rng: np.random.Generator
) -> np.ndarray:
    """
    Random points, as counts of goods ``(num_points, num_goods)``.

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
        return capacities * rng.random(shape)
    density = rng.random((num_points, 1))
    return rng.binomial(capacities, density, shape).astype(float)


def extend_envelope(envelope: Envelope, points: np.ndarray) -> np.ndarray:
    """
    The envelope between bundles: the bounded-ReLU extension of the paper's Equation 27.

    With w_k the k-th smallest reported value and o_j = min(1, sum of (x - x^(j))^+) it is
    ``sum_k (w_{k+1} - w_k) min(1, max(0, o_0 + ... + o_k - k))``, which on bundles is the envelope.

    Parameters
    ----------
    envelope
        Through the reports; sorted by value, the full bundle last.
    points
        Counts of goods, also fractional, ``(num_points, num_goods)``.
    """
    inside = envelope.bundles[:-1]  # (num_tests, num_goods)
    if (envelope.capacities == 1).all():
        excess = points @ (1.0 - inside.T)  # (num_points, num_tests)
    else:
        excess = np.zeros((len(points), len(inside)))
        for good in range(points.shape[1]):
            excess += np.maximum(points[:, [good]] - inside[:, good], 0)
    outside = np.minimum(excess, 1)
    outside_all = np.cumsum(outside, axis=1) - np.arange(len(inside))
    return np.clip(outside_all, 0, 1) @ np.diff(envelope.values)
