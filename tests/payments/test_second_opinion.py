"""When another solver confirms, contradicts or leaves open what we found."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from boca.core import Economy, Market, MissingExtra, Reports, SolverError
from boca.payments.accepted import Accepted, Solved
from boca.payments.bids import Packing
from boca.payments.effort import Effort
from boca.payments.vcg_rule import _improved, compare, second_solver, solve_economies
from boca.payments.winners import WinnerDetermination

rule = import_module("boca.payments.vcg_rule")  # the package's `vcg` is the function

MARKET = Market.simple(2, 3)


def packing_of(*values) -> Packing:
    """Good 0 for the first, good 1 for the second, both for the third."""
    bundles = ([[1, 0]], [[0, 1]], [[1, 1]])
    reports = [Reports(b, [v]) for b, v in zip(bundles, values, strict=True)]
    return Packing.from_reports(reports, MARKET)


def opinion(monkeypatch, packing, first, bids, bound, is_finished=True) -> bool:
    """What follows from a second solver's answer."""
    answer = Solved(np.array(bids, dtype=np.int64), bound, is_finished)
    monkeypatch.setattr(rule, "ask_solver", lambda *arguments: answer)
    return compare(packing, Economy.main(3), first, "scip", Effort(), MARKET)


def ours(packing, bids, bound=None) -> Accepted:
    surplus = float(packing.surplus[bids].sum())
    return Accepted.of(packing, np.array(bids), surplus if bound is None else bound, "search")


def test_the_same_bids_confirm(monkeypatch):
    """Tests agreement, to the end and not."""
    packing = packing_of(10, 10, 15)
    assert opinion(monkeypatch, packing, ours(packing, [0, 1]), [0, 1], 20.0)
    assert not opinion(monkeypatch, packing, ours(packing, [0, 1]), [0, 1], 25.0, False)


def test_one_unit_more_contradicts(monkeypatch):
    """Tests whole units: one more is better, whatever the amounts; equal ones are not."""
    packing = packing_of(10**9, 10**9, 2 * 10**9 - 1)
    with pytest.raises(SolverError, match=r"we found 1999999999, the solver 'scip' found 2000000"):
        opinion(monkeypatch, packing, ours(packing, [2]), [0, 1], 2e9)
    tied = packing_of(10, 10, 20)
    assert opinion(monkeypatch, tied, ours(tied, [2]), [0, 1], 20.0)


def test_amounts_without_a_unit_are_compared_up_to_the_tolerance(monkeypatch):
    """Tests differences of half and of twice a millionth of the largest bid."""
    for excess, is_fine in ((0.5e-6, True), (2e-6, False)):
        packing = packing_of(np.pi / 2 + excess * np.pi, np.pi / 2, np.pi)
        first = ours(packing, [2])
        if is_fine:
            assert opinion(monkeypatch, packing, first, [0, 1], 4.0)
        else:
            with pytest.raises(SolverError):
                opinion(monkeypatch, packing, first, [0, 1], 4.0)
    # What is proven is the surplus, however much room its bound leaves.
    packing = packing_of(np.pi / 2 + 1.5e-6 * np.pi, np.pi / 2, np.pi)
    first = ours(packing, [2], bound=np.pi * (1 + 0.9e-6))
    assert first.is_proven
    with pytest.raises(SolverError):
        opinion(monkeypatch, packing, first, [0, 1], 4.0)


def test_a_bound_below_our_bids_contradicts(monkeypatch):
    """Tests a second solver that proves too much, by more than its tolerance."""
    packing = packing_of(1_000_000, 1_000_000, 5)
    first = ours(packing, [0, 1])
    assert opinion(monkeypatch, packing, first, [0, 1], 2_000_000 - 1.0)  # the tolerance itself
    with pytest.raises(SolverError, match="found 1999998"):
        opinion(monkeypatch, packing, first, [0, 1], 2_000_000 - 2.0)


def test_better_bids_below_an_open_bound_confirm_nothing(monkeypatch):
    """Tests what is not proven: the other solver may know better, but not above the bound."""
    packing = packing_of(10, 10, 15)
    first = ours(packing, [2], bound=22.0)
    assert not first.is_proven
    assert not opinion(monkeypatch, packing, first, [0, 1], 20.0)
    by_one = packing_of(10, 10, 19)
    assert not opinion(monkeypatch, by_one, ours(by_one, [2], bound=22.0), [0, 1], 20.0)
    tight = ours(packing, [2], bound=18.0)
    with pytest.raises(SolverError, match="found 20"):
        opinion(monkeypatch, packing, tight, [0, 1], 20.0)


def test_messages_are_in_money(monkeypatch):
    """Tests cents, which are the units of the work and not of the message."""
    packing = packing_of(0.10, 0.10, 0.15)
    with pytest.raises(SolverError, match=r"we found 0\.15, the solver 'scip' found 0\.2\."):
        opinion(monkeypatch, packing, ours(packing, [2]), [0, 1], 20.0)


