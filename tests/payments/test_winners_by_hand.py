"""Tests of who is asked for how long, and what is made of the answer, with scripted methods."""

import numpy as np
import pytest

from boca.core import Economy
from boca.milp import MilpResult, Status
from boca.payments import winners
from boca.payments.accepted import Solved
from boca.payments.bids import Packing
from boca.payments.branch_and_bound import SearchResult
from boca.payments.effort import Effort
from boca.payments.winners import WinnerDetermination, by_milp, exceeded_covers

# Four bidders who want the same good, and the economy of the last three of them.
WORTH = [9.0, 5.0, 4.0, 3.0]
PACKING = Packing(np.arange(4), np.ones((4, 1), dtype=int), np.array(WORTH), np.array([1]))
LAST_THREE = Economy((1, 2, 3))
BEGAN = 100.0


class Tree:
    """Branching that finds what it is told to find."""

    def __init__(self, script, best, gap):
        self.script, self.gap = script, gap
        self.best, self.surplus, self.bound = [best], np.zeros(1), np.array([np.inf])
        self.offer(best)

    def offer(self, bids):
        worth = PACKING.surplus[bids].sum()
        if worth > self.surplus[0]:
            self.best, self.surplus = [bids], np.array([worth])

    def run(self, most_iterations, deadline=np.inf, report=None):
        if np.isfinite(self.bound[0]) and self.script.now >= deadline:
            return False
        bids, bound = self.script.runs.pop(0)
        self.script.note("run", most_iterations, deadline)
        self.offer(np.array(bids, dtype=int))
        self.bound = np.array([float(bound)])
        if report is not None:
            report()
        return bool(self.bound[0] <= self.surplus[0])


class Script:
    """
    What each method says when it is asked, and a clock that only they move.

    Parameters
    ----------
    searches
        Bids that win and whether the search was completed, one after another.
    runs
        Bids and bounds of the branching, one after another.
    answer
        Bids and bound of the mixed-integer program.
    seconds
        How long each takes.
    """

    def __init__(self, monkeypatch, searches=(), runs=(), answer=None, seconds=0.0):
        self.searches, self.runs, self.answer = list(searches), list(runs), answer
        self.asked, self.told, self.now, self.seconds = [], [], BEGAN, seconds
        monkeypatch.setattr(winners, "search", self.search)
        monkeypatch.setattr(winners, "by_milp", self.by_milp)
        monkeypatch.setattr(winners, "tightened", lambda packing: (packing, None))
        monkeypatch.setattr(winners, "Branching", self.branching)
        monkeypatch.setattr(winners, "perf_counter", lambda: self.now)

    def note(self, *what):
        self.asked.append(what)
        self.now += self.seconds

    def search(self, part, prices, start, nodes, deadline):
        self.prices = prices[0]
        self.note("search", nodes, start.tolist(), deadline)
        wanted, complete = self.searches.pop(0)
        found = np.flatnonzero(np.isin(part.owners, wanted))
        return SearchResult(found, 0.0, complete, nodes)

    def branching(self, packing, lp, is_open, best, gap):
        self.asked.append(("branching", np.flatnonzero(is_open).tolist(), best[0].tolist(), gap))
        return Tree(self, best[0], gap)

    def by_milp(self, packing, is_open, start, solver, gap, seconds):
        self.note("milp", start.tolist(), solver, gap, seconds)
        bids, bound = self.answer
        return Solved(np.array(bids), bound, True)

    def accept(self, economy=LAST_THREE, **settings):
        effort = Effort(**{"began": BEGAN, "progress": self.told.append, **settings})
        accepted = WinnerDetermination(PACKING, effort).accept(economy)
        return accepted.bids.tolist(), accepted.bound, accepted.method


def test_a_short_search_that_ends_has_the_last_word(monkeypatch):
    """Tests that nobody else is asked, with dual prices in units of the largest open bid."""
    script = Script(monkeypatch, [([1], True)])

    assert script.accept() == ([1], 5, "search")
    assert script.asked == [("search", 5_000, [], np.inf)]
    assert 0.8 <= script.prices[0] <= 1  # the good is worth 4 to 5 of 5
    assert [(now.stage, now.surplus, now.bound) for now in script.told] == [("allocation", 5, 5)]


