"""A bidder's limits as rows."""

import numpy as np

from boca.wdp.encodings.bundle_variables import BundleVariables


def add_limits(bundle: BundleVariables, coefficients: np.ndarray, bounds: np.ndarray) -> None:
    """
    Keeps a bundle within linear limits.

    Parameters
    ----------
    bundle
        The bidder's variables.
    coefficients, bounds
        ``coefficients @ x <= bounds``, of shapes ``(num_limits, num_goods)`` and ``(num_limits,)``,
        as :meth:`Market.limits` gives them.
    """
    columns = np.tile(bundle.columns, (len(bounds), 1))
    bundle.model.add_rows(columns, coefficients, upper=bounds)
