"""A second solver that lies: no call that says it verifies may pass over it."""

import inspect
from importlib import import_module

import numpy as np
import pytest

from boca import payments
from boca.core import Bidder, Good, Market, Reports, SolverError
from boca.milp import Status
from boca.milp.result import MilpResult
from boca.payments import Scenario, allocate, award, exchange, quadratic_core, run_scenarios, vcg

pytest.importorskip("pyscipopt")
SCIP = import_module("boca.milp.backends.scip")

SALE = Market((Good("a"), Good("b")), (Bidder("A"), Bidder("B"), Bidder("C")))
BIDS = [Reports([[1, 0]], [6.0]), Reports([[0, 1]], [6.0]), Reports([[1, 1]], [10.0])]
LOTS = Market(SALE.goods, SALE.bidders, sense="buy")
OFFERS = [Reports([[1, 0], [0, 1]], [6.0, 3.0]), Reports([[0, 1]], [6.0]), BIDS[2]]
SHOP = Market((Good("house"),), (Bidder("seller", endowment=(1,)), Bidder("buyer")))
VALUES = [Reports([[1]], [5.0]), Reports([[1]], [8.0])]

# Each public call with a second solver, and what it says of it.
CALLS = {
    "vcg": lambda: vcg(BIDS, SALE, verify=True).verified_by,
    "quadratic_core": lambda: quadratic_core(BIDS, SALE, verify=True).verified_by,
    "award": lambda: award(OFFERS, LOTS, [20, 20], verify=True).verified_by,
    "exchange": lambda: exchange(VALUES, SHOP, "threshold", verify=True).verified_by,
    "run_scenarios": lambda: (
        run_scenarios(OFFERS, LOTS, [Scenario("s")], [20, 20], verify=True)[0].award.verified_by
    ),
}


def of_cost(arrays, params, best, sign):
    """Another point of the same program, which is better or worse, and its cost as the bound."""
    shifted = arrays.objective(best.x) + sign * 2.0
    return MilpResult(Status.OPTIMAL, best.x, shifted, shifted, 0.0)


def nothing(arrays, params, best):
    """Nobody gets anything, and that is the optimum."""
    x = np.zeros(arrays.num_variables)
    return MilpResult(Status.OPTIMAL, x, arrays.objective(x), arrays.objective(x), 0.0)


def impossible(arrays, params, best):
    """Nothing satisfies the rows."""
    return MilpResult(Status.INFEASIBLE, None, -np.inf, -np.inf, 0.0)


def no_better_than_half(arrays, params, best):
    """The right point with half of what it is worth as a bound: it proves too much."""
    half = best.bound - 0.5 * abs(best.bound) if arrays.maximise else 2 * best.bound
    return MilpResult(Status.OPTIMAL, best.x, half, half, 0.0)


def without_proof(arrays, params, best):
    """The right point, and time ran out."""
    return MilpResult(Status.TIME_LIMIT, best.x, best.objective, np.inf, 0.0)


def lying(monkeypatch, lie):
    """Lets SCIP answer something else; how often it was asked."""
    right, asked = SCIP.run, []

    def run(arrays, params, start):
        asked.append(params)
        return lie(arrays, params, right(arrays, params, start))

    monkeypatch.setattr(SCIP, "run", run)
    return asked


def test_no_public_call_with_a_second_solver_is_left_out():
    """Tests that the calls below are all that have an argument ``verify`` or ``solver``."""
    found = {
        name
        for name in payments.__all__
        if inspect.isfunction(getattr(payments, name))
        and {"verify", "solver"} & set(inspect.signature(getattr(payments, name)).parameters)
    }
    assert found == {*CALLS, "allocate"}


@pytest.mark.parametrize("name", CALLS)
def test_an_honest_solver_is_named(name, monkeypatch):
    """Tests that each call asks it, and says so."""
    asked = lying(monkeypatch, lambda arrays, params, best: best)
    assert CALLS[name]() == "scip"
    assert asked


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("lie", [nothing, impossible])
def test_a_lie_is_never_a_verification(name, lie, monkeypatch):
    """Tests answers that are no optimum: an error, or at least no verification."""
    asked = lying(monkeypatch, lie)
    try:
        verified = CALLS[name]()
    except SolverError:
        verified = None
    assert asked
    assert verified is None


@pytest.mark.parametrize("name", ["vcg", "quadratic_core"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_lie_in_any_economy_of_a_sale_is_noticed(name, place, monkeypatch):
    """Tests the main economy, and each one without a winner, by itself."""
    right, asked = SCIP.run, []

    def run(arrays, params, start):
        asked.append(params)
        best = right(arrays, params, start)
        return nothing(arrays, params, best) if len(asked) == place + 1 else best

    monkeypatch.setattr(SCIP, "run", run)
    with pytest.raises(SolverError, match="Verification failed"):
        CALLS[name]()


@pytest.mark.parametrize("name", ["vcg", "quadratic_core"])
def test_a_bound_below_what_is_there_is_a_contradiction(name, monkeypatch):
    """Tests a solver that proves half of what was found to be the most."""
    lying(monkeypatch, no_better_than_half)
    with pytest.raises(SolverError, match="Verification failed"):
        CALLS[name]()


@pytest.mark.parametrize("name", CALLS)
def test_what_the_second_solver_did_not_prove_is_not_verified(name, monkeypatch):
    """Tests a solver that ran out of time with the right answer."""
    lying(monkeypatch, without_proof)
    assert CALLS[name]() is None


def test_allocate_asks_the_solver_that_is_named(monkeypatch):
    """Tests that its answer counts, right or wrong, and that without a name it is not asked."""
    honest = allocate(BIDS, SALE, solver="scip")
    assert (honest.welfare, honest.method) == (12, "milp")
    asked = lying(monkeypatch, nothing)
    assert allocate(BIDS, SALE).welfare == 12
    assert not asked
    assert allocate(BIDS, SALE, solver="scip").welfare == 0
    assert [params.solver for params in asked] == ["scip"]
