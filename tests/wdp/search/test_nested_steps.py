"""Quick steps of functions made of others give what calling them gives."""

import numpy as np
from hypothesis import given, settings
from random_functions import all_bundles, capacities, envelope, generators, monotone_net

from boca.core import Market, Reports
from boca.core.demand import Demands
from boca.functions import Minimum
from boca.functions.average import Optimistic
from boca.functions.near import Near
from boca.functions.revealed import RevealedBound
from boca.wdp.search.nested_steps import (
    MinimumSteps,
    NearSteps,
    OptimisticSteps,
    RevealedSteps,
)
from boca.wdp.search.steps import CallSteps, steps_of


def compare(function, kind, rng):
    """Compares values and every possible step from every bundle."""
    quick, plain = steps_of(function), CallSteps(function)
    assert isinstance(quick, kind)
    limits = np.asarray(function.capacities)
    bundles = all_bundles(limits)
    size = np.abs(function(bundles)).max() + 1
    np.testing.assert_allclose(quick.values(bundles), plain.values(bundles), atol=1e-5 * size)

    step = np.where(rng.random(bundles.shape) < 0.5, 1, -1)
    possible = (bundles + step >= 0) & (bundles + step <= limits)
    ours, theirs = quick.after(bundles, step), plain.after(bundles, step)
    np.testing.assert_allclose(ours[possible], theirs[possible], atol=1e-5 * size)


@settings(max_examples=30, deadline=None)
@given(generators(), capacities())
def test_minimum(rng, limits):
    """Tests a network under an envelope."""
    compare(Minimum([monotone_net(rng, limits), envelope(rng, limits)]), MinimumSteps, rng)


@settings(max_examples=30, deadline=None)
@given(generators(), capacities())
def test_mean_plus_spread(rng, limits):
    """Tests three members; the standard deviation is where rounding would show."""
    members = [monotone_net(rng, limits) for _ in range(3)]
    compare(Optimistic(members, 1.5), OptimisticSteps, rng)


@settings(max_examples=30, deadline=None)
@given(generators(), capacities())
def test_near(rng, limits):
    """Tests distances that change by one in either direction."""
    centre = rng.integers(0, limits + 1)
    compare(Near(monotone_net(rng, limits), centre, 1, 0.3), NearSteps, rng)


@settings(max_examples=50, deadline=None)
@given(generators(), capacities())
def test_revealed_bound(rng, limits):
    """Tests containment and linear bounds after a step, also of answers that contradict."""
    bundles = all_bundles(limits)
    chosen = rng.random(len(bundles)) < 0.3
    chosen[-1] = True
    chosen[0] = False  # the empty bundle is worth nothing
    reports = Reports(bundles[chosen], 10 * rng.random(chosen.sum()))
    demands = Demands.empty(len(limits))
    for _ in range(rng.integers(0, 4)):
        demands = demands.add(rng.random(len(limits)), rng.integers(0, limits + 1))
    market = Market.simple(len(limits), 1, limits.tolist())
    compare(RevealedBound.from_answers(reports, demands, market, 0), RevealedSteps, rng)
