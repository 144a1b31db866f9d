"""Tests of the bound for problems whose bundles cannot be listed."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import generators
from random_problems import brute_force, lattices, random_problem

from boca.core import Allocation, Economy, Market
from boca.functions import XorTable
from boca.milp import Status
from boca.milp.result import LpResult, MilpResult
from boca.wdp import WelfareProblem
from boca.wdp.bounds import prove as module
from boca.wdp.bounds.columns import Dual, Pool
from boca.wdp.bounds.pricing import ExactPricing, SearchPricing
from boca.wdp.bounds.prove import integer_master, prove, relaxation
from boca.wdp.result import Favourite
from boca.wdp.search.local_search import Effort
from boca.wdp.search.steps import steps_of

PAIRS = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
TRIANGLE = WelfareProblem(
    Market.simple(3, 3), [XorTable(PAIRS[k : k + 1], np.ones(1)) for k in range(3)]
)


def test_the_bound_reaches_what_the_relaxation_can_prove():
    """Tests that a proof ends at 1.5, the value of half of every pair, and finds a pair."""
    steps = {i: steps_of(TRIANGLE.functions[i]) for i in range(3)}

    result = prove(TRIANGLE, steps, Pool(), None, 0.0, 0.01)

    assert result.bound == pytest.approx(1.5, rel=0.01)
    assert TRIANGLE.welfare(Allocation(result.bundles)) == 1


def test_no_time_leaves_the_bound_of_the_relaxation():
    """Tests that a proof whose time is over returns what is known to be true."""
    steps = {i: steps_of(TRIANGLE.functions[i]) for i in range(3)}

    result = prove(TRIANGLE, steps, Pool(), None, 0.9, 0.01, time.perf_counter() - 1)

    assert result.bound >= 1
    assert result.prices.shape == (3,)


def test_prices_of_the_relaxation_by_hand():
    """Tests that half of every pair makes each good worth a half."""
    prices, bound = relaxation(TRIANGLE)

    assert bound == pytest.approx(1.5, rel=1e-5)
    assert bound >= 1.5
    assert prices == pytest.approx(np.full(3, 0.5))


def test_columns_are_packed_within_capacities():
    """
    Tests the integer master by hand: two bidders want good 0 for 3 and 2, the second takes good 1
    for 1 as well. An excluded column and one that prices rule out stay out.
    """
    functions = [XorTable([[1, 0]], [3.0]), XorTable([[1, 0], [0, 1], [1, 1]], [2.0, 1.0, 9.0])]
    problem = WelfareProblem(Market.simple(2, 2), functions, excluded={1: [[1, 1]]})
    pool = Pool()
    for i, function in enumerate(functions):
        for bundle in ([0, 0], [1, 0], [0, 1], [1, 1]):
            pool.add(i, np.array(bundle), float(function(np.array([bundle]))[0]))
    dual = Dual(np.array([2.0, 1.0]), np.array([1.0, 0.0]), 4.0)

    bundles = integer_master(problem, pool, dual, 2.0)

    assert bundles.tolist() == [[1, 0], [0, 1]]
    assert integer_master(problem, pool, dual, 4.0) is None  # nothing is better than 4
    assert integer_master(problem, Pool(), dual, 2.0) is None  # no columns


class Script:
    """
    The parts of a proof, scripted: what column generation, exact pricing and the integer master
    answer one after another, and what they were asked.
    """

    def __init__(self, monkeypatch, believed, exact, again=np.inf, masters=(None, None), clock=0.0):
        self.duals = [self.dual(99.0, 1), self.dual(believed, 2), self.dual(again, 3)]
        self.asked, self.slacks, self.deadlines = [], [], []
        self.welfare_known = []
        masters = list(masters)

        def generate(problem, pricing, pool, prices, **settings):
            self.asked.append((type(pricing).__name__, float(prices[0]), settings))
            if isinstance(pricing, SearchPricing):
                self.efforts = [*getattr(self, "efforts", []), pricing.effort]
            return self.duals[len(self.asked) - 1]

        def price(pricing, prices):
            self.slacks.append(pricing.slack)
            self.deadlines.append(pricing.deadline)
            # Two bidders, prices of 2 for both goods: the rest of the bound is what they gain.
            return [Favourite(np.zeros((0, 2)), np.zeros(0), exact / 2 - 2)] * 2

        def master(problem, pool, dual, welfare, deadline):
            self.welfare_known.append((dual.bound, welfare, deadline))
            return masters.pop(0)

        monkeypatch.setattr(module, "generate", generate)
        monkeypatch.setattr(ExactPricing, "__call__", price)
        monkeypatch.setattr(module, "integer_master", master)
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: clock))

    @staticmethod
    def dual(bound, price):
        return Dual(np.full(2, float(price)), np.zeros(2), bound)


PAIR = WelfareProblem(Market.simple(2, 2), [XorTable([[1, 1]], [5.0]), XorTable([[1, 0]], [7.0])])


def scripted(monkeypatch, *script, welfare=10.0, gap=0.1, deadline=np.inf, start=0.5, **more):
    parts = Script(monkeypatch, *script, **more)
    start = None if start is None else np.full(2, start)
    return parts, prove(PAIR, {}, Pool(), start, welfare, gap, deadline)


def test_prices_are_believed_in_two_stages_and_proven_once(monkeypatch):
    """
    Tests what is asked of every part where welfare is 10 and the gap a tenth. Prices aim at a fifth
    of the gap and may gain a tenth of it less. 0.6 is left to the goal of 11 after a belief of
    10.4, of which pricing may lose 85 %; its 10.9 are below the goal.
    """
    parts, proof = scripted(monkeypatch, 10.4, 10.9)

    closely = {"target": pytest.approx(10.2), "tolerance": pytest.approx(0.01), "deadline": np.inf}
    assert parts.asked == [
        ("SearchPricing", 0.5, {**closely, "most": 35, "radius": 0.2}),
        ("SearchPricing", 1.0, {**closely, "most": 4, "radius": 0.01}),
    ]
    assert parts.efforts == [Effort(chains=8, steps=60), Effort(chains=16, steps=150)]
    assert parts.slacks == [pytest.approx(0.85 * 0.6)]
    assert parts.welfare_known == [(10.4, 10.0, np.inf)]
    assert proof.bound == pytest.approx(10.9)
    assert proof.prices.tolist() == [2, 2]
    assert proof.bundles is None


@pytest.mark.parametrize("again", [10.95, 12.5])
def test_what_belief_has_missed_is_looked_for_with_exact_prices(monkeypatch, again):
    """Tests a proof above its goal: a closer one is tried, and the better of both counts."""
    parts, proof = scripted(monkeypatch, 10.9, 12.0, again=again, deadline=9.0)

    assert parts.slacks == [pytest.approx(0.2)]  # a fifth of the gap, more than 85 % of 0.1
    name, price, settings = parts.asked[2]
    assert (name, price) == ("ExactPricing", 2.0)
    assert settings == {
        "target": pytest.approx(11.0),
        "tolerance": pytest.approx(0.005),
        "most": 10,
        "radius": 0.003,
        "deadline": 9.0,
    }
    assert [settings["deadline"] for _, _, settings in parts.asked[:2]] == [4.5, 4.5]
    assert proof.bound == pytest.approx(min(12.0, again))
    assert proof.prices[0] == (3 if again < 12 else 2)
    assert parts.deadlines == [9.0]
    assert [entry[0] for entry in parts.welfare_known] == [10.9, pytest.approx(min(12.0, again))]


def test_exact_prices_are_looked_for_with_half_the_slack(monkeypatch):
    """Tests the pricing of the last stage."""
    slacks = []
    monkeypatch.setattr(
        module, "ExactPricing", lambda *given: slacks.append(given[2:]) or ExactPricing(*given)
    )
    scripted(monkeypatch, 10.9, 12.0, again=10.95, deadline=9.0)
    assert slacks == [(pytest.approx(0.2), 9.0), (pytest.approx(0.1), 9.0)]


def test_a_goal_that_is_met_exactly_is_met(monkeypatch):
    """Tests a bound of 11 where 11 is the goal, and one a little above."""
    parts, _ = scripted(monkeypatch, 10.0, 12.0, welfare=8.0, gap=0.5)
    assert len(parts.asked) == 2
    parts, _ = scripted(monkeypatch, 10.0, 12.001, welfare=8.0, gap=0.5, again=11.0)
    assert len(parts.asked) == 3


def test_a_proof_without_a_gap_still_has_tolerances(monkeypatch):
    """Tests a gap of 0, with what solvers can be asked for."""
    parts, _ = scripted(monkeypatch, 10.0, 10.5, again=10.2, gap=0.0)
    assert [settings["tolerance"] for _, _, settings in parts.asked] == [1e-5, 1e-5, 1e-6]
    assert parts.slacks == [pytest.approx(1e-6)]  # 1e-7 of 10


@pytest.mark.parametrize(("welfare", "target"), [(-10.0, -9.8), (0.0, 2e-14)])
def test_gaps_are_relative_to_the_size_of_welfare(monkeypatch, welfare, target):
    """Tests costs, whose bound is above them all the same, and a welfare of nothing."""
    parts, _ = scripted(monkeypatch, welfare, welfare, welfare=welfare)
    assert parts.asked[0][2]["target"] == pytest.approx(target, rel=1e-9, abs=0)


def test_a_better_allocation_moves_the_goal(monkeypatch):
    """
    Tests an allocation worth 7 that comes to light where 5 was known: 7.7 is the goal then, and
    the allocation is kept unless the last search knows a better one.
    """
    first, last = np.array([[0, 0], [1, 0]]), np.array([[0, 0], [1, 1]])
    parts, proof = scripted(monkeypatch, 7.2, 7.6, welfare=5.0, masters=[first, None])
    assert len(parts.asked) == 2
    assert proof.bundles is first
    parts, proof = scripted(monkeypatch, 7.2, 9.0, again=8.0, welfare=5.0, masters=[first, None])
    assert parts.asked[2][2]["target"] == pytest.approx(7.7)
    assert proof.bundles is first
    _, proof = scripted(monkeypatch, 7.2, 9.0, again=8.0, welfare=5.0, masters=[first, last])
    assert proof.bundles is last
    # A worse one moves nothing.
    parts, _ = scripted(monkeypatch, 7.2, 19.0, again=8.0, welfare=9.0, masters=[first, None])
    assert parts.asked[2][2]["target"] == pytest.approx(9.9)


def test_what_is_proven_when_time_is_over(monkeypatch):
    """
    Tests the clock at the deadline, where one exact pricing is still made but not repeated, and
    behind it, where only the relaxation has proven anything.
    """
    monkeypatch.setattr(module, "relaxation", lambda problem, deadline: (np.full(2, 4.0), 20.0))
    parts, proof = scripted(monkeypatch, 10.4, 12.0, deadline=3.0, clock=3.0)
    assert (len(parts.asked), proof.bound) == (2, pytest.approx(12))
    parts, proof = scripted(monkeypatch, 10.4, 12.0, deadline=3.0, clock=3.5, start=None)
    assert (proof.bound, proof.prices.tolist()) == (20, [2, 2])
    assert parts.asked[0][1] == 4.0  # prices of the relaxation
    _, proof = scripted(monkeypatch, 10.4, 12.0, deadline=3.0, clock=3.5)
    assert proof.bound == np.inf


@pytest.mark.parametrize(("relaxed", "bound"), [(20.0, 10.9), (10.5, 10.5)])
def test_the_relaxation_may_prove_more(monkeypatch, relaxed, bound):
    """Tests that the smaller of two bounds is told."""
    monkeypatch.setattr(module, "relaxation", lambda problem, deadline: (np.full(2, 4.0), relaxed))
    _, proof = scripted(monkeypatch, 10.4, 10.9, start=None)
    assert proof.bound == pytest.approx(bound)


@pytest.mark.parametrize(
    ("objective", "duals", "prices", "bound"),
    [
        (3.0, [9.0, 2.0, -1.0], [14, 0], 21 + 7 * 1.5e-5),
        (0.5, [9.0, 0.5, 0.25], [3.5, 1.75], 3.5 + 7 * 5e-6),
        (-3.0, [9.0, 0.0, 0.0], [0, 0], -21 + 7 * 1.5e-5),
        (3.0, None, [0, 0], np.inf),
    ],
)
def test_the_relaxation_is_widened_in_units_of_the_largest_value(
    monkeypatch, objective, duals, prices, bound
):
    """
    Tests prices and bound where 7 is the unit and a solver may be wrong by 5e-6 of it. The last
    rows of the program are those of the two goods; no price is below 0.
    """
    duals = None if duals is None else np.array(duals)
    result = LpResult(Status.OPTIMAL, None, objective, duals, 0.0, 0)
    monkeypatch.setattr(module, "solve_lp", lambda *given, **settings: result)
    received = relaxation(PAIR)
    assert received[0] == pytest.approx(prices)
    assert received[1] == pytest.approx(bound, rel=1e-9)


@pytest.mark.parametrize(
    ("deadline", "limit"), [(8.0, 5.0), (3.0, 0.1), (2.0, 0.1), (np.inf, None)]
)
def test_the_relaxation_has_what_is_left_of_the_time(monkeypatch, deadline, limit):
    """Tests the limit of its solver at 3 o'clock."""
    limits, right = [], module.solve_lp
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: 3.0))
    monkeypatch.setattr(
        module,
        "solve_lp",
        lambda model, time_limit, relax: limits.append(time_limit) or right(model, relax=relax),
    )
    relaxation(PAIR, deadline)
    assert limits == [limit]


