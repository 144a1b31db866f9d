"""The point of a polyhedron that is nearest to another point."""

import numpy as np

from boca.core.errors import SolverError


def nearest_point(target: np.ndarray, normals: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """
    Minimises ``|x - target|`` subject to ``normals @ x >= offsets``, which some x must satisfy.

    Lawson and Hanson's least distance programming (1974, chapter 23): the dual is a non-negative
    least-squares problem, solved by an active-set method, and the point is read off its residual.

    Parameters
    ----------
    target
        ``(num_variables,)``.
    normals, offsets
        ``(num_rows, num_variables)`` and ``(num_rows,)``; numbers of about 1 are best.
    """
    missing = offsets - normals @ target
    if (missing <= 0).all():
        return target.copy()
    matrix = np.concatenate([normals.T, missing[None, :]])
    goal = np.zeros(len(matrix))
    goal[-1] = 1.0
    residual = matrix @ non_negative_least_squares(matrix, goal) - goal
    if -residual[-1] < 1e-12:  # 1 / (1 + distance ** 2)
        raise SolverError("No point satisfies all rows, or the nearest is too far away.")
    return target - residual[:-1] / residual[-1]


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
