"""The point of a polyhedron that is nearest to another point."""

import numpy as np

from boca.core.errors import SolverError


def nearest_point(target: np.ndarray, normals: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """
    Minimises ``|x - target|`` subject to ``normals @ x >= offsets``, which some x must satisfy.

    Lawson and Hanson's least distance programming (1974, chapter 23): the dual is a non-negative
    least-squares problem, and the point is read off its residual.

    Parameters
    ----------
    target
        ``(num_variables,)``.
    normals, offsets
        ``(num_rows, num_variables)`` and ``(num_rows,)``; numbers of about 1 are best.
    """
    from scipy.optimize import nnls  # takes time to load, and few payments need it

    missing = offsets - normals @ target
    if (missing <= 0).all():
        return target.copy()
    matrix = np.concatenate([normals.T, missing[None, :]])
    goal = np.zeros(len(matrix))
    goal[-1] = 1.0
    try:
        residual = matrix @ nnls(matrix, goal)[0] - goal
    except RuntimeError as error:  # it did not converge
        raise SolverError(f"No nearest payments were found: {error}.") from error
    if -residual[-1] < 1e-12:  # 1 / (1 + distance ** 2)
        raise SolverError("No point satisfies all rows, or the nearest is too far away.")
    nearest: np.ndarray = target - residual[:-1] / residual[-1]
    return nearest
