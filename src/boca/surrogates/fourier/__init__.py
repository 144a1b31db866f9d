"""Sparse Fourier functions and the networks that show where to look: the surrogates of FT-MLCA."""

from boca.surrogates.fourier.params import FourierParams, check_single_copies

__all__ = ["FourierParams", "check_single_copies"]
