"""
Support vector regression of values, as in SVR-MLCA (Brero, Lubin and Seuken, 2018).

The regression has no intercept, so that a linear kernel gives the empty bundle 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from boca.core.bundle import as_bundles
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.functions import Kernel, KernelExpansion, Quadratic, ValueFunction
from boca.functions.kernel_expansion import kernel_matrix
from boca.surrogates.fitted import Fitted

KernelName = Literal["linear", "quadratic", "polynomial", "exponential", "gaussian"]
MAX_ITERATIONS = 100
TOLERANCE = 1e-9  # relative gap between primal and dual


@dataclass(frozen=True)
class SvrParams:
    """
    Settings of the regression of one bidder type. Checked on construction.

    Parameters
    ----------
    kernel
        Linear and quadratic kernels give a :class:`~boca.functions.Quadratic` function, for which
        winner determination has a proof; the others are searched.
    coefficients
        ``c_k`` of ``sum_k c_k s^k`` with s = x . y, for linear, quadratic and polynomial kernels;
        not negative.
    scale, bandwidth
        Of the exponential and Gaussian kernels, see :class:`~boca.functions.Kernel`.
    penalty
        C: what an error costs, per unit of the scaled value.
    epsilon
        Errors up to this, in scaled values, cost nothing.
    value_scale
        Values are multiplied by this. None: chosen for each bidder so that its largest report
        becomes the kernel of the full bundle with itself, which makes ``penalty`` mean the same
        in every market.
    drop_below
        Dual coefficients below this, in absolute value, are left out.
    """

    kernel: KernelName = "quadratic"
    coefficients: tuple[float, ...] = (0.0, 1.0, 0.01)
    scale: float = 10.0
    bandwidth: float = 10.0
    penalty: float = 100.0
    epsilon: float = 1e-5
    value_scale: float | None = None
    drop_below: float = 1e-8

    def __post_init__(self):
        object.__setattr__(self, "coefficients", tuple(map(float, self.coefficients)))
        self._expect("kernel", self.kernel in get_args(KernelName), "a kernel's name")
        if self.is_polynomial:
            degree = {"linear": 1, "quadratic": 2}.get(self.kernel)
            fits = degree is None or len(self.coefficients) == degree + 1
            sound = min(self.coefficients, default=-1) >= 0 and max(self.coefficients) > 0
            self._expect(
                "coefficients",
                fits and sound,
                "one number of at least 0 for each power from 0, and one of them above 0",
            )
        for name in ("scale", "bandwidth", "penalty"):
            self._expect(name, getattr(self, name) > 0, "a positive number")
        self._expect("epsilon", self.epsilon >= 0, "zero or more")
        self._expect("drop_below", self.drop_below >= 0, "zero or more")
        self._expect(
            "value_scale", self.value_scale is None or self.value_scale > 0, "positive, or none"
        )

    def _expect(self, name: str, holds: bool, expected: str) -> None:
        if not holds:
            received = getattr(self, name)
            raise InputError(f"SvrParams.{name} is {received!r}; expected {expected}.")

    @property
    def is_polynomial(self) -> bool:
        return self.kernel in ("linear", "quadratic", "polynomial")

    @property
    def form(self) -> tuple[Kernel, np.ndarray]:
        """The kernel and its numbers."""
        if self.is_polynomial:
            return Kernel.POLYNOMIAL, np.array(self.coefficients)
        return Kernel(self.kernel), np.array([self.scale, self.bandwidth])


def fit(
    reports: Sequence[Reports] | Mapping[int, Reports],
    market: Market,
    params: Mapping[str, SvrParams],
    seed: int | Seeds = 0,
) -> dict[int, Fitted]:
    """
    Learns the mean of every bidder that has reports.

    Parameters
    ----------
    reports, market
        What each bidder has said, and about what.
    params
        Settings of each bidder type.
    seed
        Not used: nothing is random. Every surrogate takes one.
    """
    named = reports if isinstance(reports, Mapping) else dict(enumerate(reports))
    fitted = {}
    for bidder, own in named.items():
        kind = market.bidders[bidder].type
        if kind not in params:
            raise InputError(f"There are no settings for bidder type '{kind}'.")
        if len(own):
            fitted[bidder] = fit_bidder(own, market, params[kind])
    return fitted


def fit_bidder(reports: Reports, market: Market, params: SvrParams) -> Fitted:
    """The regression of one bidder."""
    bundles = as_bundles(reports.bundles, market.capacities)
    kernel, numbers = params.form
    scale = params.value_scale
    if scale is None:
        full = market.full_bundle[None, :]
        largest = float(reports.values.max()) or 1.0
        scale = float(kernel_matrix(kernel, numbers, full, full)[0, 0]) / largest

    gram = kernel_matrix(kernel, numbers, bundles, bundles)
    weights, gap = solve_dual(gram, scale * reports.values, params.penalty, params.epsilon)
    kept = np.abs(weights) > params.drop_below
    mean = expansion(params, bundles[kept], weights[kept] / scale, market.capacities)
    found = mean(bundles)
    spread = ((reports.values - reports.values.mean()) ** 2).sum()
    missed = ((reports.values - found) ** 2).sum()
    return Fitted(
        mean,
        diagnostics={
            "mean_r2": float(1 - missed / spread) if spread > 0 else float(missed == 0),
            "mean_mae": float(np.abs(found - reports.values).mean()),
            "num_support": int(kept.sum()),
            "duality_gap": gap,
        },
    )


def expansion(
    params: SvrParams, centres: np.ndarray, weights: np.ndarray, capacities: np.ndarray
) -> ValueFunction:
    """The learned function, as a quadratic one where it is."""
    kernel, numbers = params.form
    if params.kernel in ("linear", "quadratic") and numbers[0] == 0:
        # sum_k w_k (c1 y_k.x + c2 (y_k.x)^2) = c1 (Y'w).x + c2 x'(Y' diag(w) Y) x
        linear = numbers[1] * (centres.T @ weights)
        square = numbers[2] if params.kernel == "quadratic" else 0.0
        return Quadratic(square * (centres.T * weights) @ centres, linear, capacities)
    return KernelExpansion(kernel, numbers, centres, weights, capacities)


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

    def __init__(self, K, b, v, eps, slacks, forces):
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