def one_column(value=3.0, price=2.0, utility=1.0, bound=4.0, welfare=2.0, deadline=np.inf):
    """The integer master of one bidder, who has a single column: the only good."""
    problem, pool = WelfareProblem(Market.simple(1, 1), [XorTable([[1]], [9.0])]), Pool()
    pool.add(0, np.array([1]), value)
    dual = Dual(np.array([price]), np.array([utility]), bound)
    return integer_master(problem, pool, dual, welfare, deadline)


def test_prices_rule_columns_out_beyond_what_is_missing():
    """
    Tests a column that gains 1 at its price. With a bound of 4 above 2 it may be worse than the
    best by 2, and by a millionth of 4 for rounding.
    """
    assert one_column(utility=3.0 + 3e-6).tolist() == [[1]]
    assert one_column(utility=3.0 + 6e-6) is None
    assert one_column(price=3.0, utility=4.0 - 2.0 + 1e-6 * 4.0).tolist() == [[1]]
    assert one_column(utility=3.0 + 3e-6, welfare=-2.0).tolist() == [[1]]
    assert one_column(utility=7.0 + 6e-6, welfare=-2.0) is None
    # A bound below 0 has a size too, and without a bound nothing has to be larger than the column.
    assert one_column(-1.0, 0.0, utility=1.0 + 3e-6, bound=-4.0, welfare=-6.0).tolist() == [[1]]
    assert one_column(-1.0, 0.0, utility=1.0 + 6e-6, bound=-4.0, welfare=-6.0) is None
    assert one_column(3.0, 3.0, utility=0.0, bound=0.0, welfare=0.0).tolist() == [[1]]


