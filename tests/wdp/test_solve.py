import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import KINDS, generators
from random_problems import brute_force, lattices, random_problem, tolerance

from boca.core import Economy, InfeasibleAllocation, InputError, Market
from boca.functions import MonotoneNet, Quadratic, XorTable
from boca.functions.kernel_expansion import Kernel, KernelExpansion
from boca.wdp import Listing, WelfareProblem, Workspace, maximise_welfare, solve
from boca.wdp.result import relative_gap


def made_net(rng, num_goods, width=6) -> MonotoneNet:
    """A net that is neither concave nor convex."""
    shapes = [(num_goods, width), (width, width)]
    return MonotoneNet(
        [rng.random(shape) for shape in shapes],
        [-rng.random(width) for _ in shapes],
        [0.2 + rng.random(width) for _ in shapes],
        rng.random(width),
        0.05 * rng.random(num_goods),
    )


def unlisted(problem: WelfareProblem) -> Workspace:
    """A workspace in which no bundles are listed, as if the market were large."""
    return Workspace(problem.market, problem.functions, Listing(most_of_nets=0, most_called=0))


class OddPairs:
    """A bidder who wants two goods together, as a function that no program can express."""

    capacities = np.ones(3, dtype=int)

    def __init__(self, pair):
        self.pair = np.array(pair)

    def __call__(self, bundles):
        return (np.asarray(bundles) >= self.pair).all(axis=1).astype(float)


@given(generators(), lattices(), st.integers(2, 4))
@settings(max_examples=200, deadline=None)
def test_optimal_agrees_with_brute_force(rng, capacities, num_bidders):
    """Tests all kinds of functions, capacities, limits, exclusions and economies together."""
    problem = random_problem(rng, capacities, num_bidders)
    best = brute_force(problem)

    if best is None:
        with pytest.raises(InfeasibleAllocation):
            maximise_welfare(problem, proof="optimal")
        return
    result = maximise_welfare(problem, proof="optimal")

    problem.check(result.allocation)
    assert result.welfare == pytest.approx(best, abs=tolerance(problem))
    assert result.bound >= best - tolerance(problem)
    assert result.gap <= 1e-5


@given(
    generators(), lattices(most=32, max_goods=5), st.integers(2, 3), st.sampled_from([0.0, 0.05])
)
@settings(max_examples=40, deadline=None)
def test_methods_for_large_markets_agree_too(rng, capacities, num_bidders, gap):
    """Tests search, columns and the MILP where brute force can still check them."""
    kinds = ["monotone net", "scaled"] if rng.random() < 0.7 else None
    problem = random_problem(rng, capacities, num_bidders, kinds)
    best = brute_force(problem)

    if best is None:
        with pytest.raises(InfeasibleAllocation):
            maximise_welfare(problem, proof=gap, workspace=unlisted(problem))
        return
    result = maximise_welfare(problem, proof=gap, workspace=unlisted(problem))

    problem.check(result.allocation)
    slack = tolerance(problem)
    assert result.bound >= best - slack
    assert best - slack - gap * abs(best) <= result.welfare <= best + slack


@given(generators(), lattices(most=64), st.integers(2, 3))
@settings(max_examples=60, deadline=None)
def test_search_alone_is_feasible_and_never_too_good(rng, capacities, num_bidders):
    """Tests that limits and exclusions hold in whatever the search returns."""
    problem = random_problem(rng, capacities, num_bidders)
    best = brute_force(problem)
    if best is None:
        return

    result = maximise_welfare(problem, workspace=unlisted(problem))

    problem.check(result.allocation)
    assert result.welfare <= best + tolerance(problem)


def test_same_seed_same_answer():
    """Tests that effort is counted in moves: nothing depends on the clock."""
    rng = np.random.default_rng(1)
    problem = WelfareProblem(Market.simple(24, 4), [made_net(rng, 24) for _ in range(4)])

    first, second = (
        maximise_welfare(problem, seed=3, workspace=unlisted(problem)) for _ in range(2)
    )

    assert first.allocation == second.allocation
    assert first.welfare == second.welfare
    assert first.bound == np.inf  # nothing was asked to be proven
    assert first.bound_method == "none"


