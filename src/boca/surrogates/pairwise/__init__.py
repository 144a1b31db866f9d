"""Beliefs about a bidder's utility from a form and from comparisons of two bundles."""

from boca.surrogates.pairwise.belief import Belief
from boca.surrogates.pairwise.params import PairwiseParams
from boca.surrogates.pairwise.population import Population, read_forms
from boca.surrogates.pairwise.prior import Prior

__all__ = ["Belief", "PairwiseParams", "Population", "Prior", "read_forms"]
