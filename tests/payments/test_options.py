"""One option for everybody: what is proven by whom, and what has no solution."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from boca.core import Economy, SolverError
from boca.milp import Status
from boca.milp.result import MilpResult
from boca.payments import options as module
from boca.payments import program
from boca.payments.effort import Effort
from boca.payments.options import MOST_WHOLE, Chosen, Options, choose, places_of


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


def seated(*worth) -> Options:
    """The same, told as a first one who has a unit to give: everybody needs a seat then."""
    plain = two(worth)
    return replace(plain, uses=plain.uses - [[1], [1], [0], [0]], bounds=plain.bounds - 1)


def test_plain_options_are_bids_and_others_have_seats():
    """
    Tests what is plain: nothing for everybody, uses and bounds of at least 0, no money; the same
    market told as a gift is not, and is worth the same. Options that do not fit are no bids.
    """
    plain = two((3.0, 5.0))
    packing, numbers = plain.packing()
    assert plain.is_plain
    assert (numbers.tolist(), packing.surplus.tolist()) == ([1, 3], [3, 5])
    assert packing.capacities.tolist() == [1]
    assert two((3.0, -5.0)).packing()[1].tolist() == [1]
    assert two((3.0, 5.0), bounds=(0,)).packing()[1].tolist() == []
    assert not seated(3.0, 5.0).is_plain
    assert len(seated(3.0, 5.0).packing()[0]) == 4
    for other in (plain, seated(3.0, 5.0)):
        chosen = choose(other, Effort())
        assert (chosen.options.tolist(), chosen.worth) == ([0, 3], 5)


def test_places_of_options_among_others():
    """Tests options that are there, before the first, between two, after the last, and none."""
    numbers = np.array([2, 3, 7])
    for options, places in (([2, 7], [0, 2]), ([0, 3, 5, 9], [1]), ([], []), ([8], [])):
        assert places_of(np.array(options, dtype=int), numbers).tolist() == places
    assert places_of(np.array([1]), np.array([], dtype=int)).tolist() == []


def test_a_purchase_that_nobody_offers_for_is_not_plain():
    """Tests options that use nothing, and a row that asks for something: there is no choice."""
    asked = Options(np.array([0]), np.zeros(1), np.zeros((1, 1), dtype=np.int64), np.array([-1]))
    assert not asked.is_plain
    assert choose(asked, Effort()) is None
    row = (np.array([0.0, 1.0, 0.0, 1.0]), 1.0)
    assert not two((3.0, 5.0), money_rows=(row,)).is_plain
    nobody = Options(np.array([0, 0]), np.array([1.0, 2.0]), np.ones((2, 1), int), np.array([1]))
    assert not nobody.is_plain  # nothing is not among the options


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
    right = program.solve

    def wrong(model, params, start=None):
        result = right(model, params, start)
        return replace(result, x=np.array([0.0, 1.0, 0.0, 1.0]))

    monkeypatch.setattr(program, "solve", wrong)
    with pytest.raises(SolverError, match="broke a rule"):
        choose(two((3.0, 5.0)), Effort(), solver="highs")


@pytest.mark.parametrize(("seconds", "most"), [(1000.0, 1000.0), (1e-9, 0.1), (None, None)])
def test_a_program_has_what_is_left_of_the_time(monkeypatch, seconds, most):
    """Tests the limit that a solver gets: never beyond the deadline but by a tenth of a second."""
    limits, right = [], program.solve
    monkeypatch.setattr(
        program, "solve", lambda m, params, x=None: limits.append(params.time_limit) or right(m)
    )
    choose(two((3.0, 5.0)), Effort(seconds), solver="highs")
    assert limits == [None] if most is None else 0.9 * most <= limits[0] <= most


def test_no_bound_lies_below_what_was_found(monkeypatch):
    """Tests a solver whose bound is below its own answer by its tolerance."""
    right = program.solve
    monkeypatch.setattr(
        program, "solve", lambda *a: replace(right(*a), bound=right(*a).bound - 1e-6)
    )
    chosen = choose(two((1.0, 5.5), decimals=None), Effort(), solver="highs")
    assert 5.5 == chosen.worth <= chosen.bound <= 5.5 * (1 + 1e-9)


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


def test_nobody_has_no_options():
    """Tests a problem without participants."""
    nobody = Options(np.zeros(0, int), np.zeros(0), np.zeros((0, 1), int), np.array([1]))
    assert nobody.num_participants == 0
    two_rows = replace(nobody, uses=np.zeros((0, 2), int), bounds=np.array([-1, 5]))
    assert two_rows.packing() is None


def test_one_row_that_cannot_hold_is_enough():
    """Tests a packing whose least uses break the second of two rows, by one and by nothing."""
    owners, uses = np.array([0, 1]), np.array([[1, 1], [0, 1]])
    for bounds, is_none in (([1, 1], True), ([1, 2], False), ([0, 2], True)):
        packing = Options(owners, np.ones(2), uses, np.array(bounds)).packing()
        assert (packing is None) == is_none


def by_trying(options):
    """The best worth of one option for everybody; None if no choice holds."""
    everybody = [np.flatnonzero(options.owners == i) for i in range(options.num_participants)]
    best = None
    for chosen in product(*everybody):
        taken = list(chosen)
        within = (options.uses[taken].sum(axis=0) <= options.bounds).all()
        paid = all(row[taken].sum() <= most for row, most in options.money_rows)
        if within and paid:
            worth = options.worth[taken].sum()
            best = worth if best is None else max(best, worth)
    return best


@pytest.mark.parametrize("seed", range(60))
def test_every_method_finds_the_best_choice(seed):
    """Tests small problems of either sign, some of them without any choice, against all choices."""
    rng = np.random.default_rng(seed)
    owners = np.repeat(np.arange(3), rng.integers(1, 5, 3))
    uses = rng.integers(-2, 3, (len(owners), 2))
    worth = rng.integers(-5, 6, len(owners)).astype(float)
    is_nothing = rng.random(len(owners)) < 0.3
    uses[is_nothing], worth[is_nothing] = 0, 0
    bounds = rng.integers(-3, 3, 2)
    rows = ((rng.integers(-4, 5, len(owners)) * ~is_nothing * 1.0, float(rng.integers(-2, 6))),)
    for options in (
        Options(owners, worth, uses, bounds),
        Options(owners, worth / 8, uses, bounds, None),
        Options(owners, worth, uses, bounds, 0, rows),
    ):
        best = by_trying(options)
        for solver in (None, "highs"):
            chosen = choose(options, Effort(), solver=solver)
            if best is None:
                assert chosen is None
                continue
            assert (chosen.worth, chosen.bound) == (best, pytest.approx(best, abs=1e-6))
            assert chosen.is_proven
            assert options.owners[chosen.options].tolist() == [0, 1, 2]
            assert options.worth[chosen.options].sum() == best
            assert (options.uses[chosen.options].sum(axis=0) <= bounds).all()


def answer(worth, is_proven, num=2):
    return Chosen(np.arange(num), worth, worth, "scripted", is_proven)


class Scripted:
    """Our own methods and the program, scripted; notes what they were given, at 5 o'clock."""

    def __init__(self, monkeypatch, packings, programs):
        self.packed, self.programs = [], []
        packings, programs = iter(packings), iter(programs)

        def by_packing(options, packing, numbers, effort, stage, start):
            self.packed.append((effort, stage, start))
            return next(packings)

        def by_program(options, effort, solver, start=None):
            self.programs.append((effort, solver, start))
            return next(programs)

        monkeypatch.setattr(module, "_by_packing", by_packing)
        monkeypatch.setattr(module, "_by_program", by_program)
        monkeypatch.setattr(module, "perf_counter", lambda: 5.0)
        monkeypatch.setattr("boca.payments.effort.perf_counter", lambda: 5.0)


