"""
What every surrogate promises, whatever it learns with.

A new surrogate is registered and added, with quick parameters, to ``QUICK`` below.
"""

import json

import numpy as np
import pytest
from random_functions import all_bundles

from boca.core import (
    Bidder,
    Demands,
    Good,
    InputError,
    Limit,
    Market,
    Reports,
    Seeds,
    check_feasible,
)
from boca.core.bundle import bundle_keys
from boca.functions import Envelope, ValueFunction
from boca.mechanism.presets import PRESETS, auction_params
from boca.surrogates import Fitted, MvnnParams, fit
from boca.surrogates.fourier import FourierParams
from boca.surrogates.joint import JointParams
from boca.surrogates.mean_nets.params import MeanNetParams
from boca.surrogates.mixed import MixedParams
from boca.surrogates.process import ProcessParams
from boca.surrogates.registry import Surrogate, surrogate_names
from boca.surrogates.svr import SvrParams
from boca.wdp import WelfareProblem, maximise_welfare

MARKET = Market.simple(5, 3)
NO_DEMANDS = [Demands.empty(5)] * 3
EVERYTHING = all_bundles(MARKET.capacities)
NET = MeanNetParams(kind="relu", hidden_units=8, epochs=60, learning_rate=0.01)

QUICK = {
    "mvnn": ("mvnn", MvnnParams(hidden_units=8, epochs=100, num_artificial=16)),
    "monotone net": ("mean-net", MeanNetParams(hidden_units=8, epochs=60, learning_rate=0.01)),
    "relu net": ("mean-net", NET),
    "svr": ("svr", SvrParams()),
    "svr gaussian": ("svr", SvrParams(kernel="gaussian")),
    "fourier network": ("fourier-network", FourierParams(network=NET)),
    "mixed": ("mixed", MixedParams(hidden_units=16, steps=300)),
    "joint": ("joint", JointParams(hidden_units=16, steps=300)),
    "process": ("process", ProcessParams()),
    "fourier": ("fourier", FourierParams(num_candidates=20, num_terms=15, network=NET)),
}


