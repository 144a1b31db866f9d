"""Tests of what mechanisms can do with options."""

import inspect
import sys
from dataclasses import fields

import boca.queries
from boca.cli.mechanism_options import DEMAND_PLANNERS, asks_for_demands
from boca.core.market import Bidder, Good, Market
from boca.mechanism import PRESETS, auction_params
from boca.queries.planner import PLANNERS, Planner

MAKES_ONE = "DemandQuery("


def makes_demand_queries(planner: type[Planner]) -> bool:
    """Whether the source of a planner makes demand queries, or that of a planner inside it."""
    if MAKES_ONE in inspect.getsource(planner):
        return True
    parts = [f.type for f in fields(planner) if isinstance(f.type, type)]
    return any(issubclass(part, Planner) and makes_demand_queries(part) for part in parts)


def test_planners_that_make_demand_queries_are_known():
    """Tests the list of names against the source, so that a new planner cannot be forgotten."""
    planners = {
        name: planner
        for name, planner in PLANNERS.items()
        if planner.__module__.startswith("boca.")
    }
    expected = {name for name, planner in planners.items() if makes_demand_queries(planner)}
    assert expected == DEMAND_PLANNERS


def test_only_planners_make_demand_queries():
    """Tests what the test above relies on: no helper function makes them in a planner's place."""
    for name, module in sys.modules.items():
        if name.startswith(f"{boca.queries.__name__}.") and hasattr(module, "DemandQuery"):
            planners = [p for p in PLANNERS.values() if p.__module__ == name]
            inside = sum(inspect.getsource(planner).count(MAKES_ONE) for planner in planners)
            assert inspect.getsource(module).count(MAKES_ONE) == inside > 0, name


def test_mechanisms_that_ask_for_demands():
    """Tests the answer for every mechanism that comes with boca."""
    market = Market((Good("hall"), Good("kitchen")), (Bidder("Ada"), Bidder("Ben")))
    asking = {name for name in PRESETS if asks_for_demands(auction_params(name, market))}
    assert asking == {"cca", "hybrid", "ml-cca", "mlhca"}
