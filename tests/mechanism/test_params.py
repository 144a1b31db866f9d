"""Tests of the settings and presets."""

import pytest

from boca.core import InputError, Market
from boca.mechanism import PRESETS, AuctionParams, StoppingParams, auction_params

MARKET = Market.simple(3, 2)


def test_defaults_are_the_papers():
    """Tests 40 / 4 / 100 and the fifteen rounds that follow."""
    params = auction_params("boca", MARKET)
    first, acquisition = params.phases
    assert (first.num_queries, acquisition.planner.num_per_round, params.num_total) == (40, 4, 100)
    assert params.phase_ends == (40, 100)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"num_total": 10}, "budget of 10 queries per bidder for phases that need 40"),
        ({"num_initial": 0}, "at least 1"),
        ({"num_per_round": 0}, "at least 1"),
        ({"acquisition": "best"}, "expected one of mean, upper"),
        ({"proof": "maybe"}, "'none', 'optimal' or a relative gap"),
        ({"proof": 1.5}, "relative gap"),
        ({"proof": True}, "expected a text or a number"),
        ({"payment_rule": "gsp"}, "expected one of vcg, core"),
        ({"num_initial": "x"}, "num_initial = 'x'; expected a whole number"),
        ({"num_per_round": 2.5}, "num_per_round = 2.5; expected a whole number"),
        ({"solve_seconds": -1}, "above 0"),
    ],
)
def test_wrong_settings_are_refused(values, message):
    """Tests that each mistake says what was received and expected."""
    with pytest.raises(InputError, match=message):
        auction_params("boca", MARKET, **values)


def test_an_acquisition_is_refused_where_nothing_is_maximised():
    """Tests that a choice that would be ignored is not taken."""
    with pytest.raises(InputError, match="maximises nothing"):
        auction_params("random", MARKET, acquisition="upper")
    with pytest.raises(InputError, match="for svr; expected one of mean"):
        auction_params("svr", MARKET, acquisition="upper")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"patience": 0}, "at least 1"),
        ({"patience": "long"}, "whole number"),
        ({"max_seconds": 0}, "above 0"),
        ({"max_seconds": float("nan")}, "expected a number"),
        ({"max_seconds": "1h"}, "max_seconds = '1h'; expected a number"),
    ],
)
def test_wrong_stopping_rules_are_refused(values, message):
    """Tests that no rule is accepted that would stop at once, or fail in the middle."""
    with pytest.raises(InputError, match=message):
        StoppingParams(**values)


def test_an_unknown_setting_names_the_nearest():
    """Tests the hint for a misspelt key."""
    with pytest.raises(InputError, match="did you mean 'num_total'"):
        AuctionParams.from_dict({"num_totl": 3})
    with pytest.raises(InputError, match="did you mean 'patience'"):
        AuctionParams.from_dict({"stopping": {"patiense": 3}})


def test_settings_survive_plain_values():
    """Tests the round trip, nested settings included."""
    params = auction_params("boca", MARKET, proof=0.01, seed=0, stopping=StoppingParams(patience=3))
    assert AuctionParams.from_dict(params.to_dict()) == params


@pytest.mark.parametrize("mechanism", sorted(PRESETS))
def test_every_preset_fits_any_market(mechanism):
    """Tests that a market nobody has tuned gets settings of every mechanism."""
    params = auction_params(mechanism, MARKET, num_initial=5, num_total=9)
    assert params.mechanism == mechanism
    assert params.num_total == 9
    for phase in params.phases:
        assert phase.surrogate is None or phase.surrogate.params.keys() == {""}


@pytest.mark.parametrize(
    ("name", "value", "where"),
    [
        ("num_total", 50, lambda params: params.num_total),
        ("stopping.patience", 3, lambda params: params.stopping.patience),
        ("acquisition.economies", "main", lambda params: params.phases[1].planner.economies),
        ("surrogate.epochs", 7, lambda params: params.phases[1].surrogate.params[""].epochs),
    ],
)
def test_one_setting_can_be_changed_by_its_name(name, value, where):
    """Tests what grids and the command line do."""
    assert where(auction_params("boca", MARKET).changed(name, value)) == value


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("num_totl", "did you mean 'num_total'"),
        ("stopping.patiense", "did you mean 'patience'"),
        ("acquisiton.proof", "did you mean 'acquisition'"),
        ("acquisition.prof", "did you mean 'proof'"),
        ("surrogate.epoch", "did you mean 'epochs'"),
        ("surrogate.national.epochs", "expected a bidder type"),
    ],
)
def test_an_unknown_name_to_change_names_the_nearest(name, message):
    """Tests that a misspelt change is not ignored."""
    with pytest.raises(InputError, match=message):
        auction_params("boca", MARKET).changed(name, 1)


def test_unknown_mechanism_lists_the_names():
    """Tests the message for a misspelt mechanism."""
    with pytest.raises(InputError, match="did you mean 'boca'"):
        auction_params("bocca", Market.simple(2, 2))


def test_a_misspelt_change_of_a_preset_names_the_nearest():
    """Tests the hint where settings are given as keywords."""
    with pytest.raises(InputError, match="did you mean 'num_initial'"):
        auction_params("boca", Market.simple(2, 2), num_intial=3)


def test_planners_inside_planners_can_be_changed():
    """Tests that grids reach the trust region of a hybrid's rounds, and the message if not."""
    params = auction_params("hybrid", MARKET).changed("prices.values.distance", 7)
    assert params.phase("prices").planner.values.distance == 7
    with pytest.raises(InputError, match="did you mean 'distance'"):
        params.changed("prices.values.distanc", 7)
    with pytest.raises(InputError, match="no settings of its own"):
        params.changed("nearby.distance.more", 7)