def test_every_method_hands_its_best_to_the_next(monkeypatch):
    """
    Tests the whole way: bidder 3, then 2 by branching, nothing better in the long search, bidder 1
    from the program, whose bound of 6 is not a proof, so that branching goes on.
    """
    script = Script(
        monkeypatch,
        [([3], False), ([2], False)],
        [([3], 6), ([2], 6), ([1], 5)],
        ([1], 6.0),
    )

    assert script.accept() == ([1], 5, "branching")
    assert script.asked == [
        ("search", 5_000, [], np.inf),
        ("branching", [1, 2, 3], [3], 0.0),
        ("run", 0, np.inf),
        ("run", 500_000, np.inf),
        ("search", 1_000_000, [1], np.inf),  # the second of the open bids
        ("milp", [2], "highs", 0.0, np.inf),
        ("run", np.inf, np.inf),
    ]
    told = [(now.surplus, now.bound) for now in script.told]
    assert told == [(4, 6), (4, 6), (4, 6), (5, 5), (5, 5)]


def test_a_long_search_that_ends_is_a_proof(monkeypatch):
    script = Script(monkeypatch, [([3], False), ([1], True)], [([3], 6), ([2], 6)])
    assert script.accept() == ([1], 5, "search")


@pytest.mark.parametrize(("bound", "goes_on"), [(6, True), (7, False)])
def test_a_wide_gap_at_the_root_wants_cutting_planes(monkeypatch, bound, goes_on):
    """Tests 3 of 6 and of 7: a gap of 1 is the widest that branching is for."""
    runs = [([3], bound), ([3], 5)] if goes_on else [([3], bound)]
    script = Script(monkeypatch, [([3], False), ([3], False)], runs, ([1], 5.0))

    assert script.accept() == ([1], 5, "milp")
    assert [what[0] for what in script.asked].count("run") == len(runs)


def test_many_bidders_are_not_searched(monkeypatch):
    """Tests efforts whose searches are for two bidders at most, of the three that bid."""
    runs = [([2], 6), ([2], 6)]
    script = Script(monkeypatch, [], runs, ([1], 5.0))
    assert script.accept(search_nodes=((2, 99),)) == ([1], 5, "milp")
    script = Script(monkeypatch, [([1], True)])
    script.accept(search_nodes=((3, 99),))
    assert script.asked == [("search", 99, [], np.inf)]


def test_bids_that_are_too_many_to_compare_are_not_searched(monkeypatch):
    monkeypatch.setattr("boca.payments.bids.MOST_PAIRED", 3)
    script = Script(monkeypatch, [], [([1], 5)])
    assert script.accept() == ([1], 5, "branching")


def test_a_gap_is_enough_for_everybody(monkeypatch):
    """Tests 4 of 5 with a gap of a quarter, which is enough for branching and program."""
    searched = [([3], False), ([2], False)]
    script = Script(monkeypatch, searched, [([2], 6), ([2], 5)])
    assert script.accept(gap=0.25) == ([2], 5, "branching")
    script = Script(monkeypatch, searched, [([2], 6), ([2], 6)], ([2], 5.0))
    assert script.accept(gap=0.25) == ([2], 5, "milp")
    assert script.asked[1][-1] == script.asked[-1][-2] == 0.25


def test_who_may_not_ask_the_program_keeps_what_is_known(monkeypatch):
    script = Script(monkeypatch, [([3], False), ([2], False)], [([3], 6), ([3], 6)])
    assert script.accept(to_the_end=False) == ([2], 6, "search")
    assert script.asked[-1][0] == "search"


def test_a_limited_time_is_shared(monkeypatch):
    """
    Tests 20 s and methods that take 3 each: after the first search and relaxation 14 are left, of
    which branching gets 40 %, and the program has the last 8.
    """
    searched, runs = [([3], False), ([2], False)], [([3], 6), ([2], 6), ([2], 6)]
    script = Script(monkeypatch, searched, runs, ([2], 6.0), seconds=3.0)

    assert script.accept(max_seconds=20.0) == ([2], 6, "branching")
    assert [what[-1] for what in script.asked if what[0] != "branching"] == [
        120.0, np.inf, pytest.approx(106 + 0.4 * 14), 120.0, pytest.approx(8), 120.0
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "bids", "method"),
    [(10.0, [3], "branching"), (7.0, [2], "branching"), (5.0, [1], "search"), (4.0, [1], "milp")],
)
def test_time_that_runs_out_ends_the_work(monkeypatch, seconds, bids, method):
    """Tests 20 s, and methods that take so long that the second, third, fourth, fifth end it."""
    searched, runs = [([3], False), ([1], False)], [([3], 6), ([2], 6)]
    script = Script(monkeypatch, searched, runs, ([1], 6.0), seconds)

    assert script.accept(max_seconds=20.0) == (bids, 6, method)