def test_a_program_takes_over_when_prices_leave_too_much():
    """Tests that an answer is optimal without asking, even where packing gives up."""
    pairs = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    tables = [XorTable(pairs[k : k + 1], np.ones(1)) for k in range(3)]
    problem = WelfareProblem(Market.simple(3, 3), tables)
    packed = maximise_welfare(problem)
    nothing_packed = Workspace(problem.market, tables, Listing(most_candidates=0))

    result = maximise_welfare(problem, workspace=nothing_packed)

    # Half of every pair would be worth 1.5, so prices alone prove nothing better than that.
    assert (packed.welfare, packed.bound, packed.bound_method) == (1.0, 1.0, "packing")
    assert (result.welfare, result.bound_method) == (1.0, "milp")
    assert 1.0 <= result.bound <= 1.0 + 1e-5  # as exact as a solver can promise


def test_economies_of_a_round_share_a_workspace():
    """Tests that sharing changes the work, not the answers."""
    rng = np.random.default_rng(3)
    market, functions = Market.simple(6, 4), [made_net(rng, 6) for _ in range(4)]
    shared = Workspace(market, functions)
    for economy in [Economy.main(4), *(Economy.without(j, 4) for j in range(4))]:
        problem = WelfareProblem(market, functions, economy)
        main = maximise_welfare(problem, "optimal", workspace=shared)
        assert main.welfare == pytest.approx(maximise_welfare(problem, "optimal").welfare, abs=1e-9)
        for i in economy.bidders:
            taken = {i: main.allocation.bundles[i : i + 1]}
            again = WelfareProblem(market, functions, economy, taken)
            result = maximise_welfare(again, "optimal", workspace=shared)
            assert result.welfare == pytest.approx(brute_force(again), abs=1e-9)
            assert result.welfare <= main.welfare + 1e-9


def test_workspace_of_other_functions_is_refused():
    """Tests that tables of one set of functions are never used for another."""
    rng = np.random.default_rng(4)
    market = Market.simple(4, 2)
    functions = [made_net(rng, 4) for _ in range(2)]
    other = Workspace(market, [made_net(rng, 4) for _ in range(2)])

    with pytest.raises(InputError, match="workspace"):
        maximise_welfare(WelfareProblem(market, functions), workspace=other)


def test_proof_must_be_known():
    """Tests that a typing mistake is not taken for some proof."""
    problem = WelfareProblem(Market.simple(1, 1), [Quadratic(np.ones((1, 1)))])

    for proof in ("optimum", -0.1, True, np.inf):
        with pytest.raises(InputError, match="proof"):
            maximise_welfare(problem, proof=proof)


def test_reports_as_xor_bids_over_many_goods():
    """Tests that set packing is exact without asking, however many goods there are."""
    rng = np.random.default_rng(5)
    num_goods = 30
    tables = [
        XorTable((rng.random((12, num_goods)) < 0.2).astype(int), rng.random(12)) for _ in range(4)
    ]
    problem = WelfareProblem(Market.simple(num_goods, 4), tables)

    result = maximise_welfare(problem)

    assert result.method == "milp"
    assert result.gap <= 1e-5


def test_a_function_that_can_only_be_called_keeps_its_bound():
    """
    Tests that a function without encoding gets the best allocation and the bound of the prices
    where packing gives up, and an explanation where a proof was asked for.
    """
    tables = [OddPairs(pair) for pair in ([1, 1, 0], [0, 1, 1], [1, 0, 1])]
    problem = WelfareProblem(Market.simple(3, 3), tables)
    nothing_packed = Workspace(problem.market, tables, Listing(most_candidates=0))

    result = maximise_welfare(problem, workspace=nothing_packed)

    assert result.welfare == 1
    assert result.bound == pytest.approx(1.5, rel=1e-3)  # half of every pair
    with pytest.raises(InputError, match="OddPairs cannot be written as a linear program"):
        maximise_welfare(problem, "optimal", workspace=nothing_packed)


