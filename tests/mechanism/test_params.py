"""Tests of the settings and presets."""

import numpy as np
import pytest
from additive_learner import AdditiveParams

from boca.core import InputError, Market
from boca.core.report import LARGEST_VALUE
from boca.mechanism import PRESETS, AuctionParams, Phase, StoppingParams, auction_params
from boca.queries import Acquisition, FirstBundles, RandomBundles
from boca.surrogates.registry import Surrogate

MARKET = Market.simple(3, 2)
RANDOM = RandomBundles(1)


def test_what_nobody_chooses():
    """Tests the defaults that docstrings and pages state."""
    stopping = StoppingParams()
    assert (stopping.min_gain, stopping.when_proven) == (1e-4, False)
    assert (stopping.max_seconds, stopping.patience, stopping.proven_gap) == (None, None, None)
    params = AuctionParams()
    assert (params.num_total, params.seed, params.phases) == (100, 0, ())


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"proven_gap": 1.0}, "expected a share below 1"),
        ({"proven_gap": 1.5}, "expected a share below 1"),
        ({"proven_gap": 0.0}, "above 0"),
        ({"min_gain": "much"}, "min_gain = 'much'; expected a number"),
        ({"when_proven": 1}, "when_proven = 1; expected true or false"),
        ({"patience": 1.5}, "expected a whole number"),
    ],
)
def test_stopping_rules_without_a_meaning_are_refused(values, message):
    with pytest.raises(InputError, match=message):
        StoppingParams(**values)


def test_the_smallest_stopping_rules_are_taken():
    rules = StoppingParams(patience=1, max_seconds=0.5, proven_gap=0.999, min_gain=0)
    assert (rules.patience, rules.max_seconds, rules.proven_gap) == (1, 0.5, 0.999)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"phases": 3}, "expected a list of phases"),
        ({"stopping": {"patience": 3}}, "expected a table of settings"),
        ({"mechanism": 3}, "expected a name"),
        ({"num_total": 0}, "num_total = 0; expected at least 1"),
        ({"num_total": 2.5}, "expected a whole number"),
        ({"seed": 0.5}, "seed = 0.5; expected a whole number"),
        ({"payment_rule": "second"}, "expected one of vcg, core"),
        ({"reserve": 3}, "expected one price per good"),
        ({"reserve": ("dear", 1)}, "expected one price per good"),
        ({"reserve": (1, -0.5)}, "reserve price outside of 0"),
        ({"reserve": (1, 2 * LARGEST_VALUE)}, "reserve price outside of 0"),
        ({"reserve": (1, float("nan"))}, "reserve price outside of 0"),
    ],
)
def test_settings_without_a_meaning_are_refused(values, message):
    with pytest.raises(InputError, match=message):
        AuctionParams(**values)


@pytest.mark.parametrize(
    ("reserve", "kept"),
    [
        ([0, 0.0], ()),
        ((), ()),
        (np.array([0, 2]), (0.0, 2.0)),
        ([0.5, 0.5], (0.5, 0.5)),
        ([float("inf"), LARGEST_VALUE], (float("inf"), LARGEST_VALUE)),
    ],
)
def test_reserve_prices_are_kept_as_numbers(reserve, kept):
    """Tests that all zero is none, and that what must be covered has no price outside."""
    assert AuctionParams(reserve=reserve).reserve == kept


def test_phases_fit_into_the_budget():
    """Tests numbers that use all of it and one too many, and shares that add up with rounding."""
    three, four = (Phase(str(n), RANDOM, num_queries=n) for n in (3, 4))
    assert AuctionParams((three, four), num_total=7).phase_ends == (3, 7)
    assert AuctionParams((Phase("x", RANDOM, num_queries=1),), num_total=1).phase_ends == (1,)
    with pytest.raises(InputError, match="budget of 6 queries per bidder for phases that need 7"):
        AuctionParams((three, four), num_total=6)
    half = Phase("half", RANDOM, share=0.5)
    free = Phase("free", RANDOM)
    for rest, is_fine in ((0.5, True), (0.5 + 0.5e-9, True), (0.5 + 1.5e-9, False)):
        phases = (half, free, Phase("rest", RANDOM, share=rest))
        if is_fine:
            assert len(AuctionParams(phases).phases) == 3
        else:
            with pytest.raises(InputError, match="shares of the phases add up to 1"):
                AuctionParams(phases)


def test_a_phase_is_put_in_the_place_of_its_namesake():
    """Tests the middle one of three, and a name that nobody has."""
    params = AuctionParams(tuple(Phase(name, RANDOM, num_queries=2) for name in "abc"))
    longer = Phase("b", RANDOM, num_queries=5)
    changed = params.with_phase(longer)
    assert changed.phases == (params.phases[0], longer, params.phases[2])
    assert params.phase("c") is params.phases[2]
    with pytest.raises(InputError, match="There is no phase 'd'"):
        params.with_phase(Phase("d", RANDOM))
    with pytest.raises(InputError, match="There is no phase 'd'"):
        params.phase("d")


def test_parameters_of_surrogates_change_for_everybody_or_for_one_type():
    """Tests two types of bidders, a phase that learns nothing, and one that learns otherwise."""
    kinds = {"a": AdditiveParams(0.1), "b": AdditiveParams(0.2)}
    params = AuctionParams(
        (
            Phase("first", FirstBundles(2), num_queries=2),
            Phase("one", Acquisition(), Surrogate("additive", kinds), share=0.5),
            Phase(
                "two", Acquisition(), Surrogate("additive", {"b": AdditiveParams(0.3)}), share=0.5
            ),
        )
    )

    def optimism(name):
        phases = params.changed(name, 0.7).phases
        assert phases[0] == params.phases[0]
        return [{k: p.optimism for k, p in phase.surrogate.params.items()} for phase in phases[1:]]

    assert optimism("surrogate.optimism") == [{"a": 0.7, "b": 0.7}, {"b": 0.7}]
    assert optimism("surrogate.a.optimism") == [{"a": 0.7, "b": 0.2}, {"b": 0.3}]
    assert optimism("surrogate.b.optimism") == [{"a": 0.1, "b": 0.7}, {"b": 0.7}]
    with pytest.raises(InputError, match="expected a bidder type: a, b"):
        params.changed("surrogate.c.optimism", 0.7)
    with pytest.raises(InputError, match="did you mean 'optimism'"):
        params.changed("surrogate.a.optimsm", 0.7)


def test_settings_are_read_from_plain_values_and_from_phases():
    """Tests what is given and what is not, and phases that are none."""
    phase = Phase("a", RANDOM, num_queries=2)
    params = AuctionParams.from_dict({"phases": [phase, {**phase.to_dict(), "name": "b"}]})
    assert [p.name for p in params.phases] == ["a", "b"]
    assert params.stopping == StoppingParams()
    assert AuctionParams.from_dict({}) == AuctionParams()
    assert AuctionParams.from_dict({"stopping": {"patience": 3}}).stopping.patience == 3
    assert AuctionParams.from_dict({"phases": (phase,)}).phases == (phase,)
    with pytest.raises(InputError, match="expected a list of phases"):
        AuctionParams.from_dict({"phases": "random"})
    assert params.changed("seed", 7).seed == 7
    assert params.changed("stopping.patience", 7).stopping.patience == 7
    assert params.changed("a.num_per_round", 7).phases[0].planner.num_per_round == 7
    assert params.changed("a.num_per_round", 7).phases[1].planner.num_per_round == 1


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