@pytest.fixture(scope="module")
def reports():
    """Three bidders with synergies; the last has not said anything."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(2):
        rows = np.vstack([MARKET.full_bundle, rng.permutation(EVERYTHING[1:-1])[:11]])
        worth = rng.uniform(1e5, 5e5, 5)
        found.append(Reports(rows, rows @ worth * (1 + 0.1 * rows.sum(axis=1))))
    return [*found, Reports.empty(5)]


@pytest.fixture(scope="module", params=QUICK)
def fitted(request, reports):
    """What one surrogate has learned, and how to learn it again."""
    name, params = QUICK[request.param]
    # Through plain values, as from a saved state or a settings file.
    plain = json.loads(json.dumps(Surrogate(name, {"": params}).to_dict()))
    learner = Surrogate.from_dict(plain)
    return learner.fit(reports, NO_DEMANDS, MARKET, Seeds(7)), learner


def test_every_learner_is_under_contract():
    """Tests that nobody registers a surrogate without adding it here."""
    assert {name for name, _ in QUICK.values()} == set(surrogate_names()) - {"additive"}


def test_learns_about_those_who_reported(fitted):
    """Tests that bidders without reports are left out, not guessed."""
    found, _ = fitted
    assert found.keys() == {0, 1}


def test_functions_have_the_right_shape_and_type(fitted):
    """Tests what winner determination relies on: float64, finite, one value per bundle."""
    found, _ = fitted
    for own in found.values():
        for function in (own.mean, own.upper, own.envelope):
            if function is not None:
                values = function(EVERYTHING)
                assert isinstance(function, ValueFunction)
                assert values.shape == (len(EVERYTHING),)
                assert values.dtype == np.float64
                assert np.isfinite(values).all()
                np.testing.assert_array_equal(function.capacities, MARKET.capacities)
                assert function(EVERYTHING[:0]).shape == (0,)


def test_values_are_in_units_of_value(fitted, reports):
    """Tests that what is learned is of the size of the reports: nothing stays scaled."""
    found, _ = fitted
    for i, own in found.items():
        error = np.abs(own.mean(reports[i].bundles) - reports[i].values).mean()
        assert error < 0.3 * reports[i].values.mean()


def test_empty_bundle_is_nearly_worthless(fitted, reports):
    """Tests that nothing is worth about nothing; exactly 0 where the form of function says so."""
    found, _ = fitted
    for i, own in found.items():
        nothing = own.mean(np.zeros((1, 5), dtype=int))[0]
        assert abs(nothing) < 0.25 * reports[i].values.max()


def test_same_seed_same_function(fitted, reports):
    """Tests that a fit can be repeated, which saved auctions rely on."""
    found, learner = fitted
    again = learner.fit(reports, NO_DEMANDS, MARKET, Seeds(7))
    for i, own in found.items():
        np.testing.assert_array_equal(own.mean(EVERYTHING), again[i].mean(EVERYTHING))


def test_diagnostics_can_be_saved(fitted):
    """Tests that diagnostics are plain values and tell how well reports are fitted."""
    for own in fitted[0].values():
        assert json.loads(json.dumps(dict(own.diagnostics))) == dict(own.diagnostics)
        assert own.diagnostics["mean_r2"] <= 1


def test_search_answers_are_feasible_and_new(fitted, reports):
    """Tests that the search can maximise the mean, also without the bundles already asked."""
    found, _ = fitted
    market = Market.simple(5, 2)
    functions = [found[i].mean for i in (0, 1)]
    for excluded in (None, {0: reports[0].bundles}):
        problem = WelfareProblem(market, functions, excluded=excluded)
        result = maximise_welfare(problem, seed=1)
        check_feasible(result.allocation, market)
        if excluded:
            won = bundle_keys(result.allocation.bundles[:1])[0]
            assert won not in bundle_keys(reports[0].bundles)
    best = max(
        functions[0](bundle[None])[0] + functions[1](1 - bundle[None])[0] for bundle in EVERYTHING
    )
    free = maximise_welfare(WelfareProblem(market, functions), seed=1).welfare
    assert free >= best - 1e-6 * abs(best)


@pytest.mark.parametrize("domain", ["gsvm", "lsvm", "srvm", "mrvm", "", "market.toml"])
@pytest.mark.parametrize("mechanism", PRESETS)
def test_every_preset_has_parameters_for_every_market(mechanism, domain):
    """Tests that each mechanism can be asked for by name, also where nothing is published."""
    params = auction_params(mechanism, MARKET, tuned=domain)
    surrogates = [phase.surrogate for phase in params.phases if phase.surrogate]
    assert bool(surrogates) == PRESETS[mechanism].learns
    for surrogate in surrogates:
        plain = json.loads(json.dumps(surrogate.to_dict()))
        assert Surrogate.from_dict(plain).to_dict() == surrogate.to_dict()


@pytest.mark.parametrize(
    "name", ["mvnn", "monotone net", "relu net", "svr", "mixed", "joint", "process"]
)
def test_learning_ends_at_what_a_bidder_can_hold(name, reports):
    """
    Tests that seats nobody can take change nothing: one of 900 is to a student what one of one is.

    A full bundle of all seats beyond the limits, which the bidder may have valued, is left out.
    """
    kind, params = QUICK[name]
    goods = tuple(Good(f"course {j}", 900) for j in range(5))
    limits = tuple(Limit(tuple(np.eye(5)[j]), 1.0) for j in range(5))
    market = Market(goods, tuple(Bidder(f"s{i}", limits=limits) for i in range(3)))
    demands = [Demands([[1e5] * 5], [[0, 1, 0, 1, 0]]), *NO_DEMANDS[1:]]
    surrogate = Surrogate(kind, {"": params})

    expected = surrogate.fit(reports, demands, MARKET, Seeds(4))
    beyond = [reports[0].add(market.full_bundle, 1e9), *reports[1:]]
    fitted = surrogate.fit(beyond, demands, market, Seeds(4))

    for i in (0, 1):
        assert (fitted[i].mean.capacities == 900).all()
        predicted, right = fitted[i].mean(EVERYTHING), expected[i].mean(EVERYTHING)
        np.testing.assert_allclose(predicted, right, rtol=1e-9, atol=1e-9 * right.max())
        if expected[i].upper is not None:
            upper, right = fitted[i].upper(EVERYTHING), expected[i].upper(EVERYTHING)
            np.testing.assert_allclose(upper, right, rtol=1e-9, atol=1e-9 * right.max())
        if name == "mvnn":
            envelope, right = fitted[i].envelope, expected[i].envelope
            np.testing.assert_array_equal(envelope(EVERYTHING), right(EVERYTHING))


@pytest.mark.parametrize("name", [name for name in QUICK if name != "mvnn"])
def test_no_value_of_the_full_bundle_is_invented(name, reports):
    """Tests that who declined to value everything is learned from what it has said."""
    kind, params = QUICK[name]
    without = [r.part(np.arange(1, len(r))) if len(r) else r for r in reports]
    fitted = Surrogate(kind, {"": params}).fit(without, NO_DEMANDS, MARKET, Seeds(4))

    assert fitted.keys() == {0, 1}
    assert all(fit.envelope is None for fit in fitted.values())  # nothing bounds its values


@pytest.mark.parametrize(
    ("bundles", "message"),
    [
        ([[2, 0, 0, 0, 0]], "Bundle 0 holds 2 copies of good 0; expected between 0 and 1"),
        (np.array([[0, 0, 0, 0, -1]]), "Bundle 0 holds -1 copies of good 4"),
        ([[0.5, 0, 0, 0, 0]], "fractional entries"),
        ([[1, 0]], "expected \\(num_bundles, 5\\)"),
        ([["a"] * 5], "expected whole numbers"),
        ([[1, 0, 0, 0, 0], [1]], "rows of different lengths"),
        (None, "shape"),
    ],
)
def test_functions_refuse_bundles_that_do_not_exist(fitted, bundles, message):
    """Tests every function that is handed out, with too many, negative and half copies."""
    own = fitted[0][0]
    for function in (own.mean, own.upper, own.envelope):
        if function is not None:
            with pytest.raises(InputError, match=message):
                function(bundles)
            assert function(np.array([[1, 0, 0, 0, 0]], dtype=float)).shape == (1,)


def test_what_was_learned_is_saved_and_loaded(fitted, tmp_path):
    """Tests that all functions give the same bits, and that everything else is there, too."""
    for own in fitted[0].values():
        own.save(tmp_path / "own.npz")
        again = Fitted.load(tmp_path / "own.npz")
        for name in ("mean", "upper", "envelope"):
            before, after = getattr(own, name), getattr(again, name)
            assert type(before) is type(after)
            if before is not None:
                assert np.array_equal(before(EVERYTHING), after(EVERYTHING))
        assert dict(again.diagnostics) == dict(own.diagnostics)
        assert (again.suggestions is None) == (own.suggestions is None)
        if own.suggestions is not None:
            assert np.array_equal(again.suggestions, own.suggestions)


def test_files_that_hold_nothing_learned_are_refused(tmp_path):
    """Tests damage, other versions, other contents, and functions that nobody can read again."""
    path = tmp_path / "x.npz"
    own = Fitted(Envelope([[1, 1]], [3.0]))
    own.save(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match="damaged or no file of"):
        Fitted.load(path)
    with pytest.raises(InputError, match=r"nowhere\.npz"):
        Fitted.load(tmp_path / "nowhere.npz")
    for plan, message in (
        ({"format": 2}, "has format 2; this version of boca reads 1"),
        ({"format": 1, "mean": 3}, "does not hold what"),
        ({"format": 1, "mean": {"type": "Path", "fields": {}}}, "damaged or no file"),
        ({"format": 1, "mean": {"type": "Envelope", "fields": {}}}, "does not hold what"),
        ([], "does not hold what|damaged"),
    ):
        np.savez(path, plan=np.array(json.dumps(plan)))
        with pytest.raises(InputError, match=message):
            Fitted.load(path)
    with pytest.raises(InputError, match="Something of type function cannot be saved"):
        Fitted(lambda bundles: bundles).save(path)


QUICKEST = MvnnParams(hidden_units=2, epochs=1)
TWO = Market.simple(2, 2)
FULL = Reports([[1, 1]], [3])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ab", TWO, QUICKEST, 1), "Received 'ab'; expected Reports, one per bidder"),
        ((None, TWO, QUICKEST, 1), "Received None; expected Reports"),
        (([1, 2], TWO, QUICKEST, 1), "Received 1 as reports; expected Reports"),
        (({"a": FULL}, TWO, QUICKEST, 1), "Received 'a' as bidder; expected the number"),
        (([FULL], None, QUICKEST, 1), "Received None as market; expected a boca.Market"),
        (([FULL], TWO, None, 1), "Received None as params; expected MvnnParams"),
        (([FULL], TWO, {"": 3}, 1), "Received 3 as params; expected MvnnParams"),
        (([FULL], TWO, QUICKEST, 1.5), "seed 1.5; expected a whole number"),
        (([FULL], TWO, QUICKEST, 1, "x"), "num_threads = 'x'; expected"),
        (([Reports([[1]], [3])], TWO, QUICKEST, 1), "expected \\(num_bundles, 2\\)"),
    ],
)
def test_arguments_of_the_wrong_kind_are_named(arguments, message):
    """Tests one sentence for each, before anything is trained."""
    with pytest.raises(InputError, match=message):
        fit(*arguments)
