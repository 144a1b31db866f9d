"""Whole auctions with demand and value queries, with truthful simulated bidders."""

import json

import numpy as np
import pytest
from small_domain import SmallDomain

from boca.core.query import DemandQuery, Query
from boca.lab.domains import load_domain
from boca.lab.simulation.simulated_auction import simulate
from boca.lab.simulation.strategies import Ranging
from boca.mechanism import AuctionState, auction_params
from boca.mechanism.callbacks import Callback

MECHANISMS = ("hybrid", "local", "ml-cca", "mlhca")


def quick(mechanism, market, **changes):
    """Settings with few queries and short trainings."""
    params = auction_params(mechanism, market, num_total=30, seed=4, **changes)
    return params.changed("surrogate.steps", 60)


@pytest.fixture(scope="module")
def domain():
    return SmallDomain()


@pytest.fixture(scope="module")
def simulations(domain):
    """Every mechanism once."""
    return {name: simulate(domain, quick(name, domain.market)) for name in MECHANISMS}


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_budget_holds_and_the_outcome_is_good(simulations, domain, mechanism):
    """Tests that nobody is asked more than the budget, and that little is lost."""
    simulation = simulations[mechanism]
    assert max(simulation.state.num_asked) <= 30
    assert simulation.efficiency_loss < 0.15
    assert (simulation.outcome.payments <= simulation.outcome.values + 1e-9).all()


@pytest.mark.parametrize("mechanism", ["hybrid", "mlhca"])
def test_no_question_is_left_over(simulations, mechanism):
    """
    Tests that somebody has answered the whole budget, in a market so small that the trust region
    runs out of news, and although rounds of four questions do not divide the budget.
    """
    assert max(simulations[mechanism].state.num_asked) == 30


@pytest.mark.parametrize("mechanism", ["hybrid", "mlhca"])
def test_certificates_are_never_below_the_optimum(simulations, domain, mechanism):
    """Tests every round's bound, and that what is missing is at most what is said."""
    simulation = simulations[mechanism]
    certified = [r for r in simulation.state.history if r.welfare_bound is not None]
    assert certified
    for record, entry in zip(simulation.state.history, simulation.path, strict=True):
        if record.welfare_bound is not None:
            assert record.welfare_bound >= simulation.optimum * (1 - 1e-9)
            assert entry.efficiency_loss <= record.missing + 1e-9
    result = simulation.to_dict()
    assert result["missing"] == simulation.state.history[-1].missing
    assert result["num_asked"] == list(simulation.state.num_asked)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_bids_are_never_above_true_values(simulations, domain, mechanism):
    """Tests that what choices prove is true, since payments depend on it."""
    for bidder, bids in enumerate(simulations[mechanism].state.bids()):
        truth = domain.values(bidder, bids.bundles)
        assert (bids.values <= truth + 1e-9 * np.abs(truth) + 1e-9).all()


def test_demands_alone_prove_nothing_about_welfare(simulations):
    """Tests that without any value there is no bound, rather than a wrong one."""
    history = simulations["ml-cca"].state.history
    assert all(record.welfare_bound is None for record in history)


def test_hybrid_asks_both_kinds_in_one_round():
    """Tests that a round at the networks' prices holds demand and value queries."""
    domain = load_domain("lsvm", seed=20001)
    rounds = []

    class Listener(Callback):
        def on_asked(self, state, questions):
            rounds.append({type(question) for question in questions})

    simulate(domain, quick("hybrid", domain.market), callbacks=(Listener(),))
    assert {Query, DemandQuery} in rounds


def test_a_saved_state_goes_on_to_the_same_end(simulations, domain):
    """Tests that an auction broken off in the middle ends as if it had not been."""

    class Break(Exception):
        pass

    saved = []

    class Breaker(Callback):
        def on_asked(self, state, questions):
            if state.round == 9:
                saved.append(json.dumps(state.to_dict()))
                raise Break

    params = quick("hybrid", domain.market)
    with pytest.raises(Break):
        simulate(domain, params, callbacks=(Breaker(),))
    state = AuctionState.from_dict(json.loads(saved[0]))
    resumed = simulate(domain, params, state=state)
    whole = simulations["hybrid"]
    np.testing.assert_array_equal(
        resumed.outcome.allocation.bundles, whole.outcome.allocation.bundles
    )
    np.testing.assert_array_equal(resumed.outcome.payments, whole.outcome.payments)
    assert [r.welfare_bound for r in resumed.state.history] == [
        r.welfare_bound for r in whole.state.history
    ]


def test_an_auction_stops_once_little_is_missing(domain):
    """Tests the stopping rule, and that its promise holds."""
    params = quick("hybrid", domain.market).changed("stopping.proven_gap", 0.4)
    simulation = simulate(domain, params)
    assert simulation.state.stopped.startswith("proven: at most")
    assert simulation.efficiency_loss <= simulation.state.history[-1].missing <= 0.4
    assert max(simulation.state.num_asked) < 30


@pytest.mark.parametrize("mechanism", ["hybrid", "mlhca"])
def test_ranges_are_kept_as_bounds_and_narrowed_in_the_end(domain, mechanism):
    """Tests whole auctions with ranges: certificates hold, and winners have said values."""
    params = quick(mechanism, domain.market, ranges=True)
    simulation = simulate(domain, params, Ranging(0.3, seed=1))
    state = simulation.state
    assert any(reports.has_ranges for reports in state.reports)
    assert max(state.num_asked) <= 30
    assert any(record.phase == "narrow" for record in state.history)
    for record in state.history:
        if record.welfare_bound is not None:
            assert record.welfare_bound >= simulation.optimum * (1 - 1e-9)
    assert simulation.efficiency_loss < 0.15
    for i, bundle in enumerate(simulation.outcome.allocation.bundles):
        if bundle in state.reports[i]:
            assert state.reports[i].value_of(bundle) == state.reports[i].high_of(bundle)
        assert simulation.outcome.values[i] <= simulation.true_values[i] + 1e-9
    assert AuctionState.from_dict(json.loads(json.dumps(state.to_dict()))).reports == state.reports
