"""Choices among amounts that are too large for a solver, against all choices."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from boca.core import SolverError
from boca.payments import waste as module
from boca.payments.effort import Effort
from boca.payments.options import Options
from boca.payments.program import Chosen
from boca.payments.waste import _Part, decided_to_the_unit


def random_options(seed, size):
    """
    Three participants, two rows, and a row of money; amounts up to a size, some far apart, to which
    everybody adds the same for all options.
    """
    rng = np.random.default_rng([seed, size])
    owners = np.repeat(np.arange(3), rng.integers(2, 5, 3))
    num = len(owners)
    worth = -rng.integers(0, size, num).astype(float)
    worth[rng.random(num) < 0.3] = 0
    near = rng.random(num) < 0.4
    worth[near] = -size + rng.integers(-2, 3, int(near.sum()))
    money = np.array([int(-w) for w in worth], dtype=object)
    uses = rng.integers(-1, 3, (num, 2))
    worth += rng.integers(-size, 2 * size, 3)[owners]
    return Options(
        owners, worth, uses, rng.integers(0, 5, 2), 0, ((money, int(rng.integers(0, 3 * size))),)
    )


def by_trying(options):
    """The best worth, and a worst choice that keeps all rows; None where nothing does."""
    sides = [np.flatnonzero(options.owners == i) for i in range(3)]
    kept = [np.array(c) for c in product(*sides) if not options.broken_rows(np.array(c))]
    if not kept:
        return None, None
    kept.sort(key=lambda chosen: options.total(chosen))
    return options.total(kept[-1]), kept[0]


def two_buyers(size=1, most=1):
    """Two who take nothing or something, worth 5 and 3, of which there is enough for one."""
    uses = size * np.array([[0], [1], [0], [1]])
    return Options(np.array([0, 0, 1, 1]), np.array([0.0, 5, 0, 3]), uses, np.array([size * most]))


def part_of(options):
    return _Part.of(options, np.arange(len(options.owners)))


@pytest.mark.parametrize(
    ("size", "most", "bound"), [(1, 1, 5), (10**6, 1, 5), (1, 2, 8), (7, 3, 8)]
)
def test_the_relaxation_proves_what_it_can(size, most, bound):
    """Tests a price of 3 to 5 for all there is, whatever the numbers of the row, and no price."""
    part = part_of(two_buyers(size, most))
    assert part.bound == bound
    assert part.shares == pytest.approx([0, 1, 1, 0] if bound == 5 else [0, 1, 0, 1])
    assert part.waste.min() == 0
    assert (part.waste >= 0).all()


def test_what_a_choice_wastes_is_what_it_misses_of_the_bound():
    """Tests all four choices by weak duality: bound less waste, less what is left at its price."""
    options = two_buyers()
    part = part_of(options)
    (price,) = part.prices
    assert 3 <= price <= 5
    for chosen in product((0, 1), (2, 3)):
        chosen = np.array(chosen)
        left = 1 - int(options.uses[chosen].sum())
        assert options.total(chosen) == part.limit - part.waste[chosen].sum() - price * left


def test_nothing_can_be_chosen_where_somebody_has_no_option_or_rows_conflict():
    """Tests a participant without options, options that no others permit, and rows together."""
    options = two_buyers()
    assert _Part.of(options, np.array([0, 1])) is None
    assert decided_to_the_unit(two_buyers(most=-1), None, Effort(), "highs") is None
    must = Options(np.array([0, 1]), np.zeros(2), np.array([[1], [1]]), np.array([1]))
    assert part_of(must) is None
    assert decided_to_the_unit(must, None, Effort(), "highs") is None
    assert len(part_of(two_buyers(most=0)).numbers) == 2  # what cannot be taken is left out
    # Three who take one of two goods: any two of them can, all three cannot.
    uses = np.tile(np.eye(2, dtype=int), (3, 1))
    three = Options(np.repeat(np.arange(3), 2), np.zeros(6), uses, np.array([1, 1]))
    assert part_of(three) is None
    assert decided_to_the_unit(three, None, Effort(), "highs") is None


def test_the_most_even_share_is_split():
    """
    Tests shares of 0.9, 0.6 and 0.2: without the option of 0.6, and with it alone for its owner;
    who has one option has no choice, whatever its share.
    """
    owners = np.array([0, 1, 1, 1, 2, 2])
    options = Options(owners, np.zeros(6), np.zeros((6, 1), int), np.array([1]))
    part = replace(part_of(options), shares=np.array([0.5, 0.2, 0.6, 0.2, 0.9, 0.1]))
    without, only = part.halves()
    assert without.tolist() == [0, 1, 3, 4, 5]
    assert only.tolist() == [0, 2, 4, 5]
    half = replace(part_of(options), shares=np.array([0.5, 1, 0, 0, 0.4, 0.7]))
    assert half.halves()[1].tolist() == [0, 1, 2, 3, 4]
    numbered = replace(half, numbers=np.array([3, 5, 6, 8, 9, 11]))
    assert numbered.halves()[1].tolist() == [3, 5, 6, 8, 9]


def test_a_choice_as_good_as_the_known_one_is_no_better(monkeypatch):
    """
    Tests twice three buyers who want two of three goods, for 10: halves are worth 15, and the best
    choice leaves a good at 5 twice, neither of which alone is too much.
    """
    pairs = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    uses = np.zeros((12, 6), dtype=int)
    uses[1::2] = np.kron(np.eye(2, dtype=int), pairs)
    worth = np.tile([0.0, 10.0], 6)
    options = Options(np.repeat(np.arange(6), 2), worth, uses, np.ones(6, dtype=int))
    part = part_of(options)
    assert part.bound == 30
    known = Chosen(np.array([1, 2, 4, 7, 8, 10]), 20.0, 30.0, "milp", False)
    found = part.looked_at(20, Effort(), "highs")
    assert (found.better, found.is_done) == (None, True)
    made = decided_to_the_unit(options, known, Effort(), "highs")
    assert (made.worth, made.bound, made.is_proven) == (20, 20, True)
    looks = []
    right = _Part.looked_at
    monkeypatch.setattr(_Part, "looked_at", lambda *a: looks.append(1) or right(*a))
    decided_to_the_unit(options, known, Effort(), "highs")
    assert len(looks) == 1


def test_units_that_are_left_waste_their_price():
    """
    Tests three buyers who take four units of ten for 2, or all for nothing: two of them leave two
    units at a half each.
    """
    uses = np.array([[0], [4], [10]] * 3)
    options = Options(np.repeat(np.arange(3), 3), np.tile([0.0, 2.0, 0.0], 3), uses, np.array([10]))
    part = part_of(options)
    assert (part.bound, part.prices) == (5, [0.5])
    found = part.looked_at(3, Effort(), "highs")
    assert options.total(found.better) == 4
    assert part.looked_at(4, Effort(), "highs").is_done


def test_what_has_no_unit_is_not_decided():
    options = replace(two_buyers(), decimals=None)
    known = Chosen(np.array([0, 3]), 3.0, 5.0, "milp", False)
    assert decided_to_the_unit(options, known, Effort(), "highs") is known
    assert decided_to_the_unit(options, None, Effort(), "highs") is None


@pytest.mark.parametrize(("bound", "num_looks"), [(3.9, 0), (4.0, 1), (5.0, 1)])
def test_a_bound_of_less_than_a_unit_more_is_a_proof(monkeypatch, bound, num_looks):
    """Tests a choice worth 3, of which it is known that none is worth as much as 4, or not."""
    looks = []
    right = _Part.looked_at
    monkeypatch.setattr(_Part, "looked_at", lambda *a: looks.append(1) or right(*a))
    known = Chosen(np.array([0, 3]), 3.0, bound, "branching", False)
    made = decided_to_the_unit(two_buyers(), known, Effort(), "highs")
    assert bool(looks) == bool(num_looks)
    assert made.is_proven
    assert (made.worth, made.bound) == ((5, 5) if num_looks else (3, 3))
    assert made.method == "branching"
    fresh = decided_to_the_unit(two_buyers(), None, Effort(), "highs")
    assert (fresh.options.tolist(), fresh.worth, fresh.method) == ([1, 2], 5, "milp")


def test_time_ends_the_work_at_its_deadline(monkeypatch):
    """Tests a clock that shows the deadline, and one that is just before."""
    known = Chosen(np.array([0, 3]), 3.0, 5.0, "milp", False)
    effort = Effort(max_seconds=10.0, began=100.0)
    for now, expected in ((110.0, (3, 5, False)), (109.0, (5, 5, True))):
        monkeypatch.setattr(module, "perf_counter", lambda now=now: now)
        monkeypatch.setattr("boca.payments.program.perf_counter", lambda: 100.0)
        made = decided_to_the_unit(two_buyers(), known, effort, "highs")
        assert (made.worth, made.bound, made.is_proven) == expected


@pytest.mark.parametrize("size", [1, 10**9])
def test_a_part_with_one_choice_is_counted(monkeypatch, size):
    """Tests one option for everybody, better than what is known, as good, and breaking a row."""
    monkeypatch.setattr(module, "Program", None)  # nobody is asked
    options = Options(
        np.array([0, 1]), size * np.array([2.0, 3]), np.array([[1], [1]]), np.array([2])
    )
    part = part_of(options)
    better = part.looked_at(5 * size - 1, Effort(), "highs")
    assert (better.better.tolist(), better.is_done) == ([0, 1], False)
    for worth in (5 * size, 5 * size + 1):
        for limit in (part.limit, part.limit + 9 * size):
            done = replace(part, limit=limit).looked_at(worth, Effort(), "highs")
            assert (done.better, done.is_done) == (None, True)


@pytest.mark.parametrize("size", [10**3, 10**8, 10**11, 10**13])
@pytest.mark.parametrize("is_known", [True, False])
def test_the_best_choice_is_proven_to_the_unit(size, is_known):
    """Tests 25 problems, from the worst choice and from none."""
    for seed in range(20001, 20026):
        options = random_options(seed, size)
        best, worst = by_trying(options)
        start = None
        if best is not None and is_known:
            most = -float(options.smallest(-options.worth).sum())
            start = Chosen(worst, options.total(worst), most, "milp", False)
        made = decided_to_the_unit(options, start, Effort(), "highs")
        if best is None:
            assert made is None
        else:
            assert (made.worth, made.bound, made.is_proven) == (best, best, True)
            assert made.worth == options.total(made.options)
            assert not options.broken_rows(made.options)


def test_what_was_looked_at_bounds_the_rest(monkeypatch):
    """Tests one part only: the bound holds, and nothing is claimed that is not proven."""
    monkeypatch.setattr(module, "MOST_PARTS", 1)
    num_open = num_tighter = 0
    for seed in range(20001, 20041):
        options = random_options(seed, 10**11)
        best, worst = by_trying(options)
        if best is None:
            continue
        most = -float(options.smallest(-options.worth).sum())
        start = Chosen(worst, options.total(worst), most, "milp", False)
        made = decided_to_the_unit(options, start, Effort(), "highs")
        assert made.worth <= best <= made.bound
        assert made.is_proven == (made.worth == made.bound)
        num_open += not made.is_proven
        num_tighter += made.worth < made.bound < most
    assert num_open
    assert num_tighter


def test_time_that_is_over_adds_nothing():
    """Tests a known choice with its bound, and none: then nobody knows."""
    options = next(
        problem
        for problem in (random_options(seed, 10**9) for seed in range(20001, 20100))
        if by_trying(problem)[0] is not None
    )
    _, worst = by_trying(options)
    start = Chosen(worst, options.total(worst), options.total(worst) + 7.5, "branching", False)
    late = Effort(1.0, began=-1e9)
    made = decided_to_the_unit(options, start, late, "highs")
    assert (made.worth, made.bound, made.method) == (start.worth, start.worth + 7, "branching")
    with pytest.raises(SolverError, match="Time ran out"):
        decided_to_the_unit(options, None, late, "highs")