def test_an_economy_is_worth_no_more_than_a_larger_one(monkeypatch):
    """
    Tests that the bound of four bidders, 8, counts for three of them, and for the same four, but
    not for others; and that bids that won are where the next economy begins.
    """
    script = Script(monkeypatch)
    effort = Effort(search_nodes=(), to_the_end=False, began=BEGAN, progress=script.told.append)

    def bound(determination, bidders, bound, **more):
        script.runs = [([bidders[0]], bound)] * 2
        return determination.accept(Economy(tuple(bidders)), **more).bound

    asked = WinnerDetermination(PACKING, effort)
    assert bound(asked, [1, 2, 3], 8) == 8
    assert bound(asked, [1, 2], 12, stage="two") == 8
    assert (script.told[-1].stage, script.told[-1].bound) == ("two", 8)
    assert [now.bound for now in script.told[-3:]] == [8, 8, 8]
    assert bound(asked, [1, 2, 3], 12) == 8
    assert bound(asked, [0, 1, 2], 12) == 12
    asked.accept(Economy((0, 1)), deadline=BEGAN)
    assert script.asked[-1][0] == "run"  # the time is over and something is known
    assert asked.best_known(np.array([False, True, True, True])).tolist() == [1]


def test_time_that_is_over_is_no_reason_to_know_nothing(monkeypatch):
    """Tests an economy without any bound, which gets its first relaxation in any case."""
    script = Script(monkeypatch, [], [([1], 6)])
    determination = WinnerDetermination(PACKING, Effort(search_nodes=(), began=BEGAN))
    accepted = determination.accept(LAST_THREE, deadline=BEGAN)
    assert (accepted.bids.tolist(), accepted.bound) == ([1], 6)

    again = determination.accept(LAST_THREE, deadline=BEGAN)
    assert (again.bids.tolist(), again.bound, again.method) == ([1], 6, "branching")
    assert len(script.asked) == 2
    # Before the deadline more is found out.
    script.runs = [([1], 5)]
    assert determination.accept(LAST_THREE, deadline=BEGAN + 1).bound == 5


def test_a_start_that_reaches_the_ceiling_is_enough_where_ties_do_not_matter(monkeypatch):
    """
    Tests that a gap, which says that not every tie is to be broken by the rule, saves the work;
    without one it is done.
    """
    for gap, num_searches in ((0.01, 1), (0.0, 2)):
        script = Script(monkeypatch, [([1], True), ([1], True)])
        determination = WinnerDetermination(PACKING, Effort(gap=gap))
        determination.accept(LAST_THREE)
        again = determination.accept(Economy((1, 2)))
        assert (again.bids.tolist(), again.bound) == ([1], 5)
        assert len(script.asked) == num_searches


def test_nobody_who_bids_is_settled_without_a_method(monkeypatch):
    script = Script(monkeypatch)
    assert script.accept(Economy(())) == ([], 0, "search")
    assert not script.asked
    assert not script.told


class Together:
    """Branching on several economies at once, as a scripted part."""

    def __init__(self, monkeypatch, results):
        self.results, self.asked = results, []
        monkeypatch.setattr(winners, "branch_without", self.branch_without)
        monkeypatch.setattr(winners, "perf_counter", lambda: BEGAN)

    def branch_without(self, packing, lp, bidders, starts, gap, iterations, deadline, report):
        self.asked.append((bidders, [s.tolist() for s in starts], gap, iterations, deadline))
        report(4.0, 6.0)
        return {i: Solved(np.array(bids), bound, done) for i, (bids, bound, done) in self.results}


