"""Tests of how bidders are asked for their favourite bundles."""

import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import all_bundles, generators, monotone_net
from random_problems import brute_force, lattices, random_problem

from boca.core import Bidder, Economy, Good, Limit, Market
from boca.functions import MonotoneNet, ReluNet, XorTable
from boca.wdp import WelfareProblem, Workspace
from boca.wdp.bounds import pricing as module
from boca.wdp.bounds.columns import Pool
from boca.wdp.bounds.pricing import ExactPricing, PricedSteps, SearchPricing
from boca.wdp.result import Favourite
from boca.wdp.search.local_search import Effort
from boca.wdp.search.steps import steps_of
from boca.wdp.tables.tabulated import TablePricing


def table_of(*bids):
    """A bidder with exclusive bids (bundle, value) on two goods of two copies."""
    return XorTable([bundle for bundle, _ in bids], [value for _, value in bids], capacities=[2, 2])


TWO = Market.simple(2, 2, capacities=[2, 2])
BIDS = [([1, 0], 5.0), ([0, 1], 4.0), ([1, 1], 8.0), ([2, 0], 6.0), ([2, 2], 9.0)]


def filled(bidder, bids=BIDS):
    pool = Pool()
    for bundle, value in bids:
        pool.add(bidder, np.array(bundle), value)
    return pool


def test_a_search_starts_from_the_best_known_and_tells_three(monkeypatch):
    """
    Tests what a search for the second bidder is given and what is made of its optima. At prices of
    1 and 2 the bundles of the pool gain 4, 2, 5, 4 and 3: the better half of four chains starts
    from (1, 1) and (1, 0). Of four different optima the first three are told.
    """
    calls = []
    optima = np.zeros((5, 2, 2), dtype=np.int64)
    optima[:, 1] = [[2, 0], [0, 1], [2, 0], [1, 0], [1, 1]]

    def search(alone, steps, effort, seed, starts):
        calls.append((alone, steps, effort, seed, starts))
        return SimpleNamespace(allocations=optima)

    monkeypatch.setattr(module, "search", search)
    tables = [table_of(*BIDS), table_of(*BIDS)]
    problem = WelfareProblem(TWO, tables, excluded={1: [[2, 2]]})
    steps = {i: steps_of(table) for i, table in enumerate(tables)}
    pricing = SearchPricing(problem, steps, filled(1), Effort(4, 20))
    prices = np.array([1.0, 2.0])

    answer = pricing.favourite(1, prices)

    ((alone, priced, effort, seed, starts),) = calls
    assert alone.bidders == (1,)
    assert alone.excluded[1].tolist() == [[2, 2]]
    assert (effort, seed, list(priced)) == (Effort(4, 20), 0, [1])
    assert [start.tolist() for start in starts] == [[[0, 0], [1, 1]], [[0, 0], [1, 0]]]
    assert answer.bundles.tolist() == [[2, 0], [0, 1], [1, 0]]
    assert (answer.values.tolist(), answer.bound) == ([6, 4, 5], 4)
    optima = optima[:0]
    nothing = pricing.favourite(1, prices)
    assert (nothing.bundles.shape, nothing.values.shape, nothing.bound) == ((0, 2), (0,), -np.inf)
    assert pricing.favourite(0, prices).bundles.shape == (0, 2)
    assert calls[-1][0].excluded_keys == {}
    assert len(calls[-1][4]) == 0  # nothing is known of the first bidder
    assert len(pricing(prices)) == 2


def programs(monkeypatch, problem, pool, slack, deadline=np.inf):
    """
    What programs are asked for, as (parameters, start, excluded), at 3 o'clock and prices of 1 and
    2; first those with a start, since threads have no order.
    """
    asked = []

    def solve_bundle(function, prices, limits, excluded, params, start):
        asked.append((params, None if start is None else start.tolist(), excluded))
        return Favourite(np.zeros((0, 2), int), np.zeros(0), 1.0)

    monkeypatch.setattr(module, "solve_bundle", solve_bundle)
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: 3.0))
    ExactPricing(problem, pool, slack, deadline)(np.array([1.0, 2.0]))
    return sorted(asked, key=lambda one: one[1] is None)


