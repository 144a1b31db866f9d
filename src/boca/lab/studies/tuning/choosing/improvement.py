"""
The next point: where a Gaussian process expects the largest improvement on what is known.

Deviations from the textbook (Jones, Schonlau and Welch, 1998):

1. Numbers are compressed before they are learned from (:func:`compress`): how bad a bad point is
   should not bend the picture of the good ones.
2. Measurements are noisy, so that "the best so far" is the smallest expected number of a point that
   was tried, not the smallest that was seen.
3. Points under way count as if they had given what is expected there, so that nobody tries them
   twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm, qmc

from boca.lab.studies.tuning.choosing.gaussian_process import GaussianProcess
from boca.lab.studies.tuning.choosing.unit_cube import UnitCube

NUM_RANDOM = 2000  # points of the whole space that compete to be next
NUM_CENTRES = 5  # best tried points, around which more are drawn
NUM_NEAR = 200  # around each of them, and around the winner of every round
NUM_ROUNDS = 10  # of drawing around the winner, ever nearer
FIRST_SPREAD = 0.15  # of the first round, as a share of a range
MOST_COMPRESSED = 3.0


@dataclass(frozen=True)
class Tried:
    """
    A point that was tried, or is being tried.

    Parameters
    ----------
    point
        Its number or label on every axis.
    value
        What was measured; None while it is under way.
    share
        Share of the instances that it was measured on, in (0, 1].
    """

    point: dict[str, Any]
    value: float | None
    share: float = 1.0


def first_point(cube: UnitCube, number: int, seed: int) -> dict[str, Any]:
    """
    One of the points before anything is known, evenly spread (Sobol's sequence, scrambled).

    Parameters
    ----------
    cube
        What may be chosen.
    number
        Of the point, from 0.
    seed
        Of the sequence.
    """
    sequence = qmc.Sobol(cube.num_ranges, rng=np.random.default_rng(seed))
    if number:
        sequence.fast_forward(number)
    return cube.point_of(sequence.random(1)[0])


def propose(cube: UnitCube, tried: Sequence[Tried], rng: np.random.Generator) -> dict[str, Any]:
    """
    The point with the largest expected improvement.

    Parameters
    ----------
    cube
        What may be chosen.
    tried
        What is known; at least one value.
    rng
        Draws the points that compete.
    """
    known = [one for one in tried if one.value is not None]
    pending = [one for one in tried if one.value is None]
    rows = np.array([cube.row_of(one.point) for one in known])
    numbers = compress(np.array([one.value for one in known], dtype=float))
    noise = 1 / np.array([one.share for one in known])
    process = GaussianProcess.fit(cube.axes(rows), numbers, noise)
    expected = process.predict(cube.axes(rows))[0]
    if pending:
        process = process.expecting(cube.axes(np.array([cube.row_of(o.point) for o in pending])))
    centres = rows[np.argsort(expected)[:NUM_CENTRES]]

    def best_of(rivals: np.ndarray) -> tuple[np.ndarray, float]:
        gains = log_improvement(*process.predict(cube.axes(rivals)), float(expected.min()))
        return rivals[int(np.argmax(gains))], float(gains.max())

    everywhere = cube.snapped(rng.random((NUM_RANDOM, cube.num_ranges)))
    near = [cube.neighbours(centre, NUM_NEAR, FIRST_SPREAD, rng) for centre in centres]
    row, gain = best_of(np.concatenate([everywhere, *near]))
    for number in range(NUM_ROUNDS):
        rival, more = best_of(cube.neighbours(row, NUM_NEAR, FIRST_SPREAD * 0.7**number, rng))
        if more > gain:
            row, gain = rival, more
    return cube.point_of(row)


def compress(values: np.ndarray) -> np.ndarray:
    """
    Values as numbers that differ most among the best: the logarithm of 1 + distance from the best,
    in units of the median's distance, and not more than ``MOST_COMPRESSED``.
    """
    distance = values - values.min()
    unit = float(np.median(distance)) or float(distance.mean()) or 1.0
    numbers: np.ndarray = np.minimum(np.log1p(distance / unit), MOST_COMPRESSED)
    return numbers


def log_improvement(mean: np.ndarray, deviation: np.ndarray, best: float) -> np.ndarray:
    """Logarithms of expected improvements, also where these are too small for a number."""
    z = (best - mean) / deviation
    # For z << 0, phi(z) + z Phi(z) tends to phi(z) / z^2.
    usual = np.log(np.maximum(norm.pdf(z) + z * norm.cdf(z), 1e-300))
    far = norm.logpdf(z) - 2 * np.log(np.maximum(-z, 1.0))
    logs: np.ndarray = np.log(deviation) + np.where(z < -8, far, usual)
    return logs
