"""What planners say about themselves."""

import inspect
import sys
from dataclasses import fields

import boca.queries
from boca.queries.planner import PLANNERS, Planner

MAKES_ONE = "DemandQuery("


def makes_demand_queries(planner: type[Planner]) -> bool:
    """Whether the source of a planner makes demand queries, or that of a planner inside it."""
    if MAKES_ONE in inspect.getsource(planner):
        return True
    parts = [f.type for f in fields(planner) if isinstance(f.type, type)]
    return any(issubclass(part, Planner) and makes_demand_queries(part) for part in parts)


def test_planners_that_make_demand_queries_say_so():
    """Tests `asks_demands` against the source, so that no planner forgets it."""
    planners = [p for p in PLANNERS.values() if p.__module__.startswith("boca.")]
    assert {p.name for p in planners if p.asks_demands} == {
        p.name for p in planners if makes_demand_queries(p)
    }
    assert any(p.asks_demands for p in planners)


def test_only_planners_make_demand_queries():
    """Tests what the test above relies on: no helper function makes them in a planner's place."""
    for name, module in sys.modules.items():
        if name.startswith(f"{boca.queries.__name__}.") and hasattr(module, "DemandQuery"):
            planners = [p for p in PLANNERS.values() if p.__module__ == name]
            inside = sum(inspect.getsource(planner).count(MAKES_ONE) for planner in planners)
            assert inspect.getsource(module).count(MAKES_ONE) == inside > 0, name