@pytest.mark.parametrize(
    ("num", "slack", "gap", "absolute"),
    [
        (1, 2.5, 2 / 5, 1e-9),  # 0.8 of 2.5 is less than half of the gain of 5
        (2, 5.0, 2 / 5, 1e-9),  # as much for each of two
        (1, 3.125, 0.0, 2.5),  # just half of it
        (1, 5.0, 0.0, 4.0),
    ],
)
def test_programs_share_four_fifths_of_the_slack(monkeypatch, num, slack, gap, absolute):
    """Tests how closely programs have to prove, where (1, 1) is known to gain 5."""
    problem = WelfareProblem(TWO, [table_of(*BIDS)] * 2, Economy(tuple(range(num))))
    ((params, start, excluded), *_) = programs(monkeypatch, problem, filled(0), slack)
    assert (params.gap, params.absolute_gap) == (pytest.approx(gap), pytest.approx(absolute))
    assert (start, excluded) == ([1, 1], None)


def test_two_programs_work_at_a_time(monkeypatch):
    """Tests that a machine with many cores is not filled by one auction."""
    workers = []

    class Noting(ThreadPoolExecutor):
        def __init__(self, max_workers):
            workers.append(max_workers)
            super().__init__(max_workers)

    monkeypatch.setattr(module, "ThreadPoolExecutor", Noting)
    problem = WelfareProblem(TWO, [table_of(*BIDS)] * 2)
    assert len(programs(monkeypatch, problem, Pool(), 1.0)) == 2
    assert workers == [2]


def test_programs_that_nothing_is_known_for_prove_all(monkeypatch):
    """Tests a pool without bundles, and one of no gain with hardly any slack."""
    problem = WelfareProblem(TWO, [table_of(*BIDS)] * 2, Economy((0,)), {0: [[1, 1]]})
    ((params, start, excluded),) = programs(monkeypatch, problem, Pool(), 2.5)
    assert (params.gap, params.absolute_gap, start) == (0, 1e-9, None)
    assert excluded.tolist() == [[1, 1]]
    nothing = filled(0, [([0, 0], 0.0)])
    ((params, start, _),) = programs(monkeypatch, problem, nothing, 1e-12)
    assert (params.gap, params.absolute_gap, start) == (0, 1e-9, [0, 0])


@pytest.mark.parametrize(
    ("deadline", "limit"), [(8.0, 5.0), (3.05, 0.1), (1.0, 0.1), (np.inf, None)]
)
def test_programs_have_what_is_left_of_the_time(monkeypatch, deadline, limit):
    """Tests the limit of a program."""
    problem = WelfareProblem(TWO, [table_of(*BIDS)] * 2, Economy((0,)))
    ((params, _, _),) = programs(monkeypatch, problem, Pool(), 2.5, deadline)
    assert params.time_limit == limit


class Noted:
    """Branch and bound that notes what it was given, and is finished or not."""

    made = ()
    is_finished = True

    def __init__(self, relaxation, capacities, allows, tolerance):
        self.allows, self.tolerance, self.offered = allows, tolerance, None
        self.bundle, self.bound = None, 42.0
        Noted.made = [*Noted.made, self]

    def offer(self, bundles):
        self.offered = bundles.tolist()
        self.bundle = bundles[0]

    def run(self, most_boxes, deadline):
        self.most_boxes, self.deadline = most_boxes, deadline
        return self.is_finished


def net_of(num_goods, depth=1):
    """A network of one neuron, or of a line."""
    if not depth:
        return MonotoneNet([], [], [], np.ones(num_goods))
    return MonotoneNet([np.ones((num_goods, 1))], [np.zeros(1)], [np.ones(1)], np.ones(1))


def branched(monkeypatch, num_goods, is_finished=True, deadline=9.0, clock=3.0, depth=1, **more):
    """The branch and bound of a network, next to a table; pricing at 3 o'clock."""
    monkeypatch.setattr(Noted, "made", ())
    monkeypatch.setattr(Noted, "is_finished", is_finished)
    monkeypatch.setattr(module, "Branching", Noted)
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: clock))
    monkeypatch.setattr(
        module, "solve_bundle", lambda *given, start: Favourite(np.ones((1, 1)), np.ones(1), 7.0)
    )
    functions = [net_of(num_goods, depth), XorTable(np.ones((1, num_goods), int), [1.0])]
    problem = WelfareProblem(Market.simple(num_goods, 2), functions)
    pool = more.pop("pool", Pool())
    answers = ExactPricing(problem, pool, 4.0, deadline, **more)(np.zeros(num_goods))
    return Noted.made, [answer.bound for answer in answers], answers


