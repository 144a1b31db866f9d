"""Which two schedules are compared next: against brute force, for every rule."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from boca.core import Bidder, Comparison, Comparisons, Good, InputError, Limit, Market
from boca.queries.comparisons import (
    QUESTION_RULES,
    ComparisonParams,
    Standing,
    _sorted_so_far,
    expected_improvement,
    next_comparison,
    open_wishes,
)
from boca.seats import SeatRules
from boca.surrogates.pairwise import Belief, Prior

NUM = 8
PRICES = np.array([0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0, 0.0])


def a_market(most=3, clash=(0, 1)):
    row = np.zeros(NUM)
    row[list(clash)] = 1
    limits = (
        Limit((1.0,) * NUM, float(most), "max_courses"),
        Limit(tuple(row), 1.0, "one at a time"),
    )
    goods = tuple(Good(f"course {j}", 5) for j in range(NUM))
    return Market(goods, (Bidder("Ada", "", limits), Bidder("Bo", "", limits)), "school")


def a_belief(seed=0, comparisons=()):
    rng = np.random.default_rng(seed)
    pairs = np.triu(rng.normal(0, 8, (NUM, NUM)), 1)
    spread = np.triu(rng.uniform(1, 8, (NUM, NUM)), 1)
    prior = Prior(
        np.linspace(90, 20, NUM) + rng.normal(0, 5, NUM),
        rng.uniform(5, 20, NUM) ** 2,
        pairs + pairs.T,
        (spread + spread.T) ** 2,
        1.0,
    )
    return Belief(prior, Comparisons(tuple(comparisons)))


def affordable(most=3, clash=(0, 1), budget=1.0):
    """All schedules by brute force."""
    rows = []
    for size in range(most + 1):
        for courses in combinations(range(NUM), size):
            row = np.zeros(NUM, dtype=np.int64)
            row[list(courses)] = 1
            if row @ PRICES <= budget + 1e-9 and not set(clash) <= set(courses):
                rows.append(row)
    return np.array(rows)


@pytest.fixture
def standing():
    return Standing(open_wishes(a_market())[0], PRICES, 1.0)


def both(query):
    return {tuple(query.first.tolist()), tuple(query.second.tolist())}


def changes(one, other):
    """Courses given up or added, whichever is more."""
    return max(int((one > other).sum()), int((other > one).sum()))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("most_changes", [1, 2, None])
def test_the_challenger_has_the_largest_expected_improvement(standing, seed, most_changes):
    """Tests champion and challenger against all affordable schedules, after some answers."""
    rng = np.random.default_rng(seed)
    rows = affordable()
    belief = a_belief(seed)
    for _ in range(3):
        one, other = rows[rng.choice(len(rows), 2, replace=False)]
        belief = belief.tell(Comparison(one, other, ("first", "second", "same")[rng.integers(3)]))
    champion = rows[belief.mean(rows).argmax()]
    gains = expected_improvement(*belief.differences(rows, champion))
    is_open = [
        0 < changes(row, champion) <= (most_changes or NUM)
        and not belief.comparisons.was_asked(row, champion)
        for row in rows
    ]
    best = np.where(is_open, gains, -1).argmax()
    query = next_comparison(1, belief, standing, rng, ComparisonParams(most_changes=most_changes))
    assert both(query) == {tuple(champion), tuple(rows[best])}
    assert query.reason.predicted == pytest.approx(gains[best])
    assert (query.bidder, query.reason.source) == (1, "improvement")


def test_expected_improvement_is_the_mean_of_the_positive_part():
    """Tests the formula against draws."""
    draws = np.random.default_rng(0).normal(-3, 5, 400_000)
    formula = expected_improvement(np.array([-3.0, 2.0]), np.array([25.0, 0.0]))
    assert formula[0] == pytest.approx(np.maximum(draws, 0).mean(), rel=0.01)
    assert formula[1] == pytest.approx(2.0)
    assert formula[0] == pytest.approx(-3 * norm.cdf(-0.6) + 5 * norm.pdf(0.6))


@pytest.mark.parametrize("rule", QUESTION_RULES)
def test_nothing_is_asked_twice_and_questions_end(standing, rule):
    """Tests that every rule asks only what can be had, each pair once, until nothing is left."""
    params = ComparisonParams(rule, most_changes=1)
    belief, rng = a_belief(2), np.random.default_rng(3)
    keys = {tuple(row) for row in affordable(budget=np.inf if rule == "insertion" else 1.0)}
    seen = set()
    for _ in range(60):
        query = next_comparison(0, belief, standing, rng, params)
        if query is None:
            break
        pair = frozenset(both(query))
        assert pair <= keys
        assert pair not in seen
        seen.add(pair)
        belief = belief.tell(query.answered("first" if rng.random() < 0.5 else "second"))
    assert len(seen) >= 10


def test_sides_are_drawn(standing):
    """Tests that the schedule a student would get is not always shown first."""
    belief = a_belief()
    queries = [next_comparison(0, belief, standing, np.random.default_rng(k)) for k in range(20)]
    assert len({both_sides(q) for q in queries}) == 2
    assert len({frozenset(both(q)) for q in queries}) == 1


def both_sides(query):
    return tuple(query.first.tolist()), tuple(query.second.tolist())


def test_second_best_and_draws(standing):
    """Tests the rivals: highest mean, highest drawn utility, any."""
    rows, belief = affordable(), a_belief(5)
    order = np.argsort(-belief.mean(rows))
    champion = rows[order[0]]
    params = ComparisonParams("second", None)
    query = next_comparison(0, belief, standing, np.random.default_rng(1), params)
    assert both(query) == {tuple(champion), tuple(rows[order[1]])}
    utility = belief.sample(np.random.default_rng(9))
    rest = rows[(rows != champion).any(axis=1)]
    params = ComparisonParams("thompson", None)
    query = next_comparison(0, belief, standing, np.random.default_rng(9), params)
    assert both(query) == {tuple(champion), tuple(rest[utility(rest).argmax()])}
    params = ComparisonParams("random", None)
    some = [
        next_comparison(0, belief, standing, np.random.default_rng(k), params) for k in range(9)
    ]
    assert len({frozenset(both(q)) for q in some}) > 5
    assert all(tuple(champion) in both(q) for q in some)


def test_insertion_sorts_the_best_schedules_by_binary_search(standing):
    """Tests the rival of the literature: answers by a hidden order sort what was asked about."""
    rng = np.random.default_rng(0)
    hidden = a_belief(8).sample(rng)
    belief = a_belief(8)
    params = ComparisonParams("insertion")
    lists = []
    for _ in range(17):  # 1 + 2 + 2 + 3 + 3 + 3 + 3 places for the second to the eighth
        query = next_comparison(0, belief, standing, rng, params)
        is_first = hidden(query.first[None])[0] > hidden(query.second[None])[0]
        lists.append(both(query))
        belief = belief.tell(query.answered("first" if is_first else "second"))
    ordered, pending = _sorted_so_far(belief.comparisons)
    values = hidden(np.array(ordered))
    assert (np.diff(values) <= 0).all()
    assert 7 <= len(ordered) + (pending is not None) <= 10
    # The first two are the best two by mean of all, prices or not.
    rows = affordable(budget=np.inf)
    best = rows[np.argsort(-a_belief(8).mean(rows))[:2]]
    assert lists[0] == {tuple(row) for row in best}


def test_about_the_same_ends_an_insertion(standing):
    """Tests that a schedule as good as another one takes its place in the order."""
    params, rng = ComparisonParams("insertion"), np.random.default_rng(0)
    belief = a_belief(8)
    asked = set()
    for count in range(4):
        query = next_comparison(0, belief, standing, rng, params)
        asked |= both(query)
        assert len(asked) == count + 2  # a new one each time
        belief = belief.tell(query.answered("same"))


def test_limits_and_held_courses_are_kept():
    """Tests that a student who holds a course compares schedules with it, which costs nothing."""
    rules = SeatRules(held=((0,), ()))
    standing = Standing(open_wishes(a_market(), rules)[0], PRICES, 0.35)
    belief, rng = a_belief(), np.random.default_rng(0)
    for _ in range(10):
        query = next_comparison(0, belief, standing, rng)
        for row in (query.first, query.second):
            assert row[0] == 1
            assert row[1] == 0  # overlaps with what is held
            assert row.sum() <= 3
            assert row[1:] @ PRICES[1:] <= 0.35 + 1e-9
        belief = belief.tell(query.answered("first"))


@pytest.mark.parametrize("most_changes", [2, None])
def test_required_courses_are_in_both_schedules(most_changes):
    """Tests that nobody is asked about giving up what it must take, however little it likes it."""
    rules = SeatRules(required=(((7,),), ()))
    standing = Standing(open_wishes(a_market(), rules)[0], PRICES, 1.0)
    belief, rng = a_belief(), np.random.default_rng(0)
    params = ComparisonParams(most_changes=most_changes)
    for _ in range(8):
        query = next_comparison(0, belief, standing, rng, params)
        assert query.first[7] == query.second[7] == 1
        belief = belief.tell(query.answered("first"))


def test_nothing_to_compare():
    """Tests a student who can afford nothing, and one with a single course."""
    poor = Standing(open_wishes(a_market())[0], np.full(NUM, 2.0), 1.0)
    assert next_comparison(0, a_belief(), poor, np.random.default_rng(0)) is None
    assert poor.best(a_belief().mean).sum() == 0
    one = Standing(open_wishes(a_market())[0], np.append(np.full(NUM - 1, 2.0), 0.0), 1.0)
    query = next_comparison(0, a_belief(), one, np.random.default_rng(0))
    assert {row.sum() for row in (query.first, query.second)} == {0, 1}


def test_many_courses_are_narrowed_to_the_most_promising():
    """Tests that a hundred courses make questions too, about those that may be liked."""
    num = 100
    limits = (Limit((1.0,) * num, 5.0, "max_courses"),)
    market = Market(tuple(Good(f"c{j}", 9) for j in range(num)), (Bidder("Ada", "", limits),), "s")
    mean = np.linspace(100, 1, num)
    prior = Prior(mean, np.full(num, 25.0), np.zeros((num, num)), np.zeros((num, num)), 1.0)
    standing = Standing(open_wishes(market)[0], np.zeros(num), 1.0)
    near = standing.near(np.eye(num, dtype=int)[:5].sum(axis=0), 2, mean)
    assert set(np.flatnonzero(near.sum(axis=0))) == set(range(45))
    query = next_comparison(0, Belief(prior), standing, np.random.default_rng(0))
    assert both(query) == {
        tuple(np.eye(num, dtype=int)[:5].sum(axis=0)),
        tuple(np.eye(num, dtype=int)[[0, 1, 2, 3, 5]].sum(axis=0)),
    }


def test_settings_are_checked():
    """Tests one message each."""
    with pytest.raises(InputError, match="one of improvement, second"):
        ComparisonParams("best")
    with pytest.raises(InputError, match="most_changes"):
        ComparisonParams(most_changes=0)
