"""Tests of simulated auctions and their observer."""

from dataclasses import replace

import numpy as np
import pytest

from boca.core import InputError
from boca.lab.domains import load_domain
from boca.lab.simulation.bidders import SimulatedBidders
from boca.lab.simulation.simulated_auction import first_bundles, simulate
from boca.lab.simulation.strategies import DroppingOut, Noisy, Shading, Truthful
from boca.mechanism import AuctionParams, Phase, auction_params
from boca.queries import FirstBundles, RandomBundles

RANDOM = AuctionParams(
    (
        Phase("first", FirstBundles(5), num_queries=5),
        Phase("random", RandomBundles(3), share=1.0),
    ),
    num_total=11,
)


def test_losses_are_measured_by_the_truth():
    """
    Tests the final loss against true values, with bidders that report half of them and so few
    queries that something is lost.
    """
    domain = load_domain("toy", seed=1)
    few = AuctionParams((Phase("first", FirstBundles(3), num_queries=3),), num_total=3)
    simulation = simulate(domain, few, Shading(0.5))
    won = simulation.outcome.allocation.bundles
    true = sum(domain.values(i, won[i][None, :])[0] for i in range(3))
    assert true == 8
    assert simulation.efficiency_loss == pytest.approx(1 - 8 / 12)  # 12 is the toy's optimum
    assert [entry.efficiency_loss for entry in simulation.path] == [simulation.efficiency_loss]
    assert simulation.outcome.welfare == pytest.approx(true / 2)
    assert simulation.true_values.sum() == pytest.approx(true)


def test_the_path_has_an_entry_a_round_and_ends_at_the_final_loss():
    """Tests the numbers behind the regret plot."""
    simulation = simulate(load_domain("toy", seed=1), RANDOM)
    assert [entry.queries for entry in simulation.path] == [5, 8, 11]
    assert simulation.path[-1].efficiency_loss == simulation.efficiency_loss
    losses = [entry.efficiency_loss for entry in simulation.path]
    assert losses == sorted(losses, reverse=True)  # truthful reports: never worse


def test_an_observer_stops_at_the_optimum():
    """Tests the experiments' rule: 11 of the toy's 12 bundles are enough to be efficient."""
    full = auction_params("random", load_domain("toy").market, num_initial=11, num_total=40)
    simulation = simulate(load_domain("toy", seed=1), full, stop_when_efficient=True)
    assert simulation.efficiency_loss == 0
    assert "observer" in simulation.state.stopped


def test_published_start_is_the_sampler_stream():
    """Tests the first bundles of a published LSVM run: full bundle, then the seed's stream."""
    domain = load_domain("lsvm", seed=10001)
    bundles = first_bundles(domain, 40)
    assert all(np.array_equal(bundles[0], other) for other in bundles)  # the same for everybody
    assert len(bundles[0]) == 40
    assert (bundles[0][0] == 1).all()
    assert np.array_equal(bundles[0][1:], domain.sample(0, 39, 10001))


def test_market_files_have_no_published_start():
    """Tests the message where no seed made the market."""
    domain = load_domain("toy")
    if domain.seed is None:
        with pytest.raises(InputError, match="seed"):
            first_bundles(domain, 40)


class TestStrategies:
    """Tests how bidders answer, with a true value of 10."""

    @pytest.fixture
    def query(self):
        from boca.core import Query, Reason

        return Query(0, (1, 0, 0), Reason("initial"))

    def test_truthful(self, query):
        assert Truthful()(query, 10.0, 0) == 10

    def test_shading(self, query):
        assert Shading(0.7)(query, 10.0, 0) == pytest.approx(7)

    def test_noise_is_the_same_for_the_same_bundle(self, query):
        noisy = Noisy(0.1, seed=4)
        assert noisy(query, 10.0, 0) == noisy(query, 10.0, 7) != 10
        assert Noisy(0.0)(query, 10.0, 0) == 10

    def test_dropping_out(self, query):
        assert DroppingOut(after=2)(query, 10.0, 1) == 10
        assert DroppingOut(after=2)(query, 10.0, 2) is None

    @pytest.mark.parametrize("make", [lambda: Shading(1.5), lambda: Noisy(-1)])
    def test_bad_settings(self, make):
        with pytest.raises(InputError, match="expected"):
            make()


def test_every_bidder_may_have_its_own_strategy():
    """Tests a mixed crowd, and the message for a wrong number of strategies."""
    domain = load_domain("toy", seed=1)
    crowd = [Truthful(), DroppingOut(after=3), Noisy(0.05)]
    simulation = simulate(domain, RANDOM, crowd)
    assert [len(reports) for reports in simulation.state.reports] == [11, 3, 11]
    with pytest.raises(InputError, match="expected 3"):
        SimulatedBidders(domain, [Truthful()])


def test_who_has_dropped_out_stays_out_when_an_auction_goes_on():
    """Tests that a bidder's count of answers goes on with a saved state."""
    domain = load_domain("toy", seed=1)
    short = simulate(domain, replace(RANDOM, num_total=8), DroppingOut(after=3)).state
    longer = replace(short, params=RANDOM, stopped=None, closed=False)
    later = simulate(domain, RANDOM, DroppingOut(after=3), state=longer).state
    assert later.num_asked > short.num_asked
    assert [len(reports) for reports in later.reports] == [3, 3, 3]
