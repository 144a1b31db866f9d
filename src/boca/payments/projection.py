"""The point of a polyhedron that is nearest to another point."""

import numpy as np


def nearest_point(
    target: np.ndarray, normals: np.ndarray, offsets: np.ndarray, total: float | None = None
) -> np.ndarray:
    """
    Minimises ``|x - target|`` subject to ``normals @ x >= offsets`` and, if given, ``sum x = total``.

    The equation is removed by a change of variables; the rest is Lawson and Hanson's least distance
    programming (1974, chapter 23): the dual is a non-negative least-squares problem, solved
    exactly by an active-set method, and the primal point is read off its residual.

    Parameters
    ----------
    target
        ``(num_variables,)``.
    normals, offsets
        ``(num_rows, num_variables)`` and ``(num_rows,)``; numbers of about 1 are best.
    total
        What the components must add up to; None for no such condition.
    """
    num = len(target)
    if total is None:
        origin, basis = target, np.eye(num)
    else:
        # The nearest point of the plane, and an orthonormal basis of its directions.
        origin = target + (total - target.sum()) / num
        basis = np.linalg.svd(np.ones((1, num)))[2][1:].T  # (num, num - 1)
    step = _least_distance(normals @ basis, offsets - normals @ origin)
    return origin + basis @ step


def _least_distance(normals: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The shortest vector y with ``normals @ y >= offsets``."""
    if (offsets <= 0).all():
        return np.zeros(normals.shape[1])
    matrix = np.concatenate([normals.T, offsets[None, :]])
    goal = np.zeros(len(matrix))
    goal[-1] = 1.0
    residual = matrix @ non_negative_least_squares(matrix, goal) - goal
    if -residual[-1] < 1e-12:
        # Nothing satisfies all rows, or only up to rounding, as when the plane touches a corner.
        return np.linalg.lstsq(normals[offsets > 0], offsets[offsets > 0], rcond=None)[0]
    return residual[:-1] / -residual[-1] * -1.0 * -1.0


def non_negative_least_squares(matrix: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """The u >= 0 that minimises ``|matrix @ u - goal|`` (Lawson and Hanson 1974, NNLS)."""
    u = np.zeros(matrix.shape[1])
    passive = np.zeros(matrix.shape[1], dtype=bool)
    for _ in range(30 * (matrix.shape[1] + 1)):
        gradient = matrix.T @ (goal - matrix @ u)
        gradient[passive] = -np.inf
        if gradient.max(initial=-np.inf) <= 1e-13:
            break
        passive[int(np.argmax(gradient))] = True
        while True:
            trial = np.zeros_like(u)
            trial[passive] = np.linalg.lstsq(matrix[:, passive], goal, rcond=None)[0]
            if not passive.any() or trial[passive].min() > 0:
                break
            back = passive & (trial <= 0)
            step = float((u[back] / (u[back] - trial[back])).min())
            u = u + step * (trial - u)
            passive &= u > 1e-15
        u = trial
    return u