@pytest.mark.parametrize(
    ("deadline", "limit"), [(np.inf, 5.0), (9.0, 5.0), (7.0, 4.0), (3.02, 0.05), (2.0, 0.05)]
)
def test_columns_are_packed_within_five_seconds(monkeypatch, deadline, limit):
    """Tests the limit at 3 o'clock, and that costs are near 1."""
    limits, costs, right = [], [], module.solve

    def solve(model, params):
        limits.append(params.time_limit)
        costs.append(model.arrays().costs.tolist())
        assert model.arrays().upper.tolist() == [1]
        return right(model, params)

    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: 3.0))
    monkeypatch.setattr(module, "solve", solve)
    assert one_column(deadline=deadline).tolist() == [[1]]
    assert one_column(3e-12, 3e-12, utility=0.0, bound=0.0, welfare=0.0, deadline=deadline)
    assert limits == [pytest.approx(limit)] * 2
    assert costs == [[0.75], [pytest.approx(3.0)]]


def test_an_allocation_must_be_better_by_more_than_rounding(monkeypatch):
    """Tests a solver's objective, in units of 4, against a welfare of 2 and a billionth of 4."""
    for more, is_found in ((0.0, False), (1e-9 * 4.0, False), (6e-9, True)):
        result = MilpResult(Status.OPTIMAL, np.ones(1), (2.0 + more) / 4, 1.0, 0.0)
        monkeypatch.setattr(module, "solve", lambda *given, r=result: r)
        assert (one_column() is not None) == is_found
    nothing = MilpResult(Status.TIME_LIMIT, None, 9.0, 9.0, 0.0)
    monkeypatch.setattr(module, "solve", lambda *given: nothing)
    assert one_column() is None