def test_marginal_economies_are_branched_on_together(monkeypatch):
    """
    Tests what each begins with, that 40 % of the time is for it, that only what is finished is
    settled, and that bounds of all are kept; no bound is above that of the main economy.
    """
    told = []
    together = Together(monkeypatch, [(0, ([1], 12.0, True)), (1, ([2], 7.0, False))])
    effort = Effort(gap=0.5, iterations=77, progress=told.append)
    determination = WinnerDetermination(PACKING, effort)
    assert determination.accept_without([0, 1], 4, np.inf) == {}  # nothing has been branched on
    determination._tight = (PACKING, None)
    determination._known = [np.array([0]), np.array([3])]
    determination._bounds = [(frozenset(range(4)), 9.0)]
    assert determination.accept_without([0], 4, np.inf) == {}  # one economy has nobody to share
    assert not together.asked

    settled = determination.accept_without([0, 1], 4, BEGAN + 10)

    assert together.asked == [([0, 1], [[3], [0]], 0.5, 77, BEGAN + 4)]
    assert [(now.stage, now.surplus, now.bound) for now in told] == [("marginal economies", 4, 6)]
    assert list(settled) == [0]
    assert (settled[0].bids.tolist(), settled[0].bound, settled[0].method) == ([1], 9, "branching")
    is_open = np.array([False, True, True, True])
    assert determination.best_known(is_open).tolist() == [1]
    # What is known of the economy without bidder 1, which is not settled, holds for smaller ones.
    late = determination.accept(Economy((2, 3)), deadline=BEGAN)
    assert (late.bids.tolist(), late.bound) == ([2], 7)


class Solver:
    """A solver that says what it is told to say, whatever it is asked."""

    def __init__(self, monkeypatch, *answers):
        self.answers, self.asked = list(answers), []
        monkeypatch.setattr(winners, "solve", self.solve)

    def solve(self, model, params, point):
        self.asked.append((model.arrays(), params, point.tolist()))
        status, x, bound = self.answers.pop(0)
        return MilpResult(status, None if x is None else np.array(x), 0.0, bound, 0.0)


def of_values(values, decimals=0):
    return Packing(
        np.arange(len(values)),
        np.ones((len(values), 1), dtype=int),
        np.array(values, dtype=float),
        np.array([1]),
        decimals,
    )


EVERYTHING = np.ones(2, dtype=bool)


@pytest.mark.parametrize(
    ("values", "decimals", "unit", "told", "bound"),
    [
        ([5, 4], 0, 1.0, 5.95, 6.0),  # a solver's error is less than a tenth of a unit
        ([5, 4], 0, 1.0, 5.85, 5.0),
        ([1e7, 4], 0, 1.0, 1e7 + 0.5, 1e7),
        ([1e7 + 1, 4], 0, 1e3 + 1e-4, 1e4, 1e7 + 1 + 1e-3 + 1e-5),
        ([5.5, 4], None, 5.5e-4, 1e4, 5.5 * (1 + 1e-10 + 1e-12)),
    ],
)
def test_a_solvers_bound_is_widened_by_its_error(monkeypatch, values, decimals, unit, told, bound):
    """
    Tests that costs are small enough for a solver, and that its bound is rounded down where all
    sums are whole and otherwise widened by a millionth of its unit and what a product is off by.
    """
    solver = Solver(monkeypatch, (Status.OPTIMAL, [1.0, 0.0], told))

    answer = by_milp(of_values(values, decimals), EVERYTHING, np.array([1]), "highs")

    assert solver.asked[0][0].costs * unit == pytest.approx(values)
    assert answer.bound == pytest.approx(bound, rel=1e-14, abs=0)
    assert answer.bids.tolist() == [0]
    assert answer.is_finished


def test_the_tiniest_values_have_a_unit():
    """Tests values at the end of what floating point holds, which a solver sees as they are."""
    packing = of_values([5e-324, 4e-310], None)
    answer = by_milp(packing, EVERYTHING, np.array([0]), "highs")
    assert answer.bound >= 4e-310
    assert len(answer.bids) == 1