def test_a_network_is_left_to_branch_and_bound(monkeypatch):
    """Tests tolerance, boxes and time, of a network with many and with too many goods."""
    (made,), bounds, answers = branched(monkeypatch, 40)
    assert (made.tolerance, made.most_boxes, made.deadline) == (0.5, 400_000, 9.0)
    assert bounds == [42, 7]
    assert made.offered is None
    assert (answers[0].bundles.shape, answers[0].values.shape) == ((0, 40), (0,))
    (made,), bounds, _ = branched(monkeypatch, 41)
    assert (made.most_boxes, bounds) == (500, [42, 7])
    (made,), _, _ = branched(monkeypatch, 3, most_branched=2, most_boxes=77)
    assert made.most_boxes == 500
    (made,), _, _ = branched(monkeypatch, 2, most_branched=2, most_boxes=77)
    assert made.most_boxes == 77


def test_what_is_not_finished_in_time_is_left_to_a_program(monkeypatch):
    """Tests boxes that run out before the time does, and the time."""
    assert branched(monkeypatch, 2, False)[1] == [7, 7]
    assert branched(monkeypatch, 2, False, clock=9.0)[1] == [7, 7]
    assert branched(monkeypatch, 2, False, clock=9.5)[1] == [42, 7]
    made, bounds, _ = branched(monkeypatch, 2, depth=0)
    assert (len(made), bounds) == (0, [7, 7])


def test_branch_and_bound_begins_with_the_four_best_of_the_pool(monkeypatch):
    """Tests six bundles, worth 1 to 6, of four goods."""
    pool = Pool()
    bundles = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 1, 0, 0], [1, 1, 1, 0]]
    for k, bundle in enumerate(bundles):
        pool.add(0, np.array(bundle), k + 1.0)
    (made,), _, answers = branched(monkeypatch, 4, pool=pool)
    assert made.offered == bundles[:1:-1]
    assert (answers[0].bundles.tolist(), answers[0].values.tolist()) == ([[1, 1, 1, 0]], [1])


def test_limits_and_exclusions_both_forbid():
    """Tests four bundles, of which one breaks a limit, one is excluded, and one both."""
    limited = Bidder("limited", limits=(Limit((1.0, 1.0), 2.0),))
    market = Market((Good("a", 2), Good("b", 2)), (limited, Bidder("free")))
    excluded = {0: [[1, 1], [2, 1]]}
    problem = WelfareProblem(market, [table_of(*BIDS)] * 2, excluded=excluded)
    pricing = ExactPricing(problem, Pool(), 1.0)
    bundles = np.array([[1, 0], [1, 1], [2, 2], [2, 1]])
    assert pricing._allows(0, bundles).tolist() == [True, False, False, False]
    assert pricing._allows(1, bundles).tolist() == [True] * 4


@pytest.mark.parametrize("most_boxes", [0, 400_000])
def test_programs_and_branching_price_alike(most_boxes):
    """
    Tests networks of two layers with both exact methods: with no boxes allowed the program has to
    do the work, and its answer is the one of all bundles.
    """
    rng = np.random.default_rng(3)
    nets = [
        MonotoneNet(
            [rng.random((8, 6)), rng.random((6, 4))],
            [-rng.random(6), -rng.random(4)],
            [np.ones(6), np.ones(4)],
            rng.random(4),
        )
        for _ in range(2)
    ]
    problem = WelfareProblem(Market.simple(8, 2), nets, excluded={1: [[1] * 8]})
    prices = 0.1 * rng.random(8)

    answers = ExactPricing(problem, Pool(), 1e-9, most_boxes=most_boxes)(prices)

    bundles = all_bundles(np.ones(8, dtype=int))
    for i, answer in enumerate(answers):
        utilities = nets[i](bundles) - bundles @ prices
        if i == 1:
            utilities[-1] = -np.inf  # the full bundle is excluded
        assert answer.bound == pytest.approx(utilities.max(), abs=1e-4)
        assert answer.bound >= utilities.max() - 1e-9
        assert answer.values[0] - answer.bundles[0] @ prices == pytest.approx(
            utilities.max(), abs=1e-5
        )


