"""Tests of the choice of marginal economies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boca.queries.economies import MarginalUse


@given(st.integers(2, 8), st.integers(2, 6), st.integers(1, 20), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_global_use_is_balanced_to_a_difference_of_one(n, per_round, rounds, seed):
    """Tests the promise of the paper's first adaptation, after every round."""
    generator = np.random.default_rng(seed)
    use = MarginalUse.none(n)
    for _ in range(rounds):
        chosen, use = use.choose_global(min(per_round, n), generator)
        assert len(set(chosen)) == min(per_round, n)
        assert max(use.overall) - min(use.overall) <= 1


def test_a_bidder_never_uses_the_economy_without_itself():
    """Tests that economies are those the bidder is part of, in the order of the global choice."""
    use = MarginalUse((0,) * 6, tuple((k,) * 6 for k in range(6)))
    mine, after = use.choose_for(2, (5, 2, 0, 1), 3, np.random.default_rng(0))
    assert mine == (5, 0, 1)
    others = use.by_bidder[:2], use.by_bidder[3:]
    assert after.by_bidder == (*others[0], (3, 3, 2, 2, 2, 3), *others[1])


def test_a_bidder_drops_the_economy_it_used_most():
    """Tests the choice of three out of four economies by the bidder's own counts."""
    use = MarginalUse((1, 1, 1, 1, 0), ((0, 2, 1, 1, 0),) + ((0,) * 5,) * 4)
    mine, _ = use.choose_for(0, (1, 2, 3, 4), 3, np.random.default_rng(0))
    assert mine == (2, 3, 4)  # economy 1 has been used twice, the others at most once


@pytest.mark.parametrize("seed", range(5))
def test_ties_are_random_but_seeded(seed):
    """Tests that the same generator gives the same economies."""
    first, _ = MarginalUse.none(7).choose_global(4, np.random.default_rng(seed))
    again, _ = MarginalUse.none(7).choose_global(4, np.random.default_rng(seed))
    assert first == again


def test_use_survives_json():
    """Tests the round trip through plain values."""
    use = MarginalUse((1, 0), ((0, 1), (2, 0)))
    assert use.to_dict() == {"overall": [1, 0], "by_bidder": [[0, 1], [2, 0]]}
    assert MarginalUse.from_dict(use.to_dict()) == use


def test_uses_are_counted_from_none():
    """Tests counts before the first round and after the least used economy was chosen."""
    assert MarginalUse.none(2) == MarginalUse((0, 0), ((0, 0), (0, 0)))
    use = MarginalUse((2, 1, 2), ((0,) * 3,) * 3)
    chosen, after = use.choose_global(1, np.random.default_rng(0))
    assert chosen == (1,)
    assert after == MarginalUse((2, 2, 2), use.by_bidder)
