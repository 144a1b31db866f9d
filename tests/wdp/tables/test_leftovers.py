import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import generators
from random_problems import brute_force, lattices, random_problem

from boca.core import Allocation
from boca.wdp.tables.leftovers import Candidates, Packer, TooMany, pack
from boca.wdp.tables.value_table import Lattice


@given(lattices(most=64), st.data())
@settings(max_examples=80, deadline=None)
def test_keys_add_and_compare_like_bundles(capacities, data):
    """Tests the guard bits, which say when a capacity is exceeded."""
    packer = Packer(capacities)
    draw = st.tuples(*(st.integers(0, int(c)) for c in capacities)).map(np.array)
    first, second = data.draw(draw), data.draw(draw)

    sums = packer.keys(first[None]) + packer.keys(second[None])

    assert bool(packer.fit(sums)[0]) == bool((first + second <= capacities).all())


@given(generators(), lattices(most=64), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_packing_at_any_prices_is_exact(rng, capacities, num_bidders):
    """Tests that prices decide how much is left to pack, never what is best."""
    problem = random_problem(rng, capacities, max(2, num_bidders), ["monotone net", "xor"])
    best = brute_force(problem)
    if best is None:
        return
    lattice = Lattice(tuple(capacities.tolist()))
    bundles = lattice.bundles(np.arange(lattice.size))
    prices = rng.random(len(capacities))
    candidates, bound = [], float(prices @ capacities)
    for i in problem.bidders:
        allowed = problem.market.allows(i, bundles)
        allowed &= [not (bundle == problem.excluded.get(i, [-1])).all(axis=-1).any()
                    for bundle in bundles]  # fmt: skip
        gains = problem.functions[i](bundles[allowed]) - bundles[allowed] @ prices
        bound += gains.max()
        candidates.append(Candidates(bundles[allowed], gains.max() - gains))

    found, deficit = pack(candidates, capacities, prices, slack=bound - best + 1e-9)

    everyone = np.zeros((problem.market.num_bidders, len(capacities)), dtype=int)
    everyone[list(problem.bidders)] = found
    problem.check(Allocation(everyone))
    assert problem.welfare(Allocation(everyone)) == pytest.approx(best, abs=1e-9)
    assert bound - deficit == pytest.approx(best, abs=1e-9)


def test_too_little_slack_finds_nothing():
    """Tests that an allocation beyond the slack is not returned by accident."""
    one = Candidates(np.array([[1]]), np.array([0.0]))
    nothing = Candidates(np.array([[0]]), np.array([0.5]))
    capacities, prices = np.array([1]), np.array([0.25])

    assert pack([one, one], capacities, prices, 10.0) is None  # both want the only copy
    assert pack([one, nothing], capacities, prices, 0.4) is None
    found, deficit = pack([one, nothing], capacities, prices, 0.6)
    assert found.tolist() == [[1], [0]]
    assert deficit == 0.5
    _, deficit = pack([nothing], capacities, prices, 1.0)
    assert deficit == 0.75  # 0.5, and the unsold copy


def test_more_goods_than_bits_are_refused():
    """Tests that keys never overflow silently."""
    many = Candidates(np.zeros((1, 40), dtype=int), np.zeros(1))
    with pytest.raises(TooMany):
        pack([many], np.ones(40, dtype=int), np.zeros(40), 1.0)
