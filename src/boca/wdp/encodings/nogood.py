"""Bundles that a bidder must not get."""

import numpy as np

from boca.wdp.encodings.bundle_variables import BundleVariables


def exclude(bundle: BundleVariables, bundles: np.ndarray) -> None:
    """
    Cuts off the given bundles and no other.

    A bundle differs from b if some good has more copies than in b, or some good has fewer:
    ``sum over g with b_g < c_g of [x_g >= b_g + 1] + sum over g with b_g > 0 of
    (1 - [x_g >= b_g]) >= 1``, where the brackets are binary variables of the bundle. For goods
    with one copy these are the goods' own variables, and the cut is the usual
    ``sum_g (2 b_g - 1) x_g <= |b| - 1``.

    Parameters
    ----------
    bundle
        The bidder's variables.
    bundles
        Integer matrix ``(num_bundles, num_goods)``.
    """
    for forbidden in np.asarray(bundles):
        more = bundle.outside(forbidden)
        less = [bundle.at_least(g, int(forbidden[g])) for g in np.flatnonzero(forbidden).tolist()]
        bundle.model.add_row(
            [*more, *less], [1.0] * len(more) + [-1.0] * len(less), lower=1 - len(less)
        )
