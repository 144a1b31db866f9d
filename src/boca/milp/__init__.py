"""A thin, array-based layer over linear and mixed-integer solvers."""

from boca.milp.lp import MasterLP, solve_lp
from boca.milp.model import Model
from boca.milp.params import MilpParams
from boca.milp.result import LpResult, MilpResult, Status
from boca.milp.solving import installed, solve

__all__ = [
    "LpResult",
    "MasterLP",
    "MilpParams",
    "MilpResult",
    "Model",
    "Status",
    "installed",
    "solve",
    "solve_lp",
]
