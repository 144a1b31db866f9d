"""Simulated purchases and exchanges: what an observer counts, and whole runs."""

import json

import numpy as np
import pytest

from boca.core import InputError
from boca.lab.domains import load_domain
from boca.lab.domains.lanes import Lanes
from boca.lab.simulation.bidders import SimulatedBidders
from boca.lab.simulation.mechanisms import mechanism_params
from boca.lab.simulation.observer import Observer
from boca.lab.simulation.simulated_auction import simulate
from boca.lab.simulation.start_prices import with_known_prices
from boca.mechanism import Auction, auction_params, hybrid_presets
from boca.mechanism.drive import tell
from boca.surrogates.mixed.params import MixedParams

QUICK = {"steps": 60, "hidden_units": 8, "members": 2}


def quick_hybrid(domain, **settings):
    """Hybrid with networks that are trained in no time, and the prices that a buyer knows."""
    params = auction_params("hybrid", domain.market, num_total=20, seed=3, **settings)
    has_networks = params.phases[-1].surrogate.name == "mixed"
    for name, value in QUICK.items() if has_networks else ():
        params = params.changed(f"surrogate.{name}", value)
    return with_known_prices(params, domain)


def test_loss_of_a_purchase_is_its_cost_above_the_least():
    """Tests the loss by hand: nothing bought from suppliers, and the cheapest award."""
    domain = Lanes(1, 4, 2)
    observer, best = Observer(domain), domain.efficient()
    nothing = np.zeros((2, 4), dtype=int)

    assert observer.loss(best.allocation.bundles) == 0
    outside = sum(domain.reserve)
    assert observer.loss(nothing) == pytest.approx((outside + best.welfare) / -best.welfare)
    assert observer.true_welfare(nothing) == pytest.approx(-outside)


def test_loss_of_an_exchange_is_the_share_of_gains():
    """Tests that nothing traded is everything lost, and the best allocation nothing."""
    domain = load_domain("exchange-lsvm", 20001)
    observer = Observer(domain)

    assert observer.loss(domain.market.endowments) == pytest.approx(1)
    assert observer.loss(domain.efficient().allocation.bundles) == 0
    assert 0 < observer.before < observer.optimum


@pytest.mark.parametrize("mechanism", ["random", "hybrid", "hybrid with networks"])
def test_a_whole_purchase(mechanism, monkeypatch):
    """
    Tests a simulated purchase: its settings know the at-most prices, costs and savings agree with
    the truth, suppliers are paid at least their costs, and the mechanism never costs less than the
    optimum.
    """
    domain = Lanes(1, 5, 3)
    if "networks" in mechanism:  # as for purchases that are too large for a process
        monkeypatch.setattr(hybrid_presets, "MOST_BUNDLES", 0)
    params = quick_hybrid(domain)
    assert ("open" in [phase.name for phase in params.phases]) == ("networks" in mechanism)
    if mechanism == "random":
        params = auction_params("random", domain.market, num_initial=4, num_total=20, seed=3)
    simulation = simulate(domain, params)
    result = simulation.to_dict()

    assert simulation.state.params.reserve == pytest.approx(domain.reserve)
    assert simulation.efficiency_loss >= 0
    assert result["cost"] == pytest.approx(-simulation.outcome.welfare)  # truthful suppliers
    assert result["cost"] == pytest.approx(result["least_cost"] * (1 + simulation.efficiency_loss))
    assert result["savings"] == pytest.approx(1 - result["cost"] / sum(domain.reserve))
    assert (simulation.outcome.utilities >= -1e-9).all()
    assert result["relative_revenue"] >= 1
    assert max(result["num_asked"]) <= 20
    json.dumps(result, allow_nan=False)
    for i, reports in enumerate(simulation.state.reports):
        assert domain.market.allows(i, reports.bundles).all()


def test_a_whole_exchange():
    """Tests a simulated exchange by hybrid: gains add up, nothing is left over, nobody loses."""
    domain = load_domain("exchange-gsvm", 20001)
    simulation = simulate(domain, quick_hybrid(domain))
    result = simulation.to_dict()

    assert result["gain"] == pytest.approx(result["largest_gain"] * (1 - result["efficiency_loss"]))
    assert simulation.outcome.revenue == pytest.approx(0, abs=1e-6)
    assert (simulation.outcome.utilities >= -1e-9).all()
    firsts = [reports.bundles[0].tolist() for reports in simulation.state.reports]
    held = [bidder.endowment for bidder in domain.market.bidders]
    assert all(first == list(own) for first, own in zip(firsts, held, strict=True) if any(own))


@pytest.mark.parametrize("name", ["lanes", "exchange-gsvm"])
def test_a_run_that_was_cut_off_goes_on_as_if_nothing_had_happened(tmp_path, name):
    """Tests a state from a file in the middle of learning: same questions, same end."""
    domain = Lanes(1, 5, 3) if name == "lanes" else load_domain(name, 20001)
    params = quick_hybrid(domain)
    whole = simulate(domain, params)

    auction, bidders = Auction.start(domain.market, params), SimulatedBidders(domain)
    while auction.state.phase < 3:  # the first phase that learns
        for question in auction.ask():
            tell(auction, question, bidders(question))
    auction.save(tmp_path / "state.json")
    resumed = simulate(domain, params, state=Auction.load(tmp_path / "state.json").state)

    assert resumed.state.reports == whole.state.reports
    assert resumed.state.demands == whole.state.demands
    assert resumed.outcome.payments.tolist() == whole.outcome.payments.tolist()
    assert resumed.path == whole.path


def test_the_benchmark_with_full_information_only_sells():
    """Tests the message instead of payments of the wrong sign."""
    for domain, text in ((Lanes(1, 4, 2), "buys"), (load_domain("exchange-gsvm", 1), "exchange")):
        with pytest.raises(InputError, match=text):
            simulate(domain, mechanism_params("vcg", domain.market))


def test_networks_of_costs_know_the_mixed_params():
    """Tests that the settings changed above exist: a misspelt one would be ignored silently."""
    assert set(QUICK) <= set(MixedParams.__dataclass_fields__)
