"""Winner determination: from value functions to the allocation that maximises their sum."""

from boca.wdp.best_bundle import Demand, best_bundle
from boca.wdp.problem import WelfareProblem, WelfareResult
from boca.wdp.solve import maximise_welfare
from boca.wdp.workspace import Workspace

__all__ = [
    "Demand",
    "WelfareProblem",
    "WelfareResult",
    "Workspace",
    "best_bundle",
    "maximise_welfare",
]