def test_no_time_leaves_valid_bounds():
    """Tests that pricing after its deadline gives loose bounds and no wrong ones."""
    rng = np.random.default_rng(4)
    capacities = np.ones(9, dtype=int)
    functions = [monotone_net(rng, capacities), XorTable([[1] * 9], [1.0])]
    problem = WelfareProblem(Market.simple(9, 2), functions)
    prices = 0.05 * rng.random(9)

    answers = ExactPricing(problem, Pool(), 1e-9, deadline=time.perf_counter() - 1)(prices)

    bundles = all_bundles(capacities)
    for function, answer in zip(functions, answers, strict=True):
        assert answer.bound >= (function(bundles) - bundles @ prices).max() - 1e-9


def test_nobody_gets_an_excluded_favourite():
    """Tests that the best bundle of the pool is passed over where it is excluded."""
    table = XorTable([[1, 0], [1, 1]], [5.0, 9.0])
    problem = WelfareProblem(Market.simple(2, 1), [table], excluded={0: [[1, 1]]})
    pool = Pool()
    pool.add(0, np.array([1, 1]), 9.0)

    (answer,) = ExactPricing(problem, pool, 1e-9)(np.array([1.0, 1.0]))

    assert answer.bundles.tolist() == [[1, 0]]
    assert answer.bound == pytest.approx(4, abs=1e-4)


def test_steps_less_prices_are_values_less_prices():
    """Tests neighbours in both directions, with several copies."""
    rng = np.random.default_rng(5)
    capacities = np.array([2, 1, 3])
    function = monotone_net(rng, capacities)
    prices = np.array([0.5, -0.25, 1.0])
    steps = PricedSteps(steps_of(function), prices)
    bundle = np.array([[1, 0, 2]])

    after = steps.after(bundle, np.array([[1, 1, -1]]))

    neighbours = np.array([[2, 0, 2], [1, 1, 2], [1, 0, 1]])
    assert after[0] == pytest.approx(function(neighbours) - neighbours @ prices, abs=1e-6)
    assert steps.values(bundle) == pytest.approx(function(bundle) - bundle @ prices, abs=1e-6)


def test_proof_does_not_stop_halfway_where_nothing_is_known():
    """Tests that a best known bundle of no utility does not loosen what has to be proven."""
    num_goods, num_sets, rng = 26, 16, np.random.default_rng(20)
    sets = np.zeros((num_sets, num_goods))
    for row in sets:
        row[rng.choice(num_goods, int(rng.integers(5, 11)), replace=False)] = 1
    function = ReluNet([sets.T], [-(sets.sum(axis=1) - 1)], rng.uniform(1, 4, num_sets))
    prices = rng.uniform(0.3, 1.5, num_goods)
    problem, pool = WelfareProblem(Market.simple(num_goods, 1), [function]), Pool()
    pool.add(0, np.zeros(num_goods, dtype=np.int64), 0.0)

    (answer,) = ExactPricing(problem, pool, 2e-8)(prices)

    # Whoever pays for a good completes a set with it: the best bundle is a union of sets.
    bundles = (all_bundles(np.ones(num_sets, dtype=int)) @ sets > 0).astype(np.int64)
    best = (function(bundles) - bundles @ prices).max()
    assert answer.values[0] - answer.bundles[0] @ prices == pytest.approx(best)
    assert answer.bound == pytest.approx(best, rel=1e-4)


@given(generators(), lattices(most=32, max_goods=5))
@settings(max_examples=25, deadline=None)
def test_exact_pricing_agrees_with_tables(rng, capacities):
    """Tests branch and bound and the MILP against all bundles, and the search below both."""
    problem = random_problem(rng, capacities, 2)
    if brute_force(problem) is None:
        return
    prices = 0.2 * rng.random(len(capacities))
    pool = Pool()
    tables = Workspace(problem.market, problem.functions).tables(problem)
    steps = {i: steps_of(problem.functions[i]) for i in problem.bidders}

    listed = TablePricing(tables)(prices)
    exact = ExactPricing(problem, pool, slack=1e-9)(prices)
    searched = SearchPricing(problem, steps, pool, Effort(4, 20))(prices)

    for table, mine, quick in zip(listed, exact, searched, strict=True):
        scale = 1e-3 * (1 + abs(table.values).max())
        # Programs widen their bounds by their own unit, which can exceed the values by far; how
        # tight they are elsewhere is the next test's business.
        assert mine.bound >= table.bound - scale
        assert mine.values[0] - mine.bundles[0] @ prices == pytest.approx(table.bound, abs=scale)
        assert quick.bound <= table.bound + scale
