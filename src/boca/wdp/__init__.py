"""Winner determination: from value functions to the allocation that maximises their sum."""

from boca.wdp.problem import WelfareProblem, WelfareResult
from boca.wdp.solve import maximise_welfare
from boca.wdp.workspace import Workspace

__all__ = ["WelfareProblem", "WelfareResult", "Workspace", "maximise_welfare"]
