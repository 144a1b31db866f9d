"""Choices among amounts that are too large for a solver, against all choices."""

from itertools import product

import numpy as np
import pytest

from boca.core import SolverError
from boca.payments import waste as module
from boca.payments.effort import Effort
from boca.payments.options import Options
from boca.payments.program import Chosen
from boca.payments.waste import decided_to_the_unit


def random_options(seed, size):
    """Three participants, two rows, and a row of money; amounts up to a size, some far apart."""
    rng = np.random.default_rng([seed, size])
    owners = np.repeat(np.arange(3), rng.integers(2, 5, 3))
    num = len(owners)
    worth = -rng.integers(0, size, num).astype(float)
    worth[rng.random(num) < 0.3] = 0
    near = rng.random(num) < 0.4
    worth[near] = -size + rng.integers(-2, 3, int(near.sum()))
    money = np.array([int(-w) for w in worth], dtype=object)
    uses = rng.integers(-1, 3, (num, 2))
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


@pytest.mark.parametrize("size", [10**3, 10**8, 10**11, 10**13])
@pytest.mark.parametrize("is_known", [True, False])
def test_the_best_choice_is_proven_to_the_unit(size, is_known):
    """Tests 25 problems, from the worst choice and from none."""
    for seed in range(20001, 20026):
        options = random_options(seed, size)
        best, worst = by_trying(options)
        start = None
        if best is not None and is_known:
            start = Chosen(worst, options.total(worst), 0.0, "milp", False)
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
    num_open = 0
    for seed in range(20001, 20041):
        options = random_options(seed, 10**11)
        best, worst = by_trying(options)
        if best is None:
            continue
        start = Chosen(worst, options.total(worst), 0.0, "milp", False)
        made = decided_to_the_unit(options, start, Effort(), "highs")
        assert made.worth <= best <= made.bound
        assert made.is_proven == (made.worth == made.bound)
        num_open += not made.is_proven
    assert num_open


def test_time_that_is_over_adds_nothing():
    """Tests a known choice with its bound, and none: then nobody knows."""
    options = next(
        problem
        for problem in (random_options(seed, 10**9) for seed in range(20001, 20100))
        if by_trying(problem)[0] is not None
    )
    _, worst = by_trying(options)
    start = Chosen(worst, options.total(worst), 7.5, "branching", False)
    late = Effort(1.0, began=-1e9)
    made = decided_to_the_unit(options, start, late, "highs")
    assert (made.worth, made.bound, made.method) == (start.worth, 7, "branching")
    with pytest.raises(SolverError, match="Time ran out"):
        decided_to_the_unit(options, None, late, "highs")
