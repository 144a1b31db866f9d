"""The dual of support vector regression without intercept, by an interior-point method."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

MAX_ITERATIONS = 100
TOLERANCE = 1e-9  # relative gap between primal and dual


def solve_dual(
    gram: np.ndarray, values: np.ndarray, penalty: float, epsilon: float
) -> tuple[np.ndarray, float]:
    """
    Dual weights of epsilon-insensitive regression without intercept.

    Maximises ``values . b - epsilon |b|_1 - b' gram b / 2`` over ``-penalty <= b <= penalty``. The
    published penalties are so large that steps along single coordinates, as libraries for support
    vectors make them, take minutes for a linear kernel; some hundred reports are few enough for a
    primal-dual interior-point method (Mehrotra, 1992), which takes milliseconds.

    Parameters
    ----------
    gram
        Kernel of every pair of reports ``(n, n)``, positive semidefinite.
    values
        What is learned ``(n,)``.
    penalty, epsilon
        C and the width of the tube.

    Returns
    -------
    tuple
        The weights, and the relative gap between their primal and dual value.
    """
    # In units in which the largest kernel and the largest value are 1.
    unit_k = float(np.abs(gram).max()) or 1.0
    unit_v = float(np.abs(values).max()) or 1.0
    K, v = gram / unit_k, values / unit_v
    C, eps = penalty * unit_k / unit_v, epsilon / unit_v

    # Minimise b'Kb/2 - v.b + eps sum(t) with slacks t - b, t + b and C - t of at least 0, one row
    # each of `slacks` (3, n); `forces` are their multipliers. b = 0, t = C / 2 is a feasible start.
    b = np.zeros(len(v))
    slacks = np.full((3, len(v)), C / 2)
    forces = np.array([1 + (eps + v) / 2, 1 + (eps - v) / 2, np.full(len(v), 2.0)])
    gap = np.inf
    for _ in range(MAX_ITERATIONS):
        gap = _relative_gap(K, b, v, C, eps)
        if gap < TOLERANCE:
            break
        newton = _Newton(K, b, v, eps, slacks, forces)
        centre = (slacks * forces).mean()
        db, ds, df = newton.step(np.zeros_like(slacks))
        length = _longest(slacks, ds, forces, df)
        after = ((slacks + length * ds) * (forces + length * df)).mean()
        db, ds, df = newton.step(centre * (after / centre) ** 3 - ds * df)
        length = 0.99 * _longest(slacks, ds, forces, df)
        b = b + length * db
        # Slacks are moved rather than computed from b, which would lose their digits.
        slacks, forces = slacks + length * ds, forces + length * df
    return b * unit_v / unit_k, float(gap)


class _Newton:
    """The linear system of one iteration, reduced to the n variables b."""

    def __init__(
        self,
        K: np.ndarray,
        b: np.ndarray,
        v: np.ndarray,
        eps: float,
        slacks: np.ndarray,
        forces: np.ndarray,
    ):
        self.slacks, self.forces = slacks, forces
        self.ratios = forces / slacks  # P, Q and R
        P, Q, R = self.ratios
        self.total = P + Q + R
        self.skew = Q - P
        self.residual_b = K @ b - v + forces[0] - forces[1]
        self.residual_t = eps - forces[0] - forces[1] + forces[2]
        # P + Q - (Q - P)^2 / (P + Q + R), without the subtraction.
        self.cholesky = cho_factor(K + np.diag((4 * P * Q + (P + Q) * R) / self.total))

    def step(self, targets: np.ndarray) -> tuple[np.ndarray, ...]:
        """Changes of b, slacks and forces towards ``slacks * forces = targets``."""
        pull = targets / self.slacks - self.forces  # change of the forces if slacks stay
        right_b = -self.residual_b - pull[0] + pull[1]
        right_t = -self.residual_t + pull[0] + pull[1] - pull[2]
        db = cho_solve(self.cholesky, right_b - self.skew * right_t / self.total)
        dt = (right_t - self.skew * db) / self.total
        change = np.array([dt - db, dt + db, -dt])
        return db, change, pull - self.ratios * change


def _relative_gap(K: np.ndarray, b: np.ndarray, v: np.ndarray, C: float, eps: float) -> float:
    """How far the value of the dual is from that of the primal with the same function."""
    f = K @ b
    primal = 0.5 * b @ f + C * np.maximum(np.abs(f - v) - eps, 0).sum()
    dual = v @ b - eps * np.abs(b).sum() - 0.5 * b @ f
    return float((primal - dual) / max(abs(primal), 1e-300))


def _longest(*pairs: np.ndarray) -> float:
    """The longest step, up to 1, that keeps values positive; pairs of values and changes."""
    longest = 1.0
    for value, change in zip(pairs[::2], pairs[1::2], strict=True):
        falling = change < 0
        if falling.any():
            longest = min(longest, float((-value[falling] / change[falling]).min()))
    return longest
