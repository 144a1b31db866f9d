"""A learner for tests: fits additive values by least squares, at once and without a framework."""

from dataclasses import dataclass

import numpy as np

from boca.functions import Envelope, MonotoneNet
from boca.mechanism import AuctionParams, Phase
from boca.queries import Acquisition, FirstBundles
from boca.surrogates.fitted import Fitted
from boca.surrogates.registry import Surrogate, register_surrogate


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


def fit(reports, demands, market, params, seeds):
    """Additive functions with non-negative slopes, one per bidder with reports."""
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
            envelope=Envelope.from_reports(own, market.capacities, top=own.values.max()),
            diagnostics={"mean_r2": 1.0},
        )
    return fitted


register_surrogate("additive", AdditiveParams, fit)


def quick_params(num_initial, num_per_round, num_total, optimism=0.1, **others):
    """An auction in two phases whose learner needs no framework."""
    surrogate = Surrogate("additive", {"": AdditiveParams(optimism)})
    planner = Acquisition(num_per_round=num_per_round)
    return AuctionParams(
        (
            Phase("first", FirstBundles(num_initial), num_queries=num_initial),
            Phase("acquisition", planner, surrogate, share=1.0),
        ),
        num_total=num_total,
        **others,
    )


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