@pytest.mark.parametrize(
    ("names", "chosen"),
    [(("highs", "scip", "gurobi"), "scip"), (("highs", "gurobi"), "gurobi")],
)
def test_the_second_solver_is_scip_if_it_is_there(monkeypatch, names, chosen):
    """Tests the order, with whatever is installed here."""
    monkeypatch.setattr(rule, "installed", lambda: names)
    assert second_solver() == chosen


def test_without_a_second_solver_there_is_a_hint(monkeypatch):
    """Tests that HiGHS does not check itself."""
    monkeypatch.setattr(rule, "installed", lambda: ("highs",))
    with pytest.raises(MissingExtra, match="scip"):
        second_solver()


def test_every_economy_is_compared(monkeypatch):
    """Tests the main economy and one without each winner; one that is open leaves all open."""
    seen = []

    def fake(packing, economy, first, solver, effort, market):
        seen.append(economy.bidders)
        return len(seen) != 3

    monkeypatch.setattr(rule, "compare", fake)
    monkeypatch.setattr(rule, "second_solver", lambda: "scip")
    reports = [Reports(b, [v]) for b, v in (([[1, 0]], 10), ([[0, 1]], 10), ([[1, 1]], 15))]
    economies = solve_economies(reports, MARKET, None, True, Effort())
    assert seen == [(0, 1, 2), (1, 2), (0, 2)]
    assert economies.verified_by is None

    seen.extend([()] * 3)
    assert solve_economies(reports, MARKET, None, True, Effort()).verified_by == "scip"
    assert seen[6:] == [(0, 1, 2), (1, 2), (0, 2)]  # whoever wins nothing changes nothing
    assert solve_economies(reports, MARKET, None, False, Effort()).verified_by is None
    assert len(seen) == 9


def test_better_bids_of_another_economy_are_used():
    """Tests one unit more, equal ones, and bids of a bidder that takes no part."""
    packing = packing_of(10, 10, 19)
    determination = WinnerDetermination(packing, Effort())
    everybody = np.ones(3, dtype=bool)
    poor = ours(packing, [2], bound=25.0)
    assert _improved(determination, poor, everybody) is poor

    determination._known.append(np.array([0, 1]))
    better = _improved(determination, poor, everybody)
    assert better.bids.tolist() == [0, 1]
    assert (better.surplus, better.bound, better.method) == (20, 25, "search")
    assert _improved(determination, better, everybody) is better

    without_first = _improved(determination, better, packing.owners != 0)
    assert without_first.bids.tolist() == [1]
    equal = WinnerDetermination(packing_of(10, 10, 20), Effort())
    equal._known.append(np.array([0, 1]))
    tied = ours(equal.packing, [2])
    assert _improved(equal, tied, everybody) is tied


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_rounding_is_no_improvement(size):
    """Tests amounts without a unit: a part in a million million of the largest bid is none."""
    for excess, is_better in ((0.7e-12, False), (1.5e-12, True)):
        packing = packing_of(*(size * np.array([np.pi / 2 + excess * np.pi, np.pi / 2, np.pi])))
        determination = WinnerDetermination(packing, Effort())
        determination._known.append(np.array([0, 1]))
        first = ours(packing, [2])
        improved = _improved(determination, first, np.ones(3, dtype=bool))
        assert (improved is not first) == is_better


def test_both_terms_of_a_payment_have_to_be_proven():
    """Tests a main economy, and one without a bidder, that are not."""
    reports = [Reports(b, [v]) for b, v in (([[1, 0]], 10), ([[0, 1]], 10), ([[1, 1]], 15))]
    economies = solve_economies(reports, MARKET, None, False, Effort())

    def proven(economies):
        terms = rule.explain(economies, MARKET, np.zeros(2))
        return [term.is_proven for term in terms]

    assert proven(economies) == [True] * 3
    main = replace(economies.main, is_proven=False)
    assert proven(replace(economies, main=main)) == [False] * 3
    first = replace(economies.marginal[0], is_proven=False)
    marginal = (first, *economies.marginal[1:])
    assert proven(replace(economies, marginal=marginal)) == [False, True, True]


def test_the_main_economy_may_use_half_of_the_time(monkeypatch):
    """Tests deadlines: half for everybody, the rest in equal parts for the others."""
    deadlines = {}
    right = WinnerDetermination.accept

    def accept(self, economy, stage="", starts=(), deadline=None):
        deadlines[stage] = deadline
        return right(self, economy, stage, starts, deadline)

    monkeypatch.setattr(WinnerDetermination, "accept", accept)
    reports = [Reports(b, [v]) for b, v in (([[1, 0]], 10), ([[0, 1]], 10), ([[1, 1]], 15))]
    effort = Effort(max_seconds=1000.0)
    solve_economies(reports, MARKET, None, False, effort)
    assert deadlines["main economy"] == effort.began + 500
    first, second = deadlines["without bidder 0"], deadlines["without bidder 1"]
    assert first - effort.began == pytest.approx(500, abs=20)
    assert second - effort.began == pytest.approx(1000, abs=20)
    solve_economies(reports, MARKET, None, False, replace(effort, max_seconds=None))
    assert deadlines["main economy"] == np.inf
