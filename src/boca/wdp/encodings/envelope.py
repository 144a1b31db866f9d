"""The 100 % bound without any binary of its own."""

import numpy as np

from boca.functions import Envelope
from boca.wdp.encodings.bundle_variables import BundleVariables
from boca.wdp.encodings.expression import Expression


def encode_envelope(envelope: Envelope, bundle: BundleVariables) -> Expression:
    """
    Theorem 1 as a chain: ``sum_k (w_{k+1} - w_k) p_k``, where p_k says that the bundle is outside
    of all reported bundles up to k (sorted by value).

    ``0 <= p_k <= 1``, ``p_k <= p_{k-1}`` and ``p_k <= sum over g of [x_g > b_kg]``. The steps are
    not negative, so where the value is maximised every p is as large as these rows allow. That is
    0 or 1 without being asked to, since the sums are whole numbers.
    """
    steps = np.diff(envelope.values)
    tests = envelope.bundles[:-1]
    beyond = bundle.model.add_variables(len(steps), 0, 1)
    for p, test in zip(beyond, tests, strict=True):
        outside = bundle.outside(test)
        bundle.model.add_row([p, *outside], [1.0] + [-1.0] * len(outside), upper=0)
    bundle.model.add_rows(np.stack([beyond[1:], beyond[:-1]], axis=1), [1.0, -1.0], upper=0)
    return Expression(beyond, steps)
