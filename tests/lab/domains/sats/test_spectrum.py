"""What holds for all four value models: golden data and properties of their values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boca.core.allocation import Allocation, check_feasible
from boca.lab.domains import load_domain

MODELS = ["gsvm", "lsvm", "srvm", "mrvm"]


@pytest.mark.parametrize("name", MODELS)
def test_values_are_the_recorded_ones(name, golden_values):
    """Tests all recorded values: published results are about exactly these instances."""
    golden = golden_values(name)
    for s, seed in enumerate(golden["seeds"]):
        domain = load_domain(name, seed=seed)
        assert list(domain.bidder_types) == golden["bidder_types"].tolist()
        for bidder in range(domain.market.num_bidders):
            values = domain.values(bidder, golden["X"][s])
            expected = golden["values"][s, bidder]
            np.testing.assert_allclose(values, expected, rtol=1e-12, atol=0)
            full = domain.values(bidder, domain.market.full_bundle)[0]
            assert full == pytest.approx(golden["full_value"][s, bidder], rel=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_generic_values_are_the_recorded_ones(name, golden_values):
    """Tests that the generic view gives the recorded values too."""
    golden = golden_values(name)
    for s, seed in enumerate(golden["seeds"][:4]):
        domain = load_domain(name, seed=seed, generic=True)
        bundles = golden["X"][s]
        if domain.grouping is not None:
            bundles = domain.grouping.to_counts(bundles)
        for bidder in range(domain.market.num_bidders):
            values = domain.values(bidder, bundles)
            np.testing.assert_allclose(values, golden["values"][s, bidder], rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", MODELS)
def test_samples_are_the_recorded_ones(name, golden_values):
    """Tests the sampler bit for bit, because published auctions start from its bundles."""
    golden = golden_values(name)
    for s, seed in enumerate(golden["seeds"]):
        domain = load_domain(name, seed=seed)
        for bidder in range(domain.market.num_bidders):
            bundles = domain.sample(bidder, 10, seed)
            assert np.array_equal(bundles, golden["uniform_X"][s, bidder])


@pytest.mark.parametrize("name", MODELS)
def test_optima_are_the_recorded_ones(name, golden_optima):
    """Tests all recorded optima, and that each comes with a feasible allocation and a proof."""
    for seed, recorded in golden_optima(name).items():
        domain = load_domain(name, seed=seed)
        efficient = domain.efficient()
        assert efficient.welfare == pytest.approx(recorded["value"], rel=1e-9)
        assert efficient.proven
        check_feasible(efficient.allocation, domain.market)
        assert domain.welfare(efficient.allocation) == efficient.welfare


@pytest.mark.parametrize("name", MODELS)
def test_recorded_allocations_have_the_recorded_welfare(name, golden_optima):
    """Tests item ids and limits from another side: the recorded optimum is feasible here."""
    for seed, recorded in golden_optima(name).items():
        domain = load_domain(name, seed=seed)
        bundles = np.zeros((domain.market.num_bidders, domain.market.num_goods), dtype=int)
        for bidder, items in enumerate(recorded["allocation"]):
            bundles[bidder, items] = 1
        check_feasible(Allocation(bundles), domain.market)
        assert domain.welfare(Allocation(bundles)) == pytest.approx(recorded["value"], rel=1e-12)


@pytest.mark.parametrize(
    ("name", "welfare"),
    [("lsvm", 563.5768403770246), ("srvm", 4580.719612689756), ("mrvm", 10781291924.493317)],
)
def test_welfare_to_the_last_digit(name, welfare):
    """Tests the figures that the documentation shows."""
    assert load_domain(name, seed=10001).efficient().welfare == welfare


@st.composite
def nested_bundles(draw):
    """A domain, a bidder, and two bundles of which the second contains the first."""
    domain = load_domain(
        draw(st.sampled_from(MODELS)), seed=draw(st.integers(-3, 3)), generic=draw(st.booleans())
    )
    bidder = draw(st.integers(0, domain.market.num_bidders - 1))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    density = draw(st.sampled_from([0.1, 0.5, 0.9]))
    capacities = domain.market.capacities
    small = generator.binomial(capacities, density)
    large = small + generator.binomial(capacities - small, 0.3)
    return domain, bidder, small, large


@settings(deadline=None)
@given(nested_bundles())
def test_values_never_fall_when_goods_are_added(case):
    """Tests monotonicity, on which learning and its bounds rest."""
    domain, bidder, small, large = case
    before, after = domain.values(bidder, np.stack([small, large]))
    assert 0 <= before <= after * (1 + 1e-12)


@settings(deadline=None)
@given(nested_bundles())
def test_one_bundle_or_many_is_the_same(case):
    """Tests that a value does not depend on what else is asked in the same call."""
    domain, bidder, small, large = case
    alone = domain.values(bidder, large)[0]
    together = domain.values(bidder, np.stack([small, large, large] * 7))
    assert (together[1::3] == alone).all()


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_nothing_is_worth_nothing(name, generic):
    """Tests the empty bundle, whose value is nobody's to report."""
    domain = load_domain(name, seed=0, generic=generic)
    for bidder in range(domain.market.num_bidders):
        assert domain.values(bidder, np.zeros(domain.market.num_goods))[0] == 0.0
