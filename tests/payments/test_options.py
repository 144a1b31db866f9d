"""One option for everybody: what is proven by whom, and what has no solution."""

import numpy as np
import pytest

from boca.core import SolverError
from boca.payments import options as module
from boca.payments.effort import Effort
from boca.payments.options import MOST_WHOLE, Options, choose, restricted


def two(worth, decimals=0, bounds=(1,), money_rows=()) -> Options:
    """Two participants with nothing, or a unit of the only row, for the first worth and second."""
    return Options(
        np.array([0, 0, 1, 1]),
        np.array([0.0, worth[0], 0.0, worth[1]]),
        np.array([[0], [1], [0], [1]]),
        np.array(bounds),
        decimals,
        money_rows,
    )


@pytest.mark.parametrize("solver", [None, "highs"])
def test_the_better_one_gets_the_unit(solver):
    """Tests worth, bound and proof, by our own methods and by a program."""
    chosen = choose(two((3.0, 5.0)), Effort(), solver=solver)
    assert chosen.options.tolist() == [0, 3]
    assert (chosen.worth, chosen.bound, chosen.is_proven) == (5, 5, True)
    assert (chosen.method == "milp") == (solver is not None)


@pytest.mark.parametrize("solver", [None, "highs"])
def test_worth_below_nothing(solver):
    """Tests that costs are options like any other."""
    chosen = choose(two((-3.0, -5.0)), Effort(), solver=solver)
    assert chosen.options.tolist() == [0, 2]
    assert (chosen.worth, chosen.bound) == (0, 0)


@pytest.mark.parametrize("solver", [None, "highs"])
def test_what_cannot_be_chosen_is_none(solver):
    """Tests a bound below the least of all uses, with and without anything that uses the row."""
    assert choose(two((3.0, 5.0), bounds=(-1,)), Effort(), solver=solver) is None
    unused = Options(
        np.array([0]), np.array([1.0]), np.zeros((1, 1), dtype=np.int64), np.array([-1])
    )
    assert choose(unused, Effort(), solver=solver) is None
    assert choose(two((3.0, 5.0), bounds=(0,)), Effort(), solver=solver).worth == 0


def test_a_program_proves_whole_units_up_to_its_tolerance():
    """Tests that beyond MOST_WHOLE units it proves nothing by itself, and without units it does."""
    for worth, decimals, is_proven in (
        (MOST_WHOLE, 0, True),
        (MOST_WHOLE + 1, 0, False),
        (MOST_WHOLE + 1, None, True),
        (1.0, None, True),
    ):
        chosen = choose(two((1.0, worth), decimals), Effort(), solver="highs")
        assert chosen.is_proven == is_proven
        assert chosen.worth == worth
        assert chosen.bound == pytest.approx(worth, rel=1e-9)


@pytest.mark.parametrize(("most", "worth"), [(8.0, 8), (7.0, 5), (4.0, 3), (2.0, 0)])
def test_rows_of_money(most, worth):
    """Tests sums of 3 and 5 that may be at most so much."""
    row = (np.array([0.0, 3.0, 0.0, 5.0]), most)
    chosen = choose(two((3.0, 5.0), bounds=(2,), money_rows=(row,)), Effort())
    assert chosen.worth == worth
    assert chosen.method == "milp"


def test_a_solver_that_breaks_a_rule_is_not_believed(monkeypatch):
    """Tests that what a solver takes is added up again in whole numbers."""
    right = module.solve

    def wrong(model, params, start=None):
        result = right(model, params, start)
        return module.replace(result, x=np.array([0.0, 1.0, 0.0, 1.0]))

    monkeypatch.setattr(module, "solve", wrong)
    with pytest.raises(SolverError, match="broke a rule"):
        choose(two((3.0, 5.0)), Effort(), solver="highs")


def test_who_is_left_out_takes_its_default():
    """Tests the options that remain, of one and of both."""
    options = two((3.0, 5.0))
    assert restricted(options, [0, 2], [1]).worth.tolist() == [0, 3, 0]
    assert restricted(options, [0, 2], [0, 1]).worth.tolist() == [0, 0]
    assert choose(restricted(options, [0, 2], [1]), Effort()).worth == 3


@pytest.mark.parametrize(("seconds", "most"), [(1000.0, 1000.0), (1e-9, 0.1), (None, None)])
def test_a_program_has_what_is_left_of_the_time(monkeypatch, seconds, most):
    """Tests the limit that a solver gets: never beyond the deadline but by a tenth of a second."""
    limits, right = [], module.solve
    monkeypatch.setattr(
        module, "solve", lambda m, params, x=None: limits.append(params.time_limit) or right(m)
    )
    choose(two((3.0, 5.0)), Effort(seconds), solver="highs")
    assert limits == [None] if most is None else 0.9 * most <= limits[0] <= most


def test_no_bound_lies_below_what_was_found(monkeypatch):
    """Tests a solver whose bound is below its own answer by its tolerance."""
    right = module.solve
    monkeypatch.setattr(
        module, "solve", lambda *a: module.replace(right(*a), bound=right(*a).bound - 1e-6)
    )
    chosen = choose(two((1.0, 5.5), decimals=None), Effort(), solver="highs")
    assert chosen.bound == chosen.worth == 5.5


def test_nothing_is_worth_uses_and_pays_nothing():
    """Tests four options: nothing, and one each with a worth, a use and money."""
    options = Options(
        np.array([0, 0, 0, 0]),
        np.array([0.0, 3.0, 0.0, 0.0]),
        np.array([[0, 0], [0, 0], [1, 0], [0, 0]]),
        np.array([1, 1]),
        money_rows=((np.array([0.0, 0.0, 0.0, 2.0]), 5.0),),
    )
    assert options.is_nothing.tolist() == [True, False, False, False]
    assert options.num_participants == 1


def test_uses_and_worth_are_counted_from_the_smallest():
    """
    Tests a packing by hand. The least uses are (0, -1) and (1, 0), so that 2 and 1 are left of the
    rows; the second never binds, the last option needs 4 of the first. Worth counts from 1 and -2,
    at most 3 + 11 in all, and 15 is added to each.
    """
    options = Options(
        np.array([0, 0, 1, 1, 1]),
        np.array([1.0, 4.0, -2.0, 3.0, 9.0]),
        np.array([[0, -1], [2, 0], [1, 0], [3, 0], [5, 0]]),
        np.array([3, 0]),
    )
    packing, numbers = options.packing()
    assert numbers.tolist() == [0, 1, 2, 3]
    assert packing.bundles.tolist() == [[0, 1], [2, 1], [0, 1], [2, 1]]
    assert packing.capacities.tolist() == [2, 2]
    assert packing.surplus.tolist() == [15, 18, 15, 20]


def test_a_participant_whose_options_all_break_some_row_has_no_packing():
    """Tests two options, each of which needs 2 of another row."""
    options = Options(np.zeros(2, int), np.ones(2), np.array([[2, 0], [0, 2]]), np.array([1, 1]))
    assert options.packing() is None
