"""Networks of costs: the mirror image of the loss."""

import numpy as np
import pytest

from boca.core import Bidder, Good, Limit, Market, Reports
from boca.functions import XorTable
from boca.surrogates import MvnnParams, fit
from boca.surrogates.mvnn.batches import all_reports
from boca.surrogates.mvnn.fit import shape_of, with_full_bundle
from boca.surrogates.mvnn.initialisation import draw_weights
from boca.surrogates.mvnn.loss import LossWeights, mean_fit, upper_fit
from boca.surrogates.mvnn.network import evaluate
from boca.surrogates.mvnn.optimiser import Pair
from boca.surrogates.mvnn.prepare import HEADROOM, PairTask
from boca.surrogates.mvnn.training import judges, losses_of

TINY = MvnnParams(
    hidden_layers=1, hidden_units=8, batch_size=8, epochs=300, num_artificial=16, steps_fraction=1.0
)
ALL = np.array(list(np.ndindex(2, 2, 2, 2)))


def market_of(most: float) -> Market:
    """Four lots, and a supplier that can supply some of them."""
    limits = (Limit((1.0,) * 4, most),)
    return Market(
        tuple(Good(f"lot {j}") for j in range(4)), (Bidder("A", "", limits),), sense="buy"
    )


def costs_of(rows) -> Reports:
    """A fixed cost of 30 and 20 for every lot."""
    bundles = ALL[rows]
    return Reports(bundles, 30.0 + 20 * bundles.sum(axis=1))


SINGLE = [1, 2, 4, 8, 3, 5, 10, 12]


def test_what_is_kept_is_what_is_not_supplied():
    """
    Tests the task: supplying nothing is free without a report, and nothing at all is said about
    supplying everything, which may be impossible.
    """
    task = PairTask.from_reports(costs_of(SINGLE), market_of(2.0), 0)

    assert task.largest == pytest.approx(HEADROOM * 70)
    assert task.bundles.tolist() == [*(1 - ALL[SINGLE]).tolist(), [1, 1, 1, 1]]
    assert task.values.tolist() == pytest.approx(
        [*(task.largest - task.costs.values), task.largest]
    )
    assert task.bundles.any(axis=1).all()  # nobody keeps nothing
    assert isinstance(task.bound, XorTable)
    assert task.bound([[1, 1, 1, 0], [0, 0, 0, 0]]).tolist() == [70.0, 0.0]
    whole = market_of(4.0)
    assert with_full_bundle(costs_of(SINGLE), whole, 0) == costs_of(SINGLE)
    assert PairTask.from_reports(costs_of(SINGLE), whole, 0).num_rows == len(SINGLE) + 1


def test_the_loss_sees_the_mirror_image():
    """Tests both fits against the formulas: 1 less the network at 1 less the input."""
    rng = np.random.default_rng(0)
    pair = Pair(draw_weights(4, TINY, rng), draw_weights(4, TINY, rng))
    data = PairTask.from_reports(costs_of(SINGLE), market_of(2.0), 0).data("cube", rng)
    shape = shape_of(TINY)._replace(mirrored=True)
    weights = LossWeights(*(getattr(TINY, name) for name in LossWeights._fields))
    batch = all_reports(data, judges(data, shape))

    losses = losses_of(pair, batch, None, weights, shape)
    plain = losses_of(pair, batch, None, weights, shape_of(TINY))

    mean = 1 - evaluate(pair.mean, 1 - data.inputs)
    upper = 1 - evaluate(pair.upper, 1 - data.inputs)
    rows = (data.targets, data.row_weights, weights)
    assert losses.mean == pytest.approx(float(mean_fit(mean, *rows)), rel=1e-5)
    assert losses.upper >= float(upper_fit(upper, *rows, TINY.loss)) * (1 - 1e-5)
    assert losses.artificial != plain.artificial


def test_the_bound_is_optimistic_about_costs():
    """Tests that costs are learned, and that the bound is below the mean where nobody was asked."""
    reports = costs_of(SINGLE)
    fitted = fit([reports], market_of(2.0), TINY, seed=5)[0]

    assert fitted.diagnostics["mean_r2"] > 0.9
    assert fitted.diagnostics["upper_r2"] > 0.8
    unasked = ALL[[6, 9, 7, 11, 13, 14, 15]]
    assert (fitted.upper(unasked) < fitted.mean(unasked)).mean() > 0.5
    assert fitted.upper(unasked).mean() < fitted.mean(unasked).mean()
    assert fitted.mean([0, 0, 0, 0]) == 0
