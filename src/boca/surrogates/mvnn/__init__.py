"""Monotone networks for a mean and an upper uncertainty bound: the surrogate of BOCA."""

from boca.surrogates.mvnn.params import MvnnParams

__all__ = ["MvnnParams"]
