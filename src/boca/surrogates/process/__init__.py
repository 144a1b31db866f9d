"""Costs and values of all bidders as one Gaussian process: what one shows helps with others."""

from boca.surrogates.process.params import ProcessParams

__all__ = ["ProcessParams"]
