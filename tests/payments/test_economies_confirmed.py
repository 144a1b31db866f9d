"""When another solver confirms, contradicts or leaves open what we found."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from boca.core import Market, MissingExtra, Reports, SolverError
from boca.payments import economies as module
from boca.payments.accepted import Accepted, Solved
from boca.payments.economies import Economies, improved, second_solver
from boca.payments.effort import Effort
from boca.payments.options import accepted_options
from boca.payments.sales import sale
from boca.payments.settlement import Settlement
from boca.payments.winners import WinnerDetermination

rule = import_module("boca.payments.vcg_rule")  # the package's `vcg` is the function

MARKET = Market.simple(2, 3)
REPORTS = [Reports(b, [v]) for b, v in (([[1, 0]], 10), ([[0, 1]], 10), ([[1, 1]], 15))]


def problem_of(*values):
    """Good 0 for the first, good 1 for the second, both for the third."""
    bundles = ([[1, 0]], [[0, 1]], [[1, 1]])
    return sale([Reports(b, [v]) for b, v in zip(bundles, values, strict=True)], MARKET)


def packing_of(*values):
    return problem_of(*values).options.packing()[0]


def opinion(monkeypatch, problem, first, bids, bound, is_finished=True) -> bool:
    """What follows from a second solver's answer."""
    answer = Solved(np.array(bids, dtype=np.int64), bound, is_finished)
    monkeypatch.setattr(module, "ask_solver", lambda *arguments: answer)
    economies = Economies(problem, Effort(), "scip")
    economies._confirm(problem.options, first, "the main economy")
    return economies.verifier is not None


def ours(problem, bids, bound=None):
    packing, numbers = problem.options.packing()
    return accepted_options(problem.options, packing, numbers, accepted(packing, bids, bound))


def accepted(packing, bids, bound=None) -> Accepted:
    surplus = float(packing.surplus[bids].sum())
    return Accepted.of(packing, np.array(bids), surplus if bound is None else bound, "search")


def test_the_same_bids_confirm(monkeypatch):
    """Tests agreement, to the end and not."""
    problem = problem_of(10, 10, 15)
    assert opinion(monkeypatch, problem, ours(problem, [0, 1]), [0, 1], 20.0)
    assert not opinion(monkeypatch, problem, ours(problem, [0, 1]), [0, 1], 25.0, False)


def test_one_unit_more_contradicts(monkeypatch):
    """Tests whole units: one more is better, whatever the amounts; equal ones are not."""
    problem = problem_of(10**9, 10**9, 2 * 10**9 - 1)
    with pytest.raises(SolverError, match=r"we found 1999999999, the solver 'scip' found 2000000"):
        opinion(monkeypatch, problem, ours(problem, [2]), [0, 1], 2e9)
    tied = problem_of(10, 10, 20)
    assert opinion(monkeypatch, tied, ours(tied, [2]), [0, 1], 20.0)


def test_amounts_without_a_unit_are_compared_up_to_the_tolerance(monkeypatch):
    """Tests differences of half and of twice a millionth of the largest bid."""
    for excess, is_fine in ((0.5e-6, True), (2e-6, False)):
        problem = problem_of(np.pi / 2 + excess * np.pi, np.pi / 2, np.pi)
        first = ours(problem, [2])
        if is_fine:
            assert opinion(monkeypatch, problem, first, [0, 1], 4.0)
        else:
            with pytest.raises(SolverError):
                opinion(monkeypatch, problem, first, [0, 1], 4.0)
    # What is proven is the surplus, however much room its bound leaves.
    problem = problem_of(np.pi / 2 + 1.5e-6 * np.pi, np.pi / 2, np.pi)
    first = ours(problem, [2], bound=np.pi * (1 + 0.9e-6))
    assert first.is_proven
    with pytest.raises(SolverError):
        opinion(monkeypatch, problem, first, [0, 1], 4.0)


def test_a_bound_below_our_bids_contradicts(monkeypatch):
    """Tests a second solver that proves too much, by more than its tolerance."""
    problem = problem_of(1_000_000, 1_000_000, 5)
    first = ours(problem, [0, 1])
    assert opinion(monkeypatch, problem, first, [0, 1], 2_000_000 - 1.0)  # the tolerance itself
    with pytest.raises(SolverError, match="found 1999998"):
        opinion(monkeypatch, problem, first, [0, 1], 2_000_000 - 2.0)


def test_better_bids_below_an_open_bound_confirm_nothing(monkeypatch):
    """Tests what is not proven: the other solver may know better, but not above the bound."""
    problem = problem_of(10, 10, 15)
    first = ours(problem, [2], bound=22.0)
    assert not first.is_proven
    assert not opinion(monkeypatch, problem, first, [0, 1], 20.0)
    by_one = problem_of(10, 10, 19)
    assert not opinion(monkeypatch, by_one, ours(by_one, [2], bound=22.0), [0, 1], 20.0)
    tight = ours(problem, [2], bound=18.0)
    with pytest.raises(SolverError, match="found 20"):
        opinion(monkeypatch, problem, tight, [0, 1], 20.0)


def test_messages_are_in_money(monkeypatch):
    """Tests cents, which are the units of the work and not of the message."""
    problem = problem_of(0.10, 0.10, 0.15)
    with pytest.raises(SolverError, match=r"we found 0\.15, the solver 'scip' found 0\.2\."):
        opinion(monkeypatch, problem, ours(problem, [2]), [0, 1], 20.0)


