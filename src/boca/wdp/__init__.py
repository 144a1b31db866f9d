"""Winner determination: from value functions to the allocation that maximises their sum."""

from boca.wdp.listing import Listing
from boca.wdp.one_bidder import best_bundle
from boca.wdp.problem import WelfareProblem
from boca.wdp.result import Demand, WelfareResult
from boca.wdp.solve import maximise_welfare
from boca.wdp.workspace import Workspace

__all__ = [
    "Demand",
    "Listing",
    "WelfareProblem",
    "WelfareResult",
    "Workspace",
    "best_bundle",
    "maximise_welfare",
]
