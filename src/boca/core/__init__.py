"""The words of the project: markets, bundles, reports, allocations. numpy only."""

from boca.core.allocation import Allocation, check_feasible
from boca.core.comparison import Comparison, ComparisonQuery, Comparisons
from boca.core.demand import Demands
from boca.core.economy import Economy
from boca.core.errors import BocaError, InfeasibleAllocation, InputError, MissingExtra, SolverError
from boca.core.goods import Good, Limit
from boca.core.market import Bidder, Market
from boca.core.outcome import Outcome
from boca.core.query import DemandQuery, Query, Question, Reason
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.core.rule import Rule

__all__ = [
    "Allocation",
    "Bidder",
    "BocaError",
    "Comparison",
    "ComparisonQuery",
    "Comparisons",
    "DemandQuery",
    "Demands",
    "Economy",
    "Good",
    "InfeasibleAllocation",
    "InputError",
    "Limit",
    "Market",
    "MissingExtra",
    "Outcome",
    "Query",
    "Question",
    "Reason",
    "Reports",
    "Rule",
    "Seeds",
    "SolverError",
    "check_feasible",
]
