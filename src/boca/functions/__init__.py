"""Value functions once known: frozen, numpy only, without training and without a solver."""

from boca.functions.adjusted_sum import AdjustedSum, Adjustment
from boca.functions.envelope import Envelope
from boca.functions.fourier import Basis, FourierSeries
from boca.functions.kernel_expansion import Kernel, KernelExpansion
from boca.functions.minimum import Minimum
from boca.functions.monotone_net import MonotoneNet
from boca.functions.quadratic import Quadratic
from boca.functions.relu_net import ReluNet
from boca.functions.scaled import Scaled
from boca.functions.value_function import ValueFunction
from boca.functions.xor_table import XorTable

__all__ = [
    "AdjustedSum",
    "Adjustment",
    "Basis",
    "Envelope",
    "FourierSeries",
    "Kernel",
    "KernelExpansion",
    "Minimum",
    "MonotoneNet",
    "Quadratic",
    "ReluNet",
    "Scaled",
    "ValueFunction",
    "XorTable",
]