def test_time_limit_is_carried_in_the_bound():
    """Tests that a cut-off proof still returns an allocation and a valid bound."""
    rng = np.random.default_rng(6)
    problem = WelfareProblem(Market.simple(8, 3), [made_net(rng, 8) for _ in range(3)])

    result = maximise_welfare(
        problem, proof="optimal", time_limit=0.05, workspace=unlisted(problem)
    )

    best = brute_force(problem)
    assert result.welfare <= best + 1e-9
    assert result.bound >= best - 1e-9


def test_every_kind_has_a_way_to_be_proven():
    """Tests that 'optimal' means the same for every kind of function."""
    for kind, make in KINDS.items():
        rng = np.random.default_rng(7)
        capacities = np.ones(4, dtype=int)
        functions = [make(rng, capacities) for _ in range(2)]
        problem = WelfareProblem(Market.simple(4, 2), functions)
        result = maximise_welfare(problem, proof="optimal", workspace=unlisted(problem))
        best = brute_force(problem)
        assert result.welfare == pytest.approx(best, abs=tolerance(problem)), kind


def test_best_keeps_the_better_of_two():
    """Tests that a later part never makes an answer worse."""
    problem = WelfareProblem(Market.simple(1, 1), [Quadratic(np.ones((1, 1)))])
    best = solve.Best(problem)
    best.offer(np.array([[1]]), "search")
    best.offer(np.array([[0]]), "columns")
    best.prove(3.0, "columns")
    best.prove(4.0, "milp")

    assert (best.welfare, best.method) == (1.0, "search")
    assert (best.bound, best.bound_method) == (3.0, "columns")


def test_steep_network_wins_everything():
    """Tests that an allocation called optimal is, where single precision sees nothing."""
    num_goods = 13
    steep = MonotoneNet(
        [np.full((num_goods, 1), 1000.00003)], [[-1000.0 * num_goods]], [[1e-3]], [1000.0]
    )
    flat = MonotoneNet([np.ones((num_goods, 1))], [[0.0]], [[13.0]], [0.0075])
    problem = WelfareProblem(Market.simple(num_goods, 2), [steep, flat])
    assert maximise_welfare(problem, proof="optimal").welfare == pytest.approx(0.39)


def test_search_avoids_excluded_bundles_of_functions_that_are_not_monotone():
    """Tests a full bundle that is worth nothing beside its parts, which are excluded."""
    num_goods, rng = 14, np.random.default_rng(0)
    market, centres = Market.simple(num_goods, 2), np.eye(num_goods, dtype=int)[:8]
    functions = [
        KernelExpansion(Kernel.GAUSSIAN, [1.0, 0.5], centres, rng.uniform(5, 10, 8))
        for _ in range(2)
    ]
    excluded = dict.fromkeys((0, 1), np.vstack([centres, np.zeros((1, num_goods), dtype=int)]))
    problem = WelfareProblem(market, functions, excluded=excluded)
    unlisted = Workspace(market, functions, Listing(0, 0, 0))
    found = maximise_welfare(problem, workspace=unlisted).welfare
    assert found == pytest.approx(maximise_welfare(problem).welfare)


@pytest.mark.parametrize("unit", [1e-8, 1e-10, 1e-13])
def test_gaps_are_relative_however_small_values_are(unit):
    """Tests that a bound above a tiny welfare is not taken for a proof."""
    assert relative_gap(2.0 * unit, 3.0 * unit) == pytest.approx(0.5)
    assert relative_gap(2.0 * unit, 2.0 * unit * (1 + 1e-14)) == 0
    assert relative_gap(0.0, 1e-13) == 0
    assert relative_gap(0.0, 1.0) == 1.0