UNTIL_NINE = Effort(4.0, began=5.0)
UNTIL_FIVE = Effort(4.0, began=1.0)


def test_our_own_methods_begin_with_few_nodes(monkeypatch):
    """Tests the effort of the first look, and that a proof ends the work."""
    first = answer(3.0, True)
    script = Scripted(monkeypatch, [first], [])
    assert choose(seated(3.0, 5.0), UNTIL_NINE, "trades", np.array([1, 2])) is first
    ((effort, stage, start),) = script.packed
    assert (effort.few_nodes, effort.iterations) == (2_000, 1_000)
    assert (effort.search_nodes, effort.to_the_end) == ((), False)
    assert effort.deadline == pytest.approx(5.4)  # a tenth of the time, where it is limited
    assert (stage, start.tolist()) == ("trades", [1, 2])
    assert script.programs == []


def test_fewer_options_than_participants_prove_that_there_is_no_choice(monkeypatch):
    """Tests a proof about one option for two."""
    Scripted(monkeypatch, [answer(3.0, True, num=1)], [])
    assert choose(seated(3.0, 5.0), UNTIL_NINE) is None


def test_what_was_found_until_the_deadline_counts(monkeypatch):
    """Tests the clock at the deadline after our own methods, and after the program."""
    first, second = answer(3.0, False), answer(5.0, False)
    Scripted(monkeypatch, [first], [])
    assert choose(seated(3.0, 5.0), UNTIL_FIVE) is first
    script = Scripted(monkeypatch, [None], [second])
    assert choose(seated(3.0, 5.0), UNTIL_FIVE) is second
    assert [entry[2] for entry in script.programs] == [None]


