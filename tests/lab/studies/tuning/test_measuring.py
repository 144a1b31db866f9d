"""One measurement: whose networks are trained, and what counts."""

import pytest
from tuning_parts import quick_setup

from boca.lab.domains import load_domain
from boca.lab.simulation.mechanisms import mechanism_params
from boca.lab.studies.tuning.engines import ThreadEngine
from boca.lab.studies.tuning.measuring import measure, measure_plain, mechanism_with, with_params
from boca.lab.studies.tuning.setup import TuningSetup, as_plain
from boca.surrogates import MvnnParams, Surrogate
from boca.surrogates.goodness import mean_absolute_error
from boca.surrogates.ranges import Space, make_params, usual_space

MARKET = load_domain("lsvm", seed=1).market


def test_plain_values_give_the_same_numbers():
    """Tests what is sent to another machine."""
    setup, params = quick_setup(), make_params("svr", {"penalty": 3.0})
    plain = measure_plain(setup.to_dict(), as_plain(params), 2)

    assert TuningSetup.from_dict(setup.to_dict()) == setup
    assert plain["scores"] == measure(setup, params, 2)["scores"]


def test_shared_networks_are_judged_over_all_bidders():
    """Tests that networks with a common layer are trained together and every bidder counts."""
    params = make_params("joint", {"steps": 20, "hidden_units": 8, "members": 1})
    space = usual_space("joint", MARKET)
    setup = quick_setup(space=space, bidder_type=None)
    scores = measure(setup, params, 1)["scores"]

    assert scores.keys() == {"all"}
    assert scores["all"] > 0


def test_short_auction():
    """Tests the criterion that looks at the end of an auction: a loss between 0 and 100 %."""
    setup = quick_setup(criterion="auction", bidder_type=None, market="toy")
    measurement = measure(setup, make_params("svr", {}), 1)

    assert 0 <= measurement["scores"]["all"] < 100


def test_mechanism_that_learns_with_a_surrogate():
    """Tests that a surrogate is judged in an auction of its own."""
    assert mechanism_with("mvnn", MARKET) == "boca"
    assert mechanism_with("svr", MARKET) == "svr"
    assert mechanism_with("joint", MARKET) == "local"


def test_only_the_tuned_type_changes():
    """Tests that a short auction leaves the other bidders their published networks."""
    auction = mechanism_params("boca", MARKET, tuned="lsvm")
    changed = with_params(auction, "mvnn", {"national": MvnnParams(hidden_units=5)})
    before, after = (a.phase("acquisition").surrogate.params for a in (auction, changed))

    assert after["national"].hidden_units == 5
    assert after["regional"] == before["regional"]


def test_networks_of_the_paper_s_criterion():
    """Tests a real training of both networks, as short as can be, for every quantile at once."""
    space = Space.from_dict({"surrogate": "mvnn", "ranges": {"epochs": {"low": 1, "high": 2}}})
    setup = quick_setup(space=space, criterion="paper")
    params = MvnnParams(hidden_layers=1, hidden_units=4, epochs=1, num_artificial=8, max_attempts=1)
    measurement = ThreadEngine(1).measure(setup, params, 1)

    assert list(measurement["scores"]) == ["0.6", "0.75", "0.9", "0.95"]
    assert all(score > 0 for score in measurement["scores"].values())


def test_error_is_that_of_the_fitted_mean():
    """Tests a score against the same training done by hand."""
    from boca.core.randomness import Seeds
    from boca.lab.studies.tuning.instances import make_instance

    setup, params = quick_setup(), make_params("svr", {"penalty": 3.0})
    instance = make_instance(setup, 5)
    surrogate = Surrogate("svr", {"national": params})
    seeds = Seeds(0).child("tuning", 5)
    mean = surrogate.fit(instance.reports, instance.demands, instance.market, seeds)[0].mean
    (test,) = instance.tests

    expected = mean_absolute_error(mean(test.bundles), test.values)
    assert measure(setup, params, 5)["scores"]["all"] == pytest.approx(expected)
