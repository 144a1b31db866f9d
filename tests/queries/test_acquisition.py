"""Tests of a round's plan with a scripted winner-determination call."""

import numpy as np
import pytest

from boca.core import Allocation, Economy, Market, Reports
from boca.core.randomness import Seeds
from boca.queries import Acquisition, MarginalUse
from boca.queries.next_query import NextQuery
from boca.wdp import WelfareResult


class Additive:
    """One value per good, for tests."""

    def __init__(self, values):
        self.values = np.array(values, dtype=float)
        self.capacities = np.ones(len(values), dtype=np.int64)

    def __call__(self, bundles):
        return np.asarray(bundles) @ self.values


class Script:
    """Answers every economy with one allocation, and every restricted problem with another."""

    def __init__(self, market, allocations, restricted):
        self.market = market
        self.allocations = allocations
        self.restricted = restricted
        self.calls = []

    def __call__(self, problem):
        excluded = {i: rows.tolist() for i, rows in (problem.excluded or {}).items()}
        self.calls.append((problem.economy.describe(self.market), excluded))
        bundles = np.zeros((self.market.num_bidders, self.market.num_goods), dtype=np.int64)
        source = self.restricted if excluded else self.allocations
        answer = source[problem.economy.describe(self.market)]
        if answer is None:
            return None
        if excluded:
            answer = answer.pop(0)
        for i, row in answer.items():
            bundles[i] = row
        return WelfareResult(Allocation(bundles), 1.0, np.inf, "script", "none", 0.0)


class Situation:
    """Before the first round, which is all that the choice of economies looks at."""

    def __init__(self, market):
        self.market = market
        self.use = MarginalUse.none(market.num_bidders)


def plan_round(next_query, market, num_per_round):
    """Queries of one round for everybody, and the use of economies."""
    bidders = range(market.num_bidders)
    planner = Acquisition(num_per_round=num_per_round)
    return planner.ask(Situation(market), next_query, bidders, Seeds(0))


MARKET = Market.simple(3, 3)
NOTHING = Reports.empty(3)
A, B, C, AB = [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]


def finder(script, reports=(NOTHING,) * 3, declined=None):
    functions = [Additive([1, 2, 3])] * 3
    declined = declined or [np.zeros((0, 3), dtype=np.int64)] * 3
    return NextQuery(MARKET, functions, reports, declined, script)


def test_each_bidder_gets_its_part_of_each_economy():
    """
    Tests Algorithm 2, lines 4 to 8: marginal economies first, bidder by bidder, then the main
    one. With three bidders and two queries per round two marginal economies are chosen; each
    bidder uses one that it is part of.
    """
    allocations = {
        "main": {0: A, 1: B, 2: C},
        "without bidder 0": {1: A, 2: B},
        "without bidder 1": {0: B, 2: A},
        "without bidder 2": {0: C, 1: C},
    }
    script = Script(MARKET, allocations, {})
    next_query = finder(script)
    queries, use = plan_round(next_query, MARKET, 2)

    assert [(q.bidder, q.reason.source) for q in queries] == [
        (0, "marginal"),
        (1, "marginal"),
        (2, "marginal"),
        (0, "main"),
        (1, "main"),
        (2, "main"),
    ]
    for query in queries:
        assert query.bundle.tolist() == allocations[query.reason.economy][query.bidder]
        assert str(query.bidder) not in query.reason.economy
        assert not query.reason.displaced
    names = [name for name, _ in script.calls]
    assert len(names) == len(set(names)) == 3  # each economy is solved once and shared
    assert sum(use.overall) == 2
    assert next_query.num_solved == 3


def test_a_known_bundle_is_replaced_by_the_best_unasked_one():
    """Tests Algorithm 1, lines 4 to 7: only the asked bidder is restricted."""
    reports = (Reports(np.array([A]), np.array([5.0])), NOTHING, NOTHING)
    script = Script(MARKET, {"main": {0: A, 1: B, 2: C}}, {"main": [{0: AB, 1: C}]})
    next_query = finder(script, reports)

    query = next_query(0, Economy.main(3), "main")

    assert query.bundle.tolist() == AB
    assert query.reason.displaced
    assert query.reason.predicted == 3.0  # 1 + 2 by the acquisition
    assert script.calls[-1] == ("main", {0: [[0, 0, 0], A]})  # the empty bundle is never asked
    assert next_query(1, Economy.main(3), "main").bundle.tolist() == B


def test_queries_of_one_round_differ():
    """Tests that a bundle chosen for a marginal economy displaces the main economy's."""
    script = Script(MARKET, {"main": {0: A}, "without bidder 1": {0: A}}, {"main": [{0: B}]})
    next_query = finder(script)

    first = next_query(0, Economy.without(1, 3), "marginal")
    second = next_query(0, Economy.main(3), "main")

    assert [first.bundle.tolist(), second.bundle.tolist()] == [A, B]
    assert script.calls[-1] == ("main", {0: [[0, 0, 0], A]})
    assert next_query.num_displaced == 1


def test_a_bidder_who_would_get_nothing_is_asked_about_something():
    """Tests that the empty bundle counts as known."""
    script = Script(MARKET, {"main": {1: AB}}, {"main": [{0: C, 1: AB}]})
    assert finder(script)(0, Economy.main(3), "main").bundle.tolist() == C


def test_a_declined_bundle_is_not_asked_again():
    """Tests that a refusal is as good as an answer for the exclusion."""
    declined = [np.array([A]), np.zeros((0, 3), int), np.zeros((0, 3), int)]
    script = Script(MARKET, {"main": {0: A}}, {"main": [{0: B}]})
    query = finder(script, declined=declined)(0, Economy.main(3), "main")
    assert query.bundle.tolist() == B


def test_a_bidder_with_no_bundle_left_gets_no_query():
    """Tests that an infeasible restricted problem is a state, not a crash."""
    script = Script(MARKET, {"main": {0: A, 1: B, 2: C}}, {"main": None})
    reports = (Reports(np.array([A]), np.array([1.0])), NOTHING, NOTHING)
    queries, _ = plan_round(finder(script, reports), MARKET, 1)
    assert [q.bidder for q in queries] == [1, 2]


@pytest.mark.parametrize("num_bidders", [1, 2, 3])
def test_few_bidders_get_the_rest_of_their_queries_from_the_main_economy(num_bidders):
    """Tests that every bidder gets its number of queries where marginal economies are few."""
    market = Market.simple(3, num_bidders)
    bundles = [[int(b) for b in f"{k:03b}"] for k in range(1, 8)]

    class Endless:
        """Gives each bidder a bundle that is not excluded."""

        def __call__(self, problem):
            rows = np.zeros((num_bidders, 3), dtype=np.int64)
            for i in problem.economy.bidders:
                known = (problem.excluded or {}).get(i, np.zeros((0, 3))).tolist()
                rows[i] = next(b for b in bundles if b not in known)
            return WelfareResult(Allocation(rows), 1.0, np.inf, "script", "none", 0.0)

    none = [np.zeros((0, 3), dtype=np.int64)] * num_bidders
    reports = (Reports.empty(3),) * num_bidders
    next_query = NextQuery(market, [Additive([1, 1, 1])] * num_bidders, reports, none, Endless())
    queries, _ = plan_round(next_query, market, 4)
    for i in range(num_bidders):
        mine = [tuple(q.bundle) for q in queries if q.bidder == i]
        assert len(mine) == len(set(mine)) == 4
