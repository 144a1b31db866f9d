"""Bayesian optimisation-based combinatorial assignment."""

__version__ = "0.1.0"
