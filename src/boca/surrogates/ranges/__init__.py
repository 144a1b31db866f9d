"""Ranges of hyperparameters: all that a search needs to know about a surrogate."""

from boca.surrogates.ranges.dimension import Choice, Interval
from boca.surrogates.ranges.library import (
    load_space,
    stored_names,
    stored_space,
    usual_space,
)
from boca.surrogates.ranges.space import Space, make_params

__all__ = [
    "Choice",
    "Interval",
    "Space",
    "load_space",
    "make_params",
    "stored_names",
    "stored_space",
    "usual_space",
]