def test_the_program_begins_where_our_own_methods_ended(monkeypatch):
    """Tests a start, a proof by the program, and none by it that there is a choice."""
    first, second = answer(3.0, False), answer(5.0, True)
    script = Scripted(monkeypatch, [first], [second])
    assert choose(seated(3.0, 5.0), UNTIL_NINE) is second
    ((effort, solver, start),) = script.programs
    assert (effort, solver, start) == (UNTIL_NINE, "highs", first.options)
    Scripted(monkeypatch, [None], [None])
    assert choose(seated(3.0, 5.0), UNTIL_NINE) is None


def test_our_own_methods_have_the_last_word_about_units(monkeypatch):
    """Tests a program that proves nothing: what it found is the start, and wins against worse."""
    second = answer(5.0, False)
    for last, expected in (
        (answer(6.0, True), "last"),
        (answer(5.0, True), "last"),
        (answer(4.0, True), "second"),
        (None, "second"),
    ):
        script = Scripted(monkeypatch, [None, last], [second])
        chosen = choose(seated(3.0, 5.0), UNTIL_NINE)
        assert chosen is (last if expected == "last" else second)
        effort, _, start = script.packed[1]
        assert effort is UNTIL_NINE
        assert start is second.options


def test_a_solver_or_money_goes_to_the_program_at_once(monkeypatch):
    """Tests who does the work then."""
    row = (np.zeros(4), 1.0)
    for options, solver, name in (
        (two((3.0, 5.0)), "scip", "scip"),
        (two((3.0, 5.0), money_rows=(row,)), None, "highs"),
        (two((3.0, 5.0), money_rows=(row,)), "scip", "scip"),
    ):
        script = Scripted(monkeypatch, [], [answer(5.0, False)])
        choose(options, UNTIL_NINE, solver=solver)
        assert [entry[:2] for entry in script.programs] == [(UNTIL_NINE, name)]


@pytest.mark.parametrize(
    ("bids", "is_proven", "expected"),
    [([0, 3], True, [0, 3]), ([0, 3], False, [0, 3]), ([3], True, [3]), ([3], False, None)],
)
def test_bids_of_a_packing_are_options_again(monkeypatch, bids, is_proven, expected):
    """Tests worth and bound in units of the options, and a start; too few bids need a proof."""
    noted = []

    class Determination:
        def __init__(self, packing, effort):
            noted.append(effort)

        def accept(self, economy, stage, starts):
            noted.append((economy, stage, [start.tolist() for start in starts]))
            accepted = np.array(bids)
            return SimpleNamespace(
                bids=accepted, is_proven=is_proven, bound=30.0, surplus=28.0, method="m"
            )

    monkeypatch.setattr(module, "WinnerDetermination", Determination)
    options = two((3.0, 5.0))
    numbers = np.array([0, 1, 2, 3])
    found = module._by_packing(options, None, numbers, UNTIL_NINE, "award", np.array([1, 2]))
    assert noted == [UNTIL_NINE, (Economy.main(2), "award", [[1, 2]])]
    if expected is None:
        assert found is None
    else:
        assert (found.options.tolist(), found.worth, found.bound) == (expected, 5, 7)
        assert (found.method, found.is_proven) == ("m", is_proven)
    module._by_packing(options, None, numbers[::-1], UNTIL_NINE, "award", None)
    module._by_packing(options, None, numbers[::-1], UNTIL_NINE, "award", np.array([3]))
    assert [entry[2] for entry in noted[3::2]] == [[], [[0]]]


class Program:
    """The program that a solver gets, and what it answers."""

    def __init__(self, monkeypatch, x, bound=9.0, status=Status.OPTIMAL):
        x = None if x is None else np.array(x, dtype=float)

        def solve(model, params, start=None):
            self.model, self.params, self.start = model.arrays(), params, start
            return MilpResult(status, x, 0.0, bound, 0.0)

        monkeypatch.setattr(program, "solve", solve)


@pytest.mark.parametrize(
    ("worth", "decimals", "costs", "absolute"),
    [
        ((3.0, -5.0), 0, [0, 3, 0, -5], 0.5),
        ((3.0, -5.0), None, [0, 6e3, 0, -1e4], 0.0),
        ((0.25, 0.5), None, [0, 2.5e3, 0, 5e3], 0.0),
        ((3.0, -2e7), 0, [0, 1.5e-3, 0, -1e4], 0.0),
    ],
)
def test_worths_are_whole_or_near_ten_thousand(monkeypatch, worth, decimals, costs, absolute):
    """Tests the objective that a solver gets, and what it may leave open."""
    program = Program(monkeypatch, [0, 0, 0, 0])
    choose(two(worth, decimals), Effort(gap=0.25), solver="highs")
    assert program.model.costs == pytest.approx(costs)
    assert program.model.integer.all()
    assert (program.params.absolute_gap, program.params.gap) == (absolute, 0.25)
    assert (program.params.solver, program.start) == ("highs", None)


