"""The smallest of several expressions."""

from collections.abc import Sequence

import numpy as np

from boca.wdp.encodings.bundle_variables import BundleVariables
from boca.wdp.encodings.expression import Expression


def encode_minimum(parts: Sequence[Expression], bundle: BundleVariables) -> Expression:
    """
    A variable below every part; where the value is maximised it is their minimum.

    The variable is in units of the largest coefficient, so that the rows stay near 1 whatever
    the unit of value.
    """
    unit = max(float(np.abs(part.coefficients).max(initial=0.0)) for part in parts) or 1.0
    smallest = bundle.model.add_variables(1, lower=-np.inf)
    for part in parts:
        bundle.model.add_row(
            [*smallest, *part.columns],
            [1.0, *(-part.coefficients / unit)],
            upper=part.constant / unit,
        )
    return Expression(smallest, np.array([unit]))
