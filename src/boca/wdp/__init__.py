"""Winner determination: from value functions to the allocation that maximises their sum."""

from boca.wdp.problem import WelfareProblem, WelfareResult

__all__ = ["WelfareProblem", "WelfareResult"]