def test_a_solver_is_told_what_it_may_do(monkeypatch):
    """Tests gap, time and start, and the rows: none for bidders with one bid or goods unwanted."""
    solver = Solver(monkeypatch, (Status.OPTIMAL, [0.0, 1.0], 4.0))
    packing = Packing(
        np.array([0, 1, 1]),
        np.array([[1, 0], [2, 0], [1, 0]]),
        np.array([5.0, 4, 3]),
        np.full(2, 3),
    )

    by_milp(packing, np.array([True, True, False]), np.array([1, 2]), "scip", 0.25)

    arrays, params, point = solver.asked[0]
    assert (params.solver, params.gap, params.time_limit) == ("scip", 0.25, None)
    assert point == [0.0, 1.0]
    assert arrays.row_upper.tolist() == [3.0]
    assert arrays.coefficients.tolist() == [1.0, 2.0]
    assert arrays.integer.all()
    assert arrays.upper.tolist() == [1.0, 1.0]
    Script(monkeypatch).now = 7.0
    solver.answers = [(Status.OPTIMAL, [1.0, 0.0, 1.0], 4.0)] * 2
    by_milp(packing, np.ones(3, dtype=bool), np.array([1]), "highs", seconds=2.5)
    arrays, params, _ = solver.asked[1]
    assert (params.gap, params.time_limit) == (0.0, 2.5)
    assert arrays.row_upper.tolist() == [1.0, 3.0]
    by_milp(packing, np.ones(3, dtype=bool), np.array([1]), "highs", seconds=-1.0)
    assert solver.asked[2][1].time_limit == 0.0


@pytest.mark.parametrize(
    ("status", "x", "bound", "expected"),
    [
        (Status.INFEASIBLE, None, 4.0, ([1], np.inf, False)),
        (Status.OPTIMAL, [1.0, 0.0], np.inf, ([0], np.inf, False)),
        (Status.TIME_LIMIT, None, 6.0, ([1], 6.0, False)),
        (Status.TIME_LIMIT, [1.0, 0.0], 6.0, ([0], 6.0, False)),
        (Status.OPTIMAL, [1.0, 0.0], 5.0, ([0], 5.0, True)),
    ],
)
def test_what_a_solver_did_not_prove_is_not_claimed(monkeypatch, status, x, bound, expected):
    """Tests answers without a point, without a bound, and without an end."""
    Solver(monkeypatch, (status, x, bound))
    answer = by_milp(of_values([5, 4]), EVERYTHING, np.array([1]), "highs")
    assert (answer.bids.tolist(), answer.bound, answer.is_finished) == expected


def test_what_exceeds_a_capacity_is_excluded_before_the_solver_goes_on(monkeypatch):
    """Tests a solver that gives the good twice, is told that one has to lose, and has 1 s left."""
    solver = Solver(
        monkeypatch, (Status.OPTIMAL, [1.0, 1.0], 9.0), (Status.OPTIMAL, [1.0, 0.0], 5.0)
    )
    clock = iter([10.0, 10.0, 11.0, 12.0])
    monkeypatch.setattr(winners, "perf_counter", lambda: next(clock))

    answer = by_milp(of_values([5, 4]), EVERYTHING, np.array([1]), "highs", seconds=3.0)

    assert (answer.bids.tolist(), answer.bound, answer.is_finished) == ([0], 5, True)
    assert [params.time_limit for _, params, _ in solver.asked] == [3.0, 1.0]
    rows = solver.asked[1][0]
    assert rows.row_upper.tolist() == [1.0, 1.0]
    assert rows.coefficients.tolist() == [1.0] * 4


def test_nobody_open_is_no_work_for_a_solver(monkeypatch):
    solver = Solver(monkeypatch)
    answer = by_milp(of_values([5, 4]), np.zeros(2, dtype=bool), np.zeros(0, dtype=int), "highs")
    assert (len(answer.bids), answer.bound, answer.is_finished) == (0, 0, True)
    assert not solver.asked


def test_covers_are_sets_of_which_one_has_to_lose():
    """
    Tests 5 + 4 + 1 of 8 copies: of 5 and 4, and of others that want 5 or more, one wins; another
    that wants 4 can win with the first.
    """
    counts = np.array([1, 4, 5, 6, 3, 4])
    packing = Packing(np.arange(6), counts[:, None], np.ones(6), np.array([8]))

    covers = exceeded_covers(packing, np.array([True, True, True, False, False, False]))

    assert [(bids.tolist(), most) for bids, most in covers] == [([1, 2, 3], 1)]
    assert not exceeded_covers(packing, np.array([True, False, True, False, False, False]))
