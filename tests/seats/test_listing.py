"""A student's best schedules, by table and by branch and bound, against a plain loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_courses import all_schedules

from boca.core import Bidder, Good, Limit, Market
from boca.functions import AdjustedSum, Adjustment, Quadratic
from boca.seats.listing import _branched, _from_table
from boca.seats.rules import SeatRules
from boca.seats.template import num_subsets, template
from boca.seats.wish import wishes


def random_wish(rng, num_courses=8, most=3, held=()):
    """A student with credits, a conflict and adjustments of both signs."""
    credits = tuple(float(c) for c in rng.integers(1, 4, num_courses))
    conflict = np.zeros(num_courses)
    conflict[rng.choice(num_courses, 2, replace=False)] = 1
    limits = (
        Limit((1.0,) * num_courses, float(most), "courses"),
        Limit(credits, float(rng.integers(4, 9)), "credits"),
        Limit(tuple(conflict), 1.0, "conflict"),
    )
    market = Market(tuple(Good(f"c{j}", 3) for j in range(num_courses)), (Bidder("s", "", limits),))
    ratings = rng.uniform(-5, 50, num_courses)
    if rng.random() < 0.5:
        sets = [rng.choice(num_courses, 3, replace=False) for _ in range(3)]
        utility = AdjustedSum(
            ratings,
            (
                Adjustment(sets[0], factors=[0, 0, 0.4, 0.72]),
                Adjustment(sets[1], factors=[0, 0, -0.4, -0.72]),
                Adjustment(sets[2], points=[0, *rng.normal(0, 20, 3)]),
            ),
        )
    else:
        pairs = np.triu(rng.normal(0, 15, (num_courses, num_courses)))
        utility = Quadratic(pairs, ratings)
    rules = SeatRules(held=(tuple(held),), required=(((int(rng.integers(num_courses)),),),))
    if rng.random() < 0.5:
        rules = SeatRules(held=(tuple(held),))
    offered = [np.ones(num_courses, dtype=bool)]
    wish = wishes(market, [utility], rules, [rng.permutation(num_courses)], offered)[0]
    return market, utility, rules, wish


def by_loop(market, utility, rules, prices, budget, courses=None):
    """Utilities of all allowed schedules within the budget that beat nothing, best first."""
    held = np.zeros(market.num_goods, dtype=int)
    held[list(rules.held[0])] = 1
    offered = np.ones(market.num_goods) if courses is None else held.copy()
    if courses is not None:
        offered[courses] = 1
    rows = all_schedules(market, 0, offered)
    rows = rows[(rows >= held).all(axis=1)]
    required = rules.required[0] if rules.required else ()
    values = utility(rows)
    for choices in required:
        values = values + 1e5 * rows[:, list(choices)].any(axis=1)
    nothing = values[(rows == held).all(axis=1)][0]
    fits = ((rows - held) @ prices <= budget) & (values > nothing + 1e-9)
    return -np.sort(-(values[fits] - nothing))


@pytest.mark.parametrize("method", [_from_table, _branched])
@pytest.mark.parametrize("is_priced", [False, True])
@given(seed=st.integers(20_001, 29_999), num_held=st.integers(0, 1))
@settings(max_examples=40, deadline=None)
def test_best_schedules_are_those_of_a_plain_loop(method, is_priced, seed, num_held):
    """Tests the certain ones in order, whatever the limits, adjustments and courses held."""
    rng = np.random.default_rng(seed)
    held = [0] if num_held else []
    market, utility, rules, wish = random_wish(rng, held=held)
    if wish.num <= wish.most:
        return
    prices = np.where(rng.random(8) < 0.5, rng.uniform(0, 0.8, 8), 0.0)
    budget = 1.0 if is_priced else np.inf
    own = prices[wish.courses] if is_priced else None
    listing = method(wish, 10, own, budget)
    prices = prices if is_priced else 0 * prices
    truth = by_loop(market, utility, rules, prices, budget, wish.courses)
    # Courses that cannot be worth taking are left out, which loses no best schedule.
    anything = by_loop(market, utility, rules, prices, budget)
    assert np.allclose(anything[:1], truth[:1])

    gains = listing.utilities - listing.nothing
    if wish.required:
        gains = np.where(gains > wish.bonus / 2, gains - wish.bonus + 1e5, gains)
    count = listing.certain
    assert count >= min(9, len(truth)) or listing.is_all
    assert np.allclose(gains[:count], truth[:count], atol=1e-6)
    if listing.is_all:
        assert len(gains) == len(truth)


@given(seed=st.integers(20_001, 29_999), num_held=st.integers(0, 1))
@settings(max_examples=60, deadline=None)
def test_bounds_are_never_below_what_they_bound(seed, num_held):
    """Tests shares, and bounds of schedules that may grow, against all schedules."""
    rng = np.random.default_rng(seed)
    _, _, _, wish = random_wish(rng, held=[0] if num_held else [])
    if wish.num < 2 or wish.most < 1:
        return
    table = template(wish.num, wish.most)
    values = wish.taste.of_table(wish, table)
    shares = wish.taste.shares(wish)
    assert (table.sums(shares) >= values - values[0] - 1e-9).all()
    pairs = [tuple(m for m in row if m < wish.num) for row in table.members.tolist()]
    for start in range(0, len(pairs), 7):
        if not pairs[start]:
            continue
        more = wish.most - len(pairs[start])
        bound = wish.taste.at_most(wish, np.array([pairs[start]]), more)[0]
        for number, courses in enumerate(pairs):
            if set(pairs[start]) <= set(courses):
                rest = sorted(set(courses) - set(pairs[start]))
                assert bound + shares[rest].sum() >= values[number] - 1e-9


def test_a_template_lists_every_subset_once():
    """Tests sizes, parents and sums against their definitions."""
    table = template(6, 3)
    assert table.num_subsets == num_subsets(6, 3) == 1 + 6 + 15 + 20
    sets = [tuple(m for m in row if m < 6) for row in table.members.tolist()]
    assert len(set(sets)) == len(sets)
    numbers = np.arange(1.0, 7.0) ** 2
    assert np.allclose(table.sums(numbers, 5.0), [5 + sum(numbers[list(s)]) for s in sets])
    for k, things in enumerate(sets[1:], 1):
        assert sets[table.parents[k]] == things[:-1]
        assert things[-1] == table.last[k]
    assert all((table.contains[j, k]) == (j in s) for k, s in enumerate(sets) for j in range(6))
