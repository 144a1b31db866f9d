"""
Support vector regression of values, as in SVR-MLCA (Brero, Lubin and Seuken, 2018).

The regression has no intercept, so that a linear kernel gives the empty bundle 0.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from boca.core.bundle import as_bundles
from boca.core.demand import Demands
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.functions import KernelExpansion, Quadratic, ValueFunction
from boca.functions.kernel_expansion import kernel_matrix
from boca.surrogates.arguments import params_of, reach, reporting
from boca.surrogates.fitted import Fitted
from boca.surrogates.goodness import goodness
from boca.surrogates.svr.dual import solve_dual
from boca.surrogates.svr.params import SvrParams


def fit(
    reports: Sequence[Reports],
    demands: Sequence[Demands],
    market: Market,
    params: Mapping[str, SvrParams],
    seeds: Seeds,
) -> dict[int, Fitted]:
    """
    Learns the mean of every bidder that has reports; the others are left out.

    Parameters
    ----------
    reports
        What each bidder has said, one entry per bidder of the market.
    demands
        Not used: only values are learned from.
    market
        Goods and bidders.
    params
        Settings of each bidder type.
    seeds
        Not used: nothing is random.
    """
    return {
        bidder: fit_bidder(rows, market, bidder, params_of(market.bidders[bidder].type, params))
        for bidder, rows in reporting(reports, market).items()
    }


def fit_bidder(reports: Reports, market: Market, bidder: int, params: SvrParams) -> Fitted:
    """The regression of one bidder."""
    bundles = as_bundles(reports.bundles, market.capacities)
    kernel, numbers = params.form
    scale = params.value_scale
    if scale is None:
        # What is worth most should be about its own product with itself; all that the bidder can
        # hold, if it has valued that.
        full = reach(market, bidder)
        most = full if full in reports else bundles[reports.values.argmax()]
        largest = float(reports.values.max()) or 1.0
        scale = float(kernel_matrix(kernel, numbers, most[None], most[None])[0, 0]) / largest

    gram = kernel_matrix(kernel, numbers, bundles, bundles)
    weights, gap = solve_dual(gram, scale * reports.values, params.penalty, params.epsilon)
    support = np.abs(weights) > params.drop_below
    mean = expansion(params, bundles[support], weights[support] / scale, market.capacities)
    details = goodness("mean", mean(bundles), reports.values)
    return Fitted(
        mean,
        diagnostics={**details, "num_support": int(support.sum()), "duality_gap": gap},
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
