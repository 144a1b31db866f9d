"""What an encoding says about one bundle, read off a solved model."""

import numpy as np

from boca.milp import Model, solve
from boca.wdp.encodings import BundleVariables


def encoded_value(encode, function, bundle, maximise=True) -> float:
    """The largest (or smallest) value of an encoding's expression at a given bundle."""
    model = Model(maximise)
    variables = BundleVariables(model, function.capacities)
    encode(function, variables).add_to_objective(model)
    fixed = np.asarray(bundle, dtype=float)
    model.add_rows(variables.columns[:, None], 1.0, lower=fixed, upper=fixed)
    return solve(model).objective