def test_the_rows_of_a_program_by_hand(monkeypatch):
    """
    Tests two participants, of whom the first may be idle: nothing is no variable. Rows of money are
    counted in their largest number, or in 1.
    """
    options = Options(
        np.array([0, 0, 1, 1]),
        np.array([0.0, 3.0, 1.0, 5.0]),
        np.array([[0, 0], [1, 0], [-2, 0], [2, 0]]),
        np.array([3, 0]),
        0,
        ((np.array([0.0, 8.0, 0.0, -4.0]), 4.0), (np.array([0.0, 0.5, 0.0, 0.0]), 2.0)),
    )
    program = Program(monkeypatch, [0, 1, 0, 1])
    chosen = choose(options, Effort())
    assert chosen.options.tolist() == [1, 3]
    model = program.model
    assert model.upper.tolist() == [0, 1, 1, 1]
    assert model.row_lower.tolist() == [-np.inf, 1, -np.inf, -np.inf, -np.inf]
    assert model.row_upper == pytest.approx([1, 1, 3, 0.5, 2], abs=2e-6)
    rows = np.split(model.columns, model.starts[1:-1])
    numbers = np.split(model.coefficients, model.starts[1:-1])
    assert [row.tolist() for row in rows] == [[1], [2, 3], [1, 2, 3], [1, 3], [1]]
    assert [row.tolist() for row in numbers] == [[1], [1, 1], [1, -2, 2], [1, -0.5], [0.5]]


def test_whoever_takes_nothing_takes_one_of_its_nothings(monkeypatch):
    """Tests a participant with two empty options, one with a single one, and one with none."""
    options = Options(
        np.array([0, 0, 0, 1, 1, 2]),
        np.array([4.0, 0.0, 0.0, 6.0, 0.0, 1.0]),
        np.array([[1], [0], [0], [1], [0], [1]]),
        np.array([3]),
    )
    for x, expected in (
        ([0, 0, 0, 1, 0, 1], [1, 3, 5]),
        ([1, 0, 0, 0, 0, 1], [0, 4, 5]),
        ([0, 0, 0, 0, 0, 1], [1, 4, 5]),
        ([1, 0, 0, 1, 0, 1], [0, 3, 5]),
    ):
        Program(monkeypatch, x)
        assert choose(options, Effort(), solver="highs").options.tolist() == expected


@pytest.mark.parametrize(
    ("bound", "decimals", "told"), [(5.85, 0, 5), (5.95, 0, 6), (5.85, None, 5.85), (4.0, 0, 5)]
)
def test_bounds_of_whole_worths_are_whole(monkeypatch, bound, decimals, told):
    """Tests a solver's bound, in its units, where a choice worth 5 was found."""
    scale = 1.0 if decimals == 0 else 5.0 / 1e4
    Program(monkeypatch, [0, 0, 0, 1], bound / scale)
    chosen = choose(two((3.0, 5.0), decimals), Effort(), solver="highs")
    assert chosen.bound >= told
    assert chosen.bound == pytest.approx(told, rel=1e-9)


def test_a_program_without_a_choice(monkeypatch):
    """Tests a proof that there is none, and a time that was too short."""
    Program(monkeypatch, None, status=Status.INFEASIBLE)
    assert choose(two((3.0, 5.0)), Effort(), solver="highs") is None
    Program(monkeypatch, None, status=Status.TIME_LIMIT)
    with pytest.raises(SolverError, match="Time ran out"):
        choose(two((3.0, 5.0)), Effort(), solver="highs")
    Program(monkeypatch, [0, 0, 0, 1], status=Status.TIME_LIMIT)
    assert not choose(two((3.0, 5.0)), Effort(), solver="highs").is_proven
    assert not choose(two((3.0, 5.0), None), Effort(), solver="highs").is_proven


def test_a_row_that_nobody_uses_may_be_at_its_end(monkeypatch):
    """Tests a bound of 0, and a start as the solver gets it."""
    program = Program(monkeypatch, [0, 0, 0, 1])
    options = replace(two((3.0, 5.0)), uses=np.zeros((4, 1), int), bounds=np.array([0]))
    chosen = module._by_program(options, Effort(), "highs", np.array([1, 2]))
    assert chosen.options.tolist() == [0, 3]
    assert program.start.tolist() == [0, 1, 1, 0]
    assert len(program.model.row_upper) == 2
