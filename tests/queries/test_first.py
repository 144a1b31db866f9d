"""Tests of the first queries."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boca.core import Bidder, Good, Limit, Market
from boca.core.bundle import bundle_keys
from boca.core.errors import InputError
from boca.queries.first import FirstBundles, independent, published
from boca.queries.planner import planner_to_dict
from boca.queries.random_bundles import draw_bundles, maximal_bundle


@given(st.integers(0, 10_000), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_first_bundles_are_distinct_and_start_with_the_full_one(seed, num):
    """Tests what every bidder is asked first, with capacities above one."""
    market = Market.simple(4, 2, capacities=[1, 2, 3, 1])
    bundles = independent(market, 0, num, np.random.default_rng(seed))
    assert len(bundles) == num
    assert (bundles[0] == market.full_bundle).all()
    assert len(set(bundle_keys(bundles))) == num
    assert bundles[1:].any(axis=1).all()  # none is empty


def test_random_bundles_obey_limits():
    """Tests that a bidder is not asked about bundles it could never be given."""
    market = Market(
        tuple(Good(f"g{j}", 2) for j in range(5)),
        (Bidder("b", limits=(Limit((1,) * 5, 3, "at most 3"), Limit((0, 0, 0, 0, 1), 0, "no"))),),
    )
    bundles = draw_bundles(market, 0, 40, np.random.default_rng(1))
    assert len(bundles) == 30  # of 4 goods, two copies each, at most 3: 31 with the empty one
    assert market.allows(0, bundles).all()


def test_a_small_market_runs_out_of_bundles():
    """Tests that drawing ends where no further bundle exists: 2 of 4 are neither empty nor full."""
    market = Market.simple(2, 1)
    assert len(draw_bundles(market, 0, 10, np.random.default_rng(0))) == 2


def test_known_bundles_are_not_drawn_again():
    """Tests the exclusion of bundles asked about earlier."""
    market = Market.simple(3, 1)
    first = draw_bundles(market, 0, 4, np.random.default_rng(0))
    rest = draw_bundles(market, 0, 10, np.random.default_rng(0), set(bundle_keys(first)))
    assert len(rest) == 2  # 8 bundles less empty, full and the four
    assert not set(bundle_keys(first)) & set(bundle_keys(rest))


def test_published_scheme_replaces_repeats_from_numbered_seeds():
    """Tests the replacement rule with a scripted sampler: seed 7, then 700000, 700001, ..."""
    calls = []

    def sample(num, seed):
        calls.append((num, seed))
        script = {7: [[1, 0, 0], [1, 0, 0], [0, 0, 0]], 700000: [[1, 1, 1]], 700001: [[0, 1, 0]]}
        return np.array(script.get(seed, [[0, 0, 1]]))

    bundles = published(Market.simple(3, 1), 0, 4, 7, sample)
    assert bundles.tolist() == [[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert calls == [(3, 7), (1, 700000), (1, 700001), (1, 700002)]


def test_no_initial_query_is_refused():
    """Tests the message for a count below one."""
    with pytest.raises(InputError, match="at least 1"):
        published(Market.simple(2, 1), 0, 0, 1, lambda num, seed: np.zeros((num, 2)))


def student(limits, num_goods=3, seats=900) -> Market:
    goods = tuple(Good(f"course {j}", seats) for j in range(num_goods))
    return Market(goods, (Bidder("student", limits=limits),))


def one_of_each(num_goods=3) -> tuple[Limit, ...]:
    return tuple(Limit(tuple(np.eye(num_goods)[j]), 1.0) for j in range(num_goods))


def test_first_bundles_end_at_what_a_bidder_can_hold():
    """Tests a student who takes one seat of each course at most: not 900 seats, but one of each."""
    bundles = independent(student(one_of_each()), 0, 7, np.random.default_rng(1))

    assert bundles[0].tolist() == [1, 1, 1]
    assert sorted(bundles.sum(axis=1).tolist()) == [1, 1, 1, 2, 2, 2, 3]  # all there are


def test_nobody_is_asked_about_more_than_it_can_have():
    """Tests a limit on the sum: no bundle contains all others, so one of the largest is first."""
    limits = (*one_of_each(), Limit((1.0, 1.0, 1.0), 2.0))
    market = student(limits)
    firsts = set()
    for seed in range(20):
        bundles = independent(market, 0, 7, np.random.default_rng(seed))
        assert market.allows(0, bundles).all()
        assert len(set(bundle_keys(bundles))) == 6
        assert bundles[0].sum() == 2
        firsts.add(tuple(bundles[0].tolist()))
    assert len(firsts) == 3


def test_nothing_can_be_added_to_a_maximal_bundle():
    """Tests copies, several limits, one of them with fractions, and a good without any."""
    goods = tuple(Good(f"g{j}", c) for j, c in enumerate((5, 4, 3, 2)))
    limits = (Limit((1.0, 0.5, 0.3, 0.0), 2.1), Limit((0.0, 1.0, 1.0, 0.0), 3.0))
    market = Market(goods, (Bidder("b", limits=limits), Bidder("free")))
    for seed in range(30):
        bundle = maximal_bundle(market, 0, np.random.default_rng(seed))
        assert market.allows(0, bundle)[0]
        assert not market.allows(0, bundle + np.eye(4, dtype=int)).any()
    assert maximal_bundle(market, 1, np.random.default_rng(0)).tolist() == [5, 4, 3, 2]


def test_the_first_bundle_is_not_asked_twice():
    """Tests that what is known already is replaced by another bundle."""
    market = student(one_of_each())
    known = set(bundle_keys(np.ones((1, 3), dtype=np.int64)))
    bundles = independent(market, 0, 7, np.random.default_rng(1), known)
    assert len(bundles) == 6
    assert bundles.sum(axis=1).max() == 2


def test_nobody_is_asked_about_nothing():
    """Tests a limit of a half: not even one copy can be had."""
    market = student((Limit((1.0, 1.0, 1.0), 0.5),))

    assert independent(market, 0, 7, np.random.default_rng(1)).shape == (0, 3)
    assert published(market, 0, 4, 7, lambda num, seed: np.zeros((num, 3), int)).shape == (0, 3)


def test_published_bundles_begin_with_all_that_can_be_held():
    """Tests the published scheme for a bidder with limits."""

    def sample(num, seed):
        return np.random.default_rng(seed).integers(0, 2, (num, 3))

    bundles = published(student(one_of_each()), 0, 4, 7, sample)
    assert bundles[0].tolist() == [1, 1, 1]
    assert len(set(bundle_keys(bundles))) == 4


def test_without_the_full_bundle_all_are_random():
    """Tests the first queries of earlier mechanisms: nobody is asked about everything."""
    market = Market.simple(4, 2, capacities=[1, 2, 3, 1])
    bundles = independent(market, 0, 20, np.random.default_rng(1), full_bundle=False)
    assert len(set(bundle_keys(bundles))) == 20
    assert not (bundles == market.full_bundle).all(axis=1).any()


def test_the_full_bundle_is_yes_or_no():
    """Tests that a word from a file is not taken for yes."""
    with pytest.raises(InputError, match="full_bundle = 'no'; expected true or false"):
        FirstBundles(4, "no")
    assert planner_to_dict(FirstBundles(4)) == {"name": "first", "num_queries": 4}
    assert planner_to_dict(FirstBundles(4, False))["full_bundle"] is False