def test_a_bidder_whose_columns_are_all_excluded_ends_the_packing():
    """Tests that no allocation leaves a bidder out."""
    functions = [XorTable([[1]], [3.0]), XorTable([[1]], [2.0])]
    problem = WelfareProblem(Market.simple(1, 2), functions, excluded={1: [[1]]})
    pool = Pool()
    pool.add(0, np.array([1]), 3.0)
    pool.add(1, np.array([1]), 2.0)
    dual = Dual(np.array([0.0]), np.array([3.0, 2.0]), 5.0)
    assert integer_master(problem, pool, dual, 0.0) is None


def test_an_economy_has_rows_for_its_own_bidders_and_counts_copies():
    """
    Tests the packing of two copies without the first of three bidders: the second takes both for 8
    or one for 5, the third one for 4 or nothing, and nobody wants the second good.
    """
    market = Market.simple(2, 3, capacities=[2, 1])
    functions = [XorTable([[2, 0]], [9.0], capacities=[2, 1])] * 3
    problem = WelfareProblem(market, functions, Economy.without(0, 3))
    pool = Pool()
    for i, columns in (
        (1, [([2, 0], 8.0), ([1, 0], 5.0)]),
        (2, [([1, 0], 4.0), ([0, 0], 0.0)]),
    ):
        for bundle, value in columns:
            pool.add(i, np.array(bundle), value)
    dual = Dual(np.zeros(2), np.array([9.0, 4.0]), 13.0)
    assert integer_master(problem, pool, dual, 0.0).tolist() == [[0, 0], [1, 0], [1, 0]]


@given(generators(), lattices(most=32, max_goods=5), st.sampled_from([0.01, 0.2]))
@settings(max_examples=25, deadline=None)
def test_proofs_hold(rng, capacities, gap):
    """Tests the whole proof on networks, where brute force knows the optimum."""
    problem = random_problem(rng, capacities, 2, ["monotone net"])
    best = brute_force(problem)
    if best is None:
        return
    steps = {i: steps_of(problem.functions[i]) for i in problem.bidders}

    result = prove(problem, steps, Pool(), None, 0.9 * best, gap)

    assert result.bound >= best - 1e-6 * (1 + abs(best))
