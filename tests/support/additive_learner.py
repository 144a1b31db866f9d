"""A learner for tests: fits additive values by least squares, at once and without a framework."""

from dataclasses import dataclass

import numpy as np

from boca.functions import Envelope, MonotoneNet
from boca.surrogates.fitted import Fitted


@dataclass(frozen=True)
class AdditiveParams:
    """
    How far the upper bound lies above the mean.

    Parameters
    ----------
    optimism
        Added to the mean, as a share of it.
    """

    optimism: float = 0.1


def fit(reports, market, params, seed):
    """Additive functions with non-negative slopes, one a bidder with reports."""
    fitted = {}
    for i, own in enumerate(reports):
        if len(own) == 0:
            continue
        shares = own.bundles / market.capacities
        slopes = np.maximum(np.linalg.lstsq(shares, own.values, rcond=None)[0], 0)
        optimism = params[market.bidders[i].type].optimism
        fitted[i] = Fitted(
            mean=linear(slopes, market),
            upper=linear((1 + optimism) * slopes, market),
            envelope=Envelope.from_reports(own, market.capacities),
            diagnostics={"mean_r2": 1.0},
        )
    return fitted


def linear(slopes, market):
    """A monotone network that has a skip connection and one idle neuron."""
    m = market.num_goods
    return MonotoneNet(
        [np.zeros((m, 1))],
        [np.zeros(1)],
        [np.zeros(1)],
        np.zeros(1),
        skip=slopes,
        capacities=market.capacities,
    )
