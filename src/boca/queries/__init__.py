"""What to ask next: each planner decides the questions of a round."""

from boca.queries.acquisition import Acquisition
from boca.queries.clock import Clock, ProfitBids, RaisedBids
from boca.queries.economies import MarginalUse
from boca.queries.first import FirstBundles
from boca.queries.planner import Plan, Planner, Prediction, Situation, register_planner
from boca.queries.random_bundles import RandomBundles
from boca.queries.suggested import SuggestedBundles

__all__ = [
    "Acquisition",
    "Clock",
    "FirstBundles",
    "MarginalUse",
    "Plan",
    "Planner",
    "Prediction",
    "ProfitBids",
    "RaisedBids",
    "RandomBundles",
    "Situation",
    "SuggestedBundles",
    "register_planner",
]
