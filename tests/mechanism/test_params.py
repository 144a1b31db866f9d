"""Tests of the settings and presets."""

import pytest

from boca.core import InputError, Market
from boca.mechanism import PRESETS, AuctionParams, StoppingParams, auction_params


def test_defaults_are_the_papers():
    """Tests 40 / 4 / 100 and the fifteen rounds that follow."""
    params = AuctionParams()
    assert (params.num_initial, params.num_per_round, params.num_total) == (40, 4, 100)
    assert params.num_rounds == 15


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"num_total": 10}, "budget of 10 queries with 40 initial"),
        ({"num_initial": 0}, "at least 1"),
        ({"num_per_round": 0}, "at least 1"),
        ({"acquisition": "best"}, "expected one of upper"),
        ({"proof": "maybe"}, "'none', 'optimal' or a relative gap"),
        ({"proof": 1.5}, "relative gap"),
        ({"payment_rule": "gsp"}, "'vcg' or 'core'"),
        ({"num_initial": "x"}, "num_initial = 'x'; expected a whole number"),
        ({"num_per_round": 2.5}, "num_per_round = 2.5; expected a whole number"),
        ({"surrogate": "none"}, "a mechanism that learns nothing"),
        ({"acquisition": "full", "payment_rule": "core"}, "VCG payments only"),
    ],
)
def test_wrong_settings_are_refused(values, message):
    """Tests that each mistake says what was received and expected."""
    with pytest.raises(InputError, match=message):
        AuctionParams(**values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"patience": 0}, "at least 1"),
        ({"patience": "long"}, "whole number"),
        ({"max_seconds": 0}, "more than 0"),
        ({"max_seconds": float("nan")}, "more than 0"),
        ({"max_seconds": "1h"}, "max_seconds = '1h'; expected a number"),
    ],
)
def test_wrong_stopping_rules_are_refused(values, message):
    """Tests that no rule is accepted that would stop at once, or fail in the middle."""
    with pytest.raises(InputError, match=message):
        StoppingParams(**values)


def test_an_unknown_setting_names_the_nearest():
    """Tests the hint for a misspelt key."""
    with pytest.raises(InputError, match="'num_initial'"):
        AuctionParams.from_dict({"num_inital": 3})


def test_settings_survive_plain_values():
    """Tests the round trip, nested settings included."""
    params = AuctionParams(proof=0.01, seed=0, stopping=StoppingParams(patience=3))
    assert AuctionParams.from_dict(params.to_dict()) == params


@pytest.mark.parametrize("mechanism", sorted(PRESETS))
def test_every_preset_fits_any_market(mechanism):
    """Tests that a market nobody has tuned gets settings of every mechanism."""
    params = auction_params(mechanism, Market.simple(3, 2), num_initial=5, num_total=9)
    assert params.mechanism == mechanism
    assert params.num_total == 9
    if params.surrogate != "none":
        assert params.surrogate_params.keys() == {""}


def test_unknown_mechanism_lists_the_names():
    """Tests the message for a misspelt mechanism."""
    with pytest.raises(InputError, match="expected one of boca, mvnn"):
        auction_params("bocca", Market.simple(2, 2))


def test_a_misspelt_change_of_a_preset_names_the_nearest():
    """Tests the hint where settings are given as keywords."""
    with pytest.raises(InputError, match="did you mean 'num_initial'"):
        auction_params("boca", Market.simple(2, 2), num_intial=3)
