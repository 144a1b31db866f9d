"""The best bids, to the unit, against brute force."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boca_verify import Undecided
from boca_verify.outcome import optimum
from boca_verify.outcome.optimum import CheckedBid, Waste, best_bids


def brute_force(bids: list[CheckedBid], capacities: tuple[int, ...]) -> int:
    """Every way to accept at most one bid per bidder."""
    nothing = CheckedBid(-1, (0,) * len(capacities), 0)
    owners = sorted({bid.owner for bid in bids})
    choices = [[nothing, *(bid for bid in bids if bid.owner == owner)] for owner in owners]
    best = 0
    for rows in product(*choices):
        given = [sum(bid.bundle[j] for bid in rows) for j in range(len(capacities))]
        if all(n <= c for n, c in zip(given, capacities, strict=True)):
            best = max(best, sum(bid.surplus for bid in rows))
    return best


@st.composite
def problems(draw, top: int = 6, spread: int = 6):
    """Capacities and bids, whose values are near a large number or all small."""
    capacities = tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=4)))
    bundle = st.tuples(*(st.integers(0, c) for c in capacities)).filter(any)
    value = st.integers(0, spread).map(lambda less: top - less)
    bid = st.builds(CheckedBid, st.integers(0, 4), bundle, value)
    return draw(st.lists(bid, max_size=9)), capacities


@given(problems())
@settings(max_examples=60, deadline=None)
def test_ties_and_small_values(problem):
    """Tests whole numbers of a few units, where many allocations are equally good."""
    bids, capacities = problem

    assert best_bids(bids, capacities).surplus == brute_force(bids, capacities)


@pytest.mark.parametrize("top", [10**8, 10**12])
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_one_unit_decides_between_large_values(top, data):
    """Tests values that differ by a unit in the last place, beyond what a solver can see."""
    bids, capacities = data.draw(problems(top, 3))

    assert best_bids(bids, capacities).surplus == brute_force(bids, capacities)


def cycle(values: list[int]) -> tuple[list[CheckedBid], tuple[int, ...]]:
    """Bidders in a ring who want two neighbouring goods each: the relaxation divides them all."""
    num = len(values)
    rows = [tuple(int(j in (i, (i + 1) % num)) for j in range(num)) for i in range(num)]
    bids = [
        CheckedBid(i, bundle, units)
        for i, (bundle, units) in enumerate(zip(rows, values, strict=True))
    ]
    return bids, (1,) * num


def test_large_values_that_the_relaxation_divides():
    """Tests a ring of five around 10^12, whose bound is half a bid above the best allocation."""
    values = [10**12 + 1, 10**12, 10**12 + 3, 10**12, 10**12 + 2]
    bids, capacities = cycle(values)
    best = best_bids(bids, capacities)

    assert best.surplus == 2 * 10**12 + 5 == brute_force(bids, capacities)
    assert {bid.owner for bid in best.bids} == {2, 4}


def test_the_start_is_kept_if_nothing_is_better():
    """Tests that a known allocation is returned when it is one of the best."""
    bids, capacities = cycle([5, 5, 5, 5])
    start = [bids[1], bids[3]]

    assert best_bids(bids, capacities, start).bids == tuple(start)


@given(problems(50, 49), st.data())
@settings(max_examples=50, deadline=None)
def test_the_bound_holds_at_any_prices(problem, data):
    """Tests weak duality, on which exactness rests: no prices give a bound below the optimum."""
    bids, capacities = problem
    prices = tuple(data.draw(st.integers(0, 40)) for _ in capacities)

    assert Waste.at_prices(bids, capacities, prices).bound >= brute_force(bids, capacities)


def test_giving_up_is_an_error(monkeypatch):
    """Tests that an optimum without proof is never returned as one."""
    monkeypatch.setattr(optimum, "MOST_PARTS", 1)
    monkeypatch.setattr(optimum, "LARGEST_COST", 1)

    with pytest.raises(Undecided, match="not proven"):
        best_bids(*cycle([100, 101, 102, 103, 104]))
