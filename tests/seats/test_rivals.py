"""Other rules on markets small enough to know the answer."""

import numpy as np
import pytest
from tiny_courses import all_schedules, tiny_market

from boca.seats import measure_envy, reason_for
from boca.seats.assign import assign_seats
from boca.seats.rivals import RIVALS
from boca.seats.rules import SeatRules
from boca.seats.seating import padded
from boca.seats.wish import wishes


def given(seed):
    tiny = tiny_market(seed, with_rules=False)
    num, num_courses = tiny.market.num_bidders, tiny.market.num_goods
    everything = [np.ones(num_courses, dtype=bool)] * num
    order = [np.arange(num_courses)] * num
    return tiny, wishes(tiny.market, tiny.utilities, SeatRules(), order, everything)


def rows_of(tiny, schedules):
    rows = np.zeros((tiny.market.num_bidders, tiny.market.num_goods), dtype=int)
    for row, courses in zip(rows, schedules, strict=True):
        row[courses] = 1
    return rows


@pytest.mark.parametrize("rule", RIVALS)
@pytest.mark.parametrize("seed", range(20_000, 20_030))
def test_rivals_keep_seats_and_limits(rule, seed):
    """Tests feasibility."""
    tiny, everybody = given(seed)
    order = np.random.default_rng(seed).permutation(tiny.market.num_bidders)
    rows = rows_of(tiny, RIVALS[rule](everybody, tiny.market.capacities, order))
    assert (rows.sum(axis=0) <= tiny.market.capacities).all()
    for i, row in enumerate(rows):
        assert tiny.market.allows(i, row)[0]


@pytest.mark.parametrize("seed", range(20_000, 20_030))
def test_dictators_take_their_best(seed):
    """Tests serial dictatorship against a plain loop."""
    tiny, everybody = given(seed)
    order = np.random.default_rng(seed).permutation(tiny.market.num_bidders)
    rows = rows_of(tiny, RIVALS["dictatorship"](everybody, tiny.market.capacities, order))
    left = tiny.market.capacities.copy()
    for i in order:
        options = all_schedules(tiny.market, i, left > 0)
        best = tiny.utilities[i](options).max()
        assert tiny.utilities[i](rows[i][None])[0] == pytest.approx(best)
        left -= rows[i]


@pytest.mark.parametrize("seed", range(20_000, 20_030))
def test_no_rule_has_a_larger_sum_than_the_largest(seed):
    """Tests the largest sum against the others and the equilibrium."""
    tiny, everybody = given(seed)
    order = np.arange(tiny.market.num_bidders)
    sums = {}
    for name, rule in RIVALS.items():
        rows = rows_of(tiny, rule(everybody, tiny.market.capacities, order))
        sums[name] = sum(u(r[None])[0] for u, r in zip(tiny.utilities, rows, strict=True))
    seating = assign_seats(tiny.market, tiny.utilities, seed=seed)
    values = zip(tiny.utilities, seating.allocation.bundles, strict=True)
    sums["equilibrium"] = sum(u(r[None])[0] for u, r in values)
    assert max(sums.values()) <= sums["largest sum"] * 1.006 + 1e-9  # its gap


def test_the_draft_goes_there_and_back():
    """Tests turns by hand: with one seat each, the last of the first turn picks again."""
    tiny, _ = given(20_000)
    market = type(tiny.market).simple(4, 2, [1, 1, 1, 1])
    from boca.functions import AdjustedSum

    ratings = [AdjustedSum([10.0, 9.0, 8.0, 1.0])] * 2
    offered = [np.ones(4, dtype=bool)] * 2
    both = wishes(market, ratings, SeatRules(), [np.arange(4)] * 2, offered)
    first, second = RIVALS["draft"](both, market.capacities, np.array([0, 1]))
    assert sorted(first.tolist()) == [0, 3]
    assert sorted(second.tolist()) == [1, 2]


def test_envy_counts_pairs_parts_and_order():
    """Tests envy by hand: two want the pair that the third has."""
    from boca.core import Market
    from boca.functions import AdjustedSum

    market = Market.simple(3, 3, [1, 1, 1])
    ratings = [AdjustedSum([10.0, 10.0, 1.0])] * 3
    offered = [np.ones(3, dtype=bool)] * 3
    everybody = wishes(market, ratings, SeatRules(), [np.arange(3)] * 3, offered)
    rows = padded(np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0]]))
    envy = measure_envy(everybody, rows, np.array([1.0, 1.1, 1.2]), np.zeros(3))
    assert envy.students == (0, 1, 2)
    assert envy.pairs == 3
    assert envy.beyond_one == 2  # one of two courses is still more than what they have
    assert envy.against_order == 3
    assert envy.largest > 9
    apart = measure_envy(everybody, rows, np.array([1.0, 1.1, 1.2]), np.arange(3))
    assert apart.against_order == 0


def test_reasons_name_what_was_too_dear():
    """Tests the explanation of a student who lost a tie."""
    from boca.core import Market
    from boca.functions import AdjustedSum

    market = Market.simple(2, 2, [1, 2])
    seating = assign_seats(market, [AdjustedSum([10.0, 4.0])] * 2)
    loser = int(seating.allocation.bundles[:, 0].argmin())
    reason = reason_for(seating, loser)
    assert reason is not None
    assert reason.wanted == (0,)
    assert reason.without == (0,)
    assert reason.cost > reason.budget
    assert reason_for(seating, 1 - loser) is None