@pytest.mark.parametrize(
    ("names", "chosen"),
    [(("highs", "scip", "gurobi"), "scip"), (("highs", "gurobi"), "gurobi")],
)
def test_the_second_solver_is_scip_if_it_is_there(monkeypatch, names, chosen):
    """Tests the order, with whatever is installed here."""
    monkeypatch.setattr(module, "installed", lambda: names)
    assert second_solver() == chosen


def test_without_a_second_solver_there_is_a_hint(monkeypatch):
    """Tests that HiGHS does not check itself."""
    monkeypatch.setattr(module, "installed", lambda: ("highs",))
    with pytest.raises(MissingExtra, match="scip"):
        second_solver()


def test_every_economy_is_compared(monkeypatch):
    """Tests the main economy and one without each winner; one that is open leaves all open."""
    seen = []

    def fake(options, first, solver, effort):
        seen.append(np.unique(options.owners[options.worth > 0]).tolist())
        return replace(first, is_finished=len(seen) != 3)

    monkeypatch.setattr(module, "asked", fake)
    economies = Economies(sale(REPORTS, MARKET), Effort(), "scip")
    economies.solve(needs_shares=True)
    assert seen == [[0, 1, 2], [1, 2], [0, 2]]  # whoever wins nothing changes nothing
    assert economies.verifier is None

    economies.solve(needs_shares=True)
    assert len(seen) == 3  # nobody is asked any more
    economies = Economies(sale(REPORTS, MARKET), Effort(), "scip")
    economies.solve(needs_shares=True)
    assert economies.verifier == "scip"
    assert seen[3:] == [[0, 1, 2], [1, 2], [0, 2]]
    economies.solve(needs_shares=False)
    assert seen[6:] == [[0, 1, 2]]


def test_better_bids_of_another_economy_are_used():
    """Tests one unit more, equal ones, and bids of a bidder that takes no part."""
    packing = packing_of(10, 10, 19)
    determination = WinnerDetermination(packing, Effort())
    everybody = np.ones(3, dtype=bool)
    poor = accepted(packing, [2], bound=25.0)
    assert improved(determination, poor, everybody) is poor

    determination._known.append(np.array([0, 1]))
    better = improved(determination, poor, everybody)
    assert better.bids.tolist() == [0, 1]
    assert (better.surplus, better.bound, better.method) == (20, 25, "search")
    assert improved(determination, better, everybody) is better

    without_first = improved(determination, better, packing.owners != 0)
    assert without_first.bids.tolist() == [1]
    equal = WinnerDetermination(packing_of(10, 10, 20), Effort())
    equal._known.append(np.array([0, 1]))
    tied = accepted(equal.packing, [2])
    assert improved(equal, tied, everybody) is tied


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_rounding_is_no_improvement(size):
    """Tests amounts without a unit: a part in a million million of the largest bid is none."""
    for excess, is_better in ((0.7e-12, False), (1.5e-12, True)):
        packing = packing_of(*(size * np.array([np.pi / 2 + excess * np.pi, np.pi / 2, np.pi])))
        determination = WinnerDetermination(packing, Effort())
        determination._known.append(np.array([0, 1]))
        first = accepted(packing, [2])
        better = improved(determination, first, np.ones(3, dtype=bool))
        assert (better is not first) == is_better


def test_both_terms_of_a_payment_have_to_be_proven():
    """Tests a main economy, and one without a bidder, that are not."""
    problem = sale(REPORTS, MARKET)
    best, without = Economies(problem, Effort()).solve(needs_shares=True)

    def proven(best, without):
        terms = rule.explain(Settlement(problem, "vcg", best, without), np.zeros(2))
        return [term.is_proven for term in terms]

    assert proven(best, without) == [True] * 3
    assert proven(replace(best, is_proven=False), without) == [False] * 3
    first = replace(without[0], is_proven=False)
    assert proven(best, {**without, 0: first}) == [False, True, True]


def test_the_main_economy_may_use_half_of_the_time(monkeypatch):
    """Tests deadlines: half for everybody, the rest in equal parts for the others."""
    deadlines = {}
    right = WinnerDetermination.accept

    def accept(self, economy, stage="", starts=(), deadline=None):
        deadlines[stage] = deadline
        return right(self, economy, stage, starts, deadline)

    monkeypatch.setattr(WinnerDetermination, "accept", accept)
    effort = Effort(max_seconds=1000.0)
    Economies(sale(REPORTS, MARKET), effort).solve(needs_shares=True)
    assert deadlines["main economy"] == effort.began + 500
    first, second = deadlines["without bidder 0"], deadlines["without bidder 1"]
    assert first - effort.began == pytest.approx(500, abs=20)
    assert second - effort.began == pytest.approx(1000, abs=20)
    endless = replace(effort, max_seconds=None)
    Economies(sale(REPORTS, MARKET), endless).solve(needs_shares=True)
    assert deadlines["main economy"] == np.inf


def test_a_solver_that_begins_with_ours_may_lose_it_in_its_tolerance(monkeypatch):
    """Tests one unit less of two thousand million, with a bound that leaves room for ours."""
    problem = problem_of(10**9, 10**9, 2 * 10**9 - 1)
    assert opinion(monkeypatch, problem, ours(problem, [0, 1]), [2], 2e9)
