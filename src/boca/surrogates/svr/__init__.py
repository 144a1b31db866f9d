"""Support vector regression: the surrogate of SVR-MLCA."""

from boca.surrogates.svr.params import KernelName, SvrParams

__all__ = ["KernelName", "SvrParams"]
