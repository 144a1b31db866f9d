"""Gaussian processes of all bidders together."""

import numpy as np
import pytest

from boca.core import Bidder, Good, InputError, Market, Reports
from boca.core.demand import Demands
from boca.core.randomness import Seeds
from boca.functions.process import NUM_PARTS
from boca.surrogates.process.fit import Evidence, fit
from boca.surrogates.process.params import ProcessParams

MARKET = Market.simple(6, 3)
PARAMS = {"bidder": ProcessParams()}


def costs(bidder, bundles):
    """A fixed cost, goods and pairs that all have in common, times the bidder's own level."""
    pairs = np.add.outer(np.arange(6), np.arange(6)) % 5
    x = bundles.astype(float)
    return (1 + bidder) * (
        3 * x.any(axis=1) + x @ np.arange(4, 10) - 0.2 * ((x @ pairs) * x).sum(1)
    )


def asked(num, seed=0):
    rng = np.random.default_rng(seed)
    rows = [np.unique(rng.integers(0, 2, (num, 6)), axis=0) for _ in range(3)]
    rows = [own[own.any(axis=1)] for own in rows]
    return [Reports(own, costs(i, own)) for i, own in enumerate(rows)]


def learned(reports, market=MARKET, params=PARAMS):
    kind = market.bidders[0].type
    demands = [Demands.empty(market.num_goods)] * market.num_bidders
    return fit(reports, demands, market, {kind: params["bidder"]}, Seeds(0))


def test_what_others_say_helps():
    """Tests that one bidder's two answers and others' many say more than its own could."""
    many = asked(40)
    few = [many[0].part(np.arange(2)), *many[1:]]
    rows = np.array([np.unravel_index(k, (2,) * 6) for k in range(1, 64)])
    together = learned(few)[0].mean(rows)
    alone = learned([few[0], Reports.empty(6), Reports.empty(6)])[0].mean(rows)
    truth = costs(0, rows)
    assert np.abs(together - truth).mean() < 0.2 * np.abs(alone - truth).mean()


def test_answers_are_repeated_and_nothing_costs_nothing():
    """Tests the fit at what is known, and that the empty bundle teaches nothing."""
    reports = asked(20)
    fitted = learned(reports)
    for i, own in enumerate(reports):
        np.testing.assert_allclose(fitted[i].mean(own.bundles), own.values, rtol=0.01)
        assert fitted[i].diagnostics["mean_r2"] > 0.99
        assert fitted[i].mean(np.zeros((1, 6), dtype=np.int64))[0] == 0
    empty = Reports(np.vstack([np.zeros((1, 6), dtype=np.int64), reports[0].bundles]),
                    np.append(0.0, reports[0].values))  # fmt: skip
    again = learned([empty, *reports[1:]])
    rows = reports[1].bundles
    np.testing.assert_allclose(again[0].mean(rows), fitted[0].mean(rows))


def test_whoever_said_nothing_is_left_out():
    """Tests no reports, and reports of zeros alone."""
    reports = asked(10)
    zeros = Reports(reports[1].bundles, 0 * reports[1].values)
    assert sorted(learned([Reports.empty(6), zeros, reports[2]])) == [2]
    assert learned([Reports.empty(6)] * 3) == {}


def test_copies_count_as_shares():
    """Tests that 3 of 3 copies teach what 1 of 1 teaches."""
    market = Market(tuple(Good(f"g{j}", 3) for j in range(6)), tuple(map(Bidder, "ABC")))
    reports = asked(20)
    threefold = [Reports(3 * own.bundles, own.values) for own in reports]
    single, several = learned(reports), learned(threefold, market)
    rows = reports[0].bundles
    np.testing.assert_allclose(several[1].mean(3 * rows), single[1].mean(rows))


def test_slopes_of_the_evidence():
    """Tests every slope against differences, and that steps make the values more probable."""
    known = dict(enumerate(asked(8)))
    evidence = Evidence.of(known, MARKET, ProcessParams())
    rng = np.random.default_rng(1)
    point = np.append(rng.normal(-2, 1, 2 * NUM_PARTS + 1), rng.normal(2, 1, 3))
    _, slopes = evidence.improbability(point)
    for k in range(len(point)):
        step = 1e-5 * np.eye(len(point))[k]
        after, before = (evidence.improbability(point + sign * step)[0] for sign in (1, -1))
        assert slopes[k] == pytest.approx((after - before) / 2e-5, rel=1e-4, abs=1e-6)
    sizes = []
    for steps in (1, 8):
        ends = Evidence.of(known, MARKET, ProcessParams(steps)).most_probable
        sizes.append(evidence.improbability(np.log(np.concatenate(ends)))[0])
    assert sizes[1] < sizes[0]


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"steps": 1.5}, {"noise": 0.0}, {"noise": 1.0}])
def test_settings_are_checked(wrong):
    """Tests what has no meaning."""
    with pytest.raises(InputError):
        ProcessParams(**wrong)
