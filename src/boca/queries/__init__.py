"""What to ask next: each planner decides the questions of a round."""

from boca.queries.acquisition import Acquisition
from boca.queries.bridge import Bridge
from boca.queries.economies import MarginalUse
from boca.queries.first import FirstBundles
from boca.queries.narrowing import Narrowing
from boca.queries.planner import Plan, Planner, Prediction, Situation, register_planner
from boca.queries.prices.clock import Clock, ProfitBids, RaisedBids
from boca.queries.prices.model_prices import ModelPrices
from boca.queries.prices.prices_and_values import PricesAndValues
from boca.queries.prices.quick_clock import QuickClock
from boca.queries.random_bundles import RandomBundles
from boca.queries.small_bundles import SmallBundles
from boca.queries.suggested import SuggestedBundles
from boca.queries.trust_region import TrustRegion
from boca.queries.wanted import WantedBundles

__all__ = [
    "Acquisition",
    "Bridge",
    "Clock",
    "FirstBundles",
    "MarginalUse",
    "ModelPrices",
    "Narrowing",
    "Plan",
    "Planner",
    "Prediction",
    "PricesAndValues",
    "ProfitBids",
    "QuickClock",
    "RaisedBids",
    "RandomBundles",
    "Situation",
    "SmallBundles",
    "SuggestedBundles",
    "TrustRegion",
    "WantedBundles",
    "register_planner",
]
