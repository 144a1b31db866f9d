"""
A Gaussian process over points of the unit cube, with a length scale of its own for every axis.

It says how large a number will probably be at points that were not measured, and how sure that is.
Length scales, amplitude and noise are those of the largest posterior density (Rasmussen and
Williams, 2006, Section 5.4.1), with a prior on the length scales that grows with the number of axes
(Hvarfner, Hellsten and Nardi, 2024): otherwise a few dozen points say nothing about seventeen axes.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize

JITTER = 1e-6

# Of the search for the best length scales, from each of its starts.
MOST_STEPS = 60

# Bounds of the logarithms of length scales, amplitude and noise.
SCALE_BOUNDS = (np.log(0.05), np.log(200.0))
AMPLITUDE_BOUNDS = (np.log(0.05), np.log(20.0))
NOISE_BOUNDS = (np.log(1e-4), np.log(1.0))

# Priors of the logarithms: mean and standard deviation. The noise is small but not nothing.
SCALE_SPREAD = np.sqrt(3)
AMPLITUDE_PRIOR = (0.0, 1.0)
NOISE_PRIOR = (np.log(0.02), 1.5)


@dataclass(frozen=True, eq=False)
class GaussianProcess:
    """
    A process that has seen some numbers.

    Parameters
    ----------
    places
        Points that were measured, ``(num_points, num_axes)``.
    scales
        Length scale of every axis, ``(num_axes,)``.
    amplitude
        Variance of the process where nothing is known.
    centre, unit
        What was subtracted from the numbers, and what they were divided by then.
    covariance
        That of the measurements, noise included, ``(num_points, num_points)``.
    root
        Lower Cholesky factor of the covariance.
    weights
        The inverse of that covariance, times the numbers.
    """

    places: np.ndarray
    scales: np.ndarray
    amplitude: float
    centre: float
    unit: float
    covariance: np.ndarray
    root: np.ndarray
    weights: np.ndarray

    @classmethod
    def fit(cls, places: np.ndarray, numbers: np.ndarray, noise: np.ndarray) -> "GaussianProcess":
        """
        The process that explains measurements best.

        Parameters
        ----------
        places
            Points, ``(num_points, num_axes)``.
        numbers
            What was measured there, ``(num_points,)``.
        noise
            Variance of each measurement relative to the others, ``(num_points,)``.
        """
        centre, unit = float(numbers.mean()), float(numbers.std()) or 1.0
        standard = (numbers - centre) / unit
        num_axes = places.shape[1]
        squares = (places[:, None, :] - places[None, :, :]) ** 2
        prior = np.sqrt(2) + np.log(num_axes) / 2
        start = np.concatenate([np.full(num_axes, prior - 1), [0.0, NOISE_PRIOR[0]]])
        bounds = [SCALE_BOUNDS] * num_axes + [AMPLITUDE_BOUNDS, NOISE_BOUNDS]
        best = min(
            (
                minimize(
                    _regret,
                    point,
                    args=(squares, standard, noise, prior),
                    jac=True,
                    bounds=bounds,
                    method="L-BFGS-B",
                    options={"maxiter": MOST_STEPS},
                )
                for point in (start, start - np.append(np.full(num_axes, 1.0), [0.0, 0.0]))
            ),
            key=lambda result: float(result.fun),
        )
        scales, amplitude = np.exp(best.x[:-2]), float(np.exp(best.x[-2]))
        covariance = amplitude * _correlation(squares, scales)
        covariance += np.diag(np.exp(best.x[-1]) * noise + JITTER)
        root = cholesky(covariance, lower=True)
        weights = cho_solve((root, True), standard)
        return cls(places, scales, amplitude, centre, unit, covariance, root, weights)

    def predict(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """
        What is expected at points, without noise: means and standard deviations.

        Parameters
        ----------
        points
            Points of the unit cube, ``(num_points, num_axes)``.
        """
        cross = self._cross(points)
        mean = self.centre + self.unit * (cross @ self.weights)
        known = solve_triangular(self.root, cross.T, lower=True)
        variance = np.maximum(self.amplitude - (known**2).sum(0), 1e-12)
        return mean, self.unit * np.sqrt(variance)

    def expecting(self, points: np.ndarray) -> "GaussianProcess":
        """
        The same process, had it seen at some points what it expects there: just as high, but surer.

        Parameters
        ----------
        points
            Points of the unit cube, ``(num_points, num_axes)``.
        """
        cross = self._cross(points)  # (num_points, old points)
        inner = self.amplitude * _correlation(
            (points[:, None, :] - points[None, :, :]) ** 2, self.scales
        ) + np.diag(np.full(len(points), JITTER))
        covariance = np.block([[self.covariance, cross.T], [cross, inner]])
        return replace(
            self,
            places=np.vstack([self.places, points]),
            covariance=covariance,
            root=cholesky(covariance, lower=True),
            # What is expected already adds nothing to what is expected.
            weights=np.append(self.weights, np.zeros(len(points))),
        )

    def _cross(self, points: np.ndarray) -> np.ndarray:
        ours, theirs = points / self.scales, self.places / self.scales
        squares = (ours**2).sum(1)[:, None] + (theirs**2).sum(1) - 2 * ours @ theirs.T
        return self.amplitude * _matern(np.sqrt(np.maximum(squares, 0.0)))


def _matern(distance: np.ndarray) -> np.ndarray:
    """Matern's correlation with smoothness 5/2."""
    scaled = np.sqrt(5) * distance
    correlation: np.ndarray = (1 + scaled + scaled**2 / 3) * np.exp(-scaled)
    return correlation


def _correlation(squares: np.ndarray, scales: np.ndarray) -> np.ndarray:
    return _matern(np.sqrt(np.maximum(squares @ scales**-2.0, 0.0)))


def _regret(
    logs: np.ndarray, squares: np.ndarray, numbers: np.ndarray, noise: np.ndarray, prior: float
) -> tuple[float, Any]:
    """
    The negative logarithm of the posterior density of length scales, amplitude and noise, up to a
    constant; and its gradient.
    """
    scales, amplitude, error = np.exp(logs[:-2]), np.exp(logs[-2]), np.exp(logs[-1])
    distance = np.sqrt(np.maximum(squares @ scales**-2.0, 0.0))
    covariance = amplitude * _matern(distance)
    root = cholesky(covariance + np.diag(error * noise + JITTER), lower=True)
    weights = cho_solve((root, True), numbers)
    inverse = cho_solve((root, True), np.eye(len(numbers)))
    # The derivative by a covariance; half the trace of its product with the covariance's own.
    slope = inverse - np.outer(weights, weights)
    by_square = amplitude * 5 / 3 * (1 + np.sqrt(5) * distance) * np.exp(-np.sqrt(5) * distance)
    gradient = np.empty_like(logs)
    gradient[:-2] = 0.5 * np.einsum("ij,ijk->k", slope * by_square, squares) * scales**-2.0
    gradient[-2] = 0.5 * float((slope * covariance).sum())
    gradient[-1] = 0.5 * error * float(np.diag(slope) @ noise)

    value = 0.5 * float(numbers @ weights) + float(np.log(np.diag(root)).sum())
    centres = np.concatenate([np.full(len(logs) - 2, prior), [AMPLITUDE_PRIOR[0], NOISE_PRIOR[0]]])
    spreads = np.concatenate(
        [np.full(len(logs) - 2, SCALE_SPREAD), [AMPLITUDE_PRIOR[1], NOISE_PRIOR[1]]]
    )
    away = (logs - centres) / spreads
    return value + 0.5 * float(away @ away), gradient + away / spreads
